//! Items: what somebody wrote down to rely on later.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Citation;
use crate::ids::{ItemId, ItemKey, OpId};
use crate::text::wording;
use crate::time::Timestamp;

/// The kind of thing that was written down. Each ages in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A fact about the project.
    Knowledge,
    /// A way in which somebody likes things done. It does not age.
    Preference,
    /// Something to do.
    Todo,
    /// A pointer to something outside.
    Reference,
    /// A Markdown file without a kind of its own. Age alone never condemns it.
    Document,
}

wording! { ItemKind {
    Knowledge = "knowledge", Preference = "preference", Todo = "todo", Reference = "reference",
    Document = "document",
} }

/// A statement that an item is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// The name of the person or agent who said so.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// An item of knowledge. It lives in the store, or in a Markdown file: then the file is the truth,
/// and the store keeps its counters, its verification and what was said about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its identity.
    pub key: ItemKey,
    /// The kind of thing that it is.
    pub kind: ItemKind,
    /// The text; empty in the store for an item that lives in a file.
    pub body: String,
    /// Words under which it is found, beside those of the text.
    pub keywords: BTreeSet<String>,
    /// The file that it lives in, as in [`crate::ids::DocumentKey::path`].
    pub path: Option<String>,
    /// When it was written.
    pub added_at: Timestamp,
    /// When its text or one of its fields was edited last.
    pub updated_at: Timestamp,
    /// The version of the project that it was written for.
    pub version_context: Option<String>,
    /// True if time, versions and code leave it untouched.
    pub evergreen: bool,
    /// When it should be done, for a to-do.
    pub due: Option<Timestamp>,
    /// When it ceases to hold.
    pub expires_at: Option<Timestamp>,
    /// When somebody last saw that it holds.
    pub verified_at: Option<Timestamp>,
    /// The commit that was checked out then.
    pub verified_commit: Option<String>,
    /// The number of times that it was verified.
    pub verifications: u32,
    /// The places in the project on which it rests.
    #[serde(with = "crate::text::nested")]
    pub citations: BTreeSet<Citation>,
    /// The items that it stands for now.
    pub supersedes: BTreeSet<ItemId>,
    /// The items that stand for it now: the other side of `supersedes`, kept by the same commit.
    pub superseded_by: BTreeSet<ItemId>,
    /// The items that it depends on.
    pub related: BTreeSet<ItemId>,
    /// The last statement that it is wrong; `None` again after a verification.
    pub contradicted: Option<Contradiction>,
    /// When it was done, for a to-do.
    pub done_at: Option<Timestamp>,
    /// The number of times that it was recalled.
    pub recalls: u64,
    /// The number of times that it was recalled since `updated_at`.
    pub recalls_since_edit: u64,
    /// When it was recalled last.
    pub recalled_at: Option<Timestamp>,
    /// The last unit of work that counted a recall, so that a repeat is not counted again.
    pub recall_op: Option<OpId>,
}

impl Item {
    /// The most that all other fields of an item may hold together, in bytes.
    pub const MAX_FIELDS_BYTES: usize = 256 << 10;

    /// The longest reason that anybody may give, in bytes.
    pub const MAX_REASON_BYTES: usize = 4 << 10;

    /// The longest text of an item, in bytes.
    pub const MAX_BODY_BYTES: usize = 1 << 20;

    /// An item as it is when it was just written: nothing but a kind, a text and a time.
    #[must_use]
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

    /// The moment from which its age counts: its last verification, else when it was written.
    #[must_use]
    pub fn anchored_at(&self) -> Timestamp {
        self.verified_at.unwrap_or(self.added_at)
    }

    /// Returns true if it is a to-do that is done: it is never flagged, and never recalled.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.kind == ItemKind::Todo && self.done_at.is_some()
    }

    /// Returns the number of recalls since the file of an item was edited, from the item's row. Git
    /// dates files anew, so only an edit that is later than the last recall begins a new count.
    #[must_use]
    pub fn recalls_since(&self, edited_at: Timestamp) -> u64 {
        let edited =
            edited_at > self.updated_at && self.recalled_at.is_none_or(|at| at < edited_at);
        if edited { 0 } else { self.recalls_since_edit }
    }
}
