//! Both stores, side by side.

use staleness_core::store::{Selection, StoreError, View};

use super::transition::Transition;
use crate::compare::{commit_differences, differences};
use crate::context::{Context, Handle, ask, attempt, everything, joined, pages};

/// The store under test and the store that it is compared with.
#[derive(Debug)]
pub(crate) struct Pair {
    context: Context,
    reference: Handle,
}

impl Pair {
    pub(crate) fn new(context: Context, reference: Handle) -> Self {
        Self { context, reference }
    }

    /// Does the same to both; says where they differ.
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
            Transition::Pages(selection) => {
                let mut selection = selection.clone();
                // What counts mean for pages is not promised.
                selection.count_outcomes = None;
                same(&shown(store, &selection), &shown(&self.reference, &selection))
            }
            Transition::Reopen => {
                if self.context.backend().capabilities().persistent {
                    self.context.reopen();
                }
                self.same_content()
            }
        }
    }

    /// Both hold the same.
    fn same_content(&self) -> Result<(), String> {
        same(&everything(self.context.store()), &everything(&self.reference))
    }

    /// In the end both show the same as pages, and the store finds itself sound.
    pub(crate) fn finish(self) -> Result<(), String> {
        let store = self.context.store();
        same(
            &shown(store, &Selection::everything()),
            &shown(&self.reference, &Selection::everything()),
        )?;
        pollster::block_on(store.check()).map_err(|error| format!("check says {error}"))
    }
}

fn same(found: &View, expected: &View) -> Result<(), String> {
    verdict(differences(found, expected))
}

fn verdict(differences: String) -> Result<(), String> {
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

/// Both succeeded alike or failed alike.
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

/// The pages of a selection as one view. The revision of no pages at all is not promised.
fn shown(store: &Handle, selection: &Selection) -> View {
    let mut all = joined(pages(store, selection));
    if all.is_empty() {
        all.revision = View::default().revision;
    }
    all
}
