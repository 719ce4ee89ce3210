//! The step that writes down a new item.

use super::act::Act;
use super::links::{at_scope, link, without_links};
use crate::journal::Action;
use crate::knowledge::Item;
use crate::store::{Decision, Draft, Refusal, Selection, Step, View};

/// Writes down an item under an id that is free.
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
        let mut draft = Draft::new(view, self.act.at);
        if self.act.was_done(view) {
            return Ok(Decision::Write(draft.finish()));
        }
        self.act.check()?;
        let key = &self.item.key;
        if view.knowledge.contains_key(key) {
            return Err(Refusal::Taken { what: "item", id: key.id.to_string() });
        }
        self.item.check()?;
        draft.put(without_links(&self.item));
        self.act.tell(&mut draft, key, Action::Added, None, "by_hand");
        for id in &self.item.supersedes {
            link(&mut draft, &self.act, &at_scope(&key.scope, id), key)?;
        }
        Ok(Decision::Write(draft.finish()))
    }
}
