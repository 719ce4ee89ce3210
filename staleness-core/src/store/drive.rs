//! The loop that every backend runs inside its transaction: load, decide, perhaps look again.

use super::{ChangeSet, Decision, Query, Selection, Step, StoreError, View};

impl dyn Step {
    /// Asks the step until it writes. `load` reads one selection from the transaction's snapshot.
    /// Returns what was seen with the number of looks in it, everything that was selected (for
    /// [`ChangeSet::check`]), and what is to be written, not yet numbered.
    ///
    /// # Errors
    /// The step's refusal, what `load` reports, or [`StoreError::Misstep`] when the step does not come
    /// to a decision within [`View::MAX_LOOKS`] looks.
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
    /// Asks the query until it has seen enough. `load` reads one selection from one snapshot.
    ///
    /// # Errors
    /// What `load` reports, or [`StoreError::Misstep`] when the query wants more than
    /// [`View::MAX_LOOKS`] looks.
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
