//! Handles the operating system's limits on file size (`ulimit -f`) and on processor time (`ulimit -t`), and requests
//! to end.
//!
//! A write past the limit raises `SIGXFSZ`, which ends the process unless a handler is installed. With a handler, only
//! the write fails. `SIGXCPU` at the limit on processor time ends the process. Signals are handled rather than ignored,
//! because child processes inherit ignored signals.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Installs a handler for `SIGXFSZ`, so that a write past the limit fails instead of ending the process.
pub fn outlive_file_size() {
    #[cfg(unix)]
    unix::outlive();
}

/// Installs a handler for `SIGXCPU`, so that the process ends with success: a hook must not fail its client.
pub fn succeed_at_processor_time() {
    #[cfg(unix)]
    unix::succeed();
}

/// Returns true if a write has hit the limit since the last call.
pub fn file_size_was_reached() -> bool {
    #[cfg(unix)]
    return unix::was_reached();
    #[cfg(not(unix))]
    false
}

/// Returns a flag that is set when `SIGTERM`, `SIGHUP`, `SIGINT` or `SIGQUIT` requests the process to exit.
pub fn stopped() -> Arc<AtomicBool> {
    let flag = Arc::default();
    #[cfg(unix)]
    unix::stop(&flag);
    flag
}

/// Returns a flag that is set when `SIGTSTP` requests the process to pause.
pub fn suspended() -> Arc<AtomicBool> {
    let flag = Arc::default();
    #[cfg(unix)]
    unix::pause(&flag);
    flag
}

/// Pauses the process until `SIGCONT`.
pub fn suspend() {
    #[cfg(unix)]
    unix::suspend();
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGXCPU, SIGXFSZ};

    static REACHED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    pub(super) fn outlive() {
        let flag = REACHED.get_or_init(Arc::default);
        // If no handler can be installed, a write at the limit ends the process.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::clone(flag));
    }

    pub(super) fn succeed() {
        let always = Arc::new(AtomicBool::new(true));
        // If no handler can be installed, the signal ends the process as usual.
        let _ = signal_hook::flag::register_conditional_shutdown(SIGXCPU, 0, always);
    }

    pub(super) fn stop(flag: &Arc<AtomicBool>) {
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            // If no handler can be installed, the signal ends the process immediately.
            let _ = signal_hook::flag::register(signal, Arc::clone(flag));
        }
    }

    pub(super) fn pause(flag: &Arc<AtomicBool>) {
        // If no handler can be installed, the signal pauses the process at once.
        let _ = signal_hook::flag::register(SIGTSTP, Arc::clone(flag));
    }

    pub(super) fn suspend() {
        // If this fails, the process continues.
        let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    }

    pub(super) fn was_reached() -> bool {
        REACHED.get().is_some_and(|flag| flag.swap(false, Ordering::Relaxed))
    }
}
