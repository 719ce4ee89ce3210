//! Outcomes: what happened each time a tool was used.

use serde::{Deserialize, Serialize};

use crate::ids::{
    AgentId, ClientId, OpId, ProjectId, ServerKey, SessionId, ToolKey, stable_hash_of,
};
use crate::time::Timestamp;

/// The result of one use of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// The tool did what it was asked.
    Success,
    /// The tool failed or answered with an error.
    Failure,
    /// The user aborted it or a permission was denied: says nothing about the tool.
    Interrupted,
    /// It ended, and the client does not say how: says nothing about the tool.
    Unknown,
}

/// An outcome as the failure window sees it; each mark has one letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// `S`: counted success.
    Success,
    /// `F`: counted failure.
    Failure,
    /// `I`: interrupted, not counted.
    Interrupted,
    /// `O`: failed while the machine was offline, not counted.
    Offline,
    /// `U`: ended in a way that the client does not tell, or without success for a client that does not have the tool;
    /// not counted.
    Unknown,
}

impl Mark {
    /// Every mark.
    pub const ALL: [Self; 5] =
        [Self::Success, Self::Failure, Self::Interrupted, Self::Offline, Self::Unknown];

    /// The mark's letter.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Success => 'S',
            Self::Failure => 'F',
            Self::Interrupted => 'I',
            Self::Offline => 'O',
            Self::Unknown => 'U',
        }
    }

    /// The inverse of [`Mark::letter`].
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.letter() == letter)
    }

    /// Returns true if the mark enters the failure window and the ranking.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::Success | Self::Failure)
    }

    /// Returns true if the mark says whether the tool's server answered.
    #[must_use]
    pub const fn is_conclusive(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Unknown)
    }
}

/// One recorded use of a tool. Outcomes are a bounded cache: old ones are pruned.
///
/// Nothing of a tool's input, output or error text is part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Order of recording, given by the store: strictly increasing, 0 before it is stored.
    pub seq: u64,
    /// The unit of work that recorded it.
    pub op: OpId,
    /// The tool that was used.
    pub tool: ToolKey,
    /// The server that owns the tool, for MCP tools.
    pub server: Option<ServerKey>,
    /// Further tools that this use counts for, such as the skill that `Skill` ran: sorted, each once,
    /// neither the tool itself nor a server.
    pub credits: Vec<ToolKey>,
    /// The result, as the failure window sees it.
    pub mark: Mark,
    /// When it ended.
    pub at: Timestamp,
    /// The project in which it happened.
    pub project: ProjectId,
    /// The session in which it happened.
    pub session: Option<SessionId>,
    /// The agent that used the tool.
    pub agent: Option<AgentId>,
    /// The client that reported it.
    pub client: Option<ClientId>,
    /// The time that it took, in milliseconds.
    pub duration_ms: Option<u64>,
}

impl Outcome {
    /// The identity of this outcome: see [`Outcome::identity_of`].
    #[must_use]
    pub fn identity(&self) -> u64 {
        Self::identity_of(&self.tool, &self.op)
    }

    /// 64 bits that identify the pair of a tool and an op id: the same op on the same tool is the same
    /// outcome. Two different pairs collide with a probability of about 2⁻⁶⁴.
    #[must_use]
    pub fn identity_of(tool: &ToolKey, op: &OpId) -> u64 {
        // Identifiers hold no control characters, so the separator makes the text unambiguous.
        let parts = [tool.scope.as_key(), "\u{1f}", tool.name.as_str(), "\u{1f}", op.as_str()];
        stable_hash_of(parts) as u64
    }
}
