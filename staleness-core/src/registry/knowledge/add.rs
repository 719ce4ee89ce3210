//! The step that adds an item.

use super::act::Act;
use super::links::{at_scope, link, without_links};
use crate::journal::Action;
use crate::knowledge::Item;
use crate::store::{Decision, Refusal, Selection, Step, View};

/// Adds an item under an unused id.
#[derive(Debug)]
pub(super) struct AddItem {
    pub(super) item: Item,
    pub(super) act: Act,
}

impl Step for AddItem {
    fn selection(&self) -> Selection {
        let key = &self.item.key;
        let others: Vec<_> =
            self.item.supersedes.iter().map(|id| at_scope(&key.scope, id)).collect();
        self.act.selection(others.iter().chain([key]))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.act.once(view, |draft| {
            let key = &self.item.key;
            if view.knowledge.contains_key(key) {
                return Err(Refusal::Taken { what: "item", id: key.id.to_string() });
            }
            self.item.check()?;
            draft.put(without_links(&self.item));
            self.act.tell(draft, key, Action::Added, None, "by_hand");
            for id in &self.item.supersedes {
                link(draft, &self.act, &at_scope(&key.scope, id), key)?;
            }
            Ok(())
        })
    }
}
