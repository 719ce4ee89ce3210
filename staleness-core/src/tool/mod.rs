//! Tools: their record, and the pure rules that change it.

mod health;
mod outage;
mod policy;
mod presence;
mod ring;
mod rule;
mod status;
mod summary;

use serde::{Deserialize, Serialize};

use crate::ids::{ClientId, ServerKey, ToolKey, ToolName};
use crate::outcome::Mark;
use crate::text::wording;
use crate::time::Timestamp;

pub(crate) use health::HealthChange;
pub use health::{Failing, Health, Hold};
pub(crate) use outage::{ServerOutcome, is_offline};
pub use policy::{OutagePolicy, ToolOverride, ToolPolicy};
pub use presence::{Listing, ListingState, Presence, PresenceCause};
pub use ring::{Ring, RingEntry};
pub use rule::{DemotionRule, Finding};
pub use status::Status;
pub(crate) use status::status_of;
pub use summary::ToolSummary;
pub(crate) use summary::reads_alike;

/// The kind of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Comes with the client.
    Builtin,
    /// An MCP server, known by its name in a configuration.
    McpServer,
    /// One tool of an MCP server.
    McpTool,
    /// A slash command.
    SlashCommand,
    /// A skill.
    Skill,
    /// A plugin.
    Plugin,
    /// A sub-agent.
    Agent,
    /// Seen in use, and nothing more is known.
    Unknown,
}

wording! { ToolKind {
    Builtin = "builtin", McpServer = "mcp_server", McpTool = "mcp_tool",
    SlashCommand = "slash_command", Skill = "skill", Plugin = "plugin", Agent = "agent",
    Unknown = "unknown",
} }

/// A tool as the registry remembers it.
///
/// What the configuration says ([`Presence`]), what recent use says ([`Health`]) and what a person
/// decided ([`Hold`]) are three separate facts; [`Status`] is a projection of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its identity.
    pub key: ToolKey,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server that it is, or belongs to.
    pub server: Option<ServerKey>,
    /// The plugin that provides it.
    pub plugin: Option<ToolName>,
    /// Its own description, at most [`Tool::MAX_DESCRIPTION_CHARS`] characters.
    pub description: Option<String>,
    /// The sources that list it, and of each client that no longer lists it the last ones that did. Empty: known from
    /// use alone.
    pub listings: Vec<Listing>,
    /// The clients that used it, in order, at most [`Tool::MAX_CLIENTS`].
    pub used_by: Vec<ClientId>,
    /// Its presence, by configuration and use.
    pub presence: Presence,
    /// Its health, by recent outcomes.
    pub health: Health,
    /// A person's decision about it.
    pub hold: Hold,
    /// Its latest outcomes.
    pub ring: Ring,
    /// The number of its uses, whatever the outcome.
    pub uses: u64,
    /// When it became known.
    pub discovered_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// When this record last changed.
    pub updated_at: Timestamp,
}

impl Tool {
    /// The longest description that is kept, in characters.
    pub const MAX_DESCRIPTION_CHARS: usize = 1_024;

    /// The most clients that are remembered to have used a tool.
    pub const MAX_CLIENTS: usize = 16;

    /// A tool that has just become known, present and never used.
    #[must_use]
    pub fn new(key: ToolKey, kind: ToolKind, cause: PresenceCause, at: Timestamp) -> Self {
        Self {
            key,
            kind,
            server: None,
            plugin: None,
            description: None,
            listings: Vec::new(),
            used_by: Vec::new(),
            presence: Presence::new(cause, at),
            health: Health::default(),
            hold: Hold::None,
            ring: Ring::default(),
            uses: 0,
            discovered_at: at,
            last_used_at: None,
            updated_at: at,
        }
    }

    /// Its status: a projection of hold, health and presence.
    #[must_use]
    pub fn status(&self) -> Status {
        status_of(self.hold, self.health.is_failing(), self.presence.is_present())
    }

    /// Returns true if it is not to be used until a person accepts what its server says of it.
    #[must_use]
    pub(crate) fn is_withheld(&self) -> bool {
        self.listings.iter().any(|listing| listing.state == ListingState::Withheld)
    }

    /// Returns true if a configuration or a live list ever named it.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        !self.listings.is_empty()
    }

    /// Returns true if it is known from failures alone, those offline included: no source lists it, and no use succeeded.
    #[must_use]
    pub fn failed_only(&self) -> bool {
        !self.is_configured() && self.ring.proves_failure(self.uses)
    }

    /// The letters of its latest outcomes, oldest first.
    #[must_use]
    pub fn letters(&self) -> String {
        self.ring.entries().map(|entry| entry.mark.letter()).collect()
    }

    /// Notes that a client used it.
    pub fn note_client(&mut self, client: &ClientId) {
        if let Err(place) = self.used_by.binary_search(client)
            && self.used_by.len() < Self::MAX_CLIENTS
        {
            self.used_by.insert(place, client.clone());
        }
    }

    /// Notes one use. Health and presence follow separately.
    pub fn note_use(&mut self, mark: Mark, at: Timestamp, op: u64, window: usize) {
        self.ring.push(RingEntry { mark, at, op }, window);
        self.uses = self.uses.saturating_add(1);
        self.last_used_at = Some(self.last_used_at.map_or(at, |last| last.max(at)));
    }
}
