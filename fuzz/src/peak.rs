//! Measures memory in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static IN_USE: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, with a counter per thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn grew(bytes: usize) {
    // Memory freed by another thread is counted wrongly, which does no harm here.
    let now = IN_USE.get().wrapping_add(bytes);
    IN_USE.set(now);
    MOST.set(MOST.get().max(now));
}

// SAFETY: everything is forwarded to the system's allocator.
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

/// Returns the result of `work`, and the peak number of bytes in use on this thread.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = IN_USE.get();
    MOST.set(before);
    let done = work();
    (done, MOST.get().wrapping_sub(before))
}
