//! The refusal to forget a project that still contains items of knowledge or work items.

use crate::store::{Conflict, View};

/// Refuses if a view of a project contains items of knowledge or work items, so that nothing that a person wrote is
/// removed silently. Rows of items in files do not count.
///
/// # Errors
/// The number of items and the id of the first.
pub(in crate::registry) fn written_in(view: &View) -> Result<(), Conflict> {
    let mut items = view.knowledge.values().filter(|item| item.path.is_none());
    let count = items.clone().count();
    if let Some(item) = items.next() {
        return Err(Conflict::HasItems { count, first: item.key.id.clone() });
    }
    match view.work.keys().next() {
        Some(key) => Err(Conflict::HasWork { count: view.work.len(), first: key.id.clone() }),
        None => Ok(()),
    }
}
