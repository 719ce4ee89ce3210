//! The refusal to forget a project that still contains items or work.

use crate::ids::{ItemKey, ProjectId, WorkKey};
use crate::knowledge::Item;
use crate::store::{Refusal, View};
use crate::text::counted;

/// Refuses if items of knowledge or work items belong to a project, so that nothing a person wrote is removed
/// silently. Rows of items in files do not count.
///
/// # Errors
/// [`Refusal::Conflict`] with their number and what to do.
pub(in crate::registry) fn written_in(view: &View, project: &ProjectId) -> Result<(), Refusal> {
    let own = |key: &ItemKey| key.scope.project() == Some(project);
    let written = |item: &&Item| own(&item.key) && item.path.is_none();
    let count = view.knowledge.values().filter(written).count();
    match view.knowledge.values().find(written) {
        None => no_work(view, project),
        Some(first) => Err(Refusal::Conflict(format!(
            "{} to this project, such as {:?}; remove them first, or delete them with it",
            counted(count, "item of knowledge belongs", "items of knowledge belong"),
            first.key.id.as_str()
        ))),
    }
}

/// Does the work of [`written_in`] for work items.
fn no_work(view: &View, project: &ProjectId) -> Result<(), Refusal> {
    let own = |key: &&WorkKey| key.scope.project() == Some(project);
    let count = view.work.keys().filter(own).count();
    match view.work.keys().find(own) {
        None => Ok(()),
        Some(first) => Err(Refusal::Conflict(format!(
            "{} to this project, such as {:?}; delete them with it",
            counted(count, "work item belongs", "work items belong"),
            first.id.as_str()
        ))),
    }
}
