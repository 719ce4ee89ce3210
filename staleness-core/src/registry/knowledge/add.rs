//! The step that adds an item.

use super::act::{Act, lock};
use super::links::{at_scope, link, without_links};
use crate::journal::Action;
use crate::knowledge::Item;
use crate::store::{Refusal, Step};

pub(super) fn add(item: Item, act: Act) -> impl Step {
    let key = item.key.clone();
    let others: Vec<_> = item.supersedes.iter().map(|id| at_scope(&key.scope, id)).collect();
    act.step(lock(others.iter().chain([&key])), move |draft, act| {
        if draft.get::<Item>(&key).is_some() {
            return Err(Refusal::Taken { what: "item", id: key.id.to_string() });
        }
        item.check()?;
        draft.put(without_links(&item));
        act.tell(draft, &key, Action::Added, None, "by_hand");
        others.iter().try_for_each(|old| link(draft, act, old, &key))
    })
}
