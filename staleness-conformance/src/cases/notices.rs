//! Notifications about other processes' commits.

use std::sync::Arc;
use std::thread;

use pollster::block_on;
use staleness_core::journal::{Revision, Subject};

use crate::case::Case;
use crate::context::{Context, act};
use crate::rows::{entry, global};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("notices::a_revision_that_has_moved_is_told_at_once_or_never", moved),
    Case::new("notices::who_waits_hears_of_the_commit_of_another_handle_or_asks", another),
];

fn note() -> Write {
    Write::new().entry(entry(Subject::tool(&global("x"))))
}

fn moved(context: &mut Context) {
    let store = context.store();
    for turn in 1..4 {
        let now = act(store, note()).revision;
        let told = block_on(store.changed(Revision(turn - 1)));
        assert!(told.is_none_or(|revision| revision == now), "{now}: {told:?}");
    }
}

fn another(context: &mut Context) {
    let store = context.store();
    let is_kept = context.backend().capabilities().persistent;
    let writer = if is_kept { context.another() } else { Arc::clone(store) };
    let mut seen = act(store, note()).revision;
    for _ in 0..4 {
        let waiting = Arc::clone(store);
        let waiter = thread::spawn(move || block_on(waiting.changed(seen)));
        let now = act(&writer, note()).revision;
        let told = waiter.join().expect("who waits");
        assert!(told.is_none_or(|revision| revision == now), "{now}: {told:?}");
        seen = now;
    }
}
