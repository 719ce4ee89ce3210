//! Records a thread's file operations, and makes calls fail.

use std::cell::RefCell;

use staleness_conformance::disk::Did;

/// An operation on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name of the file, without its folder.
    pub file: String,
    /// The operation.
    pub did: Did,
}

/// The error of a failing call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    /// An I/O error of the device. Only the first half of a write is done.
    Device,
    /// The disk is full. Only calls that need space fail.
    Full,
}

/// The calls that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Number of calls that succeed first, counting only calls that could fail.
    pub after: u64,
    /// Number of calls that fail after that.
    pub times: u64,
    /// The error.
    pub fails: Fails,
}

/// A call to the file layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// A call that may need space.
    Takes,
    /// Any other call.
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

/// Starts recording this thread's file operations.
pub fn watch() {
    with(|thread| (thread.watching, thread.seen) = (true, Vec::new()));
}

/// Returns the operations since the last call. Recording continues.
pub fn seen() -> Vec<Event> {
    with(|thread| std::mem::take(&mut thread.seen))
}

/// Sets the calls of this thread that fail.
pub fn fail(plan: Plan) {
    with(|thread| (thread.plan, thread.failed) = (Some(plan), 0));
}

/// Stops the failures. Returns the number of calls that failed.
pub fn heal() -> u64 {
    with(|thread| {
        thread.plan = None;
        thread.failed
    })
}

/// Returns the error of this call, or `None` if it does not fail.
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

/// Records an operation, if recording is on.
pub(crate) fn note(file: &str, did: impl FnOnce() -> Did) {
    with(|thread| {
        if thread.watching {
            thread.seen.push(Event { file: file.to_owned(), did: did() });
        }
    });
}
