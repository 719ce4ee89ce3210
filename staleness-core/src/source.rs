//! Sources: the files, folders and live lists in which clients list tools.

use serde::{Deserialize, Serialize};

use crate::ids::SourceId;
use crate::text::wording;
use crate::time::Timestamp;

wording! {
    /// The result of reading a source.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum SourceState {
        /// Read completely. Tools that the source does not list are absent.
        Read = "read",
        /// The file or folder does not exist.
        Missing = "missing",
        /// Read, but an entry is malformed. The source may add tools but not remove any.
        Partial = "partial",
        /// Unreadable, empty or impossible to parse. The source adds and removes nothing.
        Failed = "failed",
        /// Read completely, but its client refuses the file and loads nothing from it.
        Refused = "refused",
    }
}

impl SourceState {
    /// Returns true if the source exists but was not read completely, or its client refuses it.
    pub const fn is_unread(self) -> bool {
        !matches!(self, Self::Read | Self::Missing)
    }
}

/// The record of a source of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The identity of the source.
    pub id: SourceId,
    /// The path at the last scan.
    pub path: String,
    /// The result of the last reading.
    pub state: SourceState,
    /// The number of tools found by the last reading.
    pub found: u32,
    /// A digest of the state and the tools found at the last reading.
    pub digest: u128,
    /// The number of readings applied, so that an older reading never overwrites a newer one.
    pub readings: u64,
    /// The time at which the source was last read, completely or in part. Its tools count as seen at that time.
    pub last_read_at: Option<Timestamp>,
    /// The time at which the source was last scanned, with any result.
    pub last_scan_at: Timestamp,
    /// The error of the last reading, at most [`Source::MAX_ERROR_CHARS`] characters.
    pub error: Option<String>,
}

impl Source {
    /// The maximum length of a stored error, in characters.
    pub const MAX_ERROR_CHARS: usize = 300;
}
