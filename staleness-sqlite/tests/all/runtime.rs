//! Under tokio the runtime's own threads are never blocked.

#![cfg(feature = "tokio")]

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, mpsc};

use crate::support::*;
use staleness_core::store::{RegistryStore, Selection};

#[test]
fn a_runtime_with_one_thread_goes_on_while_a_step_waits() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let step = step(move |draft| {
        // Ends only when the runtime's one thread gets to the other task.
        wait.lock().unwrap().recv().unwrap();
        draft.put(tool("a"));
    });
    let view = runtime.block_on(async {
        let other = store.clone();
        let working = tokio::spawn(async move { other.transact(step).await });
        // Let the step begin; a step that blocked this thread would never return here.
        tokio::task::yield_now().await;
        go.send(()).unwrap();
        working.await.unwrap().unwrap();
        store.view(Arc::new(Selection::everything())).await.unwrap()
    });
    assert_eq!(view.tools.len(), 1);
}

#[test]
fn pages_come_one_by_one_and_stop_when_told() {
    let (folder, path) = fresh();
    let store = open(&path);
    let many = step(|draft| {
        for op in 0..5_000 {
            draft.append_outcome(outcome("a", op));
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        store.transact(many).await.unwrap();
        let mut seen = Vec::new();
        let mut visit = |page: staleness_core::store::View| {
            seen.push(page.outcomes.len());
            if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        store.pages(&Selection::everything(), &mut visit).await.unwrap();
        assert_eq!(seen, [1_000; 3]);
        store.check().await.unwrap();
        store.backup(&folder.path().join("copy.db")).await.unwrap();
    });
}

#[test]
fn a_panic_in_a_step_reaches_the_caller() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let other = store.clone();
        let failed = tokio::spawn(async move { other.transact(step(|_| panic!("here"))).await });
        assert!(failed.await.unwrap_err().is_panic());
        store.transact(use_tool("a", 1)).await.unwrap();
    });
}
