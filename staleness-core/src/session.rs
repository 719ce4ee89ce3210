//! Sessions: runs of agents from start to end, and the changes reported to each.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, OpId, ProjectId, SessionId, ToolName};
use crate::journal::Revision;
use crate::time::Timestamp;

/// The key of a session. It includes the project, because two projects may have sessions with the same id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionKey {
    /// The project in which the agent works.
    pub project: ProjectId,
    /// The session's id.
    pub id: SessionId,
}

/// A session of an agent in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The identity of the session.
    pub key: SessionKey,
    /// The agent that works in the session.
    pub agent: AgentId,
    /// The time at which the session began, or at which it resumed after a timeout.
    pub started_at: Timestamp,
    /// The time at which the session ended. `None` while it runs, and also if no end was reported: see
    /// [`Session::closed`].
    pub ended_at: Option<Timestamp>,
    /// The revision after which changes are new to the session. If the session loses its context and starts again, all
    /// changes after this revision are reported again.
    pub from_revision: Revision,
    /// True if nothing had been reported to the agent in this project before. The agent then received a digest of the
    /// current state instead of a list of changes.
    pub first_contact: bool,
    /// The last time at which changes or due items were reported to the session. `None` before the first report.
    pub told_at: Option<Timestamp>,
}

impl Session {
    /// Returns the session as of `now`. A session without a reported end ends `hours` after it began.
    #[must_use]
    pub fn closed(mut self, now: Timestamp, hours: u32) -> Self {
        let over = self.started_at.plus_millis(i64::from(hours) * Timestamp::HOUR);
        self.ended_at = self.ended_at.or_else(|| (now >= over).then_some(over));
        self
    }
}

/// A call that has begun and has no reported end yet.
///
/// Some clients do not report failures, only that a call has begun and that it has succeeded. Calls may run in
/// parallel, so the start or end of one call says nothing about another. A call that is still open when its turn ends
/// has failed, unless a person was asked for permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenCall {
    /// The client's id for the call.
    pub op: OpId,
    /// The tool's name, as the client spells it.
    pub tool: ToolName,
    /// The turn in which the call began. The call ends with the turn at the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<OpId>,
    /// True if a person may have been asked for permission. If no end is reported, the outcome is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_permission: bool,
    /// The time at which the call began.
    pub at: Timestamp,
}

/// The key of a cursor: each agent has one in each project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CursorKey {
    /// The project whose changes are reported.
    pub project: ProjectId,
    /// The agent to which they are reported.
    pub agent: AgentId,
}

/// The last change of a project that was reported to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The agent and the project.
    pub key: CursorKey,
    /// The last revision that was reported to the agent.
    pub revision: Revision,
    /// The session that received the last report. `None` if it was not named.
    pub session: Option<SessionId>,
    /// The time at which the cursor last moved.
    pub moved_at: Timestamp,
}

impl Cursor {
    /// Returns true if a report up to `upto` moves this cursor. A cursor only moves forward, so if an agent gets two
    /// reports at the same time, the one that ends earlier has no effect.
    pub fn moves_to(&self, upto: Revision) -> bool {
        upto > self.revision
    }
}
