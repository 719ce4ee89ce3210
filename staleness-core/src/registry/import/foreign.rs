//! Import of data without a journal of its own.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ITEMS;
use super::knowledge::{Incoming, PutItems};
use super::stated::StatedItem;
use super::work::{ToldWork, take_work, untie};
use crate::ids::Scope;
use crate::outcome::Outcome;
use crate::registry::{Act, Knowledge, RecordUses, RegistryError, Tools, Use, WorkItems};
use crate::store::{Change, Durability};
use crate::work::Work;

impl Tools<'_> {
    /// Records uses in order, in one commit, like [`Tools::record_all`]. Returns only which of them are new.
    /// May be repeated with the same op ids.
    ///
    /// # Errors
    /// An error of the store. Nothing is recorded then.
    pub async fn record_batch(self, uses: Vec<Use>) -> Result<Vec<Outcome>, RegistryError> {
        let step = Arc::new(RecordUses { uses, policy: Arc::clone(&self.0.policy) });
        Ok(self.0.carry_out(step).await?.0.outcomes)
    }
}

impl Knowledge<'_> {
    /// Imports items without a journal of their own, 50 per commit: new items, newer states of known ones,
    /// and larger counters. Fields that are not stated stay as they are. For items in files of the act only
    /// counters are imported, because the file holds the rest. Returns the number written. May be repeated:
    /// importing again changes nothing.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] if an item is invalid, in which case nothing was written.
    pub async fn import(self, items: Vec<StatedItem>, act: &Act) -> Result<usize, RegistryError> {
        items.iter().try_for_each(|stated| stated.alone().check())?;
        let mut items = items.into_iter().peekable();
        let mut written = 0;
        while items.peek().is_some() {
            let rows = items.by_ref().take(ITEMS).map(Incoming::Stated).collect();
            let (act, durability) = (Some(act.clone()), Durability::Full);
            let step = Arc::new(PutItems { rows, merging: true, act, durability });
            let same = Arc::<PutItems>::clone(&step);
            written += step.written(&self.0.carry_out(same).await?.0);
        }
        Ok(written)
    }
}

impl WorkItems<'_> {
    /// Imports work items of another system, 50 per commit: new ones, and known ones with later activity.
    /// Returns the number written. May be repeated: importing again changes nothing.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] if an item is invalid, in which case nothing was written; or
    /// [`crate::store::Refusal::Conflict`] if an item has another kind here.
    pub async fn import(self, work: Vec<ToldWork>, act: &Act) -> Result<usize, RegistryError> {
        work.iter().try_for_each(|row| row.work.check())?;
        let mut work = work.into_iter().peekable();
        let mut written = 0;
        while work.peek().is_some() {
            let rows = work.by_ref().take(ITEMS).collect();
            let step = Arc::new(take_work(rows, act.clone()));
            written += self.0.carry_out(step).await?.0.work.len();
        }
        Ok(written)
    }

    /// Removes dependencies that make open items of these scopes wait in a circle, after all of them were
    /// imported. Returns the number of removed dependencies.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn untie(self, scopes: BTreeSet<Scope>) -> Result<u64, RegistryError> {
        let (changes, view) = self.0.carry_out(Arc::new(untie(scopes))).await?;
        let dropped = |row: &Work| {
            view.work.get(&row.key).map_or(0, |before| before.after.len() - row.after.len())
        };
        Ok(changes.work.iter().filter_map(Change::put).map(dropped).sum::<usize>() as u64)
    }
}
