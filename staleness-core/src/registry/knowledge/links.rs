//! Supersedes links between items, stored consistently on both sides.

use std::collections::BTreeSet;

use super::act::{Act, state, touch};
use super::unknown;
use crate::ids::{ItemId, ItemKey, Scope};
use crate::journal::Action;
use crate::knowledge::Item;
use crate::store::{Decision, Draft, ItemFilter, Refusal, Selection, Step, View};

/// Returns the key of a linked id. Links stay within a scope.
pub(super) fn at_scope(scope: &Scope, id: &ItemId) -> ItemKey {
    ItemKey { scope: scope.clone(), id: id.clone() }
}

/// Returns an item without its links.
pub(super) fn without_links(item: &Item) -> Item {
    Item { supersedes: BTreeSet::new(), superseded_by: BTreeSet::new(), ..item.clone() }
}

/// Links `new` as the replacement of `old` on both sides, and adds a journal entry about `old`.
pub(super) fn link(
    draft: &mut Draft<'_>,
    act: &Act,
    old: &ItemKey,
    new: &ItemKey,
) -> Result<(), Refusal> {
    if old == new {
        return Err(Refusal::Invalid(format!("{:?} cannot replace itself", old.id.as_str())));
    }
    if old.scope != new.scope {
        return Err(Refusal::Invalid(format!(
            "{:?} and {:?} belong to different scopes; an item only replaces one of its own scope",
            old.id.as_str(),
            new.id.as_str()
        )));
    }
    act.row(draft, old)?;
    act.row(draft, new)?;
    let opposite = draft.get::<Item>(old).is_some_and(|row| row.supersedes.contains(&new.id));
    if opposite {
        return Err(Refusal::Conflict(format!(
            "{:?} already replaces {:?}; undo that first",
            old.id.as_str(),
            new.id.as_str()
        )));
    }
    let from = draft.get::<Item>(old).map(state);
    draft.edit::<Item, _>(new, |row| row.supersedes.insert(old.id.clone()));
    if draft.edit::<Item, _>(old, |row| row.superseded_by.insert(new.id.clone())) == Some(true) {
        draft.edit::<Item, _>(new, |row| touch(row, act.at));
        let cause = format!("superseded by {}", new.id);
        act.tell(draft, old, Action::Superseded, from, cause);
    }
    Ok(())
}

/// Removes the link by which `new` replaces `old`. Skips an item that is missing.
pub(super) fn unlink(draft: &mut Draft<'_>, act: &Act, old: &ItemKey, new: &ItemKey) {
    draft.edit::<Item, _>(new, |row| row.supersedes.remove(&old.id));
    let from = draft.get::<Item>(old).map(state);
    if draft.edit::<Item, _>(old, |row| row.superseded_by.remove(&new.id)) == Some(true) {
        let cause = format!("no longer superseded by {}", new.id);
        act.tell(draft, old, Action::Edited, from, cause);
    }
}

/// Marks one item as the replacement of another.
#[derive(Debug)]
pub(super) struct Supersede {
    pub(super) old: ItemKey,
    pub(super) new: ItemKey,
    pub(super) act: Act,
}

impl Step for Supersede {
    fn selection(&self) -> Selection {
        self.act.selection([&self.old, &self.new])
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.act.once(view, |draft| {
            let stood = |row: &Item| row.supersedes.contains(&self.old.id);
            let known = view.knowledge.get(&self.new).is_some_and(stood);
            let from = view.knowledge.get(&self.new).map(state);
            link(draft, &self.act, &self.old, &self.new)?;
            if !known {
                let cause = format!("supersedes {}", self.old.id);
                self.act.tell(draft, &self.new, Action::Edited, from, cause);
            }
            Ok(())
        })
    }
}

/// Removes an item and all links to it.
#[derive(Debug)]
pub(super) struct RemoveItem {
    pub(super) key: ItemKey,
    pub(super) act: Act,
}

impl RemoveItem {
    /// Returns the items that may refer to the removed one: those of its scope, and for a global item also
    /// those of projects without an item of the same id.
    fn others<'v>(&self, view: &'v View) -> impl Iterator<Item = &'v Item> {
        view.knowledge.values().filter(|item| {
            let own = at_scope(&item.key.scope, &self.key.id);
            item.key != self.key && (own == self.key || !view.knowledge.contains_key(&own))
        })
    }
}

impl Step for RemoveItem {
    fn selection(&self) -> Selection {
        let all = match &self.key.scope {
            Scope::Global => ItemFilter::All,
            scope => ItemFilter::Scope(scope.clone()),
        };
        self.act.selection([]).lock(all)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.act.once(view, |draft| {
            let Some(item) = view.knowledge.get(&self.key) else {
                return Err(unknown(&self.key.id));
            };
            let id = &self.key.id;
            for other in self.others(view) {
                let same_scope = other.key.scope == self.key.scope;
                let from = Some(state(other));
                if same_scope && other.superseded_by.contains(id) {
                    unlink(draft, &self.act, &other.key, &self.key);
                }
                let mut lost = Vec::new();
                if same_scope && other.supersedes.contains(id) {
                    draft.edit::<Item, _>(&other.key, |row| row.supersedes.remove(id));
                    lost.push("supersedes");
                }
                if other.related.contains(id) {
                    draft.edit::<Item, _>(&other.key, |row| row.related.remove(id));
                    lost.push("related to");
                }
                for how in lost {
                    let cause = format!("no longer {how} {id}");
                    self.act.tell(draft, &other.key, Action::Edited, from, cause);
                }
            }
            let from = state(item);
            draft.delete::<Item>(&self.key);
            self.act.tell(draft, &self.key, Action::Removed, Some(from), "by_hand");
            Ok(())
        })
    }
}
