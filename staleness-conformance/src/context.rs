//! The context of a case: a new store of the backend under test.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use pollster::block_on;
use staleness_core::store::{
    Commit, Filter, Query, Refusal, RegistryStore, Row, Selection, Step, StoreError, View,
};

use crate::backend::{Backend, Place};

/// A new store for one case. It is deleted with the context.
#[derive(Debug)]
pub struct Context {
    backend: Arc<dyn Backend>,
    // Declared before the place, because the handle must be closed before the place is deleted.
    store: Option<Handle>,
    place: Place,
}

/// A shared store.
pub(crate) type Handle = Arc<dyn RegistryStore>;

impl Context {
    /// Creates an empty store of this backend.
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        let place = backend.place();
        let mut context = Self { backend, store: None, place };
        context.open();
        context
    }

    /// Returns the backend under test.
    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Returns the location of the store.
    pub(crate) fn location(&self) -> &str {
        self.place.location()
    }

    /// Returns the store.
    pub(crate) fn store(&self) -> &Arc<dyn RegistryStore> {
        self.store.as_ref().expect("the case closed its store")
    }

    /// Opens another handle of the same location.
    pub(crate) fn another(&self) -> Arc<dyn RegistryStore> {
        self.backend
            .open(self.location())
            .unwrap_or_else(|error| panic!("the store does not open: {error} ({error:?})"))
    }

    /// Closes the store.
    pub(crate) fn close(&mut self) {
        self.store = None;
    }

    /// Closes and reopens the store.
    pub(crate) fn reopen(&mut self) {
        self.close();
        self.open();
    }

    /// Opens the store, if the case closed it.
    pub(crate) fn open(&mut self) {
        if self.store.is_none() {
            self.store = Some(self.another());
        }
    }
}

/// Runs a step that must succeed.
#[track_caller]
pub(crate) fn act(store: &Handle, step: impl Step) -> Commit {
    let told = format!("{step:?}");
    attempt(store, step)
        .unwrap_or_else(|error| panic!("{error} ({error:?})\nby the step {told:.2000}"))
}

/// Runs a step.
pub(crate) fn attempt(store: &Handle, step: impl Step) -> Result<Commit, StoreError> {
    block_on(store.transact(Arc::new(step)))
}

/// Runs a query that must succeed.
#[track_caller]
pub(crate) fn see(store: &Handle, query: impl Query) -> View {
    let told = format!("{query:?}");
    ask(store, query)
        .unwrap_or_else(|error| panic!("{error} ({error:?})\nby the query {told:.2000}"))
}

/// Runs a query.
pub(crate) fn ask(store: &Handle, query: impl Query) -> Result<View, StoreError> {
    block_on(store.view(Arc::new(query)))
}

/// Returns everything stored, without a count of looks.
#[track_caller]
pub(crate) fn everything(store: &Handle) -> View {
    bare(see(store, Selection::everything()))
}

/// Resets a view's count of looks.
pub(crate) fn bare(mut view: View) -> View {
    view.looks = 0;
    view
}

/// Returns the rows matching a filter, in key order.
#[track_caller]
pub(crate) fn found<F: Filter>(context: &Context, filter: F) -> Vec<F::Row> {
    let seen = see(context.store(), Selection::new().peek(filter));
    F::Row::rows(&seen).values().cloned().collect()
}

/// Returns the keys of the rows matching a filter, in order.
#[track_caller]
pub(crate) fn keys<F: Filter>(context: &Context, filter: F) -> Vec<<F::Row as Row>::Key> {
    found(context, filter).iter().map(|row| row.key().clone()).collect()
}

/// Returns all pages of a selection.
#[track_caller]
pub(crate) fn pages(store: &Handle, selection: &Selection) -> Vec<View> {
    let mut pages = Vec::new();
    block_on(store.pages(selection, &mut |page| {
        pages.push(bare(page));
        ControlFlow::Continue(())
    }))
    .unwrap_or_else(|error| panic!("{error} ({error:?})\nby pages of {selection:?}"));
    pages
}

/// Merges pages into one view.
pub(crate) fn joined(pages: Vec<View>) -> View {
    pages.into_iter().fold(View::default(), |mut all, page| {
        all.merge(page);
        all
    })
}

/// Verifies that the journal has every revision up to the view's.
#[track_caller]
pub(crate) fn assert_no_gaps(seen: &View) {
    let mut revisions: Vec<u64> = seen.journal.keys().map(|(revision, _)| revision.0).collect();
    revisions.dedup();
    assert!(revisions.into_iter().eq(1..=seen.revision.0), "the journal has gaps");
}

/// Verifies that a check of the store succeeds.
#[track_caller]
pub(crate) fn check(store: &Handle) {
    block_on(store.check()).unwrap_or_else(|error| panic!("check: {error} ({error:?})"));
}

/// Verifies that a step was refused with exactly this refusal.
#[track_caller]
pub(crate) fn assert_refused(result: Result<Commit, StoreError>, expected: &Refusal) {
    match result {
        Err(StoreError::Refused(refusal)) => assert_eq!(refusal, *expected),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Verifies that the result is a [`StoreError::Misstep`].
#[track_caller]
pub(crate) fn assert_misstep<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::Misstep(_))), "expected a misstep, got {result:?}");
}

/// Returns the message of a panic.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").into()
}
