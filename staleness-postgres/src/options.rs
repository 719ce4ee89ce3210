//! Options for opening a store.

use std::time::Duration;

#[cfg(doc)]
use staleness_core::store::StoreError;

/// Options for opening a store.
///
/// ```
/// use std::time::Duration;
/// use staleness_postgres::OpenOptions;
///
/// let (busy_timeout, connections) = (Duration::from_millis(500), 1);
/// let hook = OpenOptions { busy_timeout, connections, ..OpenOptions::default() };
/// let inspect = OpenOptions { create: false, ..OpenOptions::default() };
/// # assert_ne!(hook, inspect);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// Creates missing tables and a missing workspace. Otherwise opening fails with [`std::io::ErrorKind::NotFound`].
    pub create: bool,
    /// Opens the store for reading only. Nothing is created, and steps fail with [`StoreError::ReadOnly`].
    pub read_only: bool,
    /// The maximum time that a step waits for locks before it fails with [`StoreError::Busy`], and in which a server
    /// must accept a connection; five seconds by default. The minimum is one millisecond. A whole step or query may
    /// take 20 times as long, and at least 10 s, before the server is considered dead.
    pub busy_timeout: Duration,
    /// The maximum number of connections; eight by default. Each is opened when first needed. The minimum is one.
    pub connections: usize,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            connections: 8,
        }
    }
}
