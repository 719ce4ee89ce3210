//! Limits that the system sets for this process.
//!
//! A process that writes past the largest size of a file (`ulimit -f`) gets `SIGXFSZ`, which ends it
//! unless somebody handles the signal; then the write fails like any other. The signal is handled
//! rather than ignored: what is ignored stays so in the programs that this one starts. `SIGXCPU` keeps
//! its effect: a process that may use no more time has to end.

/// Lets a write past the largest size of a file fail, and not end the process.
pub fn outlive_file_size() {
    #[cfg(unix)]
    unix::outlive();
}

/// Returns true if a write failed for the largest size of a file since this was asked last.
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
        // Without the handler a write at the limit ends the process, as it did before.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::clone(flag));
    }

    pub(super) fn was_reached() -> bool {
        REACHED.get().is_some_and(|flag| flag.swap(false, Ordering::Relaxed))
    }
}
