//! Items of knowledge: notes that people or agents rely on later.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Citation;
use crate::ids::{ItemId, ItemKey, OpId};
use crate::text::wording;
use crate::time::Timestamp;

wording! {
    /// The kind of an item. Each kind ages differently.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum ItemKind {
        /// A fact about the project.
        Knowledge = "knowledge",
        /// A preference of a person. Does not age.
        Preference = "preference",
        /// A task to be done.
        Todo = "todo",
        /// A pointer to an external resource.
        Reference = "reference",
        /// A Markdown file without another kind. Age alone never makes it stale.
        Document = "document",
    }
}

wording! {
    /// The state of an item.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum ItemState {
        /// Valid as far as is known.
        Current = "current",
        /// A to-do that is done, or an item that was archived after it expired.
        Done = "done",
        /// Reported by a person or an agent to be wrong.
        Contradicted = "contradicted",
        /// Replaced by another item.
        Superseded = "superseded",
    }
}

/// A statement that an item is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// The name of the person or agent who made the statement.
    pub by: String,
    /// The reason given.
    pub reason: String,
    /// The time at which the statement was made.
    pub at: Timestamp,
}

/// An item of knowledge. Its text is in the store or in a Markdown file. If it is in a file, the store holds only
/// counters, the verification and statements about the item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The identity of the item.
    pub key: ItemKey,
    /// The kind of item.
    pub kind: ItemKind,
    /// The text. Empty in the store if the item is in a file.
    pub body: String,
    /// Search words in addition to those of the text.
    pub keywords: BTreeSet<String>,
    /// The file that contains the item, in the form of [`crate::ids::DocumentKey::path`].
    pub path: Option<String>,
    /// The time at which the item was written.
    pub added_at: Timestamp,
    /// The time at which the text or another field was last edited.
    pub updated_at: Timestamp,
    /// The version of the project for which the item was written.
    pub version_context: Option<String>,
    /// True if neither time nor versions nor code changes affect the item.
    pub evergreen: bool,
    /// The due date of a to-do.
    pub due: Option<Timestamp>,
    /// The expiry date.
    pub expires_at: Option<Timestamp>,
    /// The time of the last verification.
    pub verified_at: Option<Timestamp>,
    /// The commit that was checked out at the last verification.
    pub verified_commit: Option<String>,
    /// The number of verifications.
    pub verifications: u32,
    /// The places in the project on which the item is based.
    #[serde(with = "crate::text::nested")]
    pub citations: BTreeSet<Citation>,
    /// The items that this one replaces.
    pub supersedes: BTreeSet<ItemId>,
    /// The items that replace this one: the inverse of `supersedes`, written in the same commit.
    pub superseded_by: BTreeSet<ItemId>,
    /// The items on which this one depends.
    pub related: BTreeSet<ItemId>,
    /// The last statement that the item is wrong. A verification clears it.
    pub contradicted: Option<Contradiction>,
    /// The time at which the item was done or archived: see [`Item::is_done`].
    pub done_at: Option<Timestamp>,
    /// The number of recalls.
    pub recalls: u64,
    /// The number of recalls since `updated_at`.
    pub recalls_since_edit: u64,
    /// The time of the last recall.
    pub recalled_at: Option<Timestamp>,
    /// The id of the last act that counted a recall, so that a retry is not counted twice.
    pub recall_op: Option<OpId>,
}

impl Item {
    /// The maximum total size of all fields except the text, in bytes.
    pub const MAX_FIELDS_BYTES: usize = 256 << 10;

    /// The maximum size of a reason, in bytes.
    pub const MAX_REASON_BYTES: usize = 4 << 10;

    /// The maximum size of the text, in bytes.
    pub const MAX_BODY_BYTES: usize = 1 << 20;

    /// Creates an item with only a kind, a text and a time.
    pub fn new(key: ItemKey, kind: ItemKind, body: impl Into<String>, at: Timestamp) -> Self {
        Self {
            key,
            kind,
            body: body.into(),
            keywords: BTreeSet::new(),
            path: None,
            added_at: at,
            updated_at: at,
            version_context: None,
            evergreen: false,
            due: None,
            expires_at: None,
            verified_at: None,
            verified_commit: None,
            verifications: 0,
            citations: BTreeSet::new(),
            supersedes: BTreeSet::new(),
            superseded_by: BTreeSet::new(),
            related: BTreeSet::new(),
            contradicted: None,
            done_at: None,
            recalls: 0,
            recalls_since_edit: 0,
            recalled_at: None,
            recall_op: None,
        }
    }

    /// Returns the time from which the item's age counts: the last verification, or the time of writing if there was
    /// none.
    pub fn anchored_at(&self) -> Timestamp {
        self.verified_at.unwrap_or(self.added_at)
    }

    /// Returns the state of the item.
    pub fn state(&self) -> ItemState {
        if !self.superseded_by.is_empty() {
            ItemState::Superseded
        } else if self.contradicted.is_some() {
            ItemState::Contradicted
        } else if self.is_done() {
            ItemState::Done
        } else {
            ItemState::Current
        }
    }

    /// Returns true if the item is a to-do that is done, or was archived after it expired. Such an item is never
    /// flagged or recalled.
    pub fn is_done(&self) -> bool {
        self.done_at.is_some_and(|at| self.may_be_done(at))
    }

    /// Returns true if the item may be marked as done: it is a to-do, or it has expired.
    pub fn may_be_done(&self, now: Timestamp) -> bool {
        self.kind == ItemKind::Todo || self.expires_at.is_some_and(|at| at <= now)
    }

    /// Returns the number of recalls since the item's file was edited, given the time of that edit. Git checkouts
    /// change file dates, so only an edit after the last recall restarts the count.
    pub fn recalls_since(&self, edited_at: Timestamp) -> u64 {
        let edited =
            edited_at > self.updated_at && self.recalled_at.is_none_or(|at| at < edited_at);
        if edited { 0 } else { self.recalls_since_edit }
    }
}
