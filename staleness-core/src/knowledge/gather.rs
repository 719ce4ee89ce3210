//! Evidence that follows from the items themselves: their dates, their versions, and their relations.

use std::path::Path;

use super::{Context, Evidence, Fact, Item, ItemKind, SignalSet};
use crate::ids::{ItemId, Scope};
use crate::verdict::Level;

impl Evidence {
    /// Adds to each item's evidence the facts that follow from its own fields and from the other items.
    ///
    /// `evidence[n]` belongs to `items[n]` and may already contain evidence from elsewhere. All of an item's evidence
    /// decides whether it counts as stale for its dependents. The running time is linear in the number of items and
    /// relations.
    ///
    /// - `related_stale` is not transitive: evidence about related items never makes an item stale for its
    ///   dependents. Staleness therefore does not spread along chains, and cycles terminate.
    /// - An id refers to an item of the same scope, or else to a global one. Ids without an item and an item's own id
    ///   are ignored.
    /// - Items that are done or evergreen, and preferences, do not depend on other items.
    /// - An item in a file of the project cannot supersede a global item, a stored preference, or an item in a file of
    ///   the user.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn gather(items: &[&Item], evidence: &mut [Vec<Self>], context: &Context) {
        assert_eq!(items.len(), evidence.len(), "one list of evidence for each item");
        // Only items that refer to others need a second pass.
        let mut naming: Vec<(usize, &Item)> = Vec::new();
        for (at, (item, own)) in items.iter().zip(evidence.iter_mut()).enumerate() {
            own.extend(own_facts(item, context).into_iter().map(Self::from));
            if !(item.supersedes.is_empty() && item.related.is_empty()) {
                naming.push((at, item));
            }
        }
        if naming.is_empty() {
            return;
        }
        let keys = items.iter().map(|item| (&item.key.scope, &item.key.id));
        let places: foldhash::HashMap<(&Scope, &ItemId), usize> = keys.zip(0..).collect();
        let find = |item: &Item, id: &ItemId| {
            let here = places.get(&(&item.key.scope, id));
            here.or_else(|| places.get(&(&Scope::Global, id))).copied()
        };
        for (at, item) in naming.iter().copied() {
            for other in item.supersedes.iter().filter_map(|id| find(item, id)) {
                // Skip a link that the other item records itself.
                let is_told = other == at || items[other].superseded_by.contains(&item.key.id);
                if !is_told && !reaches_out(item, items[other]) {
                    let by = item.key.id.as_str().into();
                    evidence[other].push(Fact::Superseded { by }.into());
                }
            }
        }
        // Compute all levels first, from each item's own evidence, because the evidence added below must not affect
        // them.
        let mut levels: Vec<Option<Level>> = vec![None; items.len()];
        let mut depending: Vec<(usize, &ItemId, bool, bool)> = Vec::new();
        for (at, item) in naming.into_iter().filter(|(_, item)| depends(item)) {
            for (id, other) in item.related.iter().filter_map(|id| Some((id, find(item, id)?))) {
                if other == at {
                    continue;
                }
                let fresher = items[other].updated_at > item.anchored_at();
                let signals = || SignalSet::of(&evidence[other]);
                let level =
                    levels[other].get_or_insert_with(|| signals().score(items[other], context).1);
                if fresher || *level == Level::Stale {
                    depending.push((at, id, fresher, *level == Level::Stale));
                }
            }
        }
        for (at, id, fresher, stale) in depending {
            if fresher {
                evidence[at].push(Fact::RelatedFresher { id: id.as_str().into() }.into());
            }
            if stale {
                evidence[at].push(Fact::RelatedStale { id: id.as_str().into() }.into());
            }
        }
    }
}

/// Returns true if `item` is in a file of the project and `other` is a global item, a stored preference, or an item in
/// a file of the user. Files in a project may come from other people, so they must not affect the user's own items.
fn reaches_out(item: &Item, other: &Item) -> bool {
    let is_users = |path: &str| path.starts_with("~/") || Path::new(path).is_absolute();
    let is_theirs = item.path.as_deref().is_some_and(|path| !is_users(path));
    let is_own = || other.key.scope == Scope::Global || other.kind == ItemKind::Preference;
    is_theirs && other.path.as_deref().map_or_else(is_own, is_users)
}

fn depends(item: &Item) -> bool {
    !item.is_done() && !item.evergreen && item.kind != ItemKind::Preference
}

/// Returns the facts that follow from the fields of one item: expiry, supersession, contradiction, version, recalls,
/// and dates in the future. Does not read the text: see [`Marker`](super::Marker).
fn own_facts(item: &Item, context: &Context) -> Vec<Fact> {
    let now = context.now();
    let mut facts = Vec::new();
    facts.extend(item.expires_at.filter(|at| now >= *at).map(|at| Fact::Expired { at }));
    let others = item.superseded_by.iter().filter(|by| **by != item.key.id);
    facts.extend(others.map(|by| Fact::Superseded { by: by.as_str().into() }));
    facts.extend(item.contradicted.as_ref().map(|said| {
        let (by, reason) = (said.by.clone(), said.reason.clone());
        Fact::Contradicted { by, reason }
    }));
    if let Some(written_for) = &item.version_context
        && let Some(distance) = context.behind(written_for)
        && let Some(project_at) = context.version()
    {
        let (written_for, project_at) = (written_for.clone(), project_at.to_owned());
        facts.push(Fact::VersionDrift { written_for, project_at, distance });
    }
    let limit = context.rules(item.kind).todo_recalls;
    let recalls = item.recalls_since_edit;
    if item.kind == ItemKind::Todo && recalls >= u64::from(limit) {
        facts.push(Fact::RecalledWithoutProgress { recalls });
    }
    let last = item.verified_at.map_or(item.added_at, |at| at.max(item.added_at));
    facts.extend((last > now).then_some(Fact::FutureDate { at: last }));
    facts
}
