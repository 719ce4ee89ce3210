//! The step that edits items.

use std::collections::BTreeSet;

use super::act::{Act, is_filed, lock, state, touch};
use super::links::{at_scope, link, unlink};
use super::unknown;
use crate::ids::{ItemId, ItemKey};
use crate::journal::Action;
use crate::knowledge::{Citation, Item, ItemKind};
use crate::store::{Conflict, Decision, Draft, JournalFilter, Refusal, Selection, Step, View};
use crate::time::Timestamp;

/// Fields to change. `None` leaves a field unchanged and `Some(None)` clears it. A new set replaces the old one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemPatch {
    /// The kind.
    pub kind: Option<ItemKind>,
    /// The text.
    pub body: Option<String>,
    /// The keywords.
    pub keywords: Option<BTreeSet<String>>,
    /// The version of the project for which the item was written.
    pub version_context: Option<Option<String>>,
    /// True if neither time nor versions nor code changes affect the item.
    pub evergreen: Option<bool>,
    /// The due date.
    pub due: Option<Option<Timestamp>>,
    /// The expiry date.
    pub expires_at: Option<Option<Timestamp>>,
    /// The citations. An existing citation keeps its digest unless the new one has a digest.
    pub citations: Option<BTreeSet<Citation>>,
    /// The items that this one replaces.
    pub supersedes: Option<BTreeSet<ItemId>>,
    /// The items on which this one depends.
    pub related: Option<BTreeSet<ItemId>>,
}

impl ItemPatch {
    /// Returns the item with these changes applied.
    pub fn applied_to(&self, item: &Item) -> Item {
        let mut item = item.clone();
        self.apply(&mut item);
        if let Some(supersedes) = &self.supersedes {
            item.supersedes.clone_from(supersedes);
        }
        item
    }

    /// Applies all changes except `supersedes`. Returns the names of the fields that changed.
    fn apply(&self, item: &mut Item) -> Vec<&'static str> {
        let mut changed = Vec::new();
        let mut set = |name, changes: bool| {
            if changes {
                changed.push(name);
            }
        };
        set("kind", replace(&mut item.kind, self.kind.as_ref()));
        set("body", replace(&mut item.body, self.body.as_ref()));
        set("keywords", replace(&mut item.keywords, self.keywords.as_ref()));
        set("version", replace(&mut item.version_context, self.version_context.as_ref()));
        set("evergreen", replace(&mut item.evergreen, self.evergreen.as_ref()));
        set("due", replace(&mut item.due, self.due.as_ref()));
        set("expires", replace(&mut item.expires_at, self.expires_at.as_ref()));
        let citations =
            self.citations.as_ref().map(|cited| keeping_digests(cited, &item.citations));
        set("citations", replace(&mut item.citations, citations.as_ref()));
        set("related", replace(&mut item.related, self.related.as_ref()));
        changed
    }
}

/// Replaces a value. Returns true if it changed.
pub(in crate::registry) fn replace<T: Clone + PartialEq>(field: &mut T, value: Option<&T>) -> bool {
    match value {
        Some(value) if value != field => {
            field.clone_from(value);
            true
        }
        _ => false,
    }
}

/// Returns the citations, with the known digests where they refer to the same place.
fn keeping_digests(cited: &BTreeSet<Citation>, known: &BTreeSet<Citation>) -> BTreeSet<Citation> {
    let digest = |citation: &Citation| {
        known.iter().find(|other| same_place(other, citation)).and_then(|one| one.digest.clone())
    };
    let kept = cited.iter().map(|citation| Citation {
        digest: citation.digest.clone().or_else(|| digest(citation)),
        ..citation.clone()
    });
    kept.collect()
}

/// Returns true if two citations refer to the same place, regardless of their digests.
pub(in crate::registry) fn same_place(one: &Citation, other: &Citation) -> bool {
    (&one.path, &one.lines, &one.symbol) == (&other.path, &other.lines, &other.symbol)
}

/// Changes fields of all items, or of none if one of them is refused.
#[derive(Debug)]
pub(super) struct EditItems {
    pub(super) keys: Vec<ItemKey>,
    pub(super) patch: ItemPatch,
    pub(super) act: Act,
}

impl EditItems {
    fn edit(&self, draft: &mut Draft<'_>, key: &ItemKey) -> Result<(), Refusal> {
        let Some(item) = draft.get::<Item>(key) else {
            return Err(unknown(&key.id));
        };
        if is_filed(item) {
            let path = item.path.clone().unwrap_or_default();
            return Err(Conflict::InFile { id: key.id.clone(), path }.into());
        }
        let (from, before) = (state(item), item.supersedes.clone());
        let mut edited = item.clone();
        let mut changed = self.patch.apply(&mut edited);
        let after = self.patch.supersedes.as_ref().unwrap_or(&before);
        if *after != before {
            changed.push("supersedes");
        }
        if changed.is_empty() {
            return Ok(());
        }
        touch(&mut edited, self.act.at);
        (Item { supersedes: after.clone(), ..edited.clone() }).check()?;
        draft.put(edited);
        let cause = format!("changed {}", changed.join(", "));
        self.act.tell(draft, key, Action::Edited, Some(from), cause);
        for id in before.difference(after) {
            unlink(draft, &self.act, &at_scope(&key.scope, id), key);
        }
        for id in after.difference(&before) {
            link(draft, &self.act, &at_scope(&key.scope, id), key)?;
        }
        Ok(())
    }
}

impl Step for EditItems {
    fn selection(&self) -> Selection {
        let mut keys = self.keys.clone();
        for key in &self.keys {
            let named = self.patch.supersedes.iter().flatten();
            keys.extend(named.map(|id| at_scope(&key.scope, id)));
        }
        lock(&keys).journal(JournalFilter::Op(self.act.op.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.act.at);
        if self.act.was_done(view) {
            return Ok(Decision::Write(draft.finish()));
        }
        self.act.check()?;
        if view.looks <= 1 && self.patch.supersedes.is_some() {
            // The items that are superseded now may lose that link.
            let items = self.keys.iter().filter_map(|key| view.knowledge.get(key));
            let linked: BTreeSet<ItemKey> = items
                .flat_map(|item| item.supersedes.iter().map(|id| at_scope(&item.key.scope, id)))
                .collect();
            if !linked.is_empty() {
                return Ok(Decision::Need(lock(&linked)));
            }
        }
        self.keys.iter().try_for_each(|key| self.edit(&mut draft, key))?;
        Ok(Decision::Write(draft.finish()))
    }
}
