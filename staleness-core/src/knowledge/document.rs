//! Documents: Markdown files as they were last checked.

use serde::{Deserialize, Serialize};

use super::Evidence;
use crate::ids::DocumentKey;
use crate::time::Timestamp;

/// A paragraph, list item, table row or heading against which something was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its first line in the file, counted from 1.
    pub line: u32,
    /// Its last line.
    pub last_line: u32,
    /// Its beginning, on one line, at most 80 characters; markup left out.
    pub title: String,
    /// A [`crate::ids::stable_hash`] of its text, so that a baseline knows it again when it moves.
    pub digest: u64,
    /// When it was last edited or verified, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchored_at: Option<Timestamp>,
    /// The commit in which it was last edited, or that held when it was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The evidence against it.
    pub evidence: Vec<Evidence>,
}

/// A document as it was last checked: what was found, not what it means. It is a cache: it holds for
/// the commit and the contents that it names, and can be made again at any time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The project and the path.
    pub key: DocumentKey,
    /// True if a client loads it by itself: a memory or instruction file, or imported by one.
    pub loaded: bool,
    /// When it was checked.
    pub checked_at: Timestamp,
    /// The commit that was checked out then; `None` without git.
    pub head: Option<String>,
    /// A [`crate::ids::stable_hash`] of everything that the findings depend on beside the commit:
    /// its contents, and the settings of the check.
    pub digest: u128,
    /// The number of all its blocks; 1 for a file that is an item, judged as a whole.
    pub blocks: u32,
    /// Those against which something was found, in the order of the text. Behind them, for a file with
    /// a history that is an item as a whole, one without evidence for the commit in which it came, and one for
    /// the commit that edited it last, unless what was checked is not committed.
    #[serde(with = "crate::text::nested")]
    pub found: Vec<Block>,
}

impl Document {
    /// The most that the findings of one document may take in a store, in bytes as they are kept.
    pub const MAX_FINDINGS_BYTES: usize = 1 << 20;

    /// The digest of a document of which not all findings are listed: no contents have it, so that the
    /// next check looks again.
    pub const PARTIAL: u128 = 1;

    /// Returns true if findings were left out because there are too many. The worst is among those that are
    /// listed.
    #[must_use]
    pub const fn is_partial(&self) -> bool {
        self.digest == Self::PARTIAL
    }
}
