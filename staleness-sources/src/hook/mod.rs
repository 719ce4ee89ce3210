//! Parses payloads of client hooks into events.
//!
//! Only stored data is extracted: event, tool, ids, duration and outcome. Tool input, output and errors are
//! not read, except for the names in [`ToolEvent::mentions`] and the paths in [`ToolEvent::reads`]. The
//! beginning of a user's prompt is kept for searching.

mod client;
mod event;
mod payload;

use std::fmt;
use std::path::PathBuf;

use staleness_core::ids::{AgentId, ClientId, OpId, SessionId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Use;
use staleness_core::scan::ProjectRef;
use staleness_core::time::Timestamp;
use staleness_core::tool::ToolKind;

pub use client::HookClient;

/// Maximum size of a payload, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 8 * 1024 * 1024;

/// Maximum length of a prompt, in bytes. Longer prompts are truncated.
pub const MAX_PROMPT_BYTES: usize = 16 * 1024;

/// A parsed hook payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInput {
    /// The client that sent the payload.
    pub client: HookClient,
    /// The way in which the client was determined.
    pub evidence: Evidence,
    /// The event's name as received, needed for the response. Empty if it is not a plain word.
    pub event_name: String,
    /// The event in the payload.
    pub event: Event,
    /// The session of the event.
    pub session: Option<SessionId>,
    /// The working folder of the event.
    pub cwd: Option<PathBuf>,
    /// The subagent that caused the event.
    pub agent: Option<AgentId>,
    /// The id of that subagent within the session.
    pub agent_id: Option<String>,
    /// The time of the event, if the client reports it.
    pub at: Option<Timestamp>,
}

impl HookInput {
    /// Returns the client's id in the registry.
    pub fn client_id(&self) -> ClientId {
        self.client.id()
    }

    /// Returns the use that an event of this payload reports. `fresh` creates an id if the client reports none.
    pub fn used(
        &self,
        event: &ToolEvent,
        fresh: impl FnOnce() -> OpId,
        at: Timestamp,
        project: ProjectRef,
    ) -> Use {
        let op = event.op.clone().unwrap_or_else(fresh);
        Use {
            session: self.session.clone(),
            agent: self.agent.clone(),
            client: Some(self.client_id()),
            duration_ms: event.duration_ms,
            kind: event.builtin.then_some(ToolKind::Builtin),
            server: event.server.clone(),
            mentions: event.mentions.clone(),
            ..Use::new(op, event.tool.clone(), event.kind, at, project)
        }
    }
}

/// The way in which the client was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The payload has a format that only this client sends. This wins over the argument, because some
    /// clients run the hooks of others.
    Payload,
    /// The caller passed the client's name.
    Argument,
    /// Neither names the client. The one with the most common payload format is assumed.
    Assumed,
}

/// A hook event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A session starts or resumes.
    SessionStart {
        /// The reason in the client's words, such as `startup`, `resume`, `clear` or `compact`.
        source: Option<String>,
    },
    /// A tool was used.
    ToolOutcome(ToolEvent),
    /// A call began. The client reports the end of the call only if it succeeds.
    CallBegan {
        /// The tool's name.
        tool: ToolName,
        /// The id that the client gave to the call.
        op: OpId,
        /// The turn in which the call began.
        turn: OpId,
    },
    /// A person was asked to permit a tool's calls in a turn. Calls that do not succeed may have been rejected.
    PermissionAsked {
        /// The tool's name.
        tool: ToolName,
        /// The turn in which the question was asked.
        turn: OpId,
    },
    /// A turn and all its calls ended.
    TurnEnded {
        /// The turn that ended.
        turn: OpId,
        /// True if a person interrupted the turn.
        interrupted: bool,
    },
    /// A configuration or instruction file changed.
    ConfigChanged,
    /// A session ended.
    SessionEnd {
        /// True if the agent continues under a new session id, as after `/clear` in Claude Code.
        cleared: bool,
    },
    /// The user sent a prompt.
    UserPrompt(Prompt),
    /// Any other event, with its name.
    Ignored(String),
}

/// A user's prompt, truncated to [`MAX_PROMPT_BYTES`] and used for searching. The policy decides whether any of it may
/// be stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Prompt(pub String);

impl fmt::Debug for Prompt {
    /// Omits the text, because debug output may be stored.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prompt({} bytes)", self.0.len())
    }
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEvent {
    /// The tool's name as spelled by the client, or the registry's name if the client also reports the server.
    pub tool: ToolName,
    /// The outcome of the use.
    pub kind: OutcomeKind,
    /// The id that the client gave to the use.
    pub op: Option<OpId>,
    /// The duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The MCP server of the tool, if the client reports it.
    pub server: Option<String>,
    /// Other tools that were used through this one, with all their possible names: the skill run by `Skill`, the
    /// command of `SlashCommand`, the agent of `Task`. They need not exist in the registry.
    pub mentions: Vec<ToolName>,
    /// Files shown to the model by a known reading tool. Paths are absolute, or relative to the event's
    /// folder or the project.
    pub reads: Vec<String>,
    /// True for a tool that is part of the client, not an MCP tool.
    pub builtin: bool,
}

/// The reason why a payload was rejected. No variant contains text from the payload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The payload is empty.
    #[error("the payload is empty")]
    Empty,
    /// The payload is larger than [`MAX_PAYLOAD_BYTES`]. Contains its size in bytes.
    #[error("the payload is {0} bytes long; at most {MAX_PAYLOAD_BYTES} are read")]
    TooLarge(usize),
    /// The payload is not UTF-8.
    #[error("the payload is not UTF-8")]
    NotUtf8,
    /// The payload is not a JSON object.
    #[error("the payload is not a JSON object (line {line}, column {column})")]
    NotJson {
        /// The line where parsing stopped, from 1.
        line: usize,
        /// The column where parsing stopped, from 1.
        column: usize,
    },
    /// The client's name is not one of [`HookClient::ALL`].
    #[error("unknown client; use one of: {}", HookClient::ALL.map(HookClient::as_str).join(", "))]
    UnknownClient,
    /// Neither the payload nor the caller names the event.
    #[error("the payload has no event; set it with --event")]
    NoEvent,
    /// A required field of the event is missing.
    #[error("the payload has no {0}")]
    Missing(&'static str),
    /// A required field has the wrong type, or a value that cannot be stored.
    #[error("the payload's {0} cannot be used")]
    Unusable(&'static str),
}

/// Parses the payload of a hook.
///
/// `client` and `event` are given by the caller. `event` wins over the payload's event; for `client` see [`Evidence`].
/// All fields are optional, unknown fields are ignored, and if a field is duplicated, the last one counts.
///
/// # Errors
/// See [`HookError`].
pub fn parse(
    bytes: &[u8],
    client: Option<&str>,
    event: Option<&str>,
) -> Result<HookInput, HookError> {
    let given = client
        .map(|name| HookClient::from_word(name).ok_or(HookError::UnknownClient))
        .transpose()?;
    let text = payload::text(bytes)?;
    let payload = payload::Payload::read(&text)?;
    event::interpret(&payload, given, event)
}
