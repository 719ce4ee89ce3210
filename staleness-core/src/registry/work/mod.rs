//! Work items: add, edit, move, resolve when overdue, reopen.
//!
//! The journal records every change except a touch, which only says that the item is still relevant.

mod act;
mod overdue;
mod queries;
mod renew;

use serde::Serialize;

pub use act::WorkPatch;
pub(super) use act::{hands_on, meant};
pub(super) use overdue::{Overdue, visible_open};
pub use queries::WorkListing;
pub(super) use queries::open;

use super::{Act, Registry, RegistryError, WorkItems, left};
use crate::ids::{WorkId, WorkKey};
use crate::journal::JournalEntry;
use crate::scan::ProjectRef;
use crate::store::{Commit, Invalid, Refusal, Row, StoreError};
use crate::time::Timestamp;
use crate::work::{Work, WorkKind};
use act::{ActOnWork, Claiming, Deed, touch};

/// The result of resolving an overdue item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolution {
    /// The scope and id of the item.
    #[serde(flatten, serialize_with = "WorkKey::as_fields")]
    pub key: WorkKey,
    /// The kind of work.
    pub kind: WorkKind,
    /// The previous state, which reopening restores.
    pub from: String,
    /// The state in which the item ended.
    pub to: String,
}

impl WorkItems<'_> {
    /// Adds a work item, in any state of its kind. May be repeated with the same op id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Taken`] if the id is in use, or any refusal of [`Work::check`].
    pub async fn add(self, work: Work, act: Act) -> Result<Work, RegistryError> {
        let key = work.key.clone();
        self.0.on_work(key, Deed::Add(Box::new(work)), act).await
    }

    /// Changes fields of a work item. Does nothing if the fields already have these values. May be repeated with the
    /// same op id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, [`Refusal::Conflict`] if the item cannot move to that state, or any
    /// refusal of [`Work::check`].
    pub async fn set(
        self,
        key: WorkKey,
        patch: WorkPatch,
        act: Act,
    ) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Set(patch), act).await
    }

    /// Adds a step to a work item. May be repeated with the same op id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, [`Refusal::Invalid`] if the text is empty, or
    /// [`Refusal::TooLarge`] if it is too long.
    pub async fn step(self, key: WorkKey, text: String, act: Act) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Step(text), act).await
    }

    /// Records that a work item is still relevant. May be repeated. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown.
    pub async fn touch(self, key: WorkKey, at: Timestamp) -> Result<Work, RegistryError> {
        let commit = self.0.run(touch(key.clone(), at)).await?;
        of(&commit, &key)
    }

    /// Reopens an ended work item in its previous state. May be repeated with the same op id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, or [`Refusal::Conflict`] if the item is open.
    pub async fn reopen(self, key: WorkKey, act: Act) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Reopen, act).await
    }

    /// Undoes a change: returns an item from the state `left` to the state `before`. May be repeated with the same op
    /// id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] if the item is no longer as the change left it.
    pub async fn restore(self, left: Work, before: Work, act: Act) -> Result<Work, RegistryError> {
        let key = before.key.clone();
        self.0.on_work(key, Deed::Restore(Box::new((left, before))), act).await
    }

    /// Claims a work item for an agent until a time, or for as long as the policy says. The first agent to claim an
    /// item holds it. Another claim by the same session renews it, and so does each event of the session or, if no hook
    /// reports the session, of the agent's running sessions. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, [`Refusal::Conflict`] if another agent holds the item, the item has
    /// ended, or the session has too many claims, or [`Refusal::Invalid`] if the item is not a task or the act names no
    /// agent.
    pub async fn claim(
        self,
        project: &ProjectRef,
        key: WorkKey,
        until: Option<Timestamp>,
        act: Act,
    ) -> Result<Work, RegistryError> {
        let Some(agent) = act.actor.clone() else {
            return Err(Refusal::from(Invalid::NoAgent).into());
        };
        let until = match until {
            Some(until) => until,
            None => {
                let found = self.0.first::<Work>(vec![key.clone()]).await?;
                let work = found.ok_or_else(|| unknown(&key.id))?;
                let minutes = queries::rules(&self.0.policy, project, &work).claim_minutes;
                act.at.plus_millis(i64::from(minutes) * Timestamp::MINUTE)
            }
        };
        let close_after_hours = self.0.policy.sessions.close_after_hours;
        let claiming = Claiming { project: project.id.clone(), agent, until, close_after_hours };
        self.0.on_work(key, Deed::Claim(claiming), act).await
    }

    /// Releases the claim on a work item. May be repeated with the same op id. Returns the stored item.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, or [`Refusal::Conflict`] if nobody has claimed it or an agent
    /// other than the acting one holds it.
    pub async fn release(self, key: WorkKey, act: Act) -> Result<Work, RegistryError> {
        self.0.on_work(key, Deed::Release, act).await
    }

    /// Resolves an overdue work item: moves it to the resolving state of its kind and stores the previous state, so
    /// that [`WorkItems::reopen`] can undo it. May be repeated with the same op id.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown, or [`Refusal::Conflict`] if the item is not overdue.
    pub async fn resolve(
        self,
        project: &ProjectRef,
        key: WorkKey,
        act: Act,
    ) -> Result<Resolution, RegistryError> {
        let found = self.0.first::<Work>(vec![key.clone()]).await?;
        let work = found.ok_or_else(|| unknown(&key.id))?;
        // The thresholds depend on the kind and the author, which never change.
        let policy = queries::rules(&self.0.policy, project, &work).into_owned();
        let (kind, op) = (work.kind, act.op.clone());
        let deed = Deed::Resolve(Box::new(policy));
        let commit = self.0.run(ActOnWork { key: key.clone(), deed, act }).await?;
        let mut entries = commit.changes.journal.iter().chain(commit.view.journal.values());
        let state = |state: &Option<String>| state.clone().unwrap_or_default();
        entries
            .find(|entry: &&JournalEntry| entry.op.as_ref() == Some(&op))
            .map(|entry| Resolution { key, kind, from: state(&entry.from), to: state(&entry.to) })
            .ok_or_else(|| StoreError::Misstep("nothing was resolved".into()).into())
    }
}

impl Registry {
    async fn on_work(&self, key: WorkKey, deed: Deed, act: Act) -> Result<Work, RegistryError> {
        let commit = self.run(ActOnWork { key: key.clone(), deed, act }).await?;
        of(&commit, &key)
    }
}

fn of(commit: &Commit, key: &WorkKey) -> Result<Work, RegistryError> {
    left(commit, key).ok_or_else(|| unknown(&key.id).into())
}

fn unknown(id: &WorkId) -> Refusal {
    Refusal::Unknown { what: Work::NAME, id: id.to_string() }
}
