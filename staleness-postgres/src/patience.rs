//! Time limits of waiting, and what each is for.

use std::time::Duration;

use tokio::runtime::Handle;

use crate::error::Failed;

/// The server ends no transaction earlier because its client says nothing.
const LEAST_IDLE: Duration = Duration::from_secs(10);

/// A whole transaction may take so many times as long as one lock is waited for.
const WHOLE: u32 = 20;

/// The time that a visitor of pages may say nothing: it may be a person who reads.
const READING: Duration = Duration::from_secs(600);

/// The time limits of a store. The timers are those of its own runtime, so futures may be polled anywhere.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    lock: Duration,
    runtime: Handle,
}

impl Patience {
    /// Waits for one lock so long: from a millisecond to the 24 days that the server can count.
    pub(crate) fn new(lock: Duration, runtime: Handle) -> Self {
        let most = Duration::from_millis(i32::MAX.unsigned_abs().into());
        Self { lock: lock.clamp(Duration::from_millis(1), most), runtime }
    }

    /// Returns the runtime of the timers and the connections.
    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Returns the longest wait for one lock, or for a connection of the pool.
    pub(crate) const fn lock(&self) -> Duration {
        self.lock
    }

    /// Returns the longest time of a transaction, from its beginning to the acknowledgement of its commit: a
    /// server that stopped answering is given up then.
    pub(crate) fn whole(&self) -> Duration {
        (self.lock * WHOLE).max(LEAST_IDLE)
    }

    /// The settings of a transaction: how long it waits for a lock, and after how long without a word of
    /// its client the server ends it with all that it locked.
    pub(crate) fn settings(&self) -> String {
        limits(self.lock, self.lock.max(LEAST_IDLE))
    }

    /// As [`settings`](Self::settings), for a transaction whose rows are visited page by page.
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

    /// Returns the result of work that commits nothing. If the server gives no answer within
    /// [`whole`](Self::whole), it is `Busy`, as if others had held the store.
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
        // Neither may be 0, which means without end, nor more than the server can count.
        let (least, most) = (of(Duration::ZERO), of(Duration::MAX));
        assert!(least.settings().ends_with(" = 10000"), "{}", least.settings());
        assert!(least.settings().contains("lock_timeout = 1;"), "{}", least.settings());
        assert!(most.settings_of_visit().ends_with(" = 2147483647"));
        assert!(most.whole() > most.lock());
        // Under an executor that has no timers.
        let never = least.within(least.lock(), std::future::pending::<()>());
        assert_eq!(pollster::block_on(never), None);
        let late = pollster::block_on(least.within(least.whole(), std::future::ready(7)));
        assert_eq!(late, Some(7));
    }
}
