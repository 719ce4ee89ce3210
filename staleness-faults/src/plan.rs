//! Notes of a thread, and its calls that fail.

use std::cell::RefCell;

use staleness_conformance::disk::Did;

/// An act on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name of the file, without its folder.
    pub file: String,
    /// What.
    pub did: Did,
}

/// The report of a failing call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    /// That the device has failed. Of a write the first half is done.
    Device,
    /// That no space is left: only what takes space fails.
    Full,
}

/// The calls that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Number of calls that could fail and succeed before.
    pub after: u64,
    /// Number of calls that fail then.
    pub times: u64,
    /// How.
    pub fails: Fails,
}

/// A request to the file layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Something that may take space.
    Takes,
    /// Anything else.
    Other,
}

#[derive(Debug, Default)]
struct Thread {
    watching: bool,
    seen: Vec<Event>,
    plan: Option<Plan>,
    failed: u64,
}

thread_local! {
    static THREAD: RefCell<Thread> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Thread) -> T) -> T {
    THREAD.with_borrow_mut(work)
}

/// Begins to note what this thread does to files.
pub fn watch() {
    with(|thread| (thread.watching, thread.seen) = (true, Vec::new()));
}

/// Returns what this thread did to files since it was asked last; it goes on being noted.
#[must_use]
pub fn seen() -> Vec<Event> {
    with(|thread| std::mem::take(&mut thread.seen))
}

/// Lets calls of this thread fail.
pub fn fail(plan: Plan) {
    with(|thread| (thread.plan, thread.failed) = (Some(plan), 0));
}

/// Lets nothing fail any more. Returns how many calls failed.
pub fn heal() -> u64 {
    with(|thread| {
        thread.plan = None;
        thread.failed
    })
}

/// Returns how this call fails, if it does.
pub(crate) fn fails(call: Call) -> Option<Fails> {
    with(|thread| {
        let plan = thread.plan.as_mut()?;
        if plan.fails == Fails::Full && call != Call::Takes {
            return None;
        }
        if plan.after > 0 {
            plan.after -= 1;
            return None;
        }
        plan.times = plan.times.checked_sub(1)?;
        thread.failed += 1;
        Some(plan.fails)
    })
}

/// Notes what was done, when somebody watches.
pub(crate) fn note(file: &str, did: impl FnOnce() -> Did) {
    with(|thread| {
        if thread.watching {
            thread.seen.push(Event { file: file.to_owned(), did: did() });
        }
    });
}
