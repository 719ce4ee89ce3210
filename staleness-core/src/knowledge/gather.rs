//! Evidence that follows from the items themselves: their own dates and versions, and how they
//! depend on each other.

use std::path::Path;

use super::{Context, Distance, Evidence, Fact, Item, ItemKind, SignalKind, SignalSet};
use crate::ids::{ItemId, Scope};
use crate::verdict::Level;

/// The evidence that is gathered about one item: whole facts, or their sorts alone.
trait Pieces {
    /// Adds a piece of this sort; what it says is made where that is kept.
    fn add(&mut self, kind: SignalKind, fact: impl FnOnce() -> Fact);

    /// Adds a version that is behind.
    fn add_drift(&mut self, distance: Distance, fact: impl FnOnce() -> Fact);

    /// The sorts of what was gathered.
    fn signals(&self) -> SignalSet;
}

impl Pieces for Vec<Evidence> {
    fn add(&mut self, _: SignalKind, fact: impl FnOnce() -> Fact) {
        // Most items with evidence have one piece of it, so the first one takes no room for more.
        if self.is_empty() {
            self.reserve_exact(1);
        }
        self.push(fact().into());
    }

    fn add_drift(&mut self, _: Distance, fact: impl FnOnce() -> Fact) {
        self.add(SignalKind::VersionDrift, fact);
    }

    fn signals(&self) -> SignalSet {
        SignalSet::of(self)
    }
}

impl Pieces for SignalSet {
    fn add(&mut self, kind: SignalKind, _: impl FnOnce() -> Fact) {
        self.insert(kind);
    }

    fn add_drift(&mut self, distance: Distance, _: impl FnOnce() -> Fact) {
        self.insert_drift(distance);
    }

    fn signals(&self) -> SignalSet {
        *self
    }
}

impl Evidence {
    /// Adds to the evidence of every item what follows from its own fields and from the other items.
    ///
    /// `evidence[n]` belongs to `items[n]` and may hold already what was found outside: it decides with
    /// the rest whether an item is stale for those that depend on it. Takes time linear in the items and
    /// their relations.
    ///
    /// - `related_stale` looks one step far: an item is stale for others by its own evidence, never
    ///   because it depends on a stale one. So chains do not fall like dominoes, and circles end.
    /// - An id means an item of the same scope, else a global one; ids without an item, and an item's own
    ///   id, mean nothing.
    /// - An item that is done, evergreen or a preference depends on nothing.
    /// - One in a file of the project does not supersede one in a file of the user, nor a global one.
    ///
    /// # Panics
    /// When the two slices have different lengths.
    pub fn gather(items: &[&Item], evidence: &mut [Vec<Self>], context: &Context) {
        gather_pieces(items, evidence, context);
    }
}

impl SignalSet {
    /// The sorts of what [`Evidence::gather`] finds, without the facts: for scores of many items. `signals[n]`
    /// belongs to `items[n]` and may hold already what was found outside.
    ///
    /// # Panics
    /// When the two slices have different lengths.
    pub fn gather(items: &[&Item], signals: &mut [Self], context: &Context) {
        gather_pieces(items, signals, context);
    }
}

fn gather_pieces<P: Pieces>(items: &[&Item], pieces: &mut [P], context: &Context) {
    assert_eq!(items.len(), pieces.len(), "one list of evidence for each item");
    // Items that name others: only these are looked at again.
    let mut naming: Vec<(usize, &Item)> = Vec::new();
    for (at, (item, pieces)) in items.iter().zip(pieces.iter_mut()).enumerate() {
        own_pieces(item, context, pieces);
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
            // What the other side says of it already is not said twice.
            let is_told = other == at || items[other].superseded_by.contains(&item.key.id);
            if !is_told && !reaches_out(item, items[other]) {
                let by = || Fact::Superseded { by: item.key.id.as_str().into() };
                pieces[other].add(SignalKind::Superseded, by);
            }
        }
    }
    // First all levels by each item's own evidence, then what follows from them.
    let mut levels: Vec<Option<Level>> = vec![None; items.len()];
    let mut depending: Vec<(usize, &ItemId, bool, bool)> = Vec::new();
    for (at, item) in naming.into_iter().filter(|(_, item)| depends(item)) {
        for (id, other) in item.related.iter().filter_map(|id| Some((id, find(item, id)?))) {
            if other == at {
                continue;
            }
            let fresher = items[other].updated_at > item.anchored_at();
            let signals = || pieces[other].signals();
            let level =
                levels[other].get_or_insert_with(|| signals().score(items[other], context).1);
            if fresher || *level == Level::Stale {
                depending.push((at, id, fresher, *level == Level::Stale));
            }
        }
    }
    for (at, id, fresher, stale) in depending {
        if fresher {
            let fact = || Fact::RelatedFresher { id: id.as_str().into() };
            pieces[at].add(SignalKind::RelatedFresher, fact);
        }
        if stale {
            let fact = || Fact::RelatedStale { id: id.as_str().into() };
            pieces[at].add(SignalKind::RelatedStale, fact);
        }
    }
}

/// Returns true if an item in a file of the project speaks of one that the user has for all projects, in a file or in
/// the store: what somebody else wrote says nothing of those.
fn reaches_out(item: &Item, other: &Item) -> bool {
    let is_users = |path: &str| path.starts_with("~/") || Path::new(path).is_absolute();
    let is_theirs = item.path.as_deref().is_some_and(|path| !is_users(path));
    is_theirs && other.path.as_deref().map_or(other.key.scope == Scope::Global, is_users)
}

fn depends(item: &Item) -> bool {
    !item.is_done() && !item.evergreen && item.kind != ItemKind::Preference
}

/// Adds what follows from the fields of one item: its date of expiry, who stands for it or speaks
/// against it, its version, how often it was recalled, and a date in the future. The words of its
/// text are not read: see [`Marker`](super::Marker).
fn own_pieces(item: &Item, context: &Context, pieces: &mut impl Pieces) {
    let now = context.now();
    if let Some(at) = item.expires_at
        && now >= at
    {
        pieces.add(SignalKind::Expired, || Fact::Expired { at });
    }
    for by in item.superseded_by.iter().filter(|by| **by != item.key.id) {
        pieces.add(SignalKind::Superseded, || Fact::Superseded { by: by.as_str().into() });
    }
    if let Some(contradiction) = &item.contradicted {
        pieces.add(SignalKind::Contradicted, || {
            let (by, reason) = (contradiction.by.clone(), contradiction.reason.clone());
            Fact::Contradicted { by, reason }
        });
    }
    if let Some(written_for) = &item.version_context
        && let Some(distance) = context.behind(written_for)
        && let Some(project_at) = context.version()
    {
        pieces.add_drift(distance, || {
            let (written_for, project_at) = (written_for.clone(), project_at.to_owned());
            Fact::VersionDrift { written_for, project_at, distance }
        });
    }
    let limit = context.rules(item.kind).todo_recalls;
    let recalls = item.recalls_since_edit;
    if item.kind == ItemKind::Todo && recalls >= u64::from(limit) {
        let fact = || Fact::RecalledWithoutProgress { recalls };
        pieces.add(SignalKind::RecalledWithoutProgress, fact);
    }
    if let Some(at) = [item.verified_at, Some(item.added_at)].into_iter().flatten().max()
        && at > now
    {
        pieces.add(SignalKind::FutureDate, || Fact::FutureDate { at });
    }
}
