//! The report of a session.

use serde::Serialize;

use crate::ids::{AgentId, ProjectId, SessionId};
use crate::journal::Revision;
use crate::session::Session;
use crate::time::Timestamp;

/// A session of an agent, as reported to callers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionReport {
    /// The id of the session.
    pub id: SessionId,
    /// The agent that works in the session.
    pub agent: AgentId,
    /// The id of the session's project.
    pub project: ProjectId,
    /// The time at which the session began.
    pub started_at: Timestamp,
    /// The time at which the session ended. `None` if it is still open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// The revision after which changes are new to the session.
    pub from_revision: Revision,
}

impl From<&Session> for SessionReport {
    fn from(session: &Session) -> Self {
        Self {
            id: session.key.id.clone(),
            agent: session.agent.clone(),
            project: session.key.project.clone(),
            started_at: session.started_at,
            ended_at: session.ended_at,
            from_revision: session.from_revision,
        }
    }
}
