//! Payloads of client hooks, as events.
//!
//! Only what is stored is kept: event, tool, ids, duration, outcome. Input, output and error text
//! of a tool pass through unread, except for the few names in [`ToolEvent::mentions`], and the path of a file that
//! was read. The beginning of a user's prompt is read, to search with.

mod client;
mod event;
mod payload;

use std::fmt;
use std::path::PathBuf;

use staleness_core::ids::{AgentId, ClientId, OpId, SessionId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::time::Timestamp;

pub use client::HookClient;

/// The largest payload that is read, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 8 * 1024 * 1024;

/// Longest prompt that is kept, in bytes.
pub const MAX_PROMPT_BYTES: usize = 16 * 1024;

/// A report of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInput {
    /// The client.
    pub client: HookClient,
    /// The evidence for the client.
    pub evidence: Evidence,
    /// The event's name as it was received, for the answer. Empty when it is no plain word.
    pub event_name: String,
    /// The event.
    pub event: Event,
    /// The session in which it happened.
    pub session: Option<SessionId>,
    /// The folder in which it happened.
    pub cwd: Option<PathBuf>,
    /// The sub-agent to which it happened.
    pub agent: Option<AgentId>,
    /// When it happened, if the client says so.
    pub at: Option<Timestamp>,
}

impl HookInput {
    /// The client's id in the registry.
    #[must_use]
    pub fn client_id(&self) -> ClientId {
        self.client.id()
    }
}

/// The evidence for the client that sent a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The payload has a shape that only this client sends. It counts more than what the caller was told,
    /// since some clients run the hooks of others.
    Payload,
    /// The caller was told.
    Argument,
    /// Neither says: it is taken for the client whose payloads have the most common shape.
    Assumed,
}

/// The events that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A session starts, or goes on after a break.
    SessionStart {
        /// Why, in the client's word: `startup`, `resume`, `clear`, `compact` …
        source: Option<String>,
    },
    /// A tool was used.
    ToolOutcome(ToolEvent),
    /// A call begins of which the client reports only a good end.
    CallBegan {
        /// The tool's name.
        tool: ToolName,
        /// The client's id of this use.
        op: OpId,
        /// The turn in which it begins.
        turn: OpId,
    },
    /// A person is asked whether the calls of a tool in a turn may go on: those that do not end well may have been
    /// refused.
    PermissionAsked {
        /// The tool's name.
        tool: ToolName,
        /// The turn.
        turn: OpId,
    },
    /// A turn is over, and every call of it.
    TurnEnded {
        /// The turn.
        turn: OpId,
        /// A person stopped it.
        interrupted: bool,
    },
    /// A configuration or instruction file changed.
    ConfigChanged,
    /// A session ended.
    SessionEnd,
    /// The user sent a prompt.
    UserPrompt(Prompt),
    /// Any other event, by its name.
    Ignored(String),
}

/// The prompt of a user, at most its first [`MAX_PROMPT_BYTES`]. It is searched with; the policy says if
/// anything of it may be kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Prompt(pub String);

impl fmt::Debug for Prompt {
    /// Not its text: what is printed may be kept.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prompt({} bytes)", self.0.len())
    }
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEvent {
    /// The tool's name: as the client spells it, or, where the client names the server too, as the registry does.
    pub tool: ToolName,
    /// Outcome of the use.
    pub kind: OutcomeKind,
    /// The client's id of this use.
    pub op: Option<OpId>,
    /// Duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The MCP server that owns the tool, where the client says so.
    pub server: Option<String>,
    /// Other tools that this use may count for, by every name that they may have: the skill that
    /// `Skill` ran, the command of `SlashCommand`, the agent of `Task`. Whether they exist is for
    /// the registry to say.
    pub mentions: Vec<ToolName>,
    /// The files whose text the use put before the model, as far as a tool of the client is known to do that: each
    /// absolute, or from the folder of the event or of the project.
    pub reads: Vec<String>,
    /// The tool comes with the client: it is no MCP tool, and the client's hook names it.
    pub builtin: bool,
}

/// Why a payload was refused. No variant holds text of the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookError {
    /// There is no payload.
    Empty,
    /// The payload is larger than [`MAX_PAYLOAD_BYTES`]; its size in bytes.
    TooLarge(usize),
    /// The payload is not UTF-8.
    NotUtf8,
    /// The payload is no JSON object; where reading stopped.
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// The client's name is not one of [`HookClient::ALL`].
    UnknownClient,
    /// Neither the payload nor the caller names the event.
    NoEvent,
    /// The event lacks a field that it needs.
    Missing(&'static str),
    /// A field that matters has the wrong type, or a text that cannot be stored.
    Unusable(&'static str),
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the payload is empty"),
            Self::TooLarge(bytes) => {
                write!(f, "the payload is {bytes} bytes long; at most {MAX_PAYLOAD_BYTES} are read")
            }
            Self::NotUtf8 => f.write_str("the payload is not UTF-8"),
            Self::NotJson { line, column } => {
                write!(f, "the payload is no JSON object (line {line}, column {column})")
            }
            Self::UnknownClient => {
                f.write_str("unknown client; known are")?;
                for (at, client) in HookClient::ALL.into_iter().enumerate() {
                    write!(f, "{} {}", if at == 0 { "" } else { "," }, client.as_str())?;
                }
                Ok(())
            }
            Self::NoEvent => f.write_str("the payload names no event; name it with --event"),
            Self::Missing(field) => write!(f, "the payload has no {field}"),
            Self::Unusable(field) => write!(f, "the payload's {field} cannot be used"),
        }
    }
}

impl std::error::Error for HookError {}

/// Reads the payload of a hook.
///
/// `client` and `event` are what the caller was told: see [`Evidence`]; the event wins over what the payload
/// says. Every field is optional and unknown ones are passed over; of a field that is given twice the last
/// one counts.
///
/// # Errors
/// See [`HookError`].
pub fn parse(
    bytes: &[u8],
    client: Option<&str>,
    event: Option<&str>,
) -> Result<HookInput, HookError> {
    let given = client
        .map(|name| HookClient::from_name(name).ok_or(HookError::UnknownClient))
        .transpose()?;
    let payload = payload::Payload::read(bytes)?;
    event::interpret(&payload, given, event)
}
