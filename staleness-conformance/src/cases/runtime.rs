//! Under tokio, a step that waits does not block a thread of the runtime, and pages and panics arrive as they do
//! without tokio.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};

use staleness_core::store::{Selection, View};
use tokio::runtime::{Builder, Runtime};

use crate::backend::Place;
use crate::case::Case;
use crate::context::Context;
use crate::rows::{global, outcome};
use crate::steps::{self, Write, bump};
use crate::support::{step, tool};

pub(super) const CASES: &[Case] = &[
    Case::new("runtime::of_one_thread_goes_on_while_a_step_waits", waits).runtime(),
    Case::new("runtime::gets_pages_one_by_one_until_it_breaks", pages),
    Case::new("runtime::a_panic_in_a_step_reaches_the_caller", panics),
];

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn waits(context: &mut Context) {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let step = step(move |draft| {
        // Returns only after the runtime's single thread has run the other task. A step may run again.
        let _ = wait.lock().expect("the channel").recv();
        draft.put(tool("a"));
    });
    let view = one_thread().block_on(async {
        let store = context.another();
        let other = Arc::clone(&store);
        let working = tokio::spawn(async move { other.transact(step).await });
        // Starts the step. If it blocked this thread, this call would never return.
        tokio::task::yield_now().await;
        drop(go);
        working.await.expect("no panic").expect("a commit");
        store.view(Arc::new(Selection::everything())).await.expect("a view")
    });
    assert_eq!(view.tools.len(), 1);
}

fn pages(context: &mut Context) {
    let many = Write::new().outcomes((0..5_000).map(|op| outcome(global("a"), op.to_string())));
    one_thread().block_on(async {
        let store = context.another();
        store.transact(Arc::new(many)).await.expect("a commit");
        let mut seen = Vec::new();
        let mut visit = |page: View| {
            assert!((1..=1_000).contains(&page.outcomes.len()));
            seen.push(page.outcomes.len());
            if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        store.pages(&Selection::everything(), &mut visit).await.expect("pages");
        assert_eq!(seen.len(), 3);
        store.check().await.expect("it is sound");
        if context.backend().capabilities().backup {
            let place = Place::temporary("copy");
            store.backup(Path::new(place.location())).await.expect("a backup");
        }
    });
}

fn panics(context: &mut Context) {
    one_thread().block_on(async {
        let store = context.another();
        let other = Arc::clone(&store);
        let failed = tokio::spawn(async move { other.transact(Arc::new(steps::panics())).await });
        assert!(failed.await.expect_err("a panic").is_panic());
        store.transact(Arc::new(bump(global("a")))).await.expect("a commit");
    });
}
