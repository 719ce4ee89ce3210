//! Presence: the availability of a tool, and the reason for it.

use serde::{Deserialize, Serialize};

use crate::ids::{Level, SourceId};
use crate::text::wording;
use crate::time::Timestamp;

wording! {
    /// The reason why a tool is present or absent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum PresenceCause {
        /// Present: a source lists the tool.
        Configured = "configured",
        /// Present: the tool was used.
        Used = "used",
        /// Present: the tool's server is present again.
        ServerReturned = "server_returned",
        /// Absent: no source lists the tool any longer.
        RemovedFromConfig = "removed_from_config",
        /// Absent: listed, but the user disabled it in the client.
        Disabled = "disabled",
        /// Absent: listed, but the client is waiting for the user's approval.
        Pending = "pending",
        /// Absent: listed in a folder that the client does not trust.
        Untrusted = "untrusted",
        /// Absent: listed, but the client refuses the entry or the whole file.
        Refused = "refused",
        /// Absent: the tool's server was removed.
        ServerRemoved = "server_removed",
        /// Absent: the tool's server is disabled.
        ServerDisabled = "server_disabled",
        /// Absent: the tool's server is listed, but no client loads it.
        ServerNotLoaded = "server_not_loaded",
        /// Absent: the server's live list no longer contains the tool.
        NotListed = "not_listed",
        /// Absent: the server changed the tool's definition, and a person must accept it first.
        DefinitionChanged = "definition_changed",
        /// Absent for the requesting client: only other clients list the tool. Never stored.
        OtherClient = "other_client",
        /// Absent in the project: another entry with the server's name is loaded, either the project's or the user's.
        /// Never stored.
        Replaced = "replaced",
        /// Absent: an invented name. No source lists it, no known server has it, and it never worked. Never stored.
        Invented = "invented",
    }
}

impl PresenceCause {
    /// Returns true if this is a cause of presence.
    pub const fn is_present(self) -> bool {
        matches!(self, Self::Configured | Self::Used | Self::ServerReturned)
    }

    /// Returns true if the requesting client does not have the tool: only other clients list it, it loads another entry
    /// of the server, or a model invented it.
    pub const fn is_foreign(self) -> bool {
        matches!(self, Self::OtherClient | Self::Replaced | Self::Invented)
    }

    /// Returns true if the tool is absent for a reason that is independent of its server's entry.
    pub(crate) const fn is_of_its_own(self) -> bool {
        let follows = self.is_present() || self.is_cascade();
        !follows && !matches!(self, Self::RemovedFromConfig)
    }

    /// Returns the cause of absence for the tools of a server that is absent with this cause.
    pub(crate) const fn of_tools(self) -> Self {
        match self {
            Self::Disabled => Self::ServerDisabled,
            Self::RemovedFromConfig => Self::ServerRemoved,
            _ => Self::ServerNotLoaded,
        }
    }

    /// Returns true if the user disabled the tool or its server, so that its absence is not a problem.
    pub const fn is_off(self) -> bool {
        matches!(self, Self::Disabled | Self::ServerDisabled)
    }

    /// Returns the action of the user after which the client would load the tool, as a phrase after "ask the user to".
    /// `None` if neither an approval nor a corrected file would help.
    pub const fn remedy(self) -> Option<&'static str> {
        Some(match self {
            Self::Pending => "approve it in the client",
            Self::Untrusted => "trust the folder in the client",
            Self::Refused => "run `staleness doctor` and correct the file",
            _ => return None,
        })
    }

    /// Returns true if the tool became present or absent together with its server.
    pub const fn is_by_server(self) -> bool {
        self.is_cascade() || matches!(self, Self::ServerReturned)
    }

    /// Returns true if the tool is absent because of its server.
    pub const fn is_cascade(self) -> bool {
        matches!(self, Self::ServerRemoved | Self::ServerDisabled | Self::ServerNotLoaded)
    }
}

/// The presence of a tool. The cause says whether the tool is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    /// The reason for the presence or absence.
    pub cause: PresenceCause,
    /// The time of the last change between present and absent.
    pub since: Timestamp,
    /// True if a use made the tool present although its configuration or its server makes it absent. The next scan must
    /// evaluate the tool again.
    pub revived: bool,
}

impl Presence {
    /// Creates a presence with `cause`, as of `at`.
    pub const fn new(cause: PresenceCause, at: Timestamp) -> Self {
        Self { cause, since: at, revived: false }
    }

    /// Returns true if the tool is present.
    pub const fn is_present(&self) -> bool {
        self.cause.is_present()
    }

    /// Returns true if the tool is absent.
    pub const fn is_absent(&self) -> bool {
        !self.cause.is_present()
    }
}

wording! {
    /// The state of a tool's entry in one source, as the source's client treats it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum ListingState {
        /// Listed, and the client loads it.
        Configured = "configured",
        /// Listed by a server, with a changed definition that needs a review.
        Changed = "changed",
        /// Listed by a server, with a changed definition. The tool must not be used until a person accepts the
        /// definition.
        Withheld = "withheld",
        /// Listed, but disabled by the user.
        Off = "off",
        /// Listed, but the client is waiting for the user's approval.
        Pending = "pending",
        /// Listed in a folder that the client does not trust.
        Untrusted = "untrusted",
        /// Listed, but the client refuses the entry or the whole file.
        Refused = "refused",
        /// No longer listed. This source was the last one to list it.
        Gone = "gone",
    }
}

impl ListingState {
    /// Returns true if the source lists the tool, even if the client does not load it.
    pub fn is_listed(self) -> bool {
        self != Self::Gone
    }

    /// Returns true if the client loads the tool only after a person's approval.
    pub(crate) const fn waits(self) -> bool {
        matches!(self, Self::Pending | Self::Untrusted)
    }

    /// Returns true if a project's entry in this state keeps the client from loading the user's entry: it disables the
    /// server, or the client refuses the entry or loads nothing from its file.
    pub(crate) const fn prevails(self) -> bool {
        matches!(self, Self::Off | Self::Untrusted | Self::Refused)
    }

    /// Returns the cause of presence or absence for this state.
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

/// A tool's entry in one source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Listing {
    /// The source.
    pub source: SourceId,
    /// The state of the entry.
    pub state: ListingState,
}

impl Listing {
    /// Returns true if this is an entry in a live list that contains the tool.
    pub(crate) fn is_live(&self) -> bool {
        self.source.level == Level::Live && self.state.is_listed()
    }
}
