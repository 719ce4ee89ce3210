//! Sessions: an agent starts, receives the changes since its last session, and ends.
//!
//! Sessions are not recorded in the journal. The journal keeps the changes not yet reported to an agent while its
//! cursor is remembered. A delta that would begin in the pruned part of the journal says so.

mod others;
mod resume;
mod steps;

use std::cmp::Reverse;

pub use resume::{Resume, ResumeFrom};

use crate::ids::{AgentId, ProjectId, SessionId};
use crate::registry::{RegistryError, Sessions, left};
use crate::report::Delta;
use crate::scan::ProjectRef;
use crate::session::{CursorKey, Session, SessionKey};
use crate::store::{Commit, Refusal, Selection, SessionFilter};
use crate::time::Timestamp;

impl Sessions<'_> {
    /// Starts a session of an agent. The changes since the agent's cursor are new to the session. A known session
    /// continues, even if it had ended. May be repeated.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] if the session belongs to another agent.
    pub async fn start(
        self,
        project: &ProjectId,
        agent: &AgentId,
        id: &SessionId,
        at: Timestamp,
    ) -> Result<Session, RegistryError> {
        let key = SessionKey { project: project.clone(), id: id.clone() };
        let close_after_hours = self.0.policy.sessions.close_after_hours;
        let step = steps::start(key.clone(), agent.clone(), at, close_after_hours);
        of(&self.0.run(step).await?, &key)
    }

    /// Ends a session. A session that has already ended keeps its end. Also forgets its suggestions, even if the
    /// session is unknown.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown.
    pub async fn end(
        self,
        project: &ProjectId,
        id: &SessionId,
        at: Timestamp,
    ) -> Result<Session, RegistryError> {
        self.finish(project, id, at, false).await
    }

    /// Ends a session whose agent continues at once in a new one. The new one may [inherit](Self::inherit_claims) the
    /// claims.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the id is unknown.
    pub async fn clear(
        self,
        project: &ProjectId,
        id: &SessionId,
        at: Timestamp,
    ) -> Result<Session, RegistryError> {
        self.finish(project, id, at, true).await
    }

    async fn finish(
        self,
        project: &ProjectId,
        id: &SessionId,
        at: Timestamp,
        goes_on: bool,
    ) -> Result<Session, RegistryError> {
        let key = SessionKey { project: project.clone(), id: id.clone() };
        self.leave(key.clone(), at, goes_on).await?;
        of(&self.0.run(steps::end(key.clone(), at)).await?, &key)
    }

    /// Returns the sessions of a project, latest first.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Session>, RegistryError> {
        let all = Selection::new().peek(SessionFilter::Project(project.clone()));
        let mut sessions: Vec<Session> = self.0.ask(all).await?.sessions.into_values().collect();
        sessions.sort_by_key(|session| Reverse(session.started_at));
        Ok(sessions)
    }

    /// Returns the changes for an agent in a project. Does not move the cursor: [`Sessions::mark_resumed`] must be
    /// called after the delta was reported.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the delta is to start at an unknown session.
    pub async fn resume(
        self,
        project: &ProjectRef,
        resume: Resume,
        now: Timestamp,
    ) -> Result<Delta, RegistryError> {
        let overdue = self.0.overdue(project, now);
        let query = resume::WhatChanged { project: project.id.clone(), resume, overdue };
        let view = self.0.ask(query.clone()).await?;
        Ok(query.delta(view)?)
    }

    /// Records that a delta was reported to an agent: moves the agent's cursor to the end of the delta. A cursor only
    /// moves forward, so two windows of one agent cannot undo each other. May be repeated. Returns true if the cursor
    /// moved, which it never does if [`Delta::moves`] is false.
    pub async fn mark_resumed(
        self,
        project: &ProjectId,
        resume: &Resume,
        delta: &Delta,
        at: Timestamp,
    ) -> Result<bool, RegistryError> {
        if !delta.moves {
            return Ok(false);
        }
        let key = CursorKey { project: project.clone(), agent: resume.agent.clone() };
        let session = resume.session.clone();
        let step = steps::move_cursor(key, session, delta.upto, at);
        Ok(!self.0.run(step).await?.changes.cursors.is_empty())
    }
}

fn of(commit: &Commit, key: &SessionKey) -> Result<Session, RegistryError> {
    left(commit, key).ok_or_else(|| unknown(&key.id).into())
}

fn unknown(id: &SessionId) -> Refusal {
    Refusal::Unknown { what: "session", id: id.to_string() }
}
