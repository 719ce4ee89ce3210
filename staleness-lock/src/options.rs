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
/// let hook = OpenOptions::new().busy_timeout(Duration::from_millis(500));
/// let inspect = OpenOptions::new().create(false);
/// # assert_ne!(hook, inspect);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Create a missing store.
    pub create: bool,
    /// Only read the store.
    pub read_only: bool,
    /// Maximum wait of one step.
    pub busy_timeout: Duration,
    /// Maximum wait of all steps together.
    pub total_wait: Option<Duration>,
}

impl OpenOptions {
    /// Returns the defaults: create what is missing, and wait at most five seconds for the lock.
    pub const fn new() -> Self {
        Self {
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            total_wait: None,
        }
    }

    /// Sets whether a missing store is created, including its parent folders. Otherwise opening fails with
    /// [`std::io::ErrorKind::NotFound`].
    #[must_use]
    pub const fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Sets whether the store is read-only. Then nothing is created, and steps fail with
    /// [`StoreError::ReadOnly`].
    #[must_use]
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets the maximum time that a step waits for the lock before it fails with [`StoreError::Busy`]. With
    /// redb, a step may wait as long again for a program that has the file open without the lock. Zero means
    /// no waiting.
    #[must_use]
    pub const fn busy_timeout(mut self, longest: Duration) -> Self {
        self.busy_timeout = longest;
        self
    }

    /// Limits the total time that all steps of the store wait for the lock. `None` means no limit.
    #[must_use]
    pub const fn total_wait(mut self, total: Option<Duration>) -> Self {
        self.total_wait = total;
        self
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}
