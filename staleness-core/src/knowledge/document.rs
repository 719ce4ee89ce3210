//! Documents: the results of the last check of Markdown files.

use serde::{Deserialize, Serialize};

use super::Evidence;
use crate::ids::DocumentKey;
use crate::text::wording;
use crate::time::Timestamp;

/// A paragraph, list item, table row or heading with evidence against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The first line in the file, counted from 1.
    pub line: u32,
    /// The last line, inclusive.
    pub last_line: u32,
    /// The beginning of the text on one line, without markup, at most 80 characters.
    pub title: String,
    /// A [`crate::ids::stable_hash`] of the text, by which a baseline recognises the block after it moves.
    pub digest: u64,
    /// The time at which the block was last edited or verified, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchored_at: Option<Timestamp>,
    /// The commit of the last edit, or the commit that was checked out at the last verification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The evidence against the block.
    pub evidence: Vec<Evidence>,
}

wording! {
    /// A gap in what a check could read. A removal in the unread part may have been missed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Gap {
        /// The repository contains only the most recent commits.
        Shallow = "shallow",
        /// The repository lacks files of earlier commits, which git would fetch on demand.
        Partial = "partial",
        /// Objects are missing, or git cannot read them.
        Unreadable = "unreadable",
        /// A submodule is not checked out.
        Submodule = "submodule",
        /// Git does not trust the repository, which belongs to another user.
        Untrusted = "untrusted",
        /// Git did not answer, or exceeded a limit of time or memory.
        Stopped = "stopped",
        /// The program `git` is not installed.
        NoGit = "no_git",
    }
}

/// The findings of a document's last check, before they are judged. They are a cache: valid for the commit and the
/// contents that they name, and they can be computed again at any time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The project and the path.
    pub key: DocumentKey,
    /// True if a client loads the document on its own: a memory or instruction file, or one imported by such a file.
    pub loaded: bool,
    /// The time at which the document was checked.
    pub checked_at: Timestamp,
    /// The commit that was checked out at that time. `None` without git.
    pub head: Option<String>,
    /// A digest of everything on which the findings depend, except the commit: see [`Document::digest_of`].
    pub digest: u128,
    /// The gaps of the check, each kind once and in order.
    #[serde(default)]
    pub gaps: Vec<Gap>,
    /// The total number of blocks. 1 for a file that is judged as a single item.
    pub blocks: u32,
    /// The blocks with evidence, in the order of the text. For a committed file that is a single item, two blocks
    /// without evidence follow: one for the commit that added the file and one for its last edit. The second is missing
    /// if the checked text is not committed.
    #[serde(with = "crate::text::nested")]
    pub found: Vec<Block>,
}

impl Document {
    /// The maximum size of a document's findings, in bytes as stored.
    pub const MAX_FINDINGS_BYTES: usize = 1 << 20;

    /// The flag, in the upper half of the digest, of a document with too many findings to list.
    const PARTIAL: u128 = 1 << 64;

    /// Returns the digest of a document from hashes ([`crate::ids::stable_hash`]) of its contents and of the settings
    /// of the check. The lower half is that of the contents.
    pub const fn digest_of(contents: u128, settings: u128) -> u128 {
        // Bit 1 keeps the settings distinct from the values of `make_void` and `make_partial`.
        (settings | 2) << 64 | contents & u64::MAX as u128
    }

    /// Returns true if both documents have the same contents.
    pub const fn reads_as(&self, other: &Self) -> bool {
        self.digest as u64 == other.digest as u64
    }

    /// Invalidates the result of the check, so that the next check reads the document again.
    pub fn make_void(&mut self) {
        (self.head, self.digest) = (None, self.digest & u128::from(u64::MAX));
    }

    /// Invalidates the result of the check and marks its list of findings as incomplete.
    pub fn make_partial(&mut self) {
        self.make_void();
        self.digest |= Self::PARTIAL;
    }

    /// Returns true if there were too many findings to list all. The worst one is listed.
    pub const fn is_partial(&self) -> bool {
        self.digest >> 64 == Self::PARTIAL >> 64
    }
}
