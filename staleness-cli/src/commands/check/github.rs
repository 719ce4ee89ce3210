//! Formats the findings of a check as annotations for GitHub Actions.
//!
//! Format: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>.

use std::collections::BTreeSet;

use staleness::verdict::Level;
use staleness_docs::{Blind, Edit, Note, Report, Skipped, remedy};

use crate::output::{escape, section};
use staleness_service::findings::{Finding, Findings};
use staleness_service::fixes::Fixes;
use staleness_service::lock::{self, Comparison};

use super::locked::NOT_ACCEPTED;

/// Returns an annotation for each finding, each unchecked file, and each note on the whole check. Findings with only
/// weak evidence are included if `weak` is true.
pub(crate) fn annotations(
    findings: &Findings,
    report: &Report,
    fixes: &Fixes,
    weak: bool,
) -> String {
    let whole = report.notes.iter().filter(|note| note.path.is_none());
    findings
        .all()
        .filter(|each| weak || each.told.verdict.level > Level::Fresh)
        .map(|finding| annotation(finding, fixes))
        .chain(report.blind.iter().map(blind))
        .chain(report.skipped.iter().map(skipped))
        .chain(whole.map(note_annotation))
        .collect()
}

/// Returns an annotation for each change since `agents.lock` was written, at its line, and for each entry that was not
/// compared.
pub(super) fn moved(told: &Comparison) -> String {
    let moved = told.moved.iter().map(|each| {
        let text = format!("{} {}: {}", each.kind, each.name, each.what());
        let line = each.line.unwrap_or(1);
        let file = property(lock::FILE);
        format!("::error file={file},line={line},title=moved::{}\n", data(&escape(&text)))
    });
    let unaccepted = told.unaccepted.iter().map(|each| {
        let text = format!("tool {}: {NOT_ACCEPTED} ({})", each.name, each.class.as_str());
        let command = if each.withheld { "error" } else { "warning" };
        let (file, line) = (property(lock::FILE), each.line.unwrap_or(1));
        format!(
            "::{command} file={file},line={line},title={NOT_ACCEPTED}::{}\n",
            data(&escape(&text))
        )
    });
    let unchecked = told.unchecked.iter().map(|each| {
        let text = format!("{} {}: {}", each.kind, each.name, each.reason);
        let command = if each.is_unread() { "error" } else { "warning" };
        format!("::{command} title=not checked::{}\n", data(&escape(&text)))
    });
    moved.chain(unaccepted).chain(unchecked).collect()
}

fn skipped(file: &Skipped) -> String {
    let shown = data(&escape(&file.path));
    let reason = data(&escape(&file.reason));
    let mut properties = place(&file.path);
    properties.push("title=not checked".into());
    format!("::warning {}::{shown}: {reason}\n", properties.join(","))
}

fn blind(blind: &Blind) -> String {
    let text = format!("{} {}: {}", escape(&blind.path), blind.reason, remedy(blind.kind));
    format!("::warning title=incomplete::{}\n", data(&text))
}

fn note_annotation(note: &Note) -> String {
    format!("::notice title=staleness check::{}\n", data(&escape(&note.text)))
}

/// Returns the file property for a path in the repository. Empty for a file of the user, and for a name that a log
/// cannot show.
fn place(path: &str) -> Vec<String> {
    let named = !path.starts_with("~/") && escape(path) == path;
    named.then(|| format!("file={}", property(path))).into_iter().collect()
}

fn annotation(finding: &Finding, fixes: &Fixes) -> String {
    let told = &finding.told;
    let command = match told.verdict.level {
        Level::Stale => "error",
        Level::Review => "warning",
        Level::Fresh => "notice",
    };
    let path = told.path.as_deref().unwrap_or_default();
    let mut properties = place(path);
    let unnamed = properties.is_empty();
    if !unnamed {
        let line = told.line.unwrap_or(1);
        properties.push(format!("line={line},endLine={}", finding.last_line.max(line)));
    }
    let verdict = &told.verdict;
    let title = format!("{}: {}", verdict.level.as_str(), verdict.action.as_str());
    properties.push(format!("title={}", property(&title)));
    let mut reasons: Vec<String> =
        verdict.signals.iter().map(|signal| data(&escape(&signal.reason))).collect();
    let kinds: BTreeSet<&str> = verdict.signals.iter().map(|it| it.kind.as_str()).collect();
    reasons.extend(kinds.into_iter().map(section));
    reasons.extend(finding.evidence.iter().flat_map(|each| {
        fixes.for_evidence(path, each).iter().map(|edit| data(&suggestion(edit)))
    }));
    if unnamed {
        let line = told.line.unwrap_or(1);
        reasons.insert(0, data(&format!("{}:{line}", escape(path))));
    }
    format!("::{command} {}::{}\n", properties.join(","), reasons.join("%0A"))
}

/// Formats a replacement and its position.
fn suggestion(edit: &Edit) -> String {
    let Edit { line, column, end_column, new, .. } = edit;
    format!("line {line}, columns {column} to {}: replace with {}", end_column - 1, escape(new))
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_property_or_a_command_is_escaped() {
        assert_eq!(property("a,b:c%\r\n"), "a%2Cb%3Ac%25%0D%0A");
        assert_eq!(data("100%: one, two\n"), "100%25: one, two%0A");
    }
}
