//! Verbs over work items: written down, moved, edited, settled where they are overdue, taken up again.
//!
//! The journal is told of each but a touch, which only says that somebody still cares.

mod act;
mod overdue;
mod queries;

use serde::Serialize;

pub use act::WorkPatch;
pub(super) use act::hands_on;
pub(super) use overdue::{Overdue, visible_open};
pub use queries::WorkListing;
pub(super) use queries::open;

use super::{Act, Registry, RegistryError, WorkItems, left};
use crate::ids::{WorkId, WorkKey};
use crate::journal::JournalEntry;
use crate::scan::ProjectRef;
use crate::store::{Commit, Refusal, Row, StoreError};
use crate::time::Timestamp;
use crate::work::{Work, WorkKind};
use act::{ActOnWork, Deed, TouchWork};

/// The result of settling an overdue item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolution {
    /// The item.
    pub id: WorkId,
    /// Its kind.
    pub kind: WorkKind,
    /// Its state before, to which it is reopened.
    pub from: String,
    /// The state that ended it.
    pub to: String,
}

impl WorkItems<'_> {
    /// Writes down a new work item, in any state of its kind. May be repeated with the same op id.
    /// Returns it as it stands.
    ///
    /// # Errors
    /// [`Refusal::Taken`] for an id that is in use, what [`Work::check`] refuses; else what the store
    /// reports.
    pub async fn add(self, work: Work, act: Act) -> Result<Work, RegistryError> {
        let key = work.key.clone();
        self.0.on_work(key, Deed::Add(Box::new(work)), act).await
    }

    /// Changes fields of a work item. One that already stands so is left alone. May be repeated with
    /// the same op id. Returns it as it stands.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Conflict`] for a state to which it cannot be
    /// moved, what [`Work::check`] refuses; else what the store reports.
    pub async fn set(
        self,
        key: WorkKey,
        patch: WorkPatch,
        act: Act,
    ) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Set(patch), act).await
    }

    /// Notes a step that was taken on a work item. May be repeated with the same op id. Returns it as
    /// it stands.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Invalid`] for no text,
    /// [`Refusal::TooLarge`] for a long one; else what the store reports.
    pub async fn step(self, key: WorkKey, text: String, act: Act) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Step(text), act).await
    }

    /// Notes that somebody still cares for a work item. May be repeated. Returns it as it stands.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id; else what the store reports.
    pub async fn touch(self, key: WorkKey, at: Timestamp) -> Result<Work, RegistryError> {
        let commit = self.0.run(TouchWork { key: key.clone(), at }).await?;
        of(&commit, &key)
    }

    /// Brings a work item that has ended back to the state before. May be repeated with the same op
    /// id. Returns it as it stands.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Conflict`] for one that is open; else what
    /// the store reports.
    pub async fn reopen(self, key: WorkKey, act: Act) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Reopen, act).await
    }

    /// Settles a work item that is overdue: it goes to the state that its kind has for that, and
    /// keeps the one before, so that [`WorkItems::reopen`] undoes it. May be repeated with the
    /// same op id.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id, [`Refusal::Conflict`] for one that is not overdue; else
    /// what the store reports.
    pub async fn resolve(
        self,
        project: &ProjectRef,
        key: WorkKey,
        act: Act,
    ) -> Result<Resolution, RegistryError> {
        let found = self.0.first::<Work>(vec![key.clone()]).await?;
        let work = found.ok_or_else(|| unknown(&key.id))?;
        // Neither the kind nor the author of an item ever changes.
        let policy = queries::rules(&self.0.policy, project, &work).into_owned();
        let (kind, op) = (work.kind, act.op.clone());
        let deed = Deed::Resolve(Box::new(policy));
        let commit = self.0.run(ActOnWork { key: key.clone(), deed, act }).await?;
        let mut entries = commit.changes.journal.iter().chain(commit.view.journal.values());
        let state = |state: &Option<String>| state.clone().unwrap_or_default();
        entries
            .find(|entry: &&JournalEntry| entry.op.as_ref() == Some(&op))
            .map(|entry| Resolution {
                id: key.id,
                kind,
                from: state(&entry.from),
                to: state(&entry.to),
            })
            .ok_or_else(|| StoreError::Misstep("nothing was resolved".into()).into())
    }
}

impl Registry {
    async fn on_work(&self, key: WorkKey, deed: Deed, act: Act) -> Result<Work, RegistryError> {
        let commit = self.run(ActOnWork { key: key.clone(), deed, act }).await?;
        of(&commit, &key)
    }
}

/// A work item as a commit left it.
fn of(commit: &Commit, key: &WorkKey) -> Result<Work, RegistryError> {
    left(commit, key).ok_or_else(|| unknown(&key.id).into())
}

fn unknown(id: &WorkId) -> Refusal {
    Refusal::Unknown { what: Work::NAME, id: id.to_string() }
}
