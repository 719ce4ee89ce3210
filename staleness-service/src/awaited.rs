//! Open work, and what of it waits for other work.

use staleness::ids::{AgentId, WorkId, WorkKey};
use staleness::registry::WorkListing;
use staleness::report::{Delta, DeltaSubject};
use staleness::work::{Work, WorkKind};
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
    key: &WorkKey,
) -> Result<Vec<WorkId>, ServiceError> {
    let all = registry.work().awaited(&settings.project.id).wait()?.into_iter();
    Ok(all.filter(|(of, _)| of == key).map(|(_, by)| by.key.id).collect())
}

/// Notes for each item an open one that it waits for; and for each overdue one also an item that waits for it: one that
/// the agent claimed or wrote, if there is one.
pub(crate) fn note_awaited(
    settings: &Settings,
    registry: &Registry,
    agent: &AgentId,
    delta: &mut Delta,
) -> Result<(), ServiceError> {
    let Delta { items, warnings, .. } = delta;
    if items.iter().all(|each| each.subject.work_kind().is_none()) && warnings.is_empty() {
        return Ok(());
    }
    let is_own = |work: &Work| {
        work.claim.as_ref().is_some_and(|claim| claim.agent == *agent)
            || work.author.as_deref() == Some(agent.as_str())
    };
    let all = registry.work().awaited(&settings.project.id).wait()?;
    let awaited = |kind: WorkKind, id: &WorkId| {
        let first = all.iter().find(|(_, by)| (by.kind, &by.key.id) == (kind, id));
        first.map(|(of, _)| of.id.clone())
    };
    for each in items {
        if let DeltaSubject::Work(kind, id) = &each.subject {
            each.waits_for = awaited(*kind, id);
        }
    }
    for each in warnings {
        let waiting = all.iter().filter(|(of, _)| (&of.scope, &of.id) == (&each.scope, &each.id));
        let first = waiting.min_by_key(|(_, by)| !is_own(by));
        each.awaited_by = first.map(|(_, by)| by.key.id.clone());
        each.waits_for = awaited(each.kind, &each.id);
    }
    Ok(())
}
