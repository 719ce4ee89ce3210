//! The steps that start and end sessions and move cursors.

use super::unknown;
use crate::ids::{AgentId, ProjectId, SessionId};
use crate::journal::Revision;
use crate::project::Project;
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::store::{
    Conflict, CursorFilter, Edit, ProjectFilter, Selection, SessionFilter, Step, View,
};
use crate::time::Timestamp;

pub(super) fn start(
    key: SessionKey,
    agent: AgentId,
    at: Timestamp,
    close_after_hours: u32,
) -> impl Step {
    let cursor = CursorKey { project: key.project.clone(), agent: agent.clone() };
    let all = Selection::new()
        .lock(SessionFilter::Key(key.clone()))
        .peek(ProjectFilter::Id(key.project.clone()))
        .peek(CursorFilter::Key(cursor.clone()));
    Edit::new(at, all, move |draft| {
        let view = draft.view();
        if let Some(known) = view.sessions.get(&key) {
            if known.agent != agent {
                let (session, owner) = (key.id.clone(), known.agent.clone());
                return Err(Conflict::OtherAgent { session, owner, agent: agent.clone() }.into());
            }
            let is_over = |known: Session| known.closed(at, close_after_hours).ended_at;
            let was_left = known.ended_at.is_none() && is_over(known.clone()).is_some();
            let started_at = if was_left { at } else { known.started_at };
            draft.put(Session { ended_at: None, started_at, ..known.clone() });
            return Ok(());
        }
        let told = view.cursors.get(&cursor).map(|cursor| cursor.revision);
        draft.put(Session {
            key: key.clone(),
            agent: agent.clone(),
            started_at: at,
            ended_at: None,
            from_revision: told.unwrap_or_else(|| met(view, &key.project)),
            first_contact: told.is_none(),
            told_at: None,
        });
        Ok(())
    })
}

/// Returns the starting revision of an agent to which nothing was reported in a project: the last revision reported to
/// any agent, or the current one if the project is unknown.
pub(super) fn met(view: &View, project: &ProjectId) -> Revision {
    view.projects.get(project).map_or(view.revision, |known| known.told.min(view.revision))
}

pub(super) fn end(key: SessionKey, at: Timestamp) -> impl Step {
    Edit::new(at, Selection::new().lock(SessionFilter::Key(key.clone())), move |draft| {
        let known = draft.view().sessions.get(&key).ok_or_else(|| unknown(&key.id))?;
        let ended_at = known.ended_at.unwrap_or(at).max(known.started_at);
        draft.put(Session { ended_at: Some(ended_at), ..known.clone() });
        Ok(())
    })
}

/// Moves a cursor forward, if it is behind. Also moves the revision at which new agents of the project start, and
/// records the time of the report in the session.
pub(super) fn move_cursor(
    key: CursorKey,
    session: Option<SessionId>,
    upto: Revision,
    at: Timestamp,
) -> impl Step {
    let own = session.clone().map(|id| SessionKey { project: key.project.clone(), id });
    let all = Selection::new()
        .lock(ProjectFilter::Id(key.project.clone()))
        .lock(CursorFilter::Key(key.clone()));
    let all = own.iter().fold(all, |all, own| all.lock(SessionFilter::Key(own.clone())));
    Edit::new(at, all, move |draft| {
        let view = draft.view();
        let own = own.as_ref().and_then(|own| view.sessions.get(own));
        if let Some(own) = own.filter(|own| own.agent == key.agent && own.told_at < Some(at)) {
            draft.put(Session { told_at: Some(at), ..own.clone() });
        }
        if let Some(project) = view.projects.get(&key.project)
            && project.told < upto
        {
            draft.put(Project { told: upto, ..project.clone() });
        }
        // If the revision is the same, a later report only updates the time, and another session takes over the cursor.
        let known = view.cursors.get(&key);
        let same = known.filter(|cursor| cursor.revision == upto);
        let takes_over = |cursor: &Cursor| session.is_some() && cursor.session != session;
        let is_later = same.is_some_and(|cursor| takes_over(cursor) || at > cursor.moved_at);
        if is_later || known.is_none_or(|cursor| cursor.moves_to(upto)) {
            let kept = || same.and_then(|cursor| cursor.session.clone());
            draft.put(Cursor {
                key: key.clone(),
                revision: upto,
                session: session.clone().or_else(kept),
                moved_at: at,
            });
        }
        Ok(())
    })
}
