//! The step that writes imported items: the record to which something was done last stays.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{ItemId, ItemKey};
use crate::journal::Action;
use crate::knowledge::Item;
use crate::registry::knowledge::{Act, state};
use crate::store::{
    Change, ChangeSet, Decision, Draft, Durability, ItemFilter, Refusal, Selection, Step, View,
};
use crate::time::Timestamp;

/// Writes items. Into a store that holds others the two sides of what supersedes what are put in step
/// again: an item that is newer there may have other links than it had here.
#[derive(Debug)]
pub(super) struct PutItems {
    pub(super) rows: Vec<Item>,
    /// The store was not empty: links may meet items that know nothing of them.
    pub(super) merging: bool,
    /// Who brings them, where they come without a journal of their own.
    pub(super) act: Option<Act>,
    pub(super) durability: Durability,
}

impl PutItems {
    /// How many of the rows a change set writes; what else it writes are the other ends of links.
    pub(super) fn written(&self, changes: &ChangeSet) -> usize {
        let own: BTreeSet<&ItemKey> = self.rows.iter().map(|row| &row.key).collect();
        let put = |change: &&Change<Item, ItemKey>| match change {
            Change::Put(row) => own.contains(&row.key),
            Change::Delete(_) => false,
        };
        changes.knowledge.iter().filter(put).count()
    }

    /// Those that stay in place of what is known, as they will be written.
    fn winners(&self, view: &View) -> BTreeMap<ItemKey, Item> {
        let kept = |row: &Item| match view.knowledge.get(&row.key) {
            None => row.clone(),
            Some(known) if done_last(known) >= done_last(row) => counted(known.clone(), row),
            Some(known) => counted(row.clone(), known),
        };
        self.rows.iter().map(|row| (row.key.clone(), kept(row))).collect()
    }
}

/// The last time that somebody did something to an item. Recalls are counters, and count for nothing.
fn done_last(item: &Item) -> Timestamp {
    let said = item.contradicted.as_ref().map(|said| said.at);
    let others = [item.verified_at, item.done_at, said].into_iter().flatten();
    others.fold(item.updated_at, Timestamp::max)
}

/// `kept` with the larger of each counter.
fn counted(mut kept: Item, other: &Item) -> Item {
    kept.recalls = kept.recalls.max(other.recalls);
    // A counter since the last edit is one of the same edit, or another one.
    if kept.updated_at == other.updated_at {
        kept.recalls_since_edit = kept.recalls_since_edit.max(other.recalls_since_edit);
    }
    kept.verifications = kept.verifications.max(other.verifications);
    if other.recalled_at > kept.recalled_at {
        kept.recalled_at = other.recalled_at;
        kept.recall_op.clone_from(&other.recall_op);
    }
    kept
}

/// The items at the other ends of the links of an item.
fn linked(item: &Item) -> impl Iterator<Item = ItemKey> + '_ {
    let ids = item.supersedes.iter().chain(&item.superseded_by);
    ids.map(|id| ItemKey { scope: item.key.scope.clone(), id: id.clone() })
}

fn lock(keys: BTreeSet<ItemKey>) -> Selection {
    keys.into_iter().fold(Selection::new(), |all, key| all.lock_knowledge(ItemFilter::Key(key)))
}

/// Puts both sides in step around one item: what it supersedes knows of it, what it no longer
/// supersedes does not, and it knows those and only those that supersede it. One that is not there is
/// believed: it comes with a later line.
fn settle(draft: &mut Draft<'_>, key: &ItemKey, before: Option<&Item>) {
    let at = |id: &ItemId| ItemKey { scope: key.scope.clone(), id: id.clone() };
    let Some(item) = draft.item(key).cloned() else { return };
    for id in before.iter().flat_map(|before| before.supersedes.difference(&item.supersedes)) {
        draft.edit_item(&at(id), |row| row.superseded_by.remove(&key.id));
    }
    for id in &item.supersedes {
        draft.edit_item(&at(id), |row| row.superseded_by.insert(key.id.clone()));
    }
    let known = before.iter().flat_map(|before| &before.superseded_by);
    let by: BTreeSet<ItemId> = item
        .superseded_by
        .iter()
        .chain(known)
        .filter(|id| draft.item(&at(id)).is_none_or(|row| row.supersedes.contains(&key.id)))
        .cloned()
        .collect();
    draft.edit_item(key, |row| row.superseded_by = by);
}

/// Tells the journal of what is new or was changed; counters are not told.
fn tell(draft: &mut Draft<'_>, act: &Act, view: &View, winners: &BTreeMap<ItemKey, Item>) {
    for (key, row) in winners {
        match view.knowledge.get(key) {
            None => act.tell(draft, key, Action::Added, None, "imported"),
            Some(known) if done_last(known) < done_last(row) => {
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
        if self.merging && view.looks <= 1 {
            let known = self.rows.iter().filter_map(|row| view.knowledge.get(&row.key));
            let more: BTreeSet<ItemKey> =
                known.flat_map(linked).filter(|key| !view.knowledge.contains_key(key)).collect();
            if !more.is_empty() {
                return Ok(Decision::Need(lock(more)));
            }
        }
        let mut draft = Draft::new(view, Timestamp::default());
        let winners = self.winners(view);
        for row in winners.values() {
            draft.put_item(row.clone());
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
