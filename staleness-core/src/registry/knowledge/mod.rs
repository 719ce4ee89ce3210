//! Verbs over items of knowledge: written down, edited, verified, superseded, contradicted, done,
//! removed, recalled.

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
    /// Writes down a new item, and links it with what it supersedes. May be repeated with the same op
    /// id. Returns it as it stands.
    ///
    /// # Errors
    /// [`Refusal::Taken`] for an id that is in use, what [`Item::check`] refuses, [`Refusal::Unknown`]
    /// where it supersedes an unknown id; else what the store reports.
    pub async fn add(self, item: Item, act: Act) -> Result<Item, RegistryError> {
        let key = item.key.clone();
        self.0.one(add::AddItem { item, act }, &key).await
    }

    /// Changes fields of items. Links, counters and history stay; an item that already stands so is
    /// left alone. May be repeated with the same op id. Returns the items as they stand.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id and where they are to supersede one,
    /// What [`Item::check`] refuses, [`Refusal::Conflict`] for an item that lives in a file; else what
    /// the store reports. Nothing is changed then.
    pub async fn edit(
        self,
        keys: Vec<ItemKey>,
        patch: ItemPatch,
        act: Act,
    ) -> Result<Vec<Item>, RegistryError> {
        let step = edit::EditItems { keys: keys.clone(), patch, act };
        self.0.several(step, &keys).await
    }

    /// Notes that somebody saw that items still hold. That takes back what was said against them
    /// before. May be repeated with the same op id. Returns the items as they stand.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id; else what the store reports. Nothing is noted then.
    pub async fn verify(
        self,
        verifications: Vec<Verification>,
        act: Act,
    ) -> Result<Vec<Item>, RegistryError> {
        let keys: Vec<ItemKey> = verifications.iter().map(|each| each.key.clone()).collect();
        self.0.several(judge::VerifyItems { verifications, act }, &keys).await
    }

    /// Notes that to-dos are done; those that are already are left alone. May be repeated with the
    /// same op id. Returns the items as they stand.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Conflict`] for one that is no to-do; else
    /// what the store reports. Nothing is noted then.
    pub async fn done(self, keys: Vec<ItemKey>, act: Act) -> Result<Vec<Item>, RegistryError> {
        let step = judge::DoneItems { keys: keys.clone(), done: true, act };
        self.0.several(step, &keys).await
    }

    /// Notes that to-dos are to be done after all; those that are open are left alone. May be repeated
    /// with the same op id. Returns the items as they stand.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Conflict`] for one that is no to-do; else
    /// what the store reports. Nothing is noted then.
    pub async fn reopen(self, keys: Vec<ItemKey>, act: Act) -> Result<Vec<Item>, RegistryError> {
        let step = judge::DoneItems { keys: keys.clone(), done: false, act };
        self.0.several(step, &keys).await
    }

    /// Notes that `new` stands for `old` now, on both. May be repeated. Returns `old` and `new` as
    /// they stand.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Invalid`] for two of different scopes, for
    /// one and the same, [`Refusal::Conflict`] where `old` stands for `new`; else what the store
    /// reports.
    pub async fn supersede(
        self,
        old: ItemKey,
        new: ItemKey,
        act: Act,
    ) -> Result<(Item, Item), RegistryError> {
        let step = links::Supersede { old: old.clone(), new: new.clone(), act };
        let commit = self.0.store.transact(Arc::new(step)).await?;
        Ok((of(&commit, &old)?, of(&commit, &new)?))
    }

    /// Notes that somebody said that an item is wrong. May be repeated with the same op id. Returns
    /// the item as it stands.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Invalid`] for no name or no reason; else
    /// what the store reports.
    pub async fn contradict(
        self,
        key: ItemKey,
        by: String,
        reason: String,
        act: Act,
    ) -> Result<Item, RegistryError> {
        let step = judge::ContradictItem { key: key.clone(), by, reason, act };
        self.0.one(step, &key).await
    }

    /// Removes an item and every link to it; its history stays. May be repeated with the same op id.
    /// Returns the item as it was; `None` when this op removed it before.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id; else what the store reports.
    pub async fn remove(self, key: ItemKey, act: Act) -> Result<Option<Item>, RegistryError> {
        let commit = self.0.run(links::RemoveItem { key: key.clone(), act }).await?;
        Ok(commit.view.knowledge.get(&key).cloned())
    }

    /// Counts that items were recalled. May be repeated with the same op id: of two ops in a row each
    /// counts once. Items that are not there any more are left out. Returns how many were counted.
    pub async fn count_recalls(self, keys: Vec<ItemKey>, act: Act) -> Result<usize, RegistryError> {
        if keys.is_empty() {
            return Ok(0);
        }
        let commit = self.0.run(recall::CountRecalls { keys, act }).await?;
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

/// An item as a commit left it; unknown where it was repeated after somebody else removed it.
fn of(commit: &Commit, key: &ItemKey) -> Result<Item, RegistryError> {
    left(commit, key).ok_or_else(|| unknown(&key.id).into())
}

fn unknown(id: &ItemId) -> Refusal {
    Refusal::Unknown { what: Item::NAME, id: id.to_string() }
}
