//! Threads: concurrent steps are isolated.

use std::sync::Barrier;

use staleness_core::ids::ToolKey;

use crate::case::Case;
use crate::context::{Context, act, everything};
use crate::rows::global;
use crate::steps::{Use, bump};

pub(super) const CASES: &[Case] = &[
    Case::new("threads::increments_of_one_tool_lose_nothing", one_tool),
    Case::new("threads::appends_are_numbered_without_gaps_or_doubles", appends),
    Case::new("threads::one_op_from_many_threads_happens_once", same_op),
];

pub(super) const THREADS: usize = 8;
const TURNS: usize = 40;

/// Runs `work` in all threads at the same time.
pub(super) fn in_threads(work: impl Fn(usize) + Sync) {
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                work(thread);
            });
        }
    });
}

fn own(thread: usize) -> ToolKey {
    global(format!("tool {thread}"))
}

fn one_tool(context: &mut Context) {
    in_threads(|_| {
        for _ in 0..TURNS {
            act(context.store(), bump(global("x")));
        }
    });
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, (THREADS * TURNS) as u64);
}

fn appends(context: &mut Context) {
    in_threads(|thread| {
        for turn in 0..TURNS {
            act(context.store(), Use::new(own(thread), format!("{thread} {turn}")));
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
    in_threads(|_| {
        for turn in 0..TURNS {
            act(context.store(), Use::new(global("x"), turn.to_string()));
        }
    });
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, TURNS as u64);
    assert_eq!((seen.outcomes.len(), seen.journal.len()), (TURNS, TURNS));
}
