//! Rows in the lines of an export that differ from stored rows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize, Serializer};

use crate::ids::{ProjectId, SourceId};
use crate::journal::Revision;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::source::{Source, SourceState};
use crate::text::hex;
use crate::time::Timestamp;
use crate::tool::{Ring, Tool};

/// A project with its digest as hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Project", deny_unknown_fields)]
pub(super) struct ProjectRow {
    id: ProjectId,
    root: String,
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
    #[serde(with = "hex")]
    config_digest: u128,
    told: Revision,
}

/// A source with its digest as hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Source", deny_unknown_fields)]
pub(super) struct SourceRow {
    id: SourceId,
    path: String,
    state: SourceState,
    found: u32,
    #[serde(with = "hex")]
    digest: u128,
    readings: u64,
    last_read_at: Option<Timestamp>,
    last_scan_at: Timestamp,
    error: Option<String>,
}

/// Writes an outcome with the sequence number 0, because each store assigns its own.
pub(super) fn unnumbered<S: Serializer>(row: &Outcome, to: S) -> Result<S::Ok, S::Error> {
    Outcome { seq: 0, ..row.clone() }.serialize(to)
}

/// Rejects control characters in the id of a source, because control characters separate the parts of keys.
pub(super) fn check_source(id: &SourceId) -> Result<(), String> {
    if id.client.chars().chain(id.part.chars()).any(char::is_control) {
        return Err("a source's name contains a control character".into());
    }
    Ok(())
}

/// Rejects values that no stored tool has: a window or description that is too long, unsorted clients, or a duplicate
/// source.
pub(super) fn check_tool(row: &Tool) -> Result<(), String> {
    if usize::from(row.health.window) > Ring::CAPACITY {
        return Err(format!("more than {} outcomes", Ring::CAPACITY));
    }
    if row.used_by.len() > Tool::MAX_CLIENTS || !row.used_by.is_sorted_by(|a, b| a < b) {
        return Err("too many clients, or clients out of order".into());
    }
    let long = |text: &String| text.chars().nth(Tool::MAX_DESCRIPTION_CHARS).is_some();
    if row.description.as_ref().is_some_and(long) {
        return Err(format!("a description over {} characters", Tool::MAX_DESCRIPTION_CHARS));
    }
    let mut sources = BTreeSet::new();
    for listing in &row.listings {
        check_source(&listing.source)?;
        if !sources.insert(&listing.source) {
            return Err(format!("the source {} appears twice", listing.source));
        }
    }
    Ok(())
}
