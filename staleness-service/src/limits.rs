//! Handles the operating system's file size limit (`ulimit -f`).
//!
//! A write past the limit raises `SIGXFSZ`, which ends the process unless it is handled. With a handler the
//! write fails like any other. The signal is handled and not ignored, because child processes inherit ignored
//! signals. `SIGXCPU` keeps its default action.

/// Installs a handler for `SIGXFSZ`, so that a write past the limit fails instead of ending the process.
pub fn outlive_file_size() {
    #[cfg(unix)]
    unix::outlive();
}

/// Returns true if a write hit the limit since the last call.
#[must_use]
pub fn file_size_was_reached() -> bool {
    #[cfg(unix)]
    return unix::was_reached();
    #[cfg(not(unix))]
    false
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    use signal_hook::consts::SIGXFSZ;

    static REACHED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    pub(super) fn outlive() {
        let flag = REACHED.get_or_init(Arc::default);
        // If no handler can be installed, a write at the limit ends the process.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::clone(flag));
    }

    pub(super) fn was_reached() -> bool {
        REACHED.get().is_some_and(|flag| flag.swap(false, Ordering::Relaxed))
    }
}
