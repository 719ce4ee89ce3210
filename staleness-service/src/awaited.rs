//! Open work, and the items for which it waits.

use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::{AgentId, WorkId, WorkKey};
use staleness::registry::WorkListing;
use staleness::report::{Delta, DeltaItem, DeltaSubject, WorkReport};
use staleness::work::{Overdue, Warning, Work, WorkKind};
use staleness::{Registry, Timestamp, Wait};

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

/// Sets, for each of these items, an open item for which it waits.
///
/// # Errors
/// Errors of the store.
pub fn note_waiting(
    settings: &Settings,
    registry: &Registry,
    items: &mut [WorkReport],
) -> Result<(), ServiceError> {
    if items.iter().any(|each| !each.after.is_empty() && each.status.is_open()) {
        let pairs = registry.work().awaited(&settings.project.id).wait()?;
        let waits = waits(&pairs);
        for each in items {
            each.waits_for = waits.get(&each.key).copied().cloned();
        }
    }
    Ok(())
}

/// Returns, for each waiting item, an open item for which it waits.
pub(crate) fn waits(pairs: &[(WorkKey, Work)]) -> BTreeMap<&WorkKey, &WorkId> {
    pairs.iter().rev().map(|(of, by)| (&by.key, &of.id)).collect()
}

/// Records for each overdue item an open item that it is waiting for, and one that is waiting for it. Prefers items
/// that the agent claimed or wrote.
pub(crate) fn note_overdue(
    pairs: &[(WorkKey, Work)],
    agent: Option<&AgentId>,
    overdue: &mut [Warning],
) {
    let is_own = |work: &Work| {
        agent.is_some_and(|agent| {
            work.claim.as_ref().is_some_and(|claim| claim.agent == *agent)
                || work.author.as_deref() == Some(agent.as_str())
        })
    };
    let waits = waits(pairs);
    let mut awaited: BTreeMap<&WorkKey, &Work> = BTreeMap::new();
    for (of, by) in pairs {
        let first = awaited.entry(of).or_insert(by);
        if is_own(by) && !is_own(first) {
            *first = by;
        }
    }
    for each in overdue {
        each.awaited_by = awaited.get(&each.key).map(|by| by.key.id.clone());
        each.waits_for = waits.get(&each.key).copied().cloned();
    }
}

/// Sets, for the items of a delta, the items for which they wait and those that wait for them. Adds items that no
/// longer wait because another item has ended. Each is added once, together with that end, unless it is reported as
/// abandoned.
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
    let pairs = registry.work().awaited(&settings.project.id).wait()?;
    note_overdue(&pairs, Some(agent), warnings);
    let waits = waits(&pairs);
    let is_end = |item: &&DeltaItem| {
        let is_moved = item.action.is_some() && item.to.is_some();
        item.subject.work_kind().is_some() && is_moved && item.has_ended()
    };
    let ended: BTreeSet<&str> = items.iter().filter(is_end).map(|item| item.subject.id()).collect();
    let mut freed = if ended.is_empty() { Vec::new() } else { open(settings, registry)? };
    freed.retain(|work| {
        let waited = work.after.iter().any(|id| ended.contains(id.as_str()));
        let is_left =
            |each: &Warning| each.flag.overdue == Overdue::Abandoned && each.key == work.key;
        waited && !waits.contains_key(&work.key) && !warnings.iter().any(is_left)
    });
    let known = match freed.is_empty() {
        true => BTreeSet::new(),
        false => settings.agents_here(registry)?,
    };
    for work in freed.iter().filter(|work| concerns(work, agent, &known, settings.now)) {
        let standing = DeltaItem::standing(work, agent);
        let at = items.iter().position(|item| item.subject == standing.subject);
        let at = at.unwrap_or_else(|| {
            let claim = work.held(settings.now).cloned();
            items.insert(0, DeltaItem { claim, own: false, ..standing });
            0
        });
        items[at].freed = true;
    }
    for each in items {
        if let DeltaSubject::Work(_, key) = &each.subject {
            each.waits_for = waits.get(key).copied().cloned();
        }
    }
    Ok(())
}

/// Returns true if an item is relevant to an agent: the agent holds it, receives it or wrote it, or no other known
/// agent does. Being the author of a handoff does not count.
fn concerns(work: &Work, agent: &AgentId, known: &BTreeSet<String>, now: Timestamp) -> bool {
    let holder = work.held(now).map(|claim| claim.agent.as_str());
    let author = work.author.as_deref().filter(|_| work.kind != WorkKind::Handoff);
    let whose = holder.or(work.to.as_deref()).or(author);
    whose.is_none_or(|whose| whose == agent.as_str() || !known.contains(whose))
}
