//! A store and its reference, side by side.

use staleness_core::store::{Selection, StoreError, View};

use super::transition::Transition;
use crate::compare::{commit_differences, differences};
use crate::context::{Context, Handle, ask, attempt, everything, joined, pages};

/// The store under test and the reference.
#[derive(Debug)]
pub(crate) struct Pair {
    context: Context,
    reference: Handle,
}

impl Pair {
    pub(crate) fn new(context: Context, reference: Handle) -> Self {
        Self { context, reference }
    }

    /// Applies a transition to both stores, and returns an error if they differ.
    pub(crate) fn apply(&mut self, transition: &Transition) -> Result<(), String> {
        let store = self.context.store();
        match transition {
            Transition::Act(plan) => {
                let found = attempt(store, plan.clone());
                let expected = attempt(&self.reference, plan.clone());
                results(found, expected, commit_differences)?;
                self.same_content()
            }
            Transition::See(looks) => {
                let found = ask(store, looks.clone());
                let expected = ask(&self.reference, looks.clone());
                results(found, expected, differences)
            }
            Transition::Pages => self.same_pages(),
            Transition::Reopen => {
                if self.context.backend().capabilities().persistent {
                    self.context.reopen();
                }
                self.same_content()
            }
        }
    }

    /// Compares the contents of both stores.
    fn same_content(&self) -> Result<(), String> {
        same(&everything(self.context.store()), &everything(&self.reference))
    }

    /// Compares all pages of both stores, and checks the store.
    pub(crate) fn finish(self) -> Result<(), String> {
        self.same_pages()?;
        let checked = pollster::block_on(self.context.store().check());
        checked.map_err(|error| format!("check says {error}"))
    }

    fn same_pages(&self) -> Result<(), String> {
        same(&shown(self.context.store()), &shown(&self.reference))
    }
}

fn same(found: &View, expected: &View) -> Result<(), String> {
    verdict(differences(found, expected))
}

fn verdict(differences: String) -> Result<(), String> {
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

/// Compares two results: both must succeed equally or fail equally.
fn results<T: std::fmt::Debug>(
    found: Result<T, StoreError>,
    expected: Result<T, StoreError>,
    compare: impl FnOnce(&T, &T) -> String,
) -> Result<(), String> {
    match (found, expected) {
        (Ok(found), Ok(expected)) => verdict(compare(&found, &expected)),
        (Err(StoreError::Refused(found)), Err(StoreError::Refused(expected)))
            if found == expected =>
        {
            Ok(())
        }
        (Err(StoreError::Misstep(_)), Err(StoreError::Misstep(_))) => Ok(()),
        (found, expected) => Err(format!("found {found:?}\n  expected {expected:?}")),
    }
}

/// Returns all pages as one view. The contract does not define a revision if there are no pages.
fn shown(store: &Handle) -> View {
    let mut all = joined(pages(store, &Selection::everything()));
    if all.is_empty() {
        all.revision = View::default().revision;
    }
    all
}
