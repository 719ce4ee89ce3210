//! Maintenance of a store.

use std::ops::ControlFlow;
use std::path::Path;

use super::Admin;
use super::hold::{Forgetting, forget_project};
use super::prune::{self, PruneReport};
use crate::ids::{OpId, ProjectId};
use crate::journal::Revision;
use crate::registry::RegistryError;
use crate::store::{OutcomeFilter, Selection, View};
use crate::time::Timestamp;

impl Admin<'_> {
    /// Forgets a project with its own tools and sources, its outcomes and the findings in its documents. May
    /// be repeated with the same op id.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] if the id is unknown, or [`crate::store::Refusal::Conflict`] if items of
    /// knowledge or work items belong to the project.
    pub async fn forget_project(
        self,
        id: ProjectId,
        op: OpId,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        self.0.run(forget_project(id, op, at, Forgetting::ByHand)).await.map(drop)
    }

    /// Like [`Admin::forget_project`], but also forgets the project's knowledge and work items.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] if the id is unknown.
    pub async fn forget_project_and_knowledge(
        self,
        id: ProjectId,
        op: OpId,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        self.0.run(forget_project(id, op, at, Forgetting::WithKnowledge)).await.map(drop)
    }

    /// Removes outcomes that are older than the policy's retention. With `dry_run` only counts them. The report counts
    /// the outcomes that existed at the start.
    pub async fn prune_outcomes(
        self,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<PruneReport, RegistryError> {
        let cut = prune::cut(&self.0.policy.outcomes, now);
        let mut times = Vec::new();
        let mut visit = |page: View| {
            times.extend(page.outcomes.values().map(|row| row.at));
            ControlFlow::Continue(())
        };
        self.pages(&Selection::new().outcomes(OutcomeFilter::All), &mut visit).await?;
        let newest = usize::try_from(cut.keep_newest).unwrap_or(usize::MAX);
        let others = &times[..times.len().saturating_sub(newest)];
        let old = others.iter().filter(|at| **at <= cut.until).count() as u64;
        let mut removed = if dry_run { old } else { 0 };
        while removed < old {
            self.0.run(prune::remove_page(cut, now)).await?;
            removed = old.min(removed + prune::PAGE);
        }
        Ok(PruneReport { removed, kept: times.len() as u64 - removed })
    }

    /// Like [`Admin::prune_outcomes`], in commits of at most 2,000 outcomes. Calls `more` before each commit and stops
    /// when it returns false. Does not count outcomes, because counting could take too long.
    pub(super) async fn prune_outcomes_while(
        self,
        now: Timestamp,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(), RegistryError> {
        let cut = prune::cut(&self.0.policy.outcomes, now);
        let mut removed = None;
        loop {
            let first = prune::first_within(&cut, &self.0.ask(prune::ends()).await?);
            // If the same row is still the first, the last commit removed nothing: only the newest rows are left.
            if first.is_none() || first == removed || !more() {
                return Ok(());
            }
            self.0.run(prune::remove_page(cut, now)).await?;
            removed = first;
        }
    }

    /// Visits all selected rows in bounded memory: see [`RegistryStore::pages`](crate::RegistryStore::pages).
    pub async fn pages(
        self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), RegistryError> {
        Ok(self.0.store.pages(selection, visit).await?)
    }

    /// Writes a consistent copy of the store to a new file.
    pub async fn backup(self, to: &Path) -> Result<(), RegistryError> {
        Ok(self.0.store.backup(to).await?)
    }

    /// Verifies the stored data.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`](crate::StoreError::Corrupt) with a description of the damage.
    pub async fn check(self) -> Result<(), RegistryError> {
        Ok(self.0.store.check().await?)
    }

    /// Returns the store's revision.
    pub async fn revision(self) -> Result<Revision, RegistryError> {
        Ok(self.0.ask(Selection::new()).await?.revision)
    }
}
