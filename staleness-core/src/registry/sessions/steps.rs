//! The steps that start and end sessions, and move cursors.

use super::unknown;
use crate::ids::{AgentId, ProjectId, SessionId};
use crate::journal::Revision;
use crate::project::{Project, Told};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::store::{
    CursorFilter, Decision, Draft, Durability, ProjectFilter, Refusal, Selection, SessionFilter,
    Step, View,
};
use crate::time::Timestamp;

/// Starts or continues a session.
#[derive(Debug)]
pub(super) struct StartSession {
    pub(super) key: SessionKey,
    pub(super) agent: AgentId,
    pub(super) at: Timestamp,
    pub(super) close_after_hours: u32,
}

impl Step for StartSession {
    fn selection(&self) -> Selection {
        let (project, agent) = (self.key.project.clone(), self.agent.clone());
        Selection::new()
            .lock(SessionFilter::Key(self.key.clone()))
            .peek(ProjectFilter::Id(self.key.project.clone()))
            .peek(CursorFilter::Key(CursorKey { project, agent }))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        if let Some(known) = view.sessions.get(&self.key) {
            if known.agent != self.agent {
                return Err(Refusal::Conflict(format!(
                    "the session {:?} belongs to {:?}, not to {:?}",
                    self.key.id.as_str(),
                    known.agent.as_str(),
                    self.agent.as_str()
                )));
            }
            let is_over = |known: Session| known.closed(self.at, self.close_after_hours).ended_at;
            let was_left = known.ended_at.is_none() && is_over(known.clone()).is_some();
            let started_at = if was_left { self.at } else { known.started_at };
            draft.put(Session { ended_at: None, started_at, ..known.clone() });
            return Ok(Decision::Write(draft.finish()));
        }
        let mut cursors = view.cursors.values();
        let told = cursors
            .find(|row| row.key.project == self.key.project && row.key.agent == self.agent)
            .map(|cursor| cursor.revision);
        draft.put(Session {
            key: self.key.clone(),
            agent: self.agent.clone(),
            started_at: self.at,
            ended_at: None,
            from_revision: told.unwrap_or_else(|| met(view, &self.key.project)),
            first_contact: told.is_none(),
        });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Returns the starting revision of an agent that was never told anything in a project: the last revision
/// told to any agent, or the current one if the project is unknown.
pub(super) fn met(view: &View, project: &ProjectId) -> Revision {
    view.projects.get(project).map_or(view.revision, |known| known.told.revision.min(view.revision))
}

/// Ends a session.
#[derive(Debug)]
pub(super) struct EndSession {
    pub(super) key: SessionKey,
    pub(super) at: Timestamp,
}

impl Step for EndSession {
    fn selection(&self) -> Selection {
        Selection::new().lock(SessionFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        let known = view.sessions.get(&self.key).ok_or_else(|| unknown(&self.key.id))?;
        let ended_at = known.ended_at.unwrap_or(self.at).max(known.started_at);
        draft.put(Session { ended_at: Some(ended_at), ..known.clone() });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Moves a cursor forward, compared and set in one commit. Also moves the project's reported revision, where
/// agents that are new to the project will start.
#[derive(Debug)]
pub(super) struct MoveCursor {
    pub(super) key: CursorKey,
    pub(super) session: Option<SessionId>,
    pub(super) upto: Revision,
    pub(super) at: Timestamp,
}

impl Step for MoveCursor {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock(ProjectFilter::Id(self.key.project.clone()))
            .lock(CursorFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        if let Some(project) = view.projects.get(&self.key.project)
            && project.told.revision < self.upto
        {
            let told = Told { revision: self.upto, session: self.session.clone(), from: self.upto };
            draft.put(Project { told, ..project.clone() });
        }
        // At the same revision, a later session still takes over the cursor, and the same session updates the time.
        let later = |cursor: &Cursor| {
            let is_same = cursor.session == self.session;
            cursor.revision == self.upto
                && if is_same { self.at > cursor.moved_at } else { self.session.is_some() }
        };
        let moves = |cursor: &Cursor| cursor.moves_to(self.upto) || later(cursor);
        if view.cursors.get(&self.key).is_none_or(moves) {
            draft.put(Cursor {
                key: self.key.clone(),
                revision: self.upto,
                session: self.session.clone(),
                moved_at: self.at,
            });
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
