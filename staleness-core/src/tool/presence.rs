//! Presence: whether a tool is there, and who says so.

use serde::{Deserialize, Serialize};

use crate::ids::SourceId;
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
    /// Absent: listed, but switched off by its client.
    Disabled,
    /// Absent: its server is gone.
    ServerRemoved,
    /// Absent: its server is switched off.
    ServerDisabled,
    /// Absent: the server's live list no longer names it.
    NotListed,
}

wording! { PresenceCause {
    Configured = "configured", Used = "used", ServerReturned = "server_returned",
    RemovedFromConfig = "removed_from_config", Disabled = "disabled",
    ServerRemoved = "server_removed", ServerDisabled = "server_disabled", NotListed = "not_listed",
} }

impl PresenceCause {
    /// Returns true if a tool with this cause is present.
    #[must_use]
    pub const fn is_present(self) -> bool {
        matches!(self, Self::Configured | Self::Used | Self::ServerReturned)
    }

    /// Returns true if the tool is absent because of its server.
    #[must_use]
    pub const fn is_cascade(self) -> bool {
        matches!(self, Self::ServerRemoved | Self::ServerDisabled)
    }
}

/// Whether a tool is there: the cause says both that and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// What one source says of a tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Holding {
    /// The source.
    pub source: SourceId,
    /// True if it lists the tool; `false`: it was the last to list it, and no longer does.
    pub held: bool,
    /// True if the client has switched the tool off.
    pub disabled: bool,
}
