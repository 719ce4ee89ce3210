//! `check_documents`: what documents say that the project no longer has.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use staleness::knowledge::Item;
use staleness::verdict::Level;
use staleness_service::documents::{Asked, check, context, rows as stored_rows};
use staleness_service::findings::{Findings, Levels};
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::settings::Access;
use staleness_service::{ServiceError, citations};

use super::verdict;
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{Effect, Spec};
use crate::text::{Text, line};

pub(super) fn specs() -> Vec<Spec> {
    vec![Spec::new(
        "check_documents",
        "Check Markdown documents against the code and its history now: what they say that no longer \
         holds, by file and line. Takes seconds; reports progress.",
        Effect::Settles,
        "name files or folders of the project, or leave `paths` out",
        run,
    )
    .slow()]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckDocuments {
    /// Files and folders; else all.
    paths: Option<Vec<String>>,
    /// Only what is new since this commit or branch.
    since: Option<String>,
    limit: Option<u32>,
}

fn run(call: &Call<'_>, asked: CheckDocuments) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    // Paths count from the project; what leads out of it is reported and not followed.
    let folder = &settings.place.folder;
    let paths: Vec<PathBuf> = asked.paths.iter().flatten().map(|path| folder.join(path)).collect();
    let since = asked.since.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let wanted = Asked { paths: &paths, since, ..Asked::default() };
    let report = check(settings, wanted, call.listener)?;
    let context = context(settings, report.version.as_deref());
    let stored = stored_rows(settings, &settings.open(Access::Look)?, &report.items)?;
    let look_up = |items: &[Item]| citations::evidence(settings, items);
    let found = Findings::new(&report, stored, &look_up, &context);
    let mut doubtful = found.in_order();
    doubtful.retain(|each| each.told.verdict.level != Level::Fresh);
    let limit = asked.limit.map_or(20, |limit| limit as usize);
    let rows = Rows::fit(doubtful, limit, |each| {
        let told = &each.told;
        let row = json!({
            "path": told.path,
            "line": told.line,
            "title": line(&told.title),
            "verdict": verdict::brief(&told.verdict),
        });
        let path = ModelName::path(NameKind::Document, told.path.as_deref().unwrap_or_default());
        let place = Text::new("- ").and(path).and(" line ").and(told.line.unwrap_or(1));
        (row, place.and(": ").and(verdict::words(&told.verdict)))
    });
    let counts = found.counts;
    let plural = |count: u64, one: &'static str, many: &'static str| {
        Text::new(count).and(if count == 1 { one } else { many })
    };
    let mut head = Text::new(counts.stale).and(" stale, ").and(counts.review).and(" to review, ");
    head.push(plural(counts.fresh, " fresh block in ", " fresh blocks in "));
    head.push(plural(report.counts.documents as u64, " document", " documents"));
    if !report.skipped.is_empty() {
        head = head.and("; ").and(report.skipped.len()).and(" not checked");
    }
    if report.new_since.is_some() {
        let Levels { review, stale, .. } = found.reported();
        head = head.and("; ").and(stale).and(" stale and ").and(review).and(" to review are new");
    }
    let skipped: Vec<_> = report
        .skipped
        .iter()
        .take(5)
        .map(|each| json!({ "path": line(&each.path), "reason": line(&each.reason) }))
        .collect();
    let text = rows.text(head, Text::new("name fewer paths"));
    let data = json!({
        "items": rows.items,
        "more": rows.more,
        "counts": counts,
        "documents": report.counts.documents,
        "skipped": skipped,
        "more_skipped": report.skipped.len() - skipped.len(),
        "head": report.head,
    });
    Ok(Answer::new(text, data))
}
