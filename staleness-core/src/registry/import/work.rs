//! The step that breaks cycles among imported work items.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{Scope, WorkKey};
use crate::registry::work::meant;
use crate::store::{Change, ChangeSet, Edit, Selection, Step, View, WorkFilter};
use crate::time::Timestamp;
use crate::work::Work;

/// Removes dependencies that form cycles of open items. Begins with the items with the oldest activity, which keep
/// their dependencies.
pub(super) fn untie(scopes: BTreeSet<Scope>) -> impl Step {
    let open = scopes.into_iter().chain([Scope::Global]).map(WorkFilter::Open);
    let all = open.fold(Selection::new(), Selection::lock);
    let untie = Edit::new(Timestamp::default(), all, |draft| {
        for (key, ids) in closing(draft.view()) {
            let mut work = draft.view().work[key].clone();
            work.after.retain(|id| !ids.contains(id));
            draft.put(work);
        }
        Ok(())
    });
    untie.durable()
}

pub(super) fn dropped(changes: &ChangeSet, view: &View) -> u64 {
    let dropped = |row: &Work| {
        view.work.get(&row.key).map_or(0, |before| before.after.len() - row.after.len())
    };
    changes.work.iter().filter_map(Change::put).map(dropped).sum::<usize>() as u64
}

/// Returns the ids that close cycles, by the items that wait for them: those that lead back to the current path of a
/// depth-first search.
fn closing(view: &View) -> BTreeMap<&WorkKey, BTreeSet<&String>> {
    let mut closing: BTreeMap<&WorkKey, BTreeSet<&String>> = BTreeMap::new();
    let mut roots: Vec<&Work> = view.work.values().collect();
    roots.sort_by_key(|work| work.updated_at);
    // The visited items: true for those on the current path.
    let mut met: BTreeMap<&WorkKey, bool> = BTreeMap::new();
    for root in roots {
        let mut path = Vec::new();
        let mut next = Some(root).filter(|root| !met.contains_key(&root.key));
        loop {
            if let Some(work) = next.take() {
                met.insert(&work.key, true);
                path.push((work, work.after.iter()));
            }
            let Some((work, after)) = path.last_mut() else { break };
            let Some(id) = after.next() else {
                met.insert(&work.key, false);
                path.pop();
                continue;
            };
            let Some(other) = meant(|key| view.work.get(key), &work.key, id) else { continue };
            match met.get(&other.key) {
                Some(true) => drop(closing.entry(&work.key).or_default().insert(id)),
                Some(false) => {}
                None => next = Some(other),
            }
        }
    }
    closing
}
