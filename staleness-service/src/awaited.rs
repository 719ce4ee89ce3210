//! Open work, and what of it waits for other work.

use staleness::ids::{AgentId, WorkId};
use staleness::registry::WorkListing;
use staleness::work::{Warning, Work};
use staleness::{Registry, Wait};

use crate::error::ServiceError;
use crate::settings::Settings;

/// Returns the open items that a project sees.
///
/// # Errors
/// Errors of the store.
pub fn open(settings: &Settings, registry: &Registry) -> Result<Vec<Work>, ServiceError> {
    let open = WorkListing { open: true, ..WorkListing::default() };
    Ok(registry.work().list(&settings.project.id, open).wait()?)
}

/// Returns the ids of the open items that wait for an item.
///
/// # Errors
/// Errors of the store.
pub fn waiting_for(
    settings: &Settings,
    registry: &Registry,
    id: &WorkId,
) -> Result<Vec<WorkId>, ServiceError> {
    let open = open(settings, registry)?.into_iter();
    Ok(open.filter(|work| is_after(work, id.as_str())).map(|work| work.key.id).collect())
}

/// Returns true if an open item waits for the one with this id.
pub(crate) fn is_after(work: &Work, id: &str) -> bool {
    work.after.contains(id)
}

/// Notes for each overdue item an open item that waits for it: one that the agent claimed or wrote, if there is one.
pub(crate) fn note_awaited(open: &[Work], agent: &AgentId, overdue: &mut [Warning]) {
    let is_own = |work: &Work| {
        work.claim.as_ref().is_some_and(|claim| claim.agent == *agent)
            || work.author.as_deref() == Some(agent.as_str())
    };
    for each in overdue {
        let waiting = open.iter().filter(|work| is_after(work, each.id.as_str()));
        let first = waiting.min_by_key(|work| !is_own(work));
        each.awaited_by = first.map(|work| work.key.id.clone());
    }
}
