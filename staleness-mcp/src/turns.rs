//! Turns: how many calls do their work at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls that ask the registry alone and work at once.
const QUICK: usize = 4;
/// Calls that may read documents or ask git and work at once.
const SLOW: usize = 2;
/// Calls of that sort that wait at most: cancelling one must find its way past them.
const SLOW_WAITING: usize = 16;

/// Threads that calls take at most.
pub(crate) const THREADS: usize = QUICK + SLOW;

/// Turns for work that blocks. What takes long never stands in the way of what does not.
pub(crate) struct Turns {
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    waiting: Semaphore,
}

/// A turn, until it is dropped. There is none only where somebody closed the queue, which nobody does.
pub(crate) type Turn = Option<OwnedSemaphorePermit>;

impl Default for Turns {
    fn default() -> Self {
        Self {
            quick: Arc::new(Semaphore::new(QUICK)),
            slow: Arc::new(Semaphore::new(SLOW)),
            waiting: Semaphore::new(SLOW_WAITING),
        }
    }
}

impl Turns {
    /// Waits for a turn of a call that asks the registry alone.
    pub(crate) async fn quick(&self) -> Turn {
        Arc::clone(&self.quick).acquire_owned().await.ok()
    }

    /// Waits for a turn of a call that may take long; `None` where too many wait.
    pub(crate) async fn slow(&self) -> Option<Turn> {
        if let Ok(turn) = Arc::clone(&self.slow).try_acquire_owned() {
            return Some(Some(turn));
        }
        let _place = self.waiting.try_acquire().ok()?;
        Some(Arc::clone(&self.slow).acquire_owned().await.ok())
    }
}
