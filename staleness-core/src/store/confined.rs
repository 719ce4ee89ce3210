//! A step that may write only rows of one project.

use std::sync::Arc;

use super::{Conflict, Decision, Durability, Refusal, Selection, Step, View};
use crate::ids::ProjectId;

/// A step that fails if it would write global rows or rows of another project.
#[derive(Debug)]
pub(crate) struct Confined {
    step: Arc<dyn Step>,
    project: ProjectId,
}

impl Confined {
    pub(crate) const fn new(step: Arc<dyn Step>, project: ProjectId) -> Self {
        Self { step, project }
    }
}

#[deny(clippy::missing_trait_methods)]
impl Step for Confined {
    fn selection(&self) -> Selection {
        self.step.selection()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        match self.step.decide(view)? {
            Decision::Write(changes) if !changes.is_of(&self.project) => {
                Err(Conflict::NotOwn.into())
            }
            decision => Ok(decision),
        }
    }

    fn durability(&self) -> Durability {
        self.step.durability()
    }
}
