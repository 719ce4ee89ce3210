//! The context of a case: one fresh store of the backend under test.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use pollster::block_on;
use staleness_core::store::{
    Commit, Filter, Query, Refusal, RegistryStore, Row, Selection, Step, StoreError, View,
};

use crate::backend::{Backend, Place};

/// A store of its own for one case, in a place that goes away with it.
#[derive(Debug)]
pub struct Context {
    backend: Arc<dyn Backend>,
    // Before the place: the handle must be closed when the place is removed.
    store: Option<Handle>,
    place: Place,
}

/// A store as the cases hold it.
pub(crate) type Handle = Arc<dyn RegistryStore>;

impl Context {
    /// An empty store of this backend.
    ///
    /// # Panics
    /// When the store cannot be opened.
    #[must_use]
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        let place = backend.place();
        let mut context = Self { backend, store: None, place };
        context.store = Some(context.another());
        context
    }

    /// The backend under test.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// The place of the store.
    #[must_use]
    pub fn location(&self) -> &str {
        self.place.location()
    }

    /// The store.
    ///
    /// # Panics
    /// After [`Context::close`].
    #[must_use]
    pub fn store(&self) -> &Arc<dyn RegistryStore> {
        self.store.as_ref().expect("the case closed its store")
    }

    /// A further handle of the same location.
    ///
    /// # Panics
    /// When the store cannot be opened.
    #[must_use]
    pub fn another(&self) -> Arc<dyn RegistryStore> {
        self.backend
            .open(self.location())
            .unwrap_or_else(|error| panic!("the store does not open: {error} ({error:?})"))
    }

    /// Lets go of the store.
    pub fn close(&mut self) {
        self.store = None;
    }

    /// Lets go of the store and opens it again.
    ///
    /// # Panics
    /// When the store cannot be opened.
    pub fn reopen(&mut self) {
        self.close();
        self.store = Some(self.another());
    }
}

/// Carries out a step that must succeed.
#[track_caller]
pub(crate) fn act(store: &Handle, step: impl Step) -> Commit {
    let told = format!("{step:?}");
    attempt(store, step)
        .unwrap_or_else(|error| panic!("{error} ({error:?})\nby the step {told:.2000}"))
}

/// Carries out a step.
pub(crate) fn attempt(store: &Handle, step: impl Step) -> Result<Commit, StoreError> {
    block_on(store.transact(Arc::new(step)))
}

/// Answers a query that must succeed.
#[track_caller]
pub(crate) fn see(store: &Handle, query: impl Query) -> View {
    let told = format!("{query:?}");
    ask(store, query)
        .unwrap_or_else(|error| panic!("{error} ({error:?})\nby the query {told:.2000}"))
}

/// Answers a query.
pub(crate) fn ask(store: &Handle, query: impl Query) -> Result<View, StoreError> {
    block_on(store.view(Arc::new(query)))
}

/// Everything that is stored, as a bare view: not counted as a look.
#[track_caller]
pub(crate) fn everything(store: &Handle) -> View {
    bare(see(store, Selection::everything()))
}

/// Returns the view as if nobody had counted its looks.
pub(crate) fn bare(mut view: View) -> View {
    view.looks = 0;
    view
}

/// The rows that a filter finds, in the order of their keys.
#[track_caller]
pub(crate) fn found<F: Filter>(context: &Context, filter: F) -> Vec<F::Row> {
    let seen = see(context.store(), Selection::new().peek(filter));
    F::Row::rows(&seen).values().cloned().collect()
}

/// All pages of a selection.
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

/// The pages as one view.
pub(crate) fn joined(pages: Vec<View>) -> View {
    pages.into_iter().fold(View::default(), |mut all, page| {
        all.merge(page);
        all
    })
}

/// The revisions of the journal must be those up to that of the view.
#[track_caller]
pub(crate) fn assert_no_gaps(seen: &View) {
    let mut revisions: Vec<u64> = seen.journal.keys().map(|(revision, _)| revision.0).collect();
    revisions.dedup();
    assert!(revisions.into_iter().eq(1..=seen.revision.0), "the journal has gaps");
}

/// The store must find nothing wrong with itself.
#[track_caller]
pub(crate) fn check(store: &Handle) {
    block_on(store.check()).unwrap_or_else(|error| panic!("check: {error} ({error:?})"));
}

/// The step must be refused with exactly these words.
#[track_caller]
pub(crate) fn assert_refused(result: Result<Commit, StoreError>, expected: &Refusal) {
    match result {
        Err(StoreError::Refused(refusal)) => assert_eq!(refusal, *expected),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// The result must be a misstep.
#[track_caller]
pub(crate) fn assert_misstep<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::Misstep(_))), "expected a misstep, got {result:?}");
}

/// The text of a panic.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").into()
}
