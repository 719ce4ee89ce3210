//! The loop that every backend runs inside its transaction: load, decide, perhaps look again.

use super::{ChangeSet, Decision, Query, Selection, Step, StoreError, View};

/// How often a step or query may look at most.
pub const MAX_LOOKS: usize = 4;

/// Asks a step until it writes. `load` reads one selection from the transaction's snapshot.
/// Returns what was seen, everything that was selected, and what is to be written.
///
/// # Errors
/// The step's refusal, what `load` reports, or [`StoreError::Misstep`] when the step does not come
/// to a decision within [`MAX_LOOKS`] looks.
pub fn run(
    step: &dyn Step,
    mut load: impl FnMut(&Selection) -> Result<View, StoreError>,
) -> Result<(View, Selection, ChangeSet), StoreError> {
    let mut selection = step.selection();
    let mut load = |selection: &Selection| load(selection).map(|view| View { looks: 1, ..view });
    let mut view = load(&selection)?;
    for _ in 1..MAX_LOOKS {
        match step.decide(&view)? {
            Decision::Write(changes) => return Ok((view, selection, changes)),
            Decision::Need(more) => {
                view.merge(load(&more)?);
                selection.merge(more);
            }
        }
    }
    match step.decide(&view)? {
        Decision::Write(changes) => Ok((view, selection, changes)),
        Decision::Need(_) => {
            Err(StoreError::Misstep(format!("no decision after {MAX_LOOKS} looks: {step:?}")))
        }
    }
}

/// Asks a query until it has seen enough. `load` reads one selection from one snapshot.
///
/// # Errors
/// What `load` reports, or [`StoreError::Misstep`] when the query wants more than [`MAX_LOOKS`]
/// looks.
pub fn look(
    query: &dyn Query,
    mut load: impl FnMut(&Selection) -> Result<View, StoreError>,
) -> Result<View, StoreError> {
    let mut load = |selection: &Selection| load(selection).map(|view| View { looks: 1, ..view });
    let mut view = load(&query.selection())?;
    for _ in 1..MAX_LOOKS {
        match query.more(&view) {
            None => return Ok(view),
            Some(more) => view.merge(load(&more)?),
        }
    }
    match query.more(&view) {
        None => Ok(view),
        Some(_) => Err(StoreError::Misstep(format!("more than {MAX_LOOKS} looks: {query:?}"))),
    }
}
