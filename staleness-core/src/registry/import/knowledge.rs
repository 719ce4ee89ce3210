//! The step that writes imported items. The newer state of each item wins.

use std::collections::{BTreeMap, BTreeSet};

use super::merge::{merged, uncounted};
use crate::ids::{ItemId, ItemKey};
use crate::journal::{Action, Subject};
use crate::knowledge::Item;
use crate::registry::knowledge::{Act, state};
use crate::store::{
    Change, ChangeSet, Decision, Draft, Durability, JournalFilter, Refusal, Selection, Step, View,
};
use crate::time::Timestamp;

/// Returns the time at which an item was last edited, verified, done or contradicted. Recalls do not count.
fn last_deed(row: &Item) -> Timestamp {
    let said = row.contradicted.as_ref().map(|said| said.at);
    let others = [row.verified_at, row.done_at, said].into_iter().flatten();
    others.fold(row.added_at.max(row.updated_at), Timestamp::max)
}

/// Writes items. If the store was not empty, makes both sides of the supersedes links consistent again, because a newer
/// item may have other links.
#[derive(Debug)]
pub(super) struct PutItems {
    pub(super) rows: Vec<Item>,
    /// True if the store was not empty, so that links may point to items that do not link back.
    pub(super) merging: bool,
    /// The act that imports the items. `None` if the export contains their journal.
    pub(super) act: Option<Act>,
    pub(super) durability: Durability,
}

impl PutItems {
    /// Returns the number of imported rows that a change set writes, not counting other ends of links.
    pub(super) fn written(&self, changes: &ChangeSet) -> usize {
        let own: BTreeSet<&ItemKey> = self.rows.iter().map(|row| &row.key).collect();
        let put = |change: &&Change<Item, ItemKey>| match change {
            Change::Put(row) => own.contains(&row.key),
            Change::Delete(_) => false,
        };
        changes.knowledge.iter().filter(put).count()
    }

    /// Returns the items to write, merged with the known ones. Omits an item that was removed from this store after its
    /// last change in the export.
    fn winners(&self, view: &View) -> BTreeMap<ItemKey, Item> {
        let removed = removed(view);
        let mut winners: BTreeMap<ItemKey, Item> = BTreeMap::new();
        for row in &self.rows {
            let of_file = self.row_of_file(&row.key);
            let known = winners.get(&row.key).or_else(|| view.knowledge.get(&row.key));
            let known = known.or(of_file.as_ref());
            let is_gone = |at: &Timestamp| known.is_none() && last_deed(row) <= *at;
            if removed.get(&Subject::item(&row.key)).is_some_and(is_gone) {
                continue;
            }
            let mut kept = known.map_or_else(|| row.clone(), |known| merged(known, row));
            // The imported row adds nothing to the data in the file.
            if of_file.as_ref() == Some(&kept) {
                continue;
            }
            // A removed item supersedes nothing. If it is imported later, it brings the link back.
            let scope = kept.key.scope.clone();
            kept.superseded_by.retain(|id| {
                let key = ItemKey { scope: scope.clone(), id: id.clone() };
                !removed.contains_key(&Subject::item(&key))
            });
            winners.insert(kept.key.clone(), kept);
        }
        winners
    }

    /// Returns the initial row of an item that the act found in a file.
    fn row_of_file(&self, key: &ItemKey) -> Option<Item> {
        let file = self.act.as_ref()?.files.get(key)?;
        Some(file.row(key))
    }

    /// Returns the next rows to read: the other ends of existing links, and the history of items that are not in the
    /// store. `None` if nothing is left to read.
    fn lookups(&self, view: &View) -> Option<Selection> {
        let known = self.rows.iter().filter_map(|row| view.knowledge.get(&row.key));
        let is_new = |key: &ItemKey| !view.knowledge.contains_key(key);
        let ends: BTreeSet<ItemKey> = known.flat_map(linked).filter(is_new).collect();
        let own = self.rows.iter().map(|row| row.key.clone());
        let missing: BTreeSet<ItemKey> =
            own.chain(self.rows.iter().flat_map(linked)).filter(is_new).collect();
        let history = |all: Selection, key: &ItemKey| {
            all.journal(JournalFilter::Subject { subject: Subject::item(key), limit: u32::MAX })
        };
        let any = !ends.is_empty() || !missing.is_empty();
        any.then(|| missing.iter().fold(lock(ends), history))
    }
}

fn removed(view: &View) -> BTreeMap<&Subject, Timestamp> {
    let mut removed = BTreeMap::new();
    for entry in view.journal.values().filter(|entry| entry.action == Action::Removed) {
        let at = removed.entry(&entry.subject).or_insert(entry.at);
        *at = entry.at.max(*at);
    }
    removed
}

fn linked(item: &Item) -> impl Iterator<Item = ItemKey> + '_ {
    let ids = item.supersedes.iter().chain(&item.superseded_by);
    ids.map(|id| ItemKey { scope: item.key.scope.clone(), id: id.clone() })
}

fn lock(keys: BTreeSet<ItemKey>) -> Selection {
    Selection::new().lock_keys::<Item>(keys)
}

/// Makes both sides of the links of one item consistent. Items that it supersedes link back; those that it no longer
/// supersedes do not. Its own back links are those of the items that supersede it. A link to an item that does not
/// exist yet is kept, because the item may follow later in the export.
fn settle(draft: &mut Draft<'_>, key: &ItemKey, before: Option<&Item>) {
    let at = |id: &ItemId| ItemKey { scope: key.scope.clone(), id: id.clone() };
    let Some(item) = draft.get::<Item>(key).cloned() else { return };
    for id in before.iter().flat_map(|before| before.supersedes.difference(&item.supersedes)) {
        draft.edit::<Item, _>(&at(id), |row| row.superseded_by.remove(&key.id));
    }
    for id in &item.supersedes {
        draft.edit::<Item, _>(&at(id), |row| row.superseded_by.insert(key.id.clone()));
    }
    let known = before.iter().flat_map(|before| &before.superseded_by);
    let by: BTreeSet<ItemId> = item
        .superseded_by
        .iter()
        .chain(known)
        .filter(|id| draft.get::<Item>(&at(id)).is_none_or(|row| row.supersedes.contains(&key.id)))
        .cloned()
        .collect();
    draft.edit::<Item, _>(key, |row| row.superseded_by = by);
}

/// Adds journal entries for new and changed items, except for counters.
fn tell(draft: &mut Draft<'_>, act: &Act, view: &View, winners: &BTreeMap<ItemKey, Item>) {
    for (key, row) in winners {
        match view.knowledge.get(key) {
            // Only the counters of an item in a file are imported.
            None if row.path.is_some() => {}
            None => act.tell(draft, key, Action::Added, None, "imported"),
            Some(known) if uncounted(known) != uncounted(row) => {
                act.tell(draft, key, Action::Edited, Some(state(known)), "imported");
            }
            Some(_) => {}
        }
    }
}

impl Step for PutItems {
    fn selection(&self) -> Selection {
        let mut keys: BTreeSet<ItemKey> = self.rows.iter().map(|row| row.key.clone()).collect();
        if self.merging {
            keys.extend(self.rows.iter().flat_map(linked));
        }
        lock(keys)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if self.merging
            && view.looks <= 1
            && let Some(more) = self.lookups(view)
        {
            return Ok(Decision::Need(more));
        }
        let mut draft = Draft::new(view, Timestamp::default());
        let winners = self.winners(view);
        for row in winners.values() {
            draft.put(row.clone());
        }
        if self.merging {
            for (key, row) in &winners {
                let known = view.knowledge.get(key);
                if known != Some(row) {
                    settle(&mut draft, key, known);
                }
            }
        }
        if let Some(act) = &self.act {
            tell(&mut draft, act, view, &winners);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
