//! The loop that every backend runs inside its transaction: load, decide, and load more if needed.

use super::{ChangeSet, Decision, Query, Selection, Step, StoreError, View};

impl dyn Step {
    /// Runs the step until it decides what to write. `load` reads one selection from the transaction's
    /// snapshot. Returns the view, everything that was selected (for [`ChangeSet::check`]), and the changes,
    /// not yet numbered.
    ///
    /// # Errors
    /// The step's refusal, an error of `load`, or [`StoreError::Misstep`] if the step has not decided after
    /// [`View::MAX_LOOKS`] looks.
    pub fn run(
        &self,
        mut load: impl FnMut(&Selection) -> Result<View, StoreError>,
    ) -> Result<(View, Selection, ChangeSet), StoreError> {
        let mut selection = self.selection();
        let mut load =
            |selection: &Selection| load(selection).map(|view| View { looks: 1, ..view });
        let mut view = load(&selection)?;
        for _ in 1..View::MAX_LOOKS {
            match self.decide(&view)? {
                Decision::Write(changes) => return Ok((view, selection, changes)),
                Decision::Need(more) => {
                    view.merge(load(&more)?);
                    selection.merge(more);
                }
            }
        }
        match self.decide(&view)? {
            Decision::Write(changes) => Ok((view, selection, changes)),
            Decision::Need(_) => {
                let why = format!("no decision after {} looks: {self:?}", View::MAX_LOOKS);
                Err(StoreError::Misstep(why))
            }
        }
    }
}

impl dyn Query {
    /// Runs the query until it has loaded enough. `load` reads one selection from the snapshot.
    ///
    /// # Errors
    /// An error of `load`, or [`StoreError::Misstep`] if the query needs more than [`View::MAX_LOOKS`] looks.
    pub fn run(
        &self,
        mut load: impl FnMut(&Selection) -> Result<View, StoreError>,
    ) -> Result<View, StoreError> {
        let mut load =
            |selection: &Selection| load(selection).map(|view| View { looks: 1, ..view });
        let mut view = load(&self.selection())?;
        for _ in 1..View::MAX_LOOKS {
            match self.more(&view) {
                None => return Ok(view),
                Some(more) => view.merge(load(&more)?),
            }
        }
        match self.more(&view) {
            None => Ok(view),
            Some(_) => {
                let why = format!("more than {} looks: {self:?}", View::MAX_LOOKS);
                Err(StoreError::Misstep(why))
            }
        }
    }
}
