//! Taking in what comes without a journal of its own.

use std::sync::Arc;

use super::ITEMS;
use super::knowledge::{Incoming, PutItems};
use super::stated::StatedItem;
use super::work::{TakeWork, ToldWork};
use crate::outcome::Outcome;
use crate::registry::{Act, Knowledge, RecordUses, RegistryError, Tools, Use, WorkItems};
use crate::store::Durability;

impl Tools<'_> {
    /// Records uses in order, in one commit, as [`Tools::record_all`] does, and reports only
    /// which of them are new; with `dry_run` which would be. May be repeated with the same op ids.
    ///
    /// # Errors
    /// Errors of the store; nothing is recorded then.
    pub async fn record_batch(
        self,
        uses: Vec<Use>,
        dry_run: bool,
    ) -> Result<Vec<Outcome>, RegistryError> {
        let step = Arc::new(RecordUses { uses, policy: Arc::clone(&self.0.policy) });
        Ok(self.0.carry_out(step, dry_run).await?.0.outcomes)
    }
}

impl Knowledge<'_> {
    /// Takes in items that come without a journal of their own, 50 in one commit: those that are
    /// new, and of the others what is newer than here, and the larger counters. What is not stated of a
    /// known item stays as it is. Of those that are among the files of the act counters are taken, and
    /// nothing else: the file is the truth. Returns how many were written, with `dry_run` how many would be. May
    /// be repeated: importing again changes nothing.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] for what no record may hold: nothing was written then; else
    /// what the store reports, and commits that were made stay.
    pub async fn import(
        self,
        items: Vec<StatedItem>,
        act: &Act,
        dry_run: bool,
    ) -> Result<usize, RegistryError> {
        items.iter().try_for_each(|stated| stated.alone().check())?;
        let mut items = items.into_iter().peekable();
        let mut written = 0;
        while items.peek().is_some() {
            let rows = items.by_ref().take(ITEMS).map(Incoming::Stated).collect();
            let (act, durability) = (Some(act.clone()), Durability::Full);
            let step = Arc::new(PutItems { rows, merging: true, act, durability });
            let same = Arc::<PutItems>::clone(&step);
            written += step.written(&self.0.carry_out(same, dry_run).await?.0);
        }
        Ok(written)
    }
}

impl WorkItems<'_> {
    /// Takes in work items of another system, 50 in one commit: those that are new, and those that
    /// were active later than the ones that are here. Returns how many were written, with `dry_run`
    /// how many would be. May be repeated: importing again changes nothing.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] for what no record may hold: nothing was written then; for
    /// an item that is of another kind here, and what else the store reports: commits that were made
    /// stay.
    pub async fn import(
        self,
        work: Vec<ToldWork>,
        act: &Act,
        dry_run: bool,
    ) -> Result<usize, RegistryError> {
        work.iter().try_for_each(|row| row.work.check())?;
        let mut work = work.into_iter().peekable();
        let mut written = 0;
        while work.peek().is_some() {
            let rows = work.by_ref().take(ITEMS).collect();
            let step = TakeWork { rows, act: act.clone() };
            written += self.0.carry_out(Arc::new(step), dry_run).await?.0.work.len();
        }
        Ok(written)
    }
}
