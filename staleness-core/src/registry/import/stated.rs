//! Items stated by another system. A field that it does not know is unset, not empty.

use std::collections::BTreeSet;

use crate::ids::{ItemId, ItemKey};
use crate::knowledge::{Item, ItemKind};
use crate::time::Timestamp;

/// An item from another system. `None` leaves the known value unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedItem {
    /// Its identity.
    pub key: ItemKey,
    /// The kind. A new item without one becomes [`ItemKind::Knowledge`].
    pub kind: Option<ItemKind>,
    /// The text of the item.
    pub body: String,
    /// Search words in addition to those of the text.
    pub keywords: Option<BTreeSet<String>>,
    /// The time at which it was written.
    pub added_at: Timestamp,
    /// The time at which it was last edited; if unset, at which it was written.
    pub updated_at: Option<Timestamp>,
    /// The version of the project for which it was written.
    pub version_context: Option<String>,
    /// True if time, versions and code changes do not affect it.
    pub evergreen: Option<bool>,
    /// The due date.
    pub due: Option<Timestamp>,
    /// The expiry date.
    pub expires_at: Option<Timestamp>,
    /// The time at which it was last verified.
    pub verified_at: Option<Timestamp>,
    /// The time at which it was done, for a to-do.
    pub done_at: Option<Timestamp>,
    /// The items on which it depends.
    pub related: Option<BTreeSet<ItemId>>,
    /// The number of recalls.
    pub recalls: u64,
    /// The time at which it was last recalled.
    pub recalled_at: Option<Timestamp>,
}

impl StatedItem {
    /// Creates a statement with only a text and the time of writing.
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

    /// Returns a new item with the stated values.
    pub fn alone(&self) -> Item {
        let key = self.key.clone();
        self.over(&Item::new(key, ItemKind::Knowledge, "", self.added_at))
    }

    /// Returns a known item with the stated values, as if it had been edited at the stated time. A
    /// verification of another text is dropped. For an item in a file only counters are taken, because the
    /// file holds the rest.
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
