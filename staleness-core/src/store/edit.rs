//! Steps made from a function.

use std::{any, fmt};

use super::{Decision, Draft, Durability, Refusal, Selection, Step, View};
use crate::time::Timestamp;

/// A step that reads one selection and edits a draft of it.
pub(crate) struct Edit<F> {
    at: Timestamp,
    selection: Selection,
    durability: Durability,
    edit: F,
}

impl<F: Fn(&mut Draft<'_>) -> Result<(), Refusal> + Send + Sync + 'static> Edit<F> {
    /// Creates a step that edits at `at`, with [`Durability::Normal`].
    pub(crate) const fn new(at: Timestamp, selection: Selection, edit: F) -> Self {
        Self { at, selection, durability: Durability::Normal, edit }
    }

    pub(crate) fn durable(self) -> Self {
        self.lasting(Durability::Full)
    }

    pub(crate) fn lasting(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }
}

impl<F> fmt::Debug for Edit<F> {
    /// Writes the path of the function.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(any::type_name::<F>())
    }
}

impl<F: Fn(&mut Draft<'_>) -> Result<(), Refusal> + Send + Sync + 'static> Step for Edit<F> {
    fn selection(&self) -> Selection {
        self.selection.clone()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        (self.edit)(&mut draft)?;
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
