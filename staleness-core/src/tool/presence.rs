//! Presence: whether a tool is there, and who says so.

use serde::{Deserialize, Serialize};

use crate::ids::{Level, SourceId};
use crate::text::wording;
use crate::time::Timestamp;

/// Why a tool is present or absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PresenceCause {
    /// Present: a source lists it.
    Configured,
    /// Present: it was used.
    Used,
    /// Present: the server that it depends on is present again.
    ServerReturned,
    /// Absent: no source lists it any more.
    RemovedFromConfig,
    /// Absent: listed, but a person switched it off in its client.
    Disabled,
    /// Absent: listed, and its client waits for a person to approve it.
    Pending,
    /// Absent: listed in a folder that its client does not trust.
    Untrusted,
    /// Absent: listed in a file that its client refuses to read.
    Refused,
    /// Absent: its server is gone.
    ServerRemoved,
    /// Absent: its server is switched off.
    ServerDisabled,
    /// Absent: its server is listed, and no client loads it.
    ServerNotLoaded,
    /// Absent: the server's live list no longer names it.
    NotListed,
    /// Absent: the server changed what it says of the tool, and a person has to accept that.
    DefinitionChanged,
    /// Absent for the client that asks: other clients alone list it. Never stored.
    OtherClient,
    /// Absent: an invented name. No source lists it, no server that is known owns it, and it never worked.
    /// Never stored.
    Invented,
}

wording! { PresenceCause {
    Configured = "configured", Used = "used", ServerReturned = "server_returned",
    RemovedFromConfig = "removed_from_config", Disabled = "disabled",
    Pending = "pending", Untrusted = "untrusted", Refused = "refused",
    ServerRemoved = "server_removed", ServerDisabled = "server_disabled",
    ServerNotLoaded = "server_not_loaded", NotListed = "not_listed",
    DefinitionChanged = "definition_changed", OtherClient = "other_client",
    Invented = "invented",
} }

impl PresenceCause {
    /// Returns true if a tool with this cause is present.
    #[must_use]
    pub const fn is_present(self) -> bool {
        matches!(self, Self::Configured | Self::Used | Self::ServerReturned)
    }

    /// Returns true if it is no tool of the client that asks: other clients alone list it, or a model invented it.
    #[must_use]
    pub const fn is_foreign(self) -> bool {
        matches!(self, Self::OtherClient | Self::Invented)
    }

    /// Returns true if a person switched the tool or its server off: no trouble.
    #[must_use]
    pub const fn is_off(self) -> bool {
        matches!(self, Self::Disabled | Self::ServerDisabled)
    }

    /// Returns true if the tool came or went with its server.
    #[must_use]
    pub const fn is_by_server(self) -> bool {
        self.is_cascade() || matches!(self, Self::ServerReturned)
    }

    /// Returns true if the tool is absent because of its server.
    #[must_use]
    pub const fn is_cascade(self) -> bool {
        matches!(self, Self::ServerRemoved | Self::ServerDisabled | Self::ServerNotLoaded)
    }
}

/// The presence of a tool: the cause says whether the tool is there, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    /// Why it is present or absent.
    pub cause: PresenceCause,
    /// Since when.
    pub since: Timestamp,
    /// A use brought it back although its configuration or its server says absent: the next scan
    /// must evaluate it again.
    pub revived: bool,
}

impl Presence {
    /// Present or absent for `cause`, as of `at`.
    #[must_use]
    pub const fn new(cause: PresenceCause, at: Timestamp) -> Self {
        Self { cause, since: at, revived: false }
    }

    /// Returns true if the tool is there.
    #[must_use]
    pub const fn is_present(&self) -> bool {
        self.cause.is_present()
    }

    /// Returns true if the tool is gone.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        !self.cause.is_present()
    }
}

/// The state of a tool in one source: what the source's client makes of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListingState {
    /// Listed, and the client loads it.
    Configured,
    /// Listed by a server that changed what it says of the tool: it asks for a look.
    Changed,
    /// Listed by a server that changed what it says of the tool: it is not to be used until a person accepts that.
    Withheld,
    /// Listed and switched off by a person.
    Off,
    /// Listed; the client waits for a person to approve it.
    Pending,
    /// Listed in a folder that the client does not trust.
    Untrusted,
    /// Listed in a file that the client refuses to read.
    Refused,
    /// The source listed it last, and no longer does.
    Gone,
}

wording! { ListingState {
    Configured = "configured", Changed = "changed", Withheld = "withheld", Off = "off",
    Pending = "pending", Untrusted = "untrusted", Refused = "refused", Gone = "gone",
} }

impl ListingState {
    /// Returns true if the source lists the tool, loaded or not.
    #[must_use]
    pub fn is_listed(self) -> bool {
        self != Self::Gone
    }

    /// Returns true if a person has to say something before the client loads the tool.
    pub(crate) const fn waits(self) -> bool {
        matches!(self, Self::Pending | Self::Untrusted)
    }

    /// The reason for which a tool in this state is there, or is not.
    #[must_use]
    pub const fn cause(self) -> PresenceCause {
        match self {
            Self::Configured | Self::Changed => PresenceCause::Configured,
            Self::Withheld => PresenceCause::DefinitionChanged,
            Self::Off => PresenceCause::Disabled,
            Self::Pending => PresenceCause::Pending,
            Self::Untrusted => PresenceCause::Untrusted,
            Self::Refused => PresenceCause::Refused,
            Self::Gone => PresenceCause::RemovedFromConfig,
        }
    }
}

/// A tool in one source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Listing {
    /// The source.
    pub source: SourceId,
    /// The state of the entry, by the source's client.
    pub state: ListingState,
}

impl Listing {
    /// Returns true if a running server lists the tool.
    pub(crate) fn is_live(&self) -> bool {
        self.source.level == Level::Live && self.state.is_listed()
    }
}
