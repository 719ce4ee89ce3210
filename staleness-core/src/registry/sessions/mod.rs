//! Verbs over sessions: an agent comes, is told what changed while it was away, and goes.
//!
//! Nothing here goes to the journal. What an agent was not told yet stays there to be told, for as long as its
//! place is remembered; a delta that begins before what is kept says so.

mod others;
mod resume;
mod steps;

use std::cmp::Reverse;

pub use resume::{Resume, ResumeFrom};

use crate::ids::{AgentId, ProjectId, SessionId};
use crate::registry::{RegistryError, Sessions, nearest};
use crate::report::Delta;
use crate::scan::ProjectRef;
use crate::session::{CursorKey, Session, SessionKey};
use crate::store::{Change, Commit, Refusal, Selection, SessionFilter};
use crate::time::Timestamp;

impl Sessions<'_> {
    /// Begins a session of an agent. What is new to it begins where the agent was told last. A session
    /// that is known goes on as the one that it is, also when it had ended. May be repeated.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] for a session of another agent; else what the store reports.
    pub async fn start(
        self,
        project: &ProjectId,
        agent: &AgentId,
        id: &SessionId,
        at: Timestamp,
    ) -> Result<Session, RegistryError> {
        let key = SessionKey { project: project.clone(), id: id.clone() };
        let close_after_hours = self.0.policy.sessions.close_after_hours;
        let (key_of, agent) = (key.clone(), agent.clone());
        let step = steps::StartSession { key: key_of, agent, at, close_after_hours };
        of(&self.0.run(step).await?, &key)
    }

    /// Ends a session; one that has ended stays as it is. What was suggested in it is forgotten, also in one
    /// that nobody began.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown id; else what the store reports.
    pub async fn end(
        self,
        project: &ProjectId,
        id: &SessionId,
        at: Timestamp,
    ) -> Result<Session, RegistryError> {
        let key = SessionKey { project: project.clone(), id: id.clone() };
        self.forget_suggestions(key.clone(), at).await?;
        of(&self.0.run(steps::EndSession { key: key.clone(), at }).await?, &key)
    }

    /// The sessions of a project, the latest first.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Session>, RegistryError> {
        let all = Selection::new().peek(SessionFilter::Project(project.clone()));
        let mut sessions: Vec<Session> = self.0.ask(all).await?.sessions.into_values().collect();
        sessions.sort_by_key(|session| Reverse(session.started_at));
        Ok(sessions)
    }

    /// The id of a session of the project that is most like `text`, for a helpful error.
    pub async fn nearest(
        self,
        project: &ProjectId,
        text: &str,
    ) -> Result<Option<SessionId>, RegistryError> {
        Ok(nearest(text, self.list(project).await?.into_iter().map(|session| session.key.id)))
    }

    /// Returns what changed for an agent in a project. Moves nothing: call
    /// [`Sessions::mark_resumed`] once it was said.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for changes since an unknown session; else what the store reports.
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

    /// Notes that an agent was told a delta: its cursor moves to the end of it, and only forward, so
    /// that of two windows of one agent neither takes back what the other noted. May be repeated.
    /// Returns whether it moved; what was peeked at, a digest and changes since a moment of one's own
    /// move nothing.
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
        let step = steps::MoveCursor { key, session, upto: delta.upto, at };
        Ok(!self.0.run(step).await?.changes.cursors.is_empty())
    }
}

/// A session as a commit left it.
fn of(commit: &Commit, key: &SessionKey) -> Result<Session, RegistryError> {
    let written = commit.changes.sessions.iter().find_map(|change| match change {
        Change::Put(row) if row.key == *key => Some(row),
        _ => None,
    });
    Ok(written.or_else(|| commit.view.sessions.get(key)).ok_or_else(|| unknown(&key.id))?.clone())
}

fn unknown(id: &SessionId) -> Refusal {
    Refusal::Unknown { what: "session", id: id.to_string() }
}
