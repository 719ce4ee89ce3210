//! Threads: steps are carried out as if alone.

use std::sync::{Arc, Barrier};

use staleness_core::ids::ToolKey;

use crate::case::Case;
use crate::context::{Context, act, everything};
use crate::rows::global;
use crate::steps::{Bump, Use};

pub(super) const CASES: &[Case] = &[
    Case::new("threads::increments_of_one_tool_lose_nothing", one_tool),
    Case::new("threads::appends_are_numbered_without_gaps_or_doubles", appends),
    Case::new("threads::one_op_from_many_threads_happens_once", same_op),
];

const THREADS: usize = 8;
const TURNS: usize = 40;

/// Runs `work` in every thread at the same time, all on one handle.
fn in_threads(
    context: &Context,
    work: impl Fn(&crate::context::Handle, usize) + Clone + Send + 'static,
) {
    let start = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let store = Arc::clone(context.store());
            let start = Arc::clone(&start);
            let work = work.clone();
            std::thread::spawn(move || {
                start.wait();
                work(&store, thread);
            })
        })
        .collect();
    let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
    assert_eq!(failed, 0, "threads failed");
}

fn own(thread: usize) -> ToolKey {
    global(format!("tool {thread}"))
}

fn one_tool(context: &mut Context) {
    in_threads(context, |store, _| {
        for _ in 0..TURNS {
            act(store, Bump(global("x")));
        }
    });
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, (THREADS * TURNS) as u64);
}

fn appends(context: &mut Context) {
    in_threads(context, |store, thread| {
        for turn in 0..TURNS {
            act(store, Use::new(own(thread), format!("{thread} {turn}")));
        }
    });
    let all = THREADS * TURNS;
    let seen = everything(context.store());
    assert_eq!(seen.outcomes.len(), all);
    let revisions: Vec<u64> = seen.journal.keys().map(|(revision, _)| revision.0).collect();
    assert!(revisions.into_iter().eq(1..=all as u64));
    let recorded = seen.outcomes.values().map(|row| Some(&row.op));
    let told = seen.journal.values().map(|row| row.op.as_ref());
    assert!(recorded.eq(told), "outcomes and journal differ in order");
}

fn same_op(context: &mut Context) {
    in_threads(context, |store, _| {
        for turn in 0..TURNS {
            act(store, Use::new(global("x"), turn.to_string()));
        }
    });
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, TURNS as u64);
    assert_eq!((seen.outcomes.len(), seen.journal.len()), (TURNS, TURNS));
}
