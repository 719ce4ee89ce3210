//! `stale`: lists overdue work and settles it.

use serde_json::json;
use staleness::ids::AgentId;
use staleness::registry::ScopeChoice;
use staleness::work::{Overdue as Reason, Warning, WorkKind};
use staleness_service::knowledge::World;
use staleness_service::review::{self as judged, stored_items};
use staleness_service::work as service;

use super::import::in_memory;
use super::shell::{again, quoted};
use super::tools::choice;
use super::work::act;
use crate::args::work_args::StaleListArgs;
use crate::args::{LevelArg, StaleCommand};
use crate::error::CliError;
use crate::output::review::{self, Entry};
use crate::output::work::{self, Overdue};
use crate::output::{Output, Screen, escape};
use crate::settings::{Access, Settings};

/// Runs the command. Returns true if an item reaches the level of `--fail-on`.
pub(crate) fn run(
    settings: &Settings,
    command: Option<&StaleCommand>,
    listed: &StaleListArgs,
    out: &Output,
) -> Result<bool, CliError> {
    match command {
        None => list(settings, listed, out),
        Some(StaleCommand::List(args)) => list(settings, args, out),
        Some(StaleCommand::Resolve { id, scope }) => {
            resolve(settings, id, choice(scope.scope), out).map(|()| false)
        }
    }
}

fn list(settings: &Settings, args: &StaleListArgs, out: &Output) -> Result<bool, CliError> {
    let held = args.input.as_ref().map(|file| in_memory(settings, args.from, file, out));
    let held = held.transpose()?;
    let settings = held.as_ref().unwrap_or(settings);
    let warnings = service::overdue(settings, &settings.open(Access::Look)?)?;
    let knowledge = held.as_ref().map(|held| knowledge_in(held, out)).transpose()?;
    let action = |each: &Warning| match (&args.input, each.kind.resolved()) {
        (None, _) => resolving(settings, each),
        // The item belongs to another system and must be settled there.
        (Some(_), Some(to)) => format!("# in its own system, mark it {to}"),
        (Some(_), None) => String::new(),
    };
    let is_left = |each: &Warning| each.flag.overdue == Reason::Abandoned;
    let sessions = warnings.iter().any(is_left)
        && service::must_name_session(settings, &settings.open(Access::Look)?)?;
    let mut rows: Vec<_> = warnings.iter().map(|each| Overdue::new(each, action(each))).collect();
    for (row, each) in rows.iter_mut().zip(&warnings) {
        row.needs_session = sessions;
        let is_persons = settings.agent.is_some() && each.by_person;
        row.has_one_way = is_persons || is_for_another(settings, each);
    }
    let summary = work::summary(&warnings);
    if out.json {
        let counts = work::counts(&warnings);
        let mut all = json!({ "warnings": rows, "counts": counts, "summary": summary });
        if let Some(knowledge) = &knowledge {
            all["knowledge"] = json!(knowledge);
        }
        out.json(&all)?;
    } else {
        let mut text = String::new();
        if !out.quiet || !rows.is_empty() {
            text = work::overdue(&rows, &summary, out);
        }
        if let Some(knowledge) = knowledge.as_ref().filter(|all| !all.is_empty()) {
            text.push_str(&review::render(knowledge, knowledge.len(), out));
        }
        out.text(&text)?;
    }
    let is_worse = |each: &Entry, least: LevelArg| each.verdict.level >= least.into();
    Ok(args.fail_on.is_some_and(|least| {
        let knowledge = knowledge.iter().flatten();
        reaches(&warnings, least) || knowledge.clone().any(|each| is_worse(each, least))
    }))
}

/// Returns true if an item is a handoff for an agent other than the requesting one.
fn is_for_another(settings: &Settings, each: &Warning) -> bool {
    let agent = settings.agent.as_ref().map(AgentId::as_str);
    let (from, to) = (each.from.as_deref(), each.to.as_deref());
    each.kind == WorkKind::Handoff
        && agent.and_then(|agent| service::is_addressed(from, to, agent)) == Some(false)
}

/// Returns the command that settles an overdue item.
fn resolving(settings: &Settings, warning: &Warning) -> String {
    if settings.agent.is_some() && warning.is_for_person() {
        return "# ask the user".to_owned();
    }
    let command = match warning.flag.overdue {
        Reason::Abandoned => "work release",
        _ => "stale resolve",
    };
    again(settings, &format!("staleness {command} {}", quoted(&warning.key.to_string())))
}

/// Returns the overdue items with the commands that settle them.
pub(super) fn rows<'a>(settings: &Settings, warnings: &'a [Warning]) -> Vec<Overdue<'a>> {
    warnings.iter().map(|each| Overdue::new(each, resolving(settings, each))).collect()
}

pub(super) fn reaches(warnings: &[Warning], least: LevelArg) -> bool {
    warnings.iter().any(|each| each.level >= least.into())
}

/// Returns the doubtful knowledge of another system, which was imported into the registry of `held`.
fn knowledge_in(held: &Settings, out: &Output) -> Result<Vec<Entry>, CliError> {
    let screen = Screen::new(out, "checked");
    let items = stored_items(&World::new(held, None, &screen))?;
    let entry = |each: judged::Entry| Entry {
        suggested_action: format!("# in its own system, {} it", each.verdict.action.as_str()),
        otherwise: None,
        scope: None,
        kind: each.kind,
        id: each.id,
        title: each.title,
        verdict: each.verdict,
    };
    Ok(items.into_iter().map(entry).collect())
}

fn resolve(
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let (done, may_reopen) = service::resolve(settings, id, scope, act(settings))?;
    let id = done.key.to_string();
    let back = format!("staleness work reopen {}", quoted(&id));
    let back = may_reopen.then(|| format!("  to undo: `{}`", escape(&again(settings, &back))));
    let back = back.map(|back| out.paint.dim(&back)).unwrap_or_default();
    let (id, from, to) = (out.paint.bold(&escape(&id)), &done.from, &done.to);
    out.done(&done, || format!("{id}  {from} → {to}{back}\n"))
}
