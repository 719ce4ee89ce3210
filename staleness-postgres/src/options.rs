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
    /// Creates what is missing, waits five seconds at most for others, and holds at most eight
    /// connections.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            connections: 8,
        }
    }

    /// Sets whether missing tables and a missing workspace are created. Otherwise they are an error of kind
    /// [`std::io::ErrorKind::NotFound`].
    #[must_use]
    pub const fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Sets whether the store is only read: nothing is created, and steps end with
    /// [`staleness_core::store::StoreError::ReadOnly`].
    #[must_use]
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets how long a step waits for the rows that others hold, before it reports
    /// [`staleness_core::store::StoreError::Busy`], and how long the server may take to answer a new
    /// connection. Less than a millisecond counts as one. A whole step or query may take 20 times as long,
    /// and at least 10 s; a server that gives no answer then is given up.
    #[must_use]
    pub const fn busy_timeout(mut self, longest: Duration) -> Self {
        self.busy_timeout = longest;
        self
    }

    /// Sets the most connections that are held; each is made when it is first needed. At least one.
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
