//! The refusal to forget a project that still contains items or work.

use crate::store::{Refusal, View};
use crate::text::counted;

/// Refuses if a view of a project contains items of knowledge or work items, so that nothing a person wrote is
/// removed silently. Rows of items in files do not count.
///
/// # Errors
/// [`Refusal::Conflict`] with their number and what to do.
pub(in crate::registry) fn written_in(view: &View) -> Result<(), Refusal> {
    let refuse = |ids: &[&str], one: &str, many: &str, remedy: &str| match ids.first() {
        None => Ok(()),
        Some(first) => Err(Refusal::Conflict(format!(
            "{} to this project, such as {first:?}; {remedy}",
            counted(ids.len(), one, many)
        ))),
    };
    let items = view.knowledge.values().filter(|item| item.path.is_none());
    let items: Vec<&str> = items.map(|item| item.key.id.as_str()).collect();
    let remedy = "remove them first, or delete them with it";
    refuse(&items, "item of knowledge belongs", "items of knowledge belong", remedy)?;
    let work: Vec<&str> = view.work.keys().map(|key| key.id.as_str()).collect();
    refuse(&work, "work item belongs", "work items belong", "delete them with it")
}
