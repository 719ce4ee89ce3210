//! The step that counts recalls.

use super::act::{Act, lock};
use crate::ids::ItemKey;
use crate::knowledge::Item;
use crate::store::{Edit, Step};

/// Counts recalls of items. Counters are not recorded in the journal.
pub(super) fn count(keys: Vec<ItemKey>, act: Act) -> impl Step {
    Edit::new(act.at, lock(&keys), move |draft| {
        for key in &keys {
            // The item was removed after the search had found it.
            if act.row(draft, key).is_err() {
                continue;
            }
            draft.edit::<Item, _>(key, |item| {
                if item.recall_op.as_ref() == Some(&act.op) {
                    return;
                }
                item.recalls = item.recalls.saturating_add(1);
                item.recalls_since_edit = item.recalls_since_edit.saturating_add(1);
                item.recalled_at = item.recalled_at.max(Some(act.at));
                item.recall_op = Some(act.op.clone());
            });
        }
        Ok(())
    })
}
