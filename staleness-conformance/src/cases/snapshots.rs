//! Snapshots: readers see only whole commits, and one state across all looks.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pollster::block_on;
use staleness_core::journal::{JournalEntry, Subject};
use staleness_core::project::Project;
use staleness_core::source::Source;
use staleness_core::store::{Query, Selection, ToolFilter, View};
use staleness_core::tool::Tool;

use crate::case::Case;
use crate::context::{Context, Handle, act, everything, see};
use crate::rows::{entry, global, outcome, project, source, source_id, tool};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("snapshots::a_commit_is_seen_whole_or_not_at_all", whole_commits),
    Case::new("snapshots::looks_of_one_view_agree_while_others_write", looks_agree),
    Case::new("snapshots::a_view_is_one_moment_over_several_looks", one_moment)
        .persistent()
        .concurrent_readers(),
    Case::new("snapshots::pages_are_one_moment", pages_one_moment)
        .persistent()
        .concurrent_readers(),
];

/// Maximum time to wait for another thread before the store is considered deadlocked. Only reached on
/// failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns a step that writes the same number to a pair of tools, and a row of every other collection.
pub(super) fn generation(number: u64) -> Write {
    let told = entry(Subject::tool(&global("first")));
    Write::new()
        .put(Project { config_digest: number.into(), ..project("p") })
        .put(Source { readings: number, ..source(source_id(None, "c", "x")) })
        .puts(["first", "second"].map(|text| Tool { uses: number, ..tool(global(text)) }))
        .outcome(outcome(global("first"), number.to_string()))
        .entry(JournalEntry { cause: number.to_string(), ..told })
}

/// Returns the number that all rows of the view have in common, or 0 if there are no rows.
#[track_caller]
pub(super) fn agreed(view: &View) -> u64 {
    let Some(number) = view.tools.get(&global("first")).map(|row| row.uses) else {
        assert!(view.is_empty(), "half a commit was seen: {view:?}");
        return 0;
    };
    let whole = view.revision.0 == number
        && view.tools.values().map(|row| row.uses).eq([number; 2])
        && view.sources.values().map(|row| row.readings).eq([number])
        && view.projects.values().map(|row| row.config_digest).eq([u128::from(number)])
        && view.outcomes.len() as u64 == number
        && view.journal.len() as u64 == number;
    assert!(whole, "half a commit was seen: {view:?}");
    number
}

fn whole_commits(context: &mut Context) {
    const LAST: u64 = 60;
    let store = context.store();
    let done = AtomicBool::new(false);
    let read = || {
        let mut last = 0;
        while !done.load(Ordering::Acquire) {
            let number = agreed(&everything(store));
            assert!(number >= last, "time ran backwards: {number} after {last}");
            last = number;
        }
    };
    std::thread::scope(|scope| {
        let readers = [scope.spawn(read), scope.spawn(read)];
        let writer =
            scope.spawn(|| (1..=LAST).for_each(|number| drop(act(store, generation(number)))));
        let written = writer.join().is_ok();
        done.store(true, Ordering::Release);
        let failed = readers.into_iter().filter_map(|reader| reader.join().err()).count();
        assert!(written && failed == 0, "a reader or the writer failed");
    });
    assert_eq!(agreed(&everything(store)), LAST);
}

/// A query that looks at one tool, lets another thread write, and looks at the other tool.
#[derive(Debug)]
struct Interrupted {
    go: SyncSender<()>,
    /// If set, the second look waits until the writer has finished.
    done: Option<Mutex<Receiver<()>>>,
}

impl Query for Interrupted {
    fn selection(&self) -> Selection {
        Selection::new().peek(ToolFilter::Key(global("first")))
    }

    fn more(&self, view: &View) -> Option<Selection> {
        if view.tools.len() == 2 {
            return None;
        }
        // The writer may already be gone if the store asks twice.
        let _ = self.go.try_send(());
        if let Some(done) = &self.done {
            let done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.recv_timeout(PATIENCE).expect("nobody can write while a view is open");
        }
        Some(Selection::everything())
    }
}

/// Queries the first generation while a thread writes the second through `other`. Waits for the writer if `waits` is
/// set.
fn interrupt(store: &Handle, other: Handle, waits: bool) {
    act(store, generation(1));
    let (go, wait) = sync_channel::<()>(1);
    let (finished, done) = sync_channel::<()>(1);
    let thread = std::thread::spawn(move || {
        if wait.recv().is_ok() {
            act(&other, generation(2));
            let _ = finished.send(());
        }
    });
    let done = waits.then(|| Mutex::new(done));
    let seen = see(store, Interrupted { go, done });
    assert_eq!(agreed(&seen), 1);
    thread.join().expect("the writer");
    assert_eq!(agreed(&everything(store)), 2);
}

fn looks_agree(context: &mut Context) {
    interrupt(context.store(), Arc::clone(context.store()), false);
}

fn one_moment(context: &mut Context) {
    interrupt(context.store(), context.another(), true);
}

fn pages_one_moment(context: &mut Context) {
    let store = context.store();
    let many = |count: usize, uses: u64| {
        let rows =
            (0..count).map(move |turn| Tool { uses, ..tool(global(format!("tool {turn}"))) });
        Write::new().puts(rows).entry(entry(Subject::tool(&global("x"))))
    };
    act(store, many(3_000, 1));
    let other = context.another();
    let (mut visits, mut rows) = (0, 0);
    block_on(store.pages(&Selection::everything(), &mut |page| {
        visits += 1;
        if visits == 1 {
            let other = Arc::clone(&other);
            let write = many(2_999, 2).delete::<Tool>(global("tool 2999"));
            let (finished, done) = sync_channel::<()>(1);
            std::thread::spawn(move || {
                act(&other, write);
                let _ = finished.send(());
            });
            done.recv_timeout(PATIENCE).expect("nobody can write while pages are read");
        }
        rows += page.tools.len();
        assert!(page.tools.values().all(|row| row.uses == 1));
        assert_eq!(page.revision.0, 1);
        assert!(page.journal.len() <= 1);
        ControlFlow::Continue(())
    }))
    .expect("pages");
    assert_eq!(rows, 3_000);
    assert!(visits > 2);
    assert_eq!(everything(store).tools.len(), 2_999);
}
