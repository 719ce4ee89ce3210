//! The report of a copy.

use serde_json::{Value, json};
use staleness_core::registry::TransferCounts;
use staleness_core::text::counted;
use staleness_core::transfer::{Compared, Contents};

use crate::commands::import::{counts, records};
use crate::output::{Cell, Output, Paint};

/// The result of a copy, or of its dry run.
#[derive(Debug)]
pub(super) struct Report {
    /// Number of records written.
    pub(super) copied: TransferCounts,
    /// Number of records that already existed.
    pub(super) there: TransferCounts,
    /// The collections of both registries after the copy.
    pub(super) collections: Vec<Compared>,
}

impl Report {
    /// Returns true if both registries have the same contents.
    pub(super) fn is_same(&self) -> bool {
        self.collections.iter().all(Compared::is_same)
    }
}

/// Lists the nonempty collections with their counts.
pub(super) fn listed(collections: &[Compared], count: impl Fn(&Compared) -> u64) -> String {
    let counts = collections.iter().map(|each| (each.name, count(each)));
    let some = counts.filter(|(_, count)| *count > 0);
    some.map(|(name, count)| records(name, count)).collect::<Vec<_>>().join(", ")
}

/// Returns the result as JSON.
pub(super) fn document(report: &Report, (from, to): &(String, String), dry_run: bool) -> Value {
    let side = |side: &Contents| json!({ "records": side.records, "digest": format!("{:032x}", side.digest) });
    let collections: Vec<Value> = report
        .collections
        .iter()
        .map(|each| {
            json!({
                "name": each.name,
                "from": side(&each.original),
                "to": side(&each.copy),
                "same": each.is_same(),
            })
        })
        .collect();
    json!({
        "from": from,
        "to": to,
        "dry_run": dry_run,
        "copied": report.copied,
        "there": report.there,
        "same": report.is_same(),
        "collections": collections,
    })
}

/// Formats the result as text.
pub(super) fn render(report: &Report, dry_run: bool, out: &Output) -> String {
    let done = if dry_run { "would be copied" } else { "copied" };
    let mut text = String::new();
    for (what, of) in [(done, &report.copied), ("already there", &report.there)] {
        if *of != TransferCounts::default() || what == done {
            text.push_str(&format!("{what}: {}\n", counts(of)));
        }
    }
    if dry_run {
        return text;
    }
    let held = || report.collections.iter().filter(|each| each.original.records > 0);
    text.push_str(&out.table(held().map(|each| -> Vec<Cell> {
        let verdict = if each.is_same() { "the same" } else { "not the same" };
        vec![
            (each.name.into(), None),
            (each.original.records.to_string(), None),
            (verdict.into(), (!each.is_same()).then_some(Paint::bold as _)),
            (format!("{:032x}", each.original.digest), Some(Paint::dim)),
        ]
    })));
    if report.is_same() {
        let records: u64 = held().map(|each| each.original.records).sum();
        text.push_str(&format!("both hold the same {}\n", counted(records, "record", "records")));
    }
    text
}
