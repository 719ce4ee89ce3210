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
    /// A missing store is created.
    pub create: bool,
    /// The store is only read.
    pub read_only: bool,
    /// Longest wait of one step.
    pub busy_timeout: Duration,
    /// Longest wait of all steps together.
    pub total_wait: Option<Duration>,
}

impl OpenOptions {
    /// Creates what is missing, and waits five seconds at most for others.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            total_wait: None,
        }
    }

    /// Creates a missing store, with the folders above it. Otherwise it is an error of kind
    /// [`std::io::ErrorKind::NotFound`].
    #[must_use]
    pub const fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Opens the store for reading only: nothing is created, and steps end with
    /// [`StoreError::ReadOnly`].
    #[must_use]
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets how long a step waits for its turn before it reports [`StoreError::Busy`], and on redb once more
    /// as long for a program that has the file open out of turn. Zero: not at all.
    #[must_use]
    pub const fn busy_timeout(mut self, longest: Duration) -> Self {
        self.busy_timeout = longest;
        self
    }

    /// Limits the time that all steps of the store together wait for their turns. `None`: no limit.
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
