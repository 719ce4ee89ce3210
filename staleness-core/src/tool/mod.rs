//! Tools: their records, and the rules that change them.

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

wording! {
    /// The kind of a tool.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum ToolKind {
        /// A tool built into the client.
        Builtin = "builtin",
        /// An MCP server, as named in a configuration.
        McpServer = "mcp_server",
        /// One tool of an MCP server.
        McpTool = "mcp_tool",
        /// A slash command.
        SlashCommand = "slash_command",
        /// A skill.
        Skill = "skill",
        /// A plugin.
        Plugin = "plugin",
        /// A sub-agent.
        Agent = "agent",
        /// A tool known only from its use.
        Unknown = "unknown",
    }
}

/// The record of a tool.
///
/// Configuration ([`Presence`]), recent outcomes ([`Health`]) and a manual decision ([`Hold`]) are separate facts.
/// [`Status`] is derived from all three.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// The identity of the tool.
    pub key: ToolKey,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server to which the tool belongs, or the server itself.
    pub server: Option<ServerKey>,
    /// The plugin that provides the tool.
    pub plugin: Option<ToolName>,
    /// The tool's description, at most [`Tool::MAX_DESCRIPTION_CHARS`] characters.
    pub description: Option<String>,
    /// The sources that list the tool. For a client that no longer lists the tool, the last sources that did. Empty if
    /// the tool is known only from its use.
    pub listings: Vec<Listing>,
    /// The clients that used the tool, sorted, at most [`Tool::MAX_CLIENTS`].
    pub used_by: Vec<ClientId>,
    /// The tool's presence, according to configuration and use.
    pub presence: Presence,
    /// The tool's health, according to recent outcomes.
    pub health: Health,
    /// A decision about the tool, made by hand.
    pub hold: Hold,
    /// The latest outcomes.
    pub ring: Ring,
    /// The number of uses, with any outcome.
    pub uses: u64,
    /// The time at which the tool was first recorded.
    pub discovered_at: Timestamp,
    /// The time at which the tool was last used.
    pub last_used_at: Option<Timestamp>,
    /// The time at which this record last changed.
    pub updated_at: Timestamp,
    /// The number of characters of the description and input schema that the server last listed, from which the cost
    /// can be computed without the definition. `None` if no live list has contained the tool.
    pub defined_chars: Option<u32>,
}

impl Tool {
    /// The maximum length of a stored description, in characters.
    pub const MAX_DESCRIPTION_CHARS: usize = 1_024;

    /// The maximum number of clients stored in `used_by`.
    pub const MAX_CLIENTS: usize = 16;

    /// Creates a record for a newly found tool that was never used.
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
            defined_chars: None,
        }
    }

    /// Returns the status, derived from hold, health and presence.
    pub fn status(&self) -> Status {
        status_of(self.hold, self.health.is_failing(), self.presence.is_present())
    }

    /// Returns a description as it is stored in a tool: on one line and truncated. `None` if nothing is left.
    pub(crate) fn description_of(text: &str) -> Option<String> {
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let line = words.join(" ").chars().take(Self::MAX_DESCRIPTION_CHARS).collect();
        Some(line).filter(|line: &String| !line.is_empty())
    }

    /// Returns true if the tool must not be used until a person accepts its definition.
    pub(crate) fn is_withheld(&self) -> bool {
        self.defined_state() == ListingState::Withheld
    }

    /// Returns the worst state that a pending definition has in the tool's live lists. [`ListingState::Configured`] if
    /// no definition is pending.
    pub(crate) fn defined_state(&self) -> ListingState {
        let waits =
            |state: &ListingState| matches!(state, ListingState::Changed | ListingState::Withheld);
        let states = self.listings.iter().map(|listing| listing.state);
        states.filter(waits).max().unwrap_or(ListingState::Configured)
    }

    /// Returns true if the tool's definition awaits a person's decision, even if the tool may be used.
    pub(crate) fn is_unaccepted(&self) -> bool {
        self.defined_state() != ListingState::Configured
    }

    /// Returns true if a configuration or a live list has ever contained the tool.
    pub fn is_configured(&self) -> bool {
        !self.listings.is_empty()
    }

    /// Returns true if no source has ever listed the tool and every use of it failed, which includes failures while
    /// offline.
    pub fn failed_only(&self) -> bool {
        !self.is_configured() && self.ring.proves_failure(self.uses)
    }

    /// Returns the letters of the latest outcomes, oldest first: see [`Mark::letter`].
    pub fn letters(&self) -> String {
        self.ring.entries().map(|entry| entry.mark.letter()).collect()
    }

    /// Adds a client to `used_by`, unless the list is full.
    pub fn note_client(&mut self, client: &ClientId) {
        if let Err(place) = self.used_by.binary_search(client)
            && self.used_by.len() < Self::MAX_CLIENTS
        {
            self.used_by.insert(place, client.clone());
        }
    }

    /// Records one use. Health and presence are updated separately.
    pub fn note_use(&mut self, mark: Mark, at: Timestamp, op: u64, window: usize) {
        self.ring.push(RingEntry { mark, at, op }, window);
        self.uses = self.uses.saturating_add(1);
        self.last_used_at = Some(self.last_used_at.map_or(at, |last| last.max(at)));
    }
}
