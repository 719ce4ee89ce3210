//! Memory in use, now and at most.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static IN_USE: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting for each thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn grew(bytes: usize) {
    // What is freed by another thread than asked for it is counted wrongly, and harms nobody here.
    let now = IN_USE.get().wrapping_add(bytes);
    IN_USE.set(now);
    MOST.set(MOST.get().max(now));
}

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(layout.size()));
        unsafe { System.dealloc(block, layout) }
    }
}

/// Returns the result of `work`, and the most bytes that it had in use at once on this thread.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = IN_USE.get();
    MOST.set(before);
    let done = work();
    (done, MOST.get().wrapping_sub(before))
}
