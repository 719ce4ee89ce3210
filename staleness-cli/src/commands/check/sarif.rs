//! Formats the findings of a check as SARIF 2.1.0, for code scanning and editors.
//!
//! Format: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use staleness::knowledge::{Context, Evidence, Fact};
use staleness::verdict::{Ground, Level, Signal, SignalKind};
use staleness_docs::{Edit, Report, remedy};

use super::baseline::{fingerprint, subject};
use super::locked::NOT_ACCEPTED;
use crate::output::section;
use staleness_service::findings::{Finding, Findings};
use staleness_service::fixes::Fixes;
use staleness_service::lock::{self, Comparison, Moved, Unaccepted, Unchecked};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Name of the fingerprint, which does not change if a finding moves within its document.
const FINGERPRINT: &str = "staleness/v1";
/// Characters that are percent-encoded in a path.
const RESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Returns a log with one result for each signal. Weak signals are included only on request.
pub(crate) fn log(
    findings: &Findings,
    report: &Report,
    context: &Context,
    fixes: &Fixes,
    weak: bool,
) -> Value {
    let rules = rules();
    let mut results: Vec<Value> =
        findings.all().flat_map(|each| results(each, &rules, context, fixes)).collect();
    results.retain(|result| weak || result["level"] != level_word(Level::Fresh));
    envelope(&rules, &notifications(report), &results, &json!({ "projectVersion": report.version }))
}

/// Returns a log of the changes since `agents.lock` was written, each at its line in that file.
pub(super) fn moved(told: &Comparison) -> Value {
    let rules = [
        Rule {
            id: "lock_moved",
            short: "The project's content for agents differs from agents.lock.",
            help: "Review the change, then run `staleness lock`.",
            level: "error",
        },
        Rule {
            id: "lock_not_accepted",
            short: "A server changed a tool, and no person has accepted the change.",
            help: "See `staleness tools diff`, then run `staleness tools accept`.",
            level: "error",
        },
    ];
    let result = |rule: usize, level: &str, (kind, name): (&str, &str), what: &str, line| {
        json!({
            "ruleId": rules[rule].id,
            "ruleIndex": rule,
            "level": level,
            "message": { "text": format!("{kind} {name}: {what}") },
            "locations": [{ "physicalLocation": {
                "artifactLocation": location(lock::FILE),
                "region": { "startLine": Option::unwrap_or(line, 1) },
            }}],
            "partialFingerprints": { FINGERPRINT: fingerprint(name, kind, 0, what) },
        })
    };
    let moved = |it: &Moved| result(0, "error", (&it.kind, &it.name), &it.what(), it.line);
    let unread = |it: &Unchecked| result(0, "error", (&it.kind, &it.name), &it.reason, None);
    let unaccepted = |it: &Unaccepted| {
        let level = if it.withheld { "error" } else { "warning" };
        let what = format!("{NOT_ACCEPTED} ({})", it.class.as_str());
        result(1, level, ("tool", &it.name), &what, it.line)
    };
    let unchecked = |each: &Unchecked| {
        let Unchecked { kind, name, reason } = each;
        notification("warning", &format!("not checked: {kind} {name}: {reason}"), None, None)
    };
    let (errors, others): (Vec<_>, Vec<_>) =
        told.unchecked.iter().partition(|each| each.is_unread());
    let results = told.moved.iter().map(moved).chain(told.unaccepted.iter().map(unaccepted));
    let results: Vec<Value> = results.chain(errors.into_iter().map(unread)).collect();
    let unchecked: Vec<Value> = others.into_iter().map(unchecked).collect();
    envelope(&rules, &unchecked, &results, &json!({}))
}

fn envelope(
    rules: &[Rule],
    notifications: &[Value],
    results: &[Value],
    properties: &Value,
) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "staleness",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(Rule::descriptor).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {
                "PROJECTROOT": { "description": { "text": "The root folder of the project." } },
                "HOME": { "description": { "text": "The home folder of the user." } },
            },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
            "properties": properties,
        }],
    })
}

fn notification(level: &str, text: &str, path: Option<&str>, line: Option<u32>) -> Value {
    let mut told = json!({ "level": level, "message": { "text": text } });
    if let Some(path) = path {
        let mut place = json!({ "artifactLocation": location(path) });
        if let Some(line) = line.filter(|line| *line > 0) {
            place["region"] = json!({ "startLine": line });
        }
        told["locations"] = json!([{ "physicalLocation": place }]);
    }
    told
}

/// Returns a warning for each gap and each unchecked file, and a note for each other remark.
fn notifications(report: &Report) -> Vec<Value> {
    let blind = report.blind.iter().map(|each| {
        let mut told = notification("warning", "", Some(&each.path), None);
        told["message"]["text"] = format!("{}: {}", each.reason, remedy(each.kind)).into();
        told["descriptor"] = json!({ "id": each.kind.as_str() });
        told
    });
    let skipped = report.skipped.iter().map(|each| {
        let text = format!("not checked: {}", each.reason);
        notification("warning", &text, Some(&each.path), None)
    });
    let noted = report
        .notes
        .iter()
        .map(|note| notification("note", &note.text, note.path.as_deref(), note.line));
    blind.chain(skipped).chain(noted).collect()
}

/// Description of a kind of evidence, for readers who see it for the first time.
struct Rule {
    id: &'static str,
    short: &'static str,
    help: &'static str,
    level: &'static str,
}

impl Rule {
    fn descriptor(&self) -> Value {
        let name: String = self
            .id
            .split('_')
            .map(|word| {
                let (first, rest) = word.split_at(word.len().min(1));
                first.to_uppercase() + rest
            })
            .collect();
        json!({
            "id": self.id,
            "name": name,
            "shortDescription": { "text": self.short },
            "fullDescription": { "text": self.short },
            "help": { "text": self.help },
            "helpUri": section(self.id),
            "defaultConfiguration": { "level": self.level },
            "properties": { "tags": ["documentation", "staleness"] },
        })
    }
}

fn rules() -> Vec<Rule> {
    let of = |kind: SignalKind| {
        let (short, help, level) = words(kind);
        Rule { id: kind.as_str(), short, help, level }
    };
    let age = Rule {
        id: Ground::Age.as_str(),
        short: "It has not been verified for a long time.",
        help: "Read it. If it is still true, run `staleness knowledge verify`; if not, correct it.",
        level: "note",
    };
    SignalKind::ALL.into_iter().map(of).chain([age]).collect()
}

const fn words(kind: SignalKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        SignalKind::Expired => (
            "Its expiry date has passed.",
            "Remove it, or set a later date if it is still true.",
            "error",
        ),
        SignalKind::Superseded => (
            "Another item replaces it.",
            "Remove it, or point to the item that replaces it.",
            "error",
        ),
        SignalKind::Contradicted => (
            "Someone marked it as wrong.",
            "See who did, and why. Correct it, or verify it if it is right.",
            "error",
        ),
        SignalKind::SourceMissing => (
            "It cites a path, lines, a symbol or a heading that no longer exists.",
            "Point to the new place, or remove the sentence. The finding shows known renames.",
            "error",
        ),
        SignalKind::ReferenceDrift => (
            "It names a path, flag, identifier or command that the project no longer has.",
            "Use the new name, or remove the sentence.",
            "warning",
        ),
        SignalKind::SourceChanged => (
            "The cited lines were changed after this was written or verified.",
            "Compare the lines with this text. Correct the text, or its citation.",
            "warning",
        ),
        SignalKind::VersionDrift => (
            "It was written for an earlier version of the project.",
            "Check it against the current version, and name that version.",
            "note",
        ),
        SignalKind::RelatedFresher => (
            "Something that it depends on was changed after it was verified.",
            "Read what it depends on, then verify or correct it.",
            "note",
        ),
        SignalKind::RelatedStale => (
            "Something that it depends on is stale itself.",
            "Correct what it depends on first.",
            "note",
        ),
        SignalKind::RecalledWithoutProgress => (
            "It is a to-do that is often read but not done.",
            "Do it, change its date, or drop it.",
            "note",
        ),
        SignalKind::TemporalMarker => (
            "It uses a word that is only true for some time.",
            "Give a date, or remove the word.",
            "note",
        ),
        SignalKind::FutureDate => ("Its date is in the future.", "Correct the date.", "note"),
        SignalKind::BrokenLink => (
            "It links to a file or heading that never existed, or names a path that was already \
             gone when it was edited.",
            "Correct the link. The finding names the closest match, if any.",
            "warning",
        ),
        _ => ("There is evidence against it.", "Read it again.", "note"),
    }
}

/// Returns one result for each signal. The first, strongest one has the level of the block. Each other has the level
/// that it would cause alone.
fn results(finding: &Finding, rules: &[Rule], context: &Context, fixes: &Fixes) -> Vec<Value> {
    let told = &finding.told;
    let path = told.path.as_deref().unwrap_or_default();
    let mut seen: BTreeMap<(Ground, String), usize> = BTreeMap::new();
    let result = |(at, signal): (usize, &Signal)| {
        let evidence = evidence_of(finding, signal);
        let about = evidence.map(|each| subject(&each.fact)).unwrap_or_default();
        // Number of earlier signals with the same word in the block.
        let before = seen.entry((signal.kind, about.clone())).or_default();
        let about = format!("{about}\n{before}");
        *before += 1;
        let alone = context.level(told.kind, 1.0 - signal.weight * signal.strength);
        let level = if at == 0 { told.verdict.level } else { alone.min(told.verdict.level) };
        let mut result = json!({
            "ruleId": signal.kind,
            "level": level_word(level),
            "message": { "text": signal.reason },
            "locations": [{ "physicalLocation": {
                "artifactLocation": location(path),
                "region": region(finding, signal, evidence),
            }}],
            "partialFingerprints": {
                FINGERPRINT: fingerprint(path, signal.kind.as_str(), finding.digest, &about),
            },
            "properties": {
                "freshness": told.verdict.freshness,
                "action": told.verdict.action.as_str(),
                "block": told.title,
            },
        });
        if let Some(index) = rules.iter().position(|rule| rule.id == signal.kind.as_str()) {
            result["ruleIndex"] = index.into();
        }
        // Evidence that is reported once may need fixes in several places.
        let same = |each: &&Evidence| {
            evidence.is_some_and(|told| {
                told.fact.kind() == each.fact.kind() && named(&told.fact) == named(&each.fact)
            })
        };
        let edits: BTreeSet<&Edit> = finding
            .evidence
            .iter()
            .filter(same)
            .flat_map(|each| fixes.for_evidence(path, each))
            .collect();
        if !edits.is_empty() {
            result["fixes"] = json!([fix(path, &edits)]);
        }
        result
    };
    told.verdict.signals.iter().enumerate().map(result).collect()
}

/// Returns the replacements that fix one finding in a document.
fn fix(path: &str, edits: &BTreeSet<&Edit>) -> Value {
    let replacements = edits.iter().map(|edit| {
        json!({
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column,
                "endLine": edit.line,
                "endColumn": edit.end_column,
            },
            "insertedContent": { "text": edit.new },
        })
    });
    json!({
        "description": { "text": "Use its new name." },
        "artifactChanges": [{
            "artifactLocation": location(path),
            "replacements": replacements.collect::<Vec<_>>(),
        }],
    })
}

const fn level_word(level: Level) -> &'static str {
    match level {
        Level::Stale => "error",
        Level::Review => "warning",
        Level::Fresh => "note",
    }
}

fn location(path: &str) -> Value {
    match path.strip_prefix("~/") {
        Some(rest) => json!({ "uri": escaped(rest), "uriBaseId": "HOME" }),
        None => json!({ "uri": escaped(path), "uriBaseId": "PROJECTROOT" }),
    }
}

/// Encodes a path as a relative reference of RFC 3986. All characters except unreserved ones and slashes are
/// percent-encoded, so that the first part cannot look like a scheme.
fn escaped(path: &str) -> String {
    utf8_percent_encode(path, RESERVED).to_string()
}

/// Returns the evidence behind a signal: of the evidence with its kind and line, the one with the longest name that the
/// reason contains.
fn evidence_of<'f>(finding: &'f Finding, signal: &Signal) -> Option<&'f Evidence> {
    let same =
        |each: &&Evidence| signal.kind == each.fact.kind().into() && each.line == signal.line;
    let told = |each: &&Evidence| signal.reason.contains(&named(&each.fact));
    let mut there = finding.evidence.iter().filter(same);
    let longest = there.clone().filter(told).max_by_key(|each| named(&each.fact).len());
    longest.or_else(|| there.next())
}

/// Returns the range of the word behind the signal. If the word is unknown, returns the range of the line or block.
fn region(finding: &Finding, signal: &Signal, evidence: Option<&Evidence>) -> Value {
    let first = finding.told.line.unwrap_or(1).max(1);
    let Some(line) = signal.line.filter(|line| *line > 0) else {
        return json!({ "startLine": first, "endLine": finding.last_line.max(first) });
    };
    let column = |each: &Evidence| each.column.filter(|column| *column > 0);
    let Some((evidence, column)) = evidence.and_then(|each| Some((each, column(each)?))) else {
        return json!({ "startLine": line });
    };
    let mut region = json!({ "startLine": line, "startColumn": column });
    let length = match &evidence.fact {
        Fact::ReferenceDrift { word, .. } | Fact::TemporalMarker { word } => word.chars().count(),
        _ => 0,
    };
    if length > 0 {
        region["endColumn"] = (u64::from(column) + length as u64).into();
    }
    region
}

/// Returns the subject of a fact in the form that reasons use.
fn named(fact: &Fact) -> String {
    match fact {
        Fact::SourceMissing { citation, .. }
        | Fact::SourceChanged { citation, .. }
        | Fact::BrokenLink { citation, .. } => citation.to_string(),
        other => subject(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_relative_reference_whatever_it_holds() {
        assert_eq!(escaped("docs/a b#c?.md"), "docs/a%20b%23c%3F.md");
        assert_eq!(escaped("https://evil/é.md"), "https%3A//evil/%C3%A9.md");
        assert_eq!(location("~/.claude/CLAUDE.md")["uriBaseId"], "HOME");
    }

    #[test]
    fn every_sort_of_evidence_has_a_rule() {
        let rules = rules();
        assert_eq!(rules.len(), SignalKind::ALL.len() + 1);
        for rule in &rules {
            assert!(rule.short.ends_with('.') && rule.help.ends_with('.'), "{}", rule.id);
            assert_ne!(rule.short, "There is evidence against it.", "{}", rule.id);
        }
        assert_eq!(rules[3].descriptor()["name"], "SourceMissing");
    }
}
