//! Handles interrupts while servers run: first the servers end, then this process.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::time::Duration;

/// Polling interval.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(50);

/// Records signals that would end this process, instead of obeying them, until it is dropped.
#[cfg(unix)]
pub(super) struct Interrupt {
    came: Arc<AtomicBool>,
    /// True if signals have their default effect again.
    over: Arc<AtomicBool>,
}

#[cfg(unix)]
impl Interrupt {
    pub(super) fn new() -> Self {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag::{register, register_conditional_default};

        let interrupt = Self { came: Arc::default(), over: Arc::default() };
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // If signals cannot be delayed, this process ends, and the servers detect that their input was closed.
            let over = Arc::clone(&interrupt.over);
            let _ = register_conditional_default(signal, over);
            let _ = register(signal, Arc::clone(&interrupt.came));
        }
        interrupt
    }

    pub(super) async fn came(&self) {
        while !self.came.load(Ordering::Relaxed) {
            tokio::time::sleep(LOOK).await;
        }
    }
}

#[cfg(unix)]
impl Drop for Interrupt {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// On other systems, signals end this process at once.
#[cfg(not(unix))]
pub(super) struct Interrupt;

#[cfg(not(unix))]
impl Interrupt {
    pub(super) const fn new() -> Self {
        Self
    }

    pub(super) async fn came(&self) {
        std::future::pending::<()>().await;
    }
}
