//! Limits the number of calls that are processed at the same time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent calls that only query the registry.
const QUICK: usize = 4;
/// Maximum number of concurrent calls that may read documents or run git.
const SLOW: usize = 2;
/// Maximum number of slow calls in the queue. A longer queue would delay cancellations.
const SLOW_WAITING: usize = 16;

/// Maximum number of threads for calls.
pub(crate) const THREADS: usize = QUICK + SLOW;

/// Limits for concurrent blocking work. Slow calls never delay quick ones.
pub(crate) struct Turns {
    quick: Queue,
    slow: Queue,
    waiting: Semaphore,
}

/// The permits of one group of callers, and those that all groups share.
struct Queue {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
}

/// Permits, held until dropped. `None` only if a semaphore was closed, which never happens.
pub(crate) type Turn = [Option<OwnedSemaphorePermit>; 2];

impl Queue {
    fn new(all: Arc<Semaphore>, own: usize) -> Self {
        Self { own: Arc::new(Semaphore::new(own)), all }
    }

    /// Waits for a permit of the group first, so that a long queue of one group does not delay the others.
    async fn turn(&self) -> Turn {
        let own = Arc::clone(&self.own).acquire_owned().await.ok();
        [own, Arc::clone(&self.all).acquire_owned().await.ok()]
    }
}

impl Default for Turns {
    fn default() -> Self {
        let all = |most| Queue::new(Arc::new(Semaphore::new(most)), most);
        Self { quick: all(QUICK), slow: all(SLOW), waiting: Semaphore::new(SLOW_WAITING) }
    }
}

impl Turns {
    /// Returns the limits for one of several groups of callers, which may use half of the permits.
    #[cfg(feature = "http")]
    pub(crate) fn part(&self) -> Self {
        let part = |of: &Queue, most: usize| Queue::new(Arc::clone(&of.all), most / 2);
        let waiting = Semaphore::new(SLOW_WAITING);
        Self { quick: part(&self.quick, QUICK), slow: part(&self.slow, SLOW), waiting }
    }

    /// Waits for a permit for a call that only queries the registry.
    pub(crate) async fn quick(&self) -> Turn {
        self.quick.turn().await
    }

    /// Waits for a permit for a slow call. Returns `None` if too many calls are waiting.
    pub(crate) async fn slow(&self) -> Option<Turn> {
        let _place = self.waiting.try_acquire().ok()?;
        Some(self.slow.turn().await)
    }
}
