//! Supersedes links between items, stored consistently on both sides.

use std::collections::BTreeSet;

use super::act::{Act, lock, state, touch};
use super::unknown;
use crate::ids::{ItemId, ItemKey, Scope};
use crate::journal::{Action, JournalEntry};
use crate::knowledge::Item;
use crate::store::{Conflict, Draft, Invalid, ItemFilter, Refusal, Selection, Step};

/// Returns the key of a linked id. Links stay within a scope.
pub(super) fn at_scope(scope: &Scope, id: &ItemId) -> ItemKey {
    ItemKey { scope: scope.clone(), id: id.clone() }
}

pub(super) fn without_links(item: &Item) -> Item {
    Item { supersedes: BTreeSet::new(), superseded_by: BTreeSet::new(), ..item.clone() }
}

/// Links `new` as the replacement of `old`, on both items, and adds a journal entry about `old`.
pub(super) fn link(
    draft: &mut Draft<'_>,
    act: &Act,
    old: &ItemKey,
    new: &ItemKey,
) -> Result<(), Refusal> {
    if old == new {
        return Err(Invalid::ReplacesItself { id: old.id.clone() }.into());
    }
    if old.scope != new.scope {
        return Err(Invalid::OtherScope { old: old.id.clone(), new: new.id.clone() }.into());
    }
    act.row(draft, old)?;
    act.row(draft, new)?;
    let opposite = draft.get::<Item>(old).is_some_and(|row| row.supersedes.contains(&new.id));
    if opposite {
        return Err(Conflict::Replaces { old: old.id.clone(), new: new.id.clone() }.into());
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

/// Removes the link by which `new` replaces `old`. Skips a missing item.
pub(super) fn unlink(draft: &mut Draft<'_>, act: &Act, old: &ItemKey, new: &ItemKey) {
    draft.edit::<Item, _>(new, |row| row.supersedes.remove(&old.id));
    let from = draft.get::<Item>(old).map(state);
    if draft.edit::<Item, _>(old, |row| row.superseded_by.remove(&new.id)) == Some(true) {
        let cause = format!("no longer superseded by {}", new.id);
        act.tell(draft, old, Action::Edited, from, cause);
    }
}

/// Marks one item as the replacement of another.
pub(super) fn supersede(old: ItemKey, new: ItemKey, act: Act) -> impl Step {
    act.step(lock([&old, &new]), move |draft, act| {
        let known = draft.get::<Item>(&new);
        let stood = known.is_some_and(|row| row.supersedes.contains(&old.id));
        let from = known.map(state);
        link(draft, act, &old, &new)?;
        if !stood {
            act.tell(draft, &new, Action::Edited, from, format!("supersedes {}", old.id));
        }
        Ok(())
    })
}

pub(super) fn remove(key: ItemKey, act: Act) -> impl Step {
    let all = match &key.scope {
        Scope::Global => ItemFilter::All,
        scope => ItemFilter::Scope(scope.clone()),
    };
    act.step(Selection::new().lock(all), move |draft, act| {
        let (view, id) = (draft.view(), &key.id);
        let item = view.knowledge.get(&key).ok_or_else(|| unknown(id))?;
        // The items that may refer to the removed one: those of its scope, and for a global item also those of projects
        // without an item of the same id.
        let others = view.knowledge.values().filter(|item| {
            let own = at_scope(&item.key.scope, id);
            item.key != key && (own == key || !view.knowledge.contains_key(&own))
        });
        for other in others {
            let same_scope = other.key.scope == key.scope;
            let from = Some(state(other));
            if same_scope && other.superseded_by.contains(id) {
                unlink(draft, act, &other.key, &key);
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
                let cause = format!("{}{how} {id}", JournalEntry::DROPPED);
                act.tell(draft, &other.key, Action::Edited, from, cause);
            }
        }
        draft.delete::<Item>(&key);
        act.tell(draft, &key, Action::Removed, Some(state(item)), "by_hand");
        Ok(())
    })
}
