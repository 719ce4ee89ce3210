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
        /// A preference of a person. It does not age.
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
        /// It is valid as far as is known.
        Current = "current",
        /// It is a to-do that is done, or an item that was archived after it expired.
        Done = "done",
        /// A person or an agent said that it is wrong.
        Contradicted = "contradicted",
        /// Another item replaced it.
        Superseded = "superseded",
    }
}

/// A statement that an item is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// The name of the person or agent who made it.
    pub by: String,
    /// The reason given.
    pub reason: String,
    /// The time at which it was made.
    pub at: Timestamp,
}

/// An item of knowledge. Its text is in the store or in a Markdown file. In the latter case the store holds
/// only the counters, the verification and statements about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its identity.
    pub key: ItemKey,
    /// The kind of item.
    pub kind: ItemKind,
    /// The text; empty in the store if the item is in a file.
    pub body: String,
    /// Search words in addition to those of the text.
    pub keywords: BTreeSet<String>,
    /// The file that contains the item, in the form of [`crate::ids::DocumentKey::path`].
    pub path: Option<String>,
    /// The time at which it was written.
    pub added_at: Timestamp,
    /// The time at which its text or a field was last edited.
    pub updated_at: Timestamp,
    /// The version of the project for which it was written.
    pub version_context: Option<String>,
    /// True if time, versions and code changes do not affect it.
    pub evergreen: bool,
    /// The due date, for a to-do.
    pub due: Option<Timestamp>,
    /// The expiry date.
    pub expires_at: Option<Timestamp>,
    /// The time at which it was last verified.
    pub verified_at: Option<Timestamp>,
    /// The commit checked out at the last verification.
    pub verified_commit: Option<String>,
    /// The number of verifications.
    pub verifications: u32,
    /// The places in the project on which it is based.
    #[serde(with = "crate::text::nested")]
    pub citations: BTreeSet<Citation>,
    /// The items that it replaces.
    pub supersedes: BTreeSet<ItemId>,
    /// The items that replace it: the inverse of `supersedes`, written in the same commit.
    pub superseded_by: BTreeSet<ItemId>,
    /// The items on which it depends.
    pub related: BTreeSet<ItemId>,
    /// The last statement that it is wrong; cleared by a verification.
    pub contradicted: Option<Contradiction>,
    /// The time at which it was done or archived: see [`Item::is_done`].
    pub done_at: Option<Timestamp>,
    /// The number of recalls.
    pub recalls: u64,
    /// The number of recalls since `updated_at`.
    pub recalls_since_edit: u64,
    /// The time at which it was last recalled.
    pub recalled_at: Option<Timestamp>,
    /// The last unit of work that counted a recall, so that a retry is not counted twice.
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

    /// Returns the time from which its age counts: the last verification, or else the time of writing.
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

    /// Returns true if it is a to-do that is done, or an item that was archived after it expired. Such an item is
    /// never flagged or recalled.
    pub fn is_done(&self) -> bool {
        self.done_at.is_some_and(|at| self.may_be_done(at))
    }

    /// Returns true if it may be marked as done: a to-do, or an item that has expired.
    pub fn may_be_done(&self, now: Timestamp) -> bool {
        self.kind == ItemKind::Todo || self.expires_at.is_some_and(|at| at <= now)
    }

    /// Returns the number of recalls since the item's file was edited, judged by its row. Git checkouts
    /// change file dates, so only an edit after the last recall restarts the count.
    pub fn recalls_since(&self, edited_at: Timestamp) -> u64 {
        let edited =
            edited_at > self.updated_at && self.recalled_at.is_none_or(|at| at < edited_at);
        if edited { 0 } else { self.recalls_since_edit }
    }
}
