//! Limits on an agent's changes to items that a person typed, ended or commented on.

use staleness::Wait;
use staleness::registry::Act;
use staleness::work::{Work, WorkStatus};
use staleness_core::journal::{JournalEntry, Subject};

use super::party;
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::settings::{Access, Settings};

/// Rejects an agent's change to an item that a person typed: to the state `to`, or to the text if `to` is `None`. See
/// [`Work::agents_may`].
///
/// # Errors
/// If an agent acts, or may be acting without its name.
pub(super) fn refuse_typed(
    settings: &Settings,
    item: &Work,
    to: Option<WorkStatus>,
    act: &Act,
) -> Result<(), ServiceError> {
    if item.agents_may(to, act.at) {
        return Ok(());
    }
    let id = item.key.to_string();
    let set = format!("`staleness work set {id}");
    let how = match (item.status.is_open(), item.kind.resolved().zip(to)) {
        (true, _) if item.kind.is_task() && to.is_some() => {
            format!("drop it, with {set} --status dropped`")
        }
        (true, Some((end, _))) => format!("change or end it, as with {set} --status {end}`"),
        (true, None) => format!("change it, as with {set} --text TEXT`"),
        (false, _) => format!("reopen it, with `staleness work reopen {id}`"),
    };
    only_by_person(settings, act, &format!("wrote {}", quoted(&id)), &how)
}

/// Rejects an agent's change to the state of an item that a person ended.
pub(super) fn refuse_ended(
    settings: &Settings,
    item: &Work,
    act: &Act,
) -> Result<(), ServiceError> {
    if item.status.is_open() {
        return Ok(());
    }
    let registry = settings.open(Access::Look)?;
    let entries = registry.admin().journal_of(Subject::work(&item.key), u32::MAX).wait()?;
    let ended = |each: &&JournalEntry| {
        each.from != each.to && each.to.as_deref() == Some(item.status.as_str())
    };
    if entries.iter().rfind(ended).is_none_or(|entry| entry.actor.is_some()) {
        return Ok(());
    }
    let (id, status) = (item.key.to_string(), item.status);
    let how = format!("reopen it, with `staleness work reopen {id}`");
    only_by_person(settings, act, &format!("made {} {status}", quoted(&id)), &how)
}

/// Rejects an agent's action that only a person may perform, because of something that a person `did`.
fn only_by_person(
    settings: &Settings,
    act: &Act,
    did: &str,
    how: &str,
) -> Result<(), ServiceError> {
    match &act.actor {
        None if settings.may_run_for_agent() => Err(nobody()),
        None => Ok(()),
        Some(_) => {
            let message = format!("a person {did}, so only a person can {how}");
            Err(ServiceError::invalid(message).hint("ask the user whether it is still valid"))
        }
    }
}

/// Returns the error for an action that needs a named agent.
pub fn nobody() -> ServiceError {
    ServiceError::new(ErrorKind::Usage, "no agent given").hint("give the agent's name or session")
}

/// Rejects an action without an agent's name if an agent may be the caller, because it would count as a person's.
///
/// # Errors
/// If the caller has no name and may be an agent.
pub fn as_someone(settings: &Settings) -> Result<(), ServiceError> {
    match settings.agent.is_none() && settings.may_run_for_agent() {
        true => {
            Err(nobody()
                .hint("set --agent; a person must run this in a terminal outside the client"))
        }
        false => Ok(()),
    }
}

/// Rejects an agent's act in a name that is not the agent's own.
///
/// # Errors
/// If the name is not the agent's, or an agent may be acting without its name.
pub fn refuse_other_name(settings: &Settings, act: &Act, name: &str) -> Result<(), ServiceError> {
    match &act.actor {
        None if settings.may_run_for_agent() => Err(nobody()),
        Some(agent) if party(settings, name.trim().to_owned()) != agent.as_str() => {
            let (agent, name) = (quoted(agent.as_str()), quoted(name.trim()));
            let message = format!("{agent} cannot act as {name}");
            Err(ServiceError::invalid(message)
                .hint("omit the name; a person must run this in a terminal outside the client"))
        }
        _ => Ok(()),
    }
}
