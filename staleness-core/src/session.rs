//! Sessions: when an agent came and went, and up to where it was told what changed.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, OpId, ProjectId, SessionId, ToolName};
use crate::journal::Revision;
use crate::time::Timestamp;

/// The key of a session: clients name their sessions, so the same id may occur in two projects.
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
    /// Its identity.
    pub key: SessionKey,
    /// The agent.
    pub agent: AgentId,
    /// When it began; of one that was over without an end and went on, when it did that.
    pub started_at: Timestamp,
    /// When it ended; `None` while it goes on, and for one whose end nobody reported: see
    /// [`Session::closed`].
    pub ended_at: Option<Timestamp>,
    /// Everything after this revision is new to it. When the session loses its context and begins
    /// again, it is told from here once more.
    pub from_revision: Revision,
    /// It met a registry that had never told its agent anything here: it was given a digest of what
    /// is there rather than a list of changes.
    pub first_contact: bool,
}

impl Session {
    /// The session as it is at `now`: one whose end nobody reported is over `hours` after it began.
    #[must_use]
    pub fn closed(mut self, now: Timestamp, hours: u32) -> Self {
        let over = self.started_at.plus_millis(i64::from(hours) * Timestamp::HOUR);
        self.ended_at = self.ended_at.or_else(|| (now >= over).then_some(over));
        self
    }
}

/// A call that has begun, and whose end was not reported yet.
///
/// Some clients report no failures: they report that a call begins, and that it ended well. Calls that run
/// at once are open side by side, so neither the beginning nor the end of another call says anything of
/// one. What is still open when its turn is over has failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenCall {
    /// The client's id of the call.
    pub op: OpId,
    /// The tool, as the client spells it.
    pub tool: ToolName,
    /// The turn in which it began; all calls of a turn have ended when the turn has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<OpId>,
    /// When it began.
    pub at: Timestamp,
}

/// The key of a cursor: each agent has one in each project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CursorKey {
    /// The project.
    pub project: ProjectId,
    /// The agent.
    pub agent: AgentId,
}

/// Up to where an agent was told what changed in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Its key: the agent, and the project.
    pub key: CursorKey,
    /// Everything up to this revision was told.
    pub revision: Revision,
    /// The session that was told last, where one was named.
    pub session: Option<SessionId>,
    /// When it moved last.
    pub moved_at: Timestamp,
}

impl Cursor {
    /// Returns true if a telling up to `upto` moves this cursor. It moves forward only: of two windows of
    /// one agent that were told at once, the one that was told less moves nothing.
    #[must_use]
    pub fn moves_to(&self, upto: Revision) -> bool {
        upto > self.revision
    }
}
