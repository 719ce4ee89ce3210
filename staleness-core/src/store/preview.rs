//! Previews: the writes of a step, without writing them.

use std::sync::Arc;

use super::{ChangeSet, Decision, Query, Refusal, Selection, Step, View};

/// A step as a query: it reads the same rows. Used by every `--dry-run`.
#[derive(Clone, Debug)]
pub(crate) struct Preview(pub Arc<dyn Step>);

impl Preview {
    /// Returns the changes that the step would write, given the complete view.
    ///
    /// # Errors
    /// The step's refusal, or [`Refusal::Invalid`] if it still asks for more rows.
    pub(crate) fn changes(&self, view: &View) -> Result<ChangeSet, Refusal> {
        match self.0.decide(view)? {
            Decision::Write(changes) => Ok(changes),
            Decision::Need(_) => Err(Refusal::Invalid("the step has not seen enough".into())),
        }
    }
}

impl Query for Preview {
    fn selection(&self) -> Selection {
        self.0.selection()
    }

    fn more(&self, view: &View) -> Option<Selection> {
        match self.0.decide(view) {
            Ok(Decision::Need(more)) => Some(more),
            _ => None,
        }
    }
}
