//! The steps that begin and end sessions, and move cursors.

use super::unknown;
use crate::ids::{AgentId, SessionId};
use crate::journal::Revision;
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::store::{
    CursorFilter, Decision, Draft, Durability, Refusal, Selection, SessionFilter, Step, View,
};
use crate::time::Timestamp;

/// Begins a session, or goes on with it.
#[derive(Debug)]
pub(super) struct StartSession {
    pub(super) key: SessionKey,
    pub(super) agent: AgentId,
    pub(super) at: Timestamp,
}

impl Step for StartSession {
    fn selection(&self) -> Selection {
        let (project, agent) = (self.key.project.clone(), self.agent.clone());
        Selection::new()
            .lock_sessions(SessionFilter::Key(self.key.clone()))
            .peek_cursors(CursorFilter::Key(CursorKey { project, agent }))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        if let Some(known) = view.sessions.get(&self.key) {
            draft.put_session(Session { ended_at: None, ..known.clone() });
            return Ok(Decision::Write(draft.finish()));
        }
        let mut cursors = view.cursors.values();
        let told = cursors
            .find(|row| row.key.project == self.key.project && row.key.agent == self.agent)
            .map(|cursor| cursor.revision);
        draft.put_session(Session {
            key: self.key.clone(),
            agent: self.agent.clone(),
            started_at: self.at,
            ended_at: None,
            from_revision: told.unwrap_or(view.revision),
            first_contact: told.is_none(),
        });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Ends a session.
#[derive(Debug)]
pub(super) struct EndSession {
    pub(super) key: SessionKey,
    pub(super) at: Timestamp,
}

impl Step for EndSession {
    fn selection(&self) -> Selection {
        Selection::new().lock_sessions(SessionFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        let known = view.sessions.get(&self.key).ok_or_else(|| unknown(&self.key.id))?;
        let ended_at = known.ended_at.unwrap_or(self.at).max(known.started_at);
        draft.put_session(Session { ended_at: Some(ended_at), ..known.clone() });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Moves a cursor forward: compared and set in one commit.
#[derive(Debug)]
pub(super) struct MoveCursor {
    pub(super) key: CursorKey,
    pub(super) session: Option<SessionId>,
    pub(super) upto: Revision,
    pub(super) at: Timestamp,
}

impl Step for MoveCursor {
    fn selection(&self) -> Selection {
        Selection::new().lock_cursors(CursorFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        if view.cursors.get(&self.key).is_none_or(|cursor| cursor.moves_to(self.upto)) {
            draft.put_cursor(Cursor {
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
