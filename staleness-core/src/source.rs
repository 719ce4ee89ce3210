//! Sources: the places in which clients list tools.

use serde::{Deserialize, Serialize};

use crate::ids::SourceId;
use crate::text::wording;
use crate::time::Timestamp;

/// The result of reading a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// Read completely: what it does not list is not there.
    Read,
    /// The file or folder does not exist.
    Missing,
    /// Read, but an entry inside is malformed: it may add tools, never remove them.
    Partial,
    /// Unreadable, unparsable or empty: it says nothing.
    Failed,
    /// Read completely, and refused by its client, which loads nothing of it.
    Refused,
}

wording! { SourceState {
    Read = "read", Missing = "missing", Partial = "partial", Failed = "failed",
    Refused = "refused",
} }

/// A source as the registry remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its identity.
    pub id: SourceId,
    /// The path at which it was last looked for.
    pub path: String,
    /// The result of the last reading.
    pub state: SourceState,
    /// Tools that the last reading found.
    pub found: u32,
    /// A digest of state and findings at the last reading.
    pub digest: u128,
    /// Counts the readings that were applied, so that an older reading never overwrites a newer one.
    pub readings: u64,
    /// When it was last read completely or in part, for how long its tools have been seen.
    pub last_read_at: Option<Timestamp>,
    /// When it was last looked at.
    pub last_scan_at: Timestamp,
}
