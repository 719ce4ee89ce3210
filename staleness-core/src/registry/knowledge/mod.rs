//! Items of knowledge: add, edit, verify, supersede, contradict, complete, remove, recall.

mod act;
mod add;
mod edit;
mod forget;
mod judge;
mod links;
mod queries;
mod recall;

use std::sync::Arc;

pub use act::{Act, FileItem};
pub use edit::ItemPatch;
pub use judge::Verification;

use super::{Knowledge, Registry, RegistryError, left};
use crate::ids::{ItemId, ItemKey};
use crate::knowledge::Item;
use crate::store::{Commit, Refusal, Row, Step};

pub(super) use act::state;
pub(super) use edit::{replace, same_place};
pub(super) use forget::written_in;

impl Knowledge<'_> {
    /// Adds an item, and links it with the items that it supersedes. May be repeated with the same op id.
    /// Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Taken`] if the id is in use, [`Refusal::Unknown`] if the item supersedes an unknown one, or any
    /// refusal of [`Item::check`].
    pub async fn add(self, item: Item, act: Act) -> Result<Item, RegistryError> {
        let key = item.key.clone();
        self.0.one(add::add(item, act), &key).await
    }

    /// Changes fields of items. Links, counters and history stay. Items without changes are not written. May be
    /// repeated with the same op id. Returns the stored items.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if an id, or the id of an item to supersede, is unknown; [`Refusal::Conflict`] if an item
    /// is in a file; or any refusal of [`Item::check`]. If there is an error, nothing is changed.
    pub async fn edit(
        self,
        keys: Vec<ItemKey>,
        patch: ItemPatch,
        act: Act,
    ) -> Result<Vec<Item>, RegistryError> {
        let step = edit::EditItems { keys: keys.clone(), patch, act };
        self.0.several(step, &keys).await
    }

    /// Records that items are still valid, and clears earlier contradictions. May be repeated with the same op id.
    /// Returns the stored items.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if an id is unknown, or [`Refusal::Conflict`] if an agent verifies an item that a person
    /// marked as wrong. If there is an error, nothing is recorded.
    pub async fn verify(
        self,
        verifications: Vec<Verification>,
        act: Act,
    ) -> Result<Vec<Item>, RegistryError> {
        let keys: Vec<ItemKey> = verifications.iter().map(|each| each.key.clone()).collect();
        self.0.several(judge::verify(verifications, act), &keys).await
    }

    /// Undoes a change: returns an item from the state `left` to the state `before`. If `before` is `None`, removes the
    /// item's row. May be repeated with the same op id.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] if the item is no longer as the change left it.
    pub async fn restore(
        self,
        left: Item,
        before: Option<Item>,
        act: Act,
    ) -> Result<(), RegistryError> {
        self.0.run(judge::restore(left, before, act)).await.map(drop)
    }

    /// Marks to-dos as done. Skips those that are already done. May be repeated with the same op id. Returns the stored
    /// items.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if an id is unknown, or [`Refusal::Conflict`] if an item is neither a to-do nor expired. If
    /// there is an error, nothing is recorded.
    pub async fn done(self, keys: Vec<ItemKey>, act: Act) -> Result<Vec<Item>, RegistryError> {
        let step = judge::set_done(keys.clone(), true, act);
        self.0.several(step, &keys).await
    }

    /// Reopens to-dos. Skips those that are open. May be repeated with the same op id. Returns the stored items.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if an id is unknown, or [`Refusal::Conflict`] if an item is neither a to-do nor expired. If
    /// there is an error, nothing is recorded.
    pub async fn reopen(self, keys: Vec<ItemKey>, act: Act) -> Result<Vec<Item>, RegistryError> {
        let step = judge::set_done(keys.clone(), false, act);
        self.0.several(step, &keys).await
    }

    /// Marks `new` as the replacement of `old`, on both items. May be repeated. Returns the stored `old` and `new`.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if an id is unknown, [`Refusal::Invalid`] if the ids are equal or the scopes differ, or
    /// [`Refusal::Conflict`] if `old` already replaces `new`.
    pub async fn supersede(
        self,
        old: ItemKey,
        new: ItemKey,
        act: Act,
    ) -> Result<(Item, Item), RegistryError> {
        let step = links::supersede(old.clone(), new.clone(), act);
        let commit = self.0.transact(Arc::new(step)).await?;
        Ok((of(&commit, &old)?, of(&commit, &new)?))
    }

    /// Records a statement that an item is wrong. May be repeated with the same op id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, or [`Refusal::Invalid`] if the name or the reason is empty.
    pub async fn contradict(
        self,
        key: ItemKey,
        by: String,
        reason: String,
        act: Act,
    ) -> Result<Item, RegistryError> {
        let step = judge::contradict(key.clone(), by, reason, act);
        self.0.one(step, &key).await
    }

    /// Removes an item and all links to it. Its history stays. May be repeated with the same op id. Returns the removed
    /// item. `None` if an earlier call with this op id removed it.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown.
    pub async fn remove(self, key: ItemKey, act: Act) -> Result<Option<Item>, RegistryError> {
        let commit = self.0.run(links::remove(key.clone(), act)).await?;
        Ok(commit.view.knowledge.get(&key).cloned())
    }

    /// Counts a recall of each item. Skips items that were removed. Returns the number counted. May be repeated with
    /// the same op id, unless another op counted a recall of the item in between.
    pub async fn count_recalls(self, keys: Vec<ItemKey>, act: Act) -> Result<usize, RegistryError> {
        if keys.is_empty() {
            return Ok(0);
        }
        let commit = self.0.run(recall::count(keys, act)).await?;
        Ok(commit.changes.knowledge.len())
    }
}

impl Registry {
    async fn one(&self, step: impl Step, key: &ItemKey) -> Result<Item, RegistryError> {
        of(&self.run(step).await?, key)
    }

    async fn several(&self, step: impl Step, keys: &[ItemKey]) -> Result<Vec<Item>, RegistryError> {
        let commit = self.run(step).await?;
        keys.iter().map(|key| of(&commit, key)).collect()
    }
}

/// Returns an item as stored by a commit. Errors if the act was repeated after another process had removed the item.
fn of(commit: &Commit, key: &ItemKey) -> Result<Item, RegistryError> {
    left(commit, key).ok_or_else(|| unknown(&key.id).into())
}

fn unknown(id: &ItemId) -> Refusal {
    Refusal::Unknown { what: Item::NAME, id: id.to_string() }
}
