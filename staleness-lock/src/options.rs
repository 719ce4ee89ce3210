//! Options for opening a store in a file.

use std::time::Duration;

#[cfg(doc)]
use staleness_core::store::StoreError;

/// Options for opening a store in a file.
///
/// ```
/// use std::time::Duration;
/// use staleness_lock::OpenOptions;
///
/// let default = OpenOptions::default();
/// let hook = OpenOptions { busy_timeout: Duration::from_millis(500), ..default };
/// let inspect = OpenOptions { create: false, ..default };
/// # assert_ne!(hook, inspect);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// Creates a missing store, including its parent folders. Otherwise opening fails with
    /// [`std::io::ErrorKind::NotFound`].
    pub create: bool,
    /// Opens the store for reading only. Nothing is created, and steps fail with [`StoreError::ReadOnly`].
    pub read_only: bool,
    /// The maximum time that a step waits for the lock before it fails with [`StoreError::Busy`]; five seconds by
    /// default. With redb, a step may wait for the same time again if a program has the file open without the lock.
    /// Zero means no waiting.
    pub busy_timeout: Duration,
    /// The maximum total time that all steps of the store wait for the lock. `None` means no limit.
    pub total_wait: Option<Duration>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            total_wait: None,
        }
    }
}
