//! Limits the number of calls that work at the same time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent calls that only query the registry.
const QUICK: usize = 4;
/// Maximum number of concurrent calls that may read documents or run git.
const SLOW: usize = 2;
/// Maximum number of slow calls in the queue. More would delay cancellations.
const SLOW_WAITING: usize = 16;

/// Maximum number of threads for calls.
pub(crate) const THREADS: usize = QUICK + SLOW;

/// Limits for concurrent blocking work. Slow calls never delay quick ones.
pub(crate) struct Turns {
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    waiting: Semaphore,
}

/// A permit, held until dropped. `None` only if the semaphore was closed, which never happens.
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
    /// Waits for a permit for a call that only queries the registry.
    pub(crate) async fn quick(&self) -> Turn {
        Arc::clone(&self.quick).acquire_owned().await.ok()
    }

    /// Waits for a permit for a slow call. Returns `None` if too many calls are waiting.
    pub(crate) async fn slow(&self) -> Option<Turn> {
        if let Ok(turn) = Arc::clone(&self.slow).try_acquire_owned() {
            return Some(Some(turn));
        }
        let _place = self.waiting.try_acquire().ok()?;
        Some(Arc::clone(&self.slow).acquire_owned().await.ok())
    }
}
