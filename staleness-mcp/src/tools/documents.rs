//! `check_documents`: finds statements in documents that the project contradicts.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use staleness::knowledge::Item;
use staleness::verdict::Level;
use staleness_docs::disk::leads_out;
use staleness_service::documents::{Asked, check, context, rows as stored_rows};
use staleness_service::error::quoted;
use staleness_service::findings::{Finding, Findings, Levels};
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::settings::{Access, Settings};
use staleness_service::text::{Judged, judge};
use staleness_service::{ServiceError, citations};

use super::verdict;
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Text, line};

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            About {
                name: "check_documents",
                title: "Check documents against the code",
                search_hint: "find outdated statements in documentation now",
                description: "Call after documents or code changed; else list_stale returns the \
                              last result at once. Compares Markdown files with the code and its \
                              history, which takes seconds. Returns outdated statements by file \
                              and line.",
                effect: Effect::Settles,
                next: "name files or folders of the project, or omit `paths`",
            },
            run,
        )
        .slow(),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckDocuments {
    /// Files and folders to check; default all
    paths: Option<Vec<String>>,
    /// Text to check for missing or invented names, such as a plan, instead of files
    text: Option<String>,
    /// Return only what is new since this commit or branch
    since: Option<String>,
    /// Maximum; default 20
    limit: Option<u32>,
}

/// A doubtful statement in a document or in the text given.
#[derive(Serialize, JsonSchema)]
pub(super) struct Row {
    path: Option<String>,
    line: Option<u32>,
    title: String,
    verdict: verdict::Brief,
}

#[derive(Serialize, JsonSchema)]
struct Skipped {
    path: String,
    reason: String,
}

/// Findings, and the number of documents that were read.
#[derive(Serialize, JsonSchema)]
struct Checked {
    items: Vec<Row>,
    more: usize,
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    counts: Levels,
    documents: usize,
    skipped: Vec<Skipped>,
    more_skipped: usize,
    head: Option<String>,
}

/// Returns a note if the check is not recorded, because the server was started with a fixed time.
pub(super) const fn not_kept(settings: &Settings) -> &'static str {
    match settings.given_now {
        true => "; not recorded, because the server runs with --now",
        false => "",
    }
}

pub(super) fn row(each: &Finding) -> (Row, Text) {
    let told = &each.told;
    let row = Row {
        path: told.path.clone(),
        line: told.line,
        title: line(&told.title),
        verdict: verdict::brief(&told.verdict),
    };
    let path = ModelName::path(NameKind::Document, told.path.as_deref().unwrap_or_default());
    let place = Text::new("- ").and(path).and(" line ").and(told.line.unwrap_or(1));
    (row, place.and(": ").and(verdict::words(&told.verdict)))
}

/// Returns a missing name in a text as a row and a line of text.
fn of_text(each: &Judged) -> (Row, Text) {
    let missing = &each.missing;
    let row = Row {
        path: None,
        line: Some(missing.line),
        title: line(&missing.name),
        verdict: verdict::brief(&each.verdict),
    };
    let place = Text::new("- line ").and(missing.line).and(": ");
    let word = if each.is_invented() { "invented, " } else { "" };
    (row, place.and(word).and(verdict::words(&each.verdict)))
}

fn run_text(
    call: &Call<'_>,
    asked: &CheckDocuments,
    text: &str,
) -> Result<Answer<Checked>, ServiceError> {
    let settings = &call.settings;
    if asked.paths.is_some() || asked.since.is_some() {
        return Err(ServiceError::invalid("`text` cannot be combined with `paths` or `since`")
            .hint("call twice, once for each"));
    }
    let most = settings.configured.policy.documents.max_file_bytes;
    if text.len() as u64 > most {
        return Err(ServiceError::invalid(format!("`text` is longer than {most} bytes"))
            .hint("send part of it"));
    }
    let told = judge(settings, text, call.listener)?;
    let limit = asked.limit.map_or(20, |limit| limit as usize);
    let rows = Rows::fit(&told.found, limit, of_text);
    let (went, invented) = told.counts();
    let mut head = Text::new(went).and(" gone, ").and(invented).and(" invented of ");
    head = head.and(told.names).and(if told.names == 1 { " name" } else { " names" });
    if !told.notes.is_empty() {
        head = head.and("; some names could not be checked");
    }
    let text = rows.text(head, Text::new("raise `limit`"));
    let at = |level| told.found.iter().filter(|each| each.verdict.level == level).count() as u64;
    let names = told.names as u64;
    let counts = Levels {
        stale: at(Level::Stale),
        review: at(Level::Review),
        fresh: names.saturating_sub(at(Level::Stale) + at(Level::Review)),
    };
    let data = Checked {
        items: rows.items,
        more: rows.more,
        counts,
        documents: 0,
        more_skipped: 0,
        skipped: Vec::new(),
        head: told.head,
    };
    Ok(Answer::new(text, data))
}

fn run(call: &Call<'_>, asked: CheckDocuments) -> Result<Answer<Checked>, ServiceError> {
    if let Some(text) = &asked.text {
        return run_text(call, &asked, text);
    }
    let settings = &call.settings;
    // Paths are relative to the project. The caller must not learn anything about files outside it.
    let folder = &settings.place.folder;
    // The user's own files may be checked, too.
    let is_outside = |path: &&String| {
        leads_out(folder, Path::new(path)) && leads_out(&settings.home, &folder.join(path))
    };
    if let Some(path) = asked.paths.iter().flatten().find(is_outside) {
        let why = format!("{} is outside the project", quoted(path));
        return Err(ServiceError::invalid(why).hint("name files or folders of the project"));
    }
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
    let rows = Rows::fit(doubtful, limit, row);
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
    if let Some(first) = report.blind.first() {
        head = head.and("; the check is incomplete: ").and(staleness_docs::remedy(first.kind));
    }
    head.push(not_kept(settings));
    if report.new_since.is_some() {
        let Levels { review, stale, .. } = found.reported();
        head = head.and("; ").and(stale).and(" stale and ").and(review).and(" to review are new");
    }
    let skipped = report.skipped.iter().take(5);
    let skipped: Vec<_> = skipped
        .map(|each| Skipped { path: line(&each.path), reason: line(&each.reason) })
        .collect();
    let text = rows.text(head, Text::new("name fewer paths"));
    let data = Checked {
        items: rows.items,
        more: rows.more,
        counts,
        documents: report.counts.documents,
        more_skipped: report.skipped.len() - skipped.len(),
        skipped,
        head: report.head,
    };
    Ok(Answer::new(text, data))
}
