//! Evidence that follows from the items themselves: their dates, their versions, and their relations.

use std::path::Path;

use super::{Context, Evidence, Fact, Item, ItemKind};
use crate::ids::{ItemId, Scope};
use crate::verdict::Level;

impl Evidence {
    /// Adds to each item's evidence what follows from its own fields and from the other items.
    ///
    /// `evidence[n]` belongs to `items[n]` and may already contain evidence from outside. Both together
    /// decide whether an item is stale for its dependents. Runs in time linear in the items and their relations.
    ///
    /// - `related_stale` is not transitive: an item is stale for its dependents only by its own evidence. So
    ///   staleness does not spread along chains, and cycles terminate.
    /// - An id refers to an item of the same scope, else to a global one. Ids without an item, and an item's
    ///   own id, are ignored.
    /// - Items that are done or evergreen, and preferences, depend on nothing.
    /// - An item in a file of the project cannot supersede a global item or one in a file of the user.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn gather(items: &[&Item], evidence: &mut [Vec<Self>], context: &Context) {
        assert_eq!(items.len(), evidence.len(), "one list of evidence for each item");
        // Only items that refer to others need a second look.
        let mut naming: Vec<(usize, &Item)> = Vec::new();
        for (at, (item, evidence)) in items.iter().zip(evidence.iter_mut()).enumerate() {
            evidence.extend(own_facts(item, context).map(Self::from));
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
                // Skip what the other item already records itself.
                let is_told = other == at || items[other].superseded_by.contains(&item.key.id);
                if !is_told && !reaches_out(item, items[other]) {
                    let by = item.key.id.as_str().into();
                    evidence[other].push(Fact::Superseded { by }.into());
                }
            }
        }
        // First compute all levels from each item's own evidence, then derive evidence from them.
        let mut levels: Vec<Option<Level>> = vec![None; items.len()];
        let mut depending: Vec<(usize, Fact)> = Vec::new();
        for (at, item) in naming.into_iter().filter(|(_, item)| depends(item)) {
            for (id, other) in item.related.iter().filter_map(|id| Some((id, find(item, id)?))) {
                if other == at {
                    continue;
                }
                if items[other].updated_at > item.anchored_at() {
                    depending.push((at, Fact::RelatedFresher { id: id.as_str().into() }));
                }
                let score = || items[other].score(&evidence[other], context);
                if *levels[other].get_or_insert_with(|| score().1) == Level::Stale {
                    depending.push((at, Fact::RelatedStale { id: id.as_str().into() }));
                }
            }
        }
        for (at, fact) in depending {
            evidence[at].push(fact.into());
        }
    }
}

/// Returns true if an item in a file of the project refers to a global item or one in a file of the user.
/// Files in a project may come from other people, so they must not affect the user's own items.
fn reaches_out(item: &Item, other: &Item) -> bool {
    let is_users = |path: &str| path.starts_with("~/") || Path::new(path).is_absolute();
    let is_theirs = item.path.as_deref().is_some_and(|path| !is_users(path));
    is_theirs && other.path.as_deref().map_or(other.key.scope == Scope::Global, is_users)
}

fn depends(item: &Item) -> bool {
    !item.is_done() && !item.evergreen && item.kind != ItemKind::Preference
}

/// Returns what follows from the fields of one item: expiry, supersession, contradiction, version, recalls, and dates in
/// the future. It does not read the text: see [`Marker`](super::Marker).
fn own_facts(item: &Item, context: &Context) -> impl Iterator<Item = Fact> {
    let now = context.now();
    let expired = item.expires_at.filter(|at| now >= *at).map(|at| Fact::Expired { at });
    let by = item.superseded_by.iter().filter(|by| **by != item.key.id);
    let superseded = by.map(|by| Fact::Superseded { by: by.as_str().into() });
    let contradicted = item.contradicted.as_ref().map(|said| {
        let (by, reason) = (said.by.clone(), said.reason.clone());
        Fact::Contradicted { by, reason }
    });
    let drift = item.version_context.as_ref().and_then(|written_for| {
        let distance = context.behind(written_for)?;
        let (written_for, project_at) = (written_for.clone(), context.version()?.to_owned());
        Some(Fact::VersionDrift { written_for, project_at, distance })
    });
    let limit = context.rules(item.kind).todo_recalls;
    let recalls = item.recalls_since_edit;
    let recalled = item.kind == ItemKind::Todo && recalls >= u64::from(limit);
    let recalled = recalled.then_some(Fact::RecalledWithoutProgress { recalls });
    let latest = item.verified_at.max(Some(item.added_at));
    let future = latest.filter(|at| *at > now).map(|at| Fact::FutureDate { at });
    let own = expired.into_iter().chain(superseded).chain(contradicted);
    own.chain(drift).chain(recalled).chain(future)
}
