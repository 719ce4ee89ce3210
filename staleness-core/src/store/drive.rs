//! The loop that every backend runs inside its transaction: load, decide, and load more if needed.

use std::fmt::Debug;
use std::ops::ControlFlow;

use super::{ChangeSet, Decision, Query, Selection, Step, StoreError, View};

impl dyn Step {
    /// Runs the step until it decides what to write. `load` reads one selection from the transaction's snapshot.
    /// Returns the view, all selections merged (for [`ChangeSet::check`]), and the changes, not yet numbered.
    ///
    /// # Errors
    /// The step's refusal, an error of `load`, or [`StoreError::Misstep`] if the step has not decided after
    /// [`View::MAX_LOOKS`] looks.
    pub fn run(
        &self,
        load: impl FnMut(&Selection) -> Result<View, StoreError>,
    ) -> Result<(View, Selection, ChangeSet), StoreError> {
        look(&self, self.selection(), load, |view| match self.decide(view)? {
            Decision::Write(changes) => Ok(ControlFlow::Break(changes)),
            Decision::Need(more) => Ok(ControlFlow::Continue(more)),
        })
    }
}

impl dyn Query {
    /// Runs the query until it has loaded enough. `load` reads one selection from the snapshot.
    ///
    /// # Errors
    /// An error of `load`, or [`StoreError::Misstep`] if the query needs more than [`View::MAX_LOOKS`] looks.
    pub fn run(
        &self,
        load: impl FnMut(&Selection) -> Result<View, StoreError>,
    ) -> Result<View, StoreError> {
        let more =
            |view: &View| Ok(self.more(view).map_or(ControlFlow::Break(()), ControlFlow::Continue));
        look(&self, self.selection(), load, more).map(|(view, ..)| view)
    }
}

/// Loads a selection and each further one that `next` requests, until `next` breaks.
fn look<T>(
    who: &dyn Debug,
    mut selection: Selection,
    mut load: impl FnMut(&Selection) -> Result<View, StoreError>,
    next: impl Fn(&View) -> Result<ControlFlow<T, Selection>, StoreError>,
) -> Result<(View, Selection, T), StoreError> {
    let mut view = View { looks: 1, ..load(&selection)? };
    loop {
        match next(&view)? {
            ControlFlow::Break(found) => return Ok((view, selection, found)),
            ControlFlow::Continue(_) if view.looks >= View::MAX_LOOKS => {
                let why = format!("not enough after {} looks: {who:?}", View::MAX_LOOKS);
                return Err(StoreError::Misstep(why));
            }
            ControlFlow::Continue(more) => {
                view.merge(View { looks: 1, ..load(&more)? });
                selection.merge(more);
            }
        }
    }
}
