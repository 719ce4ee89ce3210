//! What finding an item needs of it.

use std::collections::BTreeSet;

use super::{Item, ItemKind};
use crate::ids::{ItemId, ItemKey, Scope};
use crate::time::Timestamp;

/// An item without what its verdict follows from: its words, and which other items it hides or stands
/// for. For whoever looks at every item of a scope to find a few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemBrief {
    /// Its id; the scope is that of the list.
    pub id: ItemId,
    /// What sort of thing it is.
    pub kind: ItemKind,
    /// The text; empty for an item that lives in a file.
    pub body: String,
    /// Words under which it is found, beside those of the text.
    pub keywords: BTreeSet<String>,
    /// The file that it lives in.
    pub path: Option<String>,
    /// The items that it stands for now.
    pub supersedes: BTreeSet<ItemId>,
    /// When it was done, for a to-do.
    pub done_at: Option<Timestamp>,
}

impl ItemBrief {
    /// An item of which these fields alone are known: it can be looked for, and not be judged.
    #[must_use]
    pub fn to_find(self, scope: Scope) -> Item {
        let key = ItemKey { scope, id: self.id };
        Item {
            keywords: self.keywords,
            path: self.path,
            supersedes: self.supersedes,
            done_at: self.done_at,
            ..Item::new(key, self.kind, self.body, Timestamp::MIN)
        }
    }
}

impl From<Item> for ItemBrief {
    fn from(item: Item) -> Self {
        Self {
            id: item.key.id,
            kind: item.kind,
            body: item.body,
            keywords: item.keywords,
            path: item.path,
            supersedes: item.supersedes,
            done_at: item.done_at,
        }
    }
}
