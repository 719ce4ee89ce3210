//! Interrupts while servers run: they end first, then the process may.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::time::Duration;

/// The time between two looks.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(50);

/// Holds back what would end this process, as long as it lives.
#[cfg(unix)]
pub(super) struct Interrupt {
    came: Arc<AtomicBool>,
    /// Signals do what they did before.
    over: Arc<AtomicBool>,
}

#[cfg(unix)]
impl Interrupt {
    pub(super) fn new() -> Self {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag::{register, register_conditional_default};

        let interrupt = Self { came: Arc::default(), over: Arc::default() };
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // Where they cannot be held back, servers notice that their input was closed.
            let over = Arc::clone(&interrupt.over);
            let _ = register_conditional_default(signal, over);
            let _ = register(signal, Arc::clone(&interrupt.came));
        }
        interrupt
    }

    /// Waits for one.
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

/// Elsewhere nothing is held back.
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
