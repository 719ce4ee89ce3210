//! `review`: lists everything that needs attention, worst first: tools, documents, knowledge and work.

use std::collections::HashMap;

use serde_json::json;
use staleness::verdict::{Ground, NextAction, SignalKind};
use staleness_service::documents::named_version;
use staleness_service::knowledge::World;
use staleness_service::review::{self as service, Subject, entries};

use super::shell::{again, editor, from_here, quoted, word};
use super::tools::audience;
use crate::args::ReviewArgs;
use crate::error::CliError;
use crate::output::review::{self, Entry};
use crate::output::{Output, Screen};
use crate::settings::Settings;

pub(crate) fn run(settings: &Settings, args: &ReviewArgs, out: &Output) -> Result<(), CliError> {
    let screen = Screen::new(out, "checked");
    let version = named_version(args.version.current.as_deref())?;
    let mut entries = entries(&World::new(settings, version, &screen))?;
    let total = entries.len();
    let mut tools: HashMap<String, usize> = HashMap::new();
    for each in entries.iter().filter(|each| matches!(each.subject, Subject::Tool { .. })) {
        *tools.entry(each.id.clone()).or_default() += 1;
    }
    // If both scopes list the name, each entry shows its scope.
    let scope = |each: &service::Entry| match each.subject {
        Subject::Tool { scope, .. } => Some(scope).filter(|_| tools[&each.id] > 1),
        _ => None,
    };
    entries.truncate(args.limit);
    let here = std::env::current_dir().ok();
    let open = |path: &str, line: Option<u32>| {
        let path = from_here(&settings.place.folder, here.as_deref(), path);
        match (&settings.agent, line) {
            (None, _) => editor(&path, line),
            (Some(_), Some(line)) => format!("# correct line {line} of {}", word(&path)),
            (Some(_), None) => format!("# correct {}", word(&path)),
        }
    };
    // Only a person may withdraw a person's contradiction.
    let is_wrong = |each: &service::Entry| each.verdict.rests_on(SignalKind::Contradicted);
    let may_keep = |each: &service::Entry| settings.agent.is_none() || !is_wrong(each);
    let entry = |each: service::Entry| Entry {
        suggested_action: again(
            settings,
            &command(&each, scope(&each), settings.agent.is_some(), open),
        ),
        otherwise: otherwise(&each).filter(|_| may_keep(&each)).map(|it| again(settings, &it)),
        scope: scope(&each),
        kind: each.kind,
        id: each.id,
        title: each.title,
        verdict: each.verdict,
    };
    let entries: Vec<Entry> = entries.into_iter().map(entry).collect();
    if out.json {
        let whom = settings.audience();
        return out.json(&json!({ "for": whom, "items": entries, "total": total }));
    }
    out.text(&(review::render(&entries, total, out) + &audience(settings, out)))
}

/// Returns an alternative command for an expired or contradicted item, or an overdue to-do. It keeps the item, while
/// the first command ends or corrects it.
fn otherwise(each: &service::Entry) -> Option<String> {
    let Subject::Item { path, .. } = &each.subject else { return None };
    let is_wrong = each.verdict.rests_on(SignalKind::Contradicted);
    let field = match each.verdict.action {
        NextAction::Update if is_wrong => {
            return Some(format!("staleness knowledge verify {}", quoted(&each.id)));
        }
        _ if is_wrong => return None,
        NextAction::Drop if path.is_none() && each.verdict.rests_on(SignalKind::Expired) => {
            "expires none"
        }
        NextAction::Reschedule => "due +14d",
        _ => return None,
    };
    Some(format!("staleness knowledge set --{field} {}", quoted(&each.id)))
}

/// Returns the next command to run, or a text after `# ` if there is none. `scope` is set for a tool that both scopes
/// list. `open` formats a command that opens a file at a line.
fn command(
    each: &service::Entry,
    scope: Option<&str>,
    is_agent: bool,
    open: impl Fn(&str, Option<u32>) -> String,
) -> String {
    let (quoted, verdict) = (quoted(&each.id), &each.verdict);
    let of = scope.map(|scope| format!("--scope {scope} ")).unwrap_or_default();
    match &each.subject {
        Subject::Tool { remedy: Some(remedy), .. } => format!("# {remedy}"),
        Subject::Tool { .. }
            if each.verdict.rests_on(Ground::DefinitionChanged)
                || each.verdict.rests_on(Ground::DefinitionWithheld) =>
        {
            format!("staleness tools diff {of}{quoted}")
        }
        Subject::Tool { .. } => match verdict.action {
            NextAction::Drop if scope.is_none() => format!("staleness impact {quoted}"),
            NextAction::Update => format!("staleness tools history {of}{quoted}"),
            _ => format!("staleness tools show {of}{quoted}"),
        },
        Subject::Work { .. } if each.verdict.rests_on(Ground::Abandoned) => {
            format!("staleness work release {quoted}")
        }
        Subject::Work { is_addressed: Some(true), .. } => {
            format!("staleness work claim {quoted}")
        }
        Subject::Work { by_person: true, .. } if is_agent => "# ask the user".to_owned(),
        Subject::Work { .. } => format!("staleness stale resolve {quoted}"),
        Subject::Block { path, line } => open(path, *line),
        // The id comes last, because no options are parsed after an id that begins with `-`.
        Subject::Item { path, line, cite } => match (verdict.action, path) {
            (NextAction::Complete | NextAction::Reschedule, _) => {
                format!("staleness knowledge done {quoted}")
            }
            (NextAction::Update | NextAction::Drop, Some(path)) => open(path, *line),
            // A new text does not clear a contradiction.
            (NextAction::Update, None) if verdict.rests_on(SignalKind::Contradicted) => {
                format!("staleness knowledge remove --yes {quoted}")
            }
            (NextAction::Update, None) if !cite.is_empty() => {
                let cite: Vec<String> =
                    cite.iter().map(|cited| format!("--cite {}", self::quoted(cited))).collect();
                format!("staleness knowledge set {} {quoted}", cite.join(" "))
            }
            (NextAction::Update, None) if each.verdict.rests_on(SignalKind::SourceMissing) => {
                format!("# cite its current sources: staleness knowledge set --cite PATH {quoted}")
            }
            (NextAction::Update, None) => format!("staleness knowledge set --body - {quoted}"),
            (NextAction::Drop, None) if verdict.rests_on(SignalKind::Expired) => {
                format!("staleness knowledge done {quoted}")
            }
            (NextAction::Drop, None) => format!("staleness knowledge remove --yes {quoted}"),
            _ => format!("staleness knowledge verify {quoted}"),
        },
    }
}
