//! `work`: plans, traps, constraints, handoffs, candidates, notes and decisions.

mod add;
mod change;

use serde_json::json;
use staleness::BlockingRegistry;
use staleness::ids::{AgentId, Scope, WorkId, WorkKey};
use staleness::registry::{Act, ScopeChoice, WorkListing};
use staleness::report::WorkReport;
use staleness::store::{Refusal, StoreError};
use staleness::work::{Work, WorkKind, WorkStatus};

use super::tools::choice;
use super::word;
use crate::args::WorkCommand;
use crate::args::work_args::{ByArgs, WorkListArgs};
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Output, work};
use crate::settings::{Access, Settings};

pub(crate) fn run(
    settings: &Settings,
    command: Option<&WorkCommand>,
    listed: &WorkListArgs,
    out: &Output,
) -> Result<(), CliError> {
    match command {
        None => list(settings, listed, out),
        Some(WorkCommand::List(args)) => list(settings, args, out),
        Some(WorkCommand::Show { id, scope }) => show(settings, id, choice(scope.scope), out),
        Some(WorkCommand::Add(args)) => add::run(settings, args, out),
        Some(WorkCommand::Set(args)) => change::set(settings, args, out),
        Some(WorkCommand::Step { id, text, scope, by }) => {
            change::step(settings, id, text, choice(scope.scope), by, out)
        }
        Some(WorkCommand::Touch { id, scope }) => {
            change::touch(settings, id, choice(scope.scope), out)
        }
        Some(WorkCommand::Reopen { id, scope, by }) => {
            change::reopen(settings, id, choice(scope.scope), by, out)
        }
    }
}

fn list(settings: &Settings, args: &WorkListArgs, out: &Output) -> Result<(), CliError> {
    let kind = kind(args.kind.as_deref())?;
    let status = args.status.as_deref().map(|word| state(kind, word)).transpose()?;
    let registry = settings.open(Access::Look)?;
    let listing = WorkListing { kind, status, open: args.open };
    let mut items = registry.work_items(&settings.project.id, listing)?;
    // What is archived is kept, and hidden.
    items.retain(|item| status.is_some() || item.status != WorkStatus::Archived);
    let told = registry.work_reports(&settings.project, items, settings.now)?;
    if out.json {
        return out.json(&json!({ "items": told }));
    }
    if told.is_empty() && !out.quiet {
        return out.text(if args.kind.is_some() || args.status.is_some() {
            "no work item is of that kind and state\n"
        } else {
            "no work is noted; write some down with `staleness work add KIND TEXT`\n"
        });
    }
    out.text(&work::list(&told, settings.now, out))
}

fn show(settings: &Settings, id: &str, scope: ScopeChoice, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let item = find(&registry, settings, id, scope)?;
    let told = told(&registry, settings, item)?;
    if out.json {
        return out.json(&told);
    }
    let dangling = dangling(&registry, settings, &told)?;
    out.text(&work::show(&told, &dangling, settings.now, out))
}

/// Which of the items that one refers to are not there.
fn dangling(
    registry: &BlockingRegistry,
    settings: &Settings,
    told: &WorkReport,
) -> Result<Vec<String>, CliError> {
    let missing = |id: &&String| -> Result<bool, CliError> {
        let Ok(id) = WorkId::new(id.as_str()) else { return Ok(true) };
        match registry.work_item(&settings.project.id, &id, ScopeChoice::Either) {
            Ok(_) => Ok(false),
            Err(StoreError::Refused(Refusal::Unknown { .. })) => {
                let item = staleness::ids::ItemId::new(id.as_str());
                let known = item.is_ok_and(|id| {
                    registry.item(&settings.project.id, &id, ScopeChoice::Either).is_ok()
                });
                Ok(!known)
            }
            Err(error) => Err(error.into()),
        }
    };
    let mut dangling = Vec::new();
    for id in &told.refs {
        if missing(&id)? {
            dangling.push(id.clone());
        }
    }
    Ok(dangling)
}

/// The item that an id means.
pub(super) fn find(
    registry: &BlockingRegistry,
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
) -> Result<Work, CliError> {
    let project = &settings.project.id;
    registry.work_item(project, &self::id(id)?, scope).map_err(|error| match error {
        StoreError::Refused(Refusal::Unknown { .. }) => {
            let message = format!("no work item is known as {}", quoted(id));
            let near = registry.nearest_work(project, id);
            CliError::new(ErrorKind::Unknown, message).hint(match near {
                Ok(Some(near)) => format!("did you mean {near}?"),
                _ => "see `staleness work list`".into(),
            })
        }
        error => error.into(),
    })
}

fn told(
    registry: &BlockingRegistry,
    settings: &Settings,
    item: Work,
) -> Result<WorkReport, CliError> {
    let told = registry.work_reports(&settings.project, vec![item], settings.now)?.pop();
    told.ok_or_else(|| CliError::new(ErrorKind::Unknown, "the item is gone already"))
}

/// What became of an item.
fn print(
    registry: &BlockingRegistry,
    settings: &Settings,
    item: Work,
    out: &Output,
) -> Result<(), CliError> {
    let told = told(registry, settings, item)?;
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    if out.quiet { Ok(()) } else { out.text(&work::noted(&told, false, out)) }
}

pub(super) fn kind(text: Option<&str>) -> Result<Option<WorkKind>, CliError> {
    word(text, "kind of work", WorkKind::from_word, || {
        WorkKind::ALL.map(WorkKind::as_str).join(", ")
    })
}

/// A state of a kind; without a kind one of any.
fn state(kind: Option<WorkKind>, text: &str) -> Result<WorkStatus, CliError> {
    let states: Vec<WorkStatus> =
        kind.map_or_else(|| WorkStatus::ALL.to_vec(), |kind| kind.states().to_vec());
    states.iter().copied().find(|state| state.as_str() == text).ok_or_else(|| {
        let allowed: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
        let of = kind.map(|kind| format!(" of a {kind}")).unwrap_or_default();
        CliError::invalid(format!("{} is no state{of}", quoted(text)))
            .hint(format!("allowed are {}", allowed.join(", ")))
    })
}

fn id(text: &str) -> Result<WorkId, CliError> {
    WorkId::new(text).map_err(|why| CliError::invalid(format!("the id {why}")))
}

fn key(settings: &Settings, global: bool, id: WorkId) -> WorkKey {
    let scope = if global { Scope::Global } else { Scope::Project(settings.project.id.clone()) };
    WorkKey { scope, id }
}

/// The agent that was named.
pub(super) fn agent(text: Option<&str>) -> Result<Option<AgentId>, CliError> {
    let text = text.filter(|text| !text.is_empty());
    text.map(AgentId::new)
        .transpose()
        .map_err(|why| CliError::invalid(format!("the agent's name {why}")))
}

/// An act of now by whoever was named.
pub(super) fn act(settings: &Settings, by: &ByArgs) -> Result<Act, CliError> {
    let actor = agent(by.agent.as_deref())?;
    Ok(Act { actor, ..Act::new(staleness::clock::fresh_op(), settings.now) })
}
