//! `work`: plans, traps, constraints, handoffs, candidates, notes and decisions.

mod add;
mod change;

use serde_json::json;
use staleness::ids::{WorkId, WorkKey};
use staleness::registry::{Act, ScopeChoice, WorkListing};
use staleness::report::WorkReport;
use staleness::store::Refusal;
use staleness::work::{Work, WorkStatus};
use staleness::{Registry, RegistryError, Wait};
use staleness_core::journal::Subject;
pub(super) use staleness_service::work::find;
use staleness_service::work::{self as service, kind, state, told};
use staleness_service::{awaited, words};

use super::links::last_change;
use super::tools::choice;
use super::typed;
use crate::args::WorkCommand;
use crate::args::tools_args::ScopeArgs;
use crate::args::work_args::WorkListArgs;
use crate::error::{CliError, quoted};
use crate::output::{Output, work};
use crate::settings::{Access, Settings};

pub(crate) fn run(
    settings: &Settings,
    command: Option<&WorkCommand>,
    listed: &WorkListArgs,
    out: &Output,
) -> Result<(), CliError> {
    type Change<'a> = &'a dyn Fn(&Registry, WorkKey) -> Result<Work, RegistryError>;
    let by_id = |id: &str, scope: &ScopeArgs, change: Change<'_>| {
        let item = find(&settings.open(Access::Look)?, settings, id, choice(scope.scope))?;
        let registry = settings.open(Access::Write)?;
        let item = change(&registry, item.key)?;
        print(&registry, settings, item, out)
    };
    match command {
        None => list(settings, listed, out),
        Some(WorkCommand::List(args)) => list(settings, args, out),
        Some(WorkCommand::Show { id, scope }) => show(settings, id, choice(scope.scope), out),
        Some(WorkCommand::Add(args)) => add::run(settings, args, out),
        Some(WorkCommand::Set(args)) => change::set(settings, args, out),
        Some(WorkCommand::Step { id, text, scope }) => {
            let text = typed::text(text, Work::MAX_TEXT_BYTES)?;
            let registry = settings.open(Access::Look)?;
            let item = find(&registry, settings, id, choice(scope.scope))?;
            print(&registry, settings, service::step(settings, item, text, act(settings))?, out)
        }
        Some(WorkCommand::Touch { id, scope }) => {
            by_id(id, scope, &|items, key| items.work().touch(key, settings.now).wait())
        }
        Some(WorkCommand::Reopen { id, scope }) => {
            let registry = settings.open(Access::Look)?;
            let item = find(&registry, settings, id, choice(scope.scope))?;
            print(&registry, settings, service::reopen(settings, item, act(settings))?, out)
        }
        Some(WorkCommand::Claim(args)) => change::claim(settings, args, out),
        Some(WorkCommand::Release { id, session, scope }) => {
            // A person, who acts without an agent, may release any claim. An agent must give its name.
            service::as_someone(settings)?;
            let session = words::optional("session's id", session.as_ref())?;
            by_id(id, scope, &|items, key| {
                let act = Act { session: session.clone(), ..act(settings) };
                items.work().release(key, act).wait()
            })
        }
        Some(WorkCommand::Ready) => ready(settings, out),
    }
}

/// Returns the open items with their verdicts, longest inactive first.
pub(super) fn open_by_age(
    registry: &Registry,
    settings: &Settings,
) -> Result<Vec<WorkReport>, CliError> {
    let mut items = awaited::open(settings, registry)?;
    items.sort_by_key(|item| item.updated_at);
    Ok(registry.work().reports(&settings.project, items, settings.now).wait()?)
}

fn list(settings: &Settings, args: &WorkListArgs, out: &Output) -> Result<(), CliError> {
    let kind = kind(args.kind.as_deref())?;
    let status = args.status.as_deref().map(|word| state(kind, word)).transpose()?;
    let registry = settings.open(Access::Look)?;
    let listing = WorkListing { kind, status, open: args.open };
    let mut items = registry.work().list(&settings.project.id, listing).wait()?;
    // Archived items still exist, but are hidden.
    items.retain(|item| status.is_some() || item.status != WorkStatus::Archived);
    let mut told = registry.work().reports(&settings.project, items, settings.now).wait()?;
    awaited::note_waiting(settings, &registry, &mut told)?;
    let none = if args.kind.is_some() || args.status.is_some() {
        "no work item has that kind and state\n"
    } else {
        "no work items yet; add one with `staleness work add KIND TEXT`\n"
    };
    let items = json!({ "items": told });
    out.list(&items, (told.is_empty(), none), || work::list(&told, settings.now, out))
}

fn ready(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let agent = settings.agent.as_ref();
    let items = registry.work().ready(&settings.project.id, agent, settings.now).wait()?;
    let told = registry.work().reports(&settings.project, items, settings.now).wait()?;
    let none = "no plan or handoff is ready; `staleness work list --open` lists all\n";
    let items = json!({ "items": told });
    out.list(&items, (told.is_empty(), none), || work::list(&told, settings.now, out))
}

fn show(settings: &Settings, id: &str, scope: ScopeChoice, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let item = find(&registry, settings, id, scope)?;
    let (of, key) = (Subject::work(&item.key), item.key.clone());
    let told = told(&registry, settings, item)?;
    let awaited_by = awaited::waiting_for(settings, &registry, &key)?;
    if out.json {
        return out.json(&work::Shown { told: &told, awaited_by: &awaited_by });
    }
    let last = last_change(&registry, of)?;
    let dangling = dangling(&registry, settings, &told)?;
    out.text(&work::show(&told, (&dangling, &awaited_by, last), settings.now, out))
}

/// Returns the referenced ids that are neither work nor knowledge.
fn dangling(
    registry: &Registry,
    settings: &Settings,
    told: &WorkReport,
) -> Result<Vec<String>, CliError> {
    let missing = |id: &&String| -> Result<bool, CliError> {
        let Ok(id) = WorkId::new(id.as_str()) else { return Ok(true) };
        match registry.work().get(&settings.project.id, &id, ScopeChoice::Either).wait() {
            Ok(_) => Ok(false),
            Err(RegistryError::Rejected(Refusal::Unknown { .. })) => {
                let item = staleness::ids::ItemId::new(id.as_str());
                let known = item.is_ok_and(|id| {
                    registry
                        .knowledge()
                        .get(&settings.project.id, &id, ScopeChoice::Either)
                        .wait()
                        .is_ok()
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

fn print(
    registry: &Registry,
    settings: &Settings,
    item: Work,
    out: &Output,
) -> Result<(), CliError> {
    let told = told(registry, settings, item)?;
    out.done(&json!({ "item": told }), || work::noted(&told, false, out))
}

/// Warns if an item is handed over to an unknown agent. Returns true if it is.
fn warn_of_stranger(
    settings: &Settings,
    registry: &Registry,
    to: Option<&str>,
    out: &Output,
) -> Result<bool, CliError> {
    let Some(to) = to else { return Ok(false) };
    let Some(stranger) = service::stranger(settings, registry, to)? else { return Ok(false) };
    let near = stranger.near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    out.warn(&format!("warning: unknown agent {}{near}", quoted(to)));
    Ok(true)
}

/// Returns an act of the named agent, or of a person if none is named.
pub(super) fn act(settings: &Settings) -> Act {
    service::act(settings, settings.agent.clone())
}
