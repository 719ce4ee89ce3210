//! Time limits.

use std::time::Duration;

use tokio::runtime::Handle;

use crate::error::Failed;

/// Minimum idle time before the server ends a transaction.
const LEAST_IDLE: Duration = Duration::from_secs(10);

/// The number of times that the wait for one lock fits into the time limit of a whole transaction.
const WHOLE: u32 = 20;

/// Maximum idle time while pages are visited, because a person may be reading.
const READING: Duration = Duration::from_secs(600);

/// The time limits of a store. The timers run on the store's own runtime, so futures can be polled anywhere.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    lock: Duration,
    runtime: Handle,
}

impl Patience {
    /// Sets the maximum wait for one lock. It is clamped to between one millisecond and 24 days, the server's
    /// limit.
    pub(crate) fn new(lock: Duration, runtime: Handle) -> Self {
        let most = Duration::from_millis(i32::MAX.unsigned_abs().into());
        Self { lock: lock.clamp(Duration::from_millis(1), most), runtime }
    }

    /// Returns the runtime of the timers and the connections.
    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Returns the maximum wait for one lock, or for a connection from the pool.
    pub(crate) const fn lock(&self) -> Duration {
        self.lock
    }

    /// Returns the maximum duration of a transaction, including the acknowledgement of its commit. After that
    /// the server is considered dead.
    pub(crate) fn whole(&self) -> Duration {
        (self.lock * WHOLE).max(LEAST_IDLE)
    }

    /// Returns the commands that set a transaction's lock timeout, and the idle time after which the server
    /// ends it.
    pub(crate) fn settings(&self) -> String {
        limits(self.lock, self.lock.max(LEAST_IDLE))
    }

    /// Like [`settings`](Self::settings), for a transaction that visits pages.
    pub(crate) fn settings_of_visit(&self) -> String {
        limits(self.lock, self.lock.max(READING))
    }

    /// Returns the output of a future, or `None` if it takes longer than `limit`.
    pub(crate) async fn within<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let timed = {
            let _timers = self.runtime.enter();
            tokio::time::timeout(limit, future)
        };
        timed.await.ok()
    }

    /// Returns the result of work that commits nothing. If the server does not answer within
    /// [`whole`](Self::whole), the error is `Busy`, as if others had held the locks.
    pub(crate) async fn answer<T>(
        &self,
        work: impl Future<Output = Result<T, Failed>>,
    ) -> Result<T, Failed> {
        self.within(self.whole(), work).await.unwrap_or_else(|| Err(Failed::late(false)))
    }
}

fn limits(lock: Duration, idle: Duration) -> String {
    format!(
        "SET LOCAL lock_timeout = {}; SET LOCAL idle_in_transaction_session_timeout = {}",
        lock.as_millis(),
        idle.as_millis()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_waited_for_without_end() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let of = |lock| Patience::new(lock, runtime.handle().clone());
        assert_eq!(
            of(Duration::from_secs(20)).settings(),
            "SET LOCAL lock_timeout = 20000; SET LOCAL idle_in_transaction_session_timeout = 20000"
        );
        // Both must be greater than 0, because 0 means no limit, and within the server's range.
        let (least, most) = (of(Duration::ZERO), of(Duration::MAX));
        assert!(least.settings().ends_with(" = 10000"), "{}", least.settings());
        assert!(least.settings().contains("lock_timeout = 1;"), "{}", least.settings());
        assert!(most.settings_of_visit().ends_with(" = 2147483647"));
        assert!(most.whole() > most.lock());
        // The executor here has no timers of its own.
        let never = least.within(least.lock(), std::future::pending::<()>());
        assert_eq!(pollster::block_on(never), None);
        let late = pollster::block_on(least.within(least.whole(), std::future::ready(7)));
        assert_eq!(late, Some(7));
    }
}
