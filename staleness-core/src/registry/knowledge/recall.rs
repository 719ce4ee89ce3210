//! The step that counts recalls.

use super::act::{Act, lock};
use crate::ids::ItemKey;
use crate::knowledge::Item;
use crate::store::{Decision, Draft, Durability, Refusal, Selection, Step, View};

/// Counts recalls of items. Counters are not recorded in the journal.
#[derive(Debug)]
pub(super) struct CountRecalls {
    pub(super) keys: Vec<ItemKey>,
    pub(super) act: Act,
}

impl Step for CountRecalls {
    fn selection(&self) -> Selection {
        lock(&self.keys)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.act.at);
        for key in &self.keys {
            // The item was removed after it was found.
            if self.act.row(&mut draft, key).is_err() {
                continue;
            }
            draft.edit::<Item, _>(key, |item| {
                if item.recall_op.as_ref() == Some(&self.act.op) {
                    return;
                }
                item.recalls = item.recalls.saturating_add(1);
                item.recalls_since_edit = item.recalls_since_edit.saturating_add(1);
                item.recalled_at = item.recalled_at.max(Some(self.act.at));
                item.recall_op = Some(self.act.op.clone());
            });
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
