//! Outcomes: the result of each use of a tool.

use serde::{Deserialize, Serialize};

use crate::ids::{
    AgentId, ClientId, OpId, ProjectId, ServerKey, SessionId, ToolKey, stable_hash_of,
};
use crate::text::wording;
use crate::time::Timestamp;

/// The result of one use of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// The tool succeeded.
    Success,
    /// The tool failed or returned an error.
    Failure,
    /// The user aborted the call or denied permission. Says nothing about the tool.
    Interrupted,
    /// The call ended, and the client did not report how. Says nothing about the tool.
    Unknown,
}

wording! {
    /// An outcome as the failure window counts it. Each mark is represented by one letter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Mark {
        /// A success, counted.
        Success = "S",
        /// A failure, counted.
        Failure = "F",
        /// Interrupted, not counted.
        Interrupted = "I",
        /// Failed while the machine was offline, not counted.
        Offline = "O",
        /// Unknown, or a call that did not succeed in a client that does not have the tool. Not counted.
        Unknown = "U",
    }
}

impl Mark {
    /// Returns the mark's letter.
    pub const fn letter(self) -> char {
        self.as_str().as_bytes()[0] as char
    }

    /// Returns the mark with this letter, if there is one.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.letter() == letter)
    }

    /// Returns true if the mark counts in the failure window and in the ranking.
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::Success | Self::Failure)
    }

    /// Returns true if the mark shows whether the tool's server answered.
    pub const fn is_conclusive(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Unknown)
    }
}

/// A recorded use of a tool. Outcomes are a bounded cache: old ones are pruned.
///
/// An outcome contains no part of the tool's input, output or error text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The sequence number, assigned by the store and strictly increasing. 0 before the outcome is stored.
    pub seq: u64,
    /// The id of the unit of work that recorded the outcome.
    pub op: OpId,
    /// The tool that was used.
    pub tool: ToolKey,
    /// The server that owns the tool, for MCP tools.
    pub server: Option<ServerKey>,
    /// Other tools that get credit for this use, such as the skill that `Skill` ran. Sorted, without
    /// duplicates, and never the tool itself or a server.
    pub credits: Vec<ToolKey>,
    /// The result, as the failure window counts it.
    pub mark: Mark,
    /// The time at which the use ended.
    pub at: Timestamp,
    /// The project in which the tool was used.
    pub project: ProjectId,
    /// The session in which the tool was used.
    pub session: Option<SessionId>,
    /// The agent that used the tool.
    pub agent: Option<AgentId>,
    /// The client that reported the use.
    pub client: Option<ClientId>,
    /// The duration of the use, in milliseconds.
    pub duration_ms: Option<u64>,
}

impl Outcome {
    /// Returns [`Outcome::identity_of`] for this outcome.
    pub fn identity(&self) -> u64 {
        Self::identity_of(&self.tool, &self.op)
    }

    /// Returns a 64-bit hash of a tool and an op id, which together identify an outcome. Two different pairs collide
    /// with a probability of about 2⁻⁶⁴.
    pub fn identity_of(tool: &ToolKey, op: &OpId) -> u64 {
        // Identifiers contain no control characters, so the separator makes the text unambiguous.
        let parts = [tool.scope.as_key(), "\u{1f}", tool.name.as_str(), "\u{1f}", op.as_str()];
        stable_hash_of(parts) as u64
    }
}
