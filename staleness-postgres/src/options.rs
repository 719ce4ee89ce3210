//! Options for opening a store.

use std::time::Duration;

/// Options for opening a store.
///
/// ```
/// use std::time::Duration;
/// use staleness_postgres::OpenOptions;
///
/// let hook = OpenOptions::new().busy_timeout(Duration::from_millis(500)).connections(1);
/// let inspect = OpenOptions::new().create(false);
/// # assert_ne!(hook, inspect);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    pub(crate) create: bool,
    pub(crate) read_only: bool,
    pub(crate) busy_timeout: Duration,
    pub(crate) connections: usize,
}

impl OpenOptions {
    /// Returns the defaults: create what is missing, wait at most five seconds for locks, and open at most
    /// eight connections.
    pub const fn new() -> Self {
        Self {
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            connections: 8,
        }
    }

    /// Sets whether missing tables and a missing workspace are created. Otherwise opening fails with
    /// [`std::io::ErrorKind::NotFound`].
    #[must_use]
    pub const fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Sets whether the store is read-only. Then nothing is created, and steps fail with
    /// [`staleness_core::store::StoreError::ReadOnly`].
    #[must_use]
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets the maximum time that a step waits for locks, before it fails with
    /// [`staleness_core::store::StoreError::Busy`], and that a server may take to accept a connection. The
    /// minimum is one millisecond. A whole step or query may take 20 times as long, and at least 10 s, before
    /// the server is considered dead.
    #[must_use]
    pub const fn busy_timeout(mut self, longest: Duration) -> Self {
        self.busy_timeout = longest;
        self
    }

    /// Sets the maximum number of connections. Each is opened when first needed. The minimum is one.
    #[must_use]
    pub const fn connections(mut self, most: usize) -> Self {
        self.connections = if most == 0 { 1 } else { most };
        self
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}
