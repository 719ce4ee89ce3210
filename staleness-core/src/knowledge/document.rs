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
    /// Everything that the findings depend on beside the commit: see [`Document::digest_of`].
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

    /// The upper half of the digest of a document of which not all findings are listed.
    const PARTIAL: u128 = 1 << 64;

    /// Returns the digest of a document with these contents, checked with these settings, each a
    /// [`crate::ids::stable_hash`]: the contents are the lower half.
    #[must_use]
    pub const fn digest_of(contents: u128, settings: u128) -> u128 {
        // No settings are those of `make_void` and `make_partial`.
        (settings | 2) << 64 | contents & u64::MAX as u128
    }

    /// Returns true if both have the same contents.
    #[must_use]
    pub const fn reads_as(&self, other: &Self) -> bool {
        self.digest as u64 == other.digest as u64
    }

    /// Lets the next check look again: no settings match.
    pub fn make_void(&mut self) {
        (self.head, self.digest) = (None, self.digest & u128::from(u64::MAX));
    }

    /// Marks it as one of which not all findings are listed; the next check looks again.
    pub fn make_partial(&mut self) {
        self.make_void();
        self.digest |= Self::PARTIAL;
    }

    /// Returns true if findings were left out because there are too many. The worst is among those that are
    /// listed.
    #[must_use]
    pub const fn is_partial(&self) -> bool {
        self.digest >> 64 == Self::PARTIAL >> 64
    }
}
