//! Items as another system states them: what it does not know of is not empty, but unsaid.

use std::collections::BTreeSet;

use crate::ids::{ItemId, ItemKey};
use crate::knowledge::{Item, ItemKind};
use crate::time::Timestamp;

/// An item as another system states it. `None` is not stated: what is known of it stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedItem {
    /// Its identity.
    pub key: ItemKey,
    /// The kind. A new item without one is of the kind [`ItemKind::Knowledge`].
    pub kind: Option<ItemKind>,
    /// The text.
    pub body: String,
    /// The keywords.
    pub keywords: Option<BTreeSet<String>>,
    /// When it was written.
    pub added_at: Timestamp,
    /// When it was edited last; unless stated, when it was written.
    pub updated_at: Option<Timestamp>,
    /// The version of the project that it was written for.
    pub version_context: Option<String>,
    /// True if time, versions and code leave it untouched.
    pub evergreen: Option<bool>,
    /// When it should be done.
    pub due: Option<Timestamp>,
    /// When it ceases to hold.
    pub expires_at: Option<Timestamp>,
    /// When somebody last saw that it holds.
    pub verified_at: Option<Timestamp>,
    /// When it was done, for a to-do.
    pub done_at: Option<Timestamp>,
    /// The items that it depends on.
    pub related: Option<BTreeSet<ItemId>>,
    /// The number of times that it was recalled.
    pub recalls: u64,
    /// When it was recalled last.
    pub recalled_at: Option<Timestamp>,
}

impl StatedItem {
    /// An item of which nothing is stated but its text, and when it was written.
    #[must_use]
    pub fn new(key: ItemKey, body: impl Into<String>, added_at: Timestamp) -> Self {
        Self {
            key,
            kind: None,
            body: body.into(),
            keywords: None,
            added_at,
            updated_at: None,
            version_context: None,
            evergreen: None,
            due: None,
            expires_at: None,
            verified_at: None,
            done_at: None,
            related: None,
            recalls: 0,
            recalled_at: None,
        }
    }

    /// The item with nothing but what is stated.
    #[must_use]
    pub fn alone(&self) -> Item {
        let key = self.key.clone();
        self.over(&Item::new(key, ItemKind::Knowledge, "", self.added_at))
    }

    /// A known item with what is stated in the place of what is known, as if somebody had edited it
    /// so when the line says. A verification is one of a text: it does not outlive it. Of an item that
    /// lives in a file the file is the truth, and nothing but counters is taken.
    #[must_use]
    pub fn over(&self, known: &Item) -> Item {
        let stated = self.clone();
        let updated_at = stated.updated_at.unwrap_or(stated.added_at);
        let since_edit = if updated_at > known.updated_at { 0 } else { known.recalls_since_edit };
        let recalls = stated.recalls.max(known.recalls);
        let recalled_at = stated.recalled_at.max(known.recalled_at);
        if known.path.is_some() {
            return Item { recalls, recalled_at, ..known.clone() };
        }
        let same_text = stated.body == known.body;
        let verified_at = match same_text {
            true => stated.verified_at.max(known.verified_at),
            false => stated.verified_at,
        };
        let verified_anew = !same_text || verified_at > known.verified_at;
        Item {
            kind: stated.kind.unwrap_or(known.kind),
            body: stated.body,
            keywords: stated.keywords.unwrap_or_else(|| known.keywords.clone()),
            added_at: stated.added_at,
            updated_at,
            version_context: stated.version_context.or_else(|| known.version_context.clone()),
            evergreen: stated.evergreen.unwrap_or(known.evergreen),
            due: stated.due.or(known.due),
            expires_at: stated.expires_at.or(known.expires_at),
            verified_at,
            verified_commit: known.verified_commit.clone().filter(|_| !verified_anew),
            verifications: known.verifications.max(stated.verified_at.is_some().into()),
            done_at: stated.done_at.max(known.done_at),
            related: stated.related.unwrap_or_else(|| known.related.clone()),
            recalls,
            recalls_since_edit: since_edit,
            recalled_at,
            ..known.clone()
        }
    }
}
