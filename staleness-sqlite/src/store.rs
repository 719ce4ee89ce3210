//! The `RegistryStore` implementation for SQLite.

use std::path::Path;
use std::sync::Arc;

use staleness_core::store::StoreError;
#[cfg(doc)]
use staleness_core::store::{Query, RegistryStore, Step};

use crate::OpenOptions;
use crate::inner::Inner;

/// A registry in one SQLite file. Clones share its connections.
///
/// Any number of threads and processes may use it at the same time. Steps take turns; readers never wait.
/// When the last clone is dropped, the write-ahead log is trimmed, unless that would have to wait.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

impl SqliteStore {
    /// Opens or creates the store at `path`. Blocks the calling thread.
    ///
    /// SQLite keeps `<path>-wal` and `<path>-shm` beside the file, and `<path>.lock` serialises writers.
    /// These files and any created folders are only accessible to their owner.
    ///
    /// # Errors
    /// - [`StoreError::Io`] of kind `NotFound` if the file does not exist and must not be created
    /// - [`StoreError::NotAStore`] for a folder, a file that is not a database, or another program's; it is
    ///   not changed
    /// - [`StoreError::FormatTooNew`] for a store of a newer program; it is not changed
    /// - [`StoreError::FormatTooOld`] for a store of an older program; it is not changed
    /// - [`StoreError::Corrupt`] if opening detects damage; [`RegistryStore::check`] finds more
    /// - [`StoreError::Busy`] if the file had to be created and others held the lock
    /// - [`StoreError::ReadOnly`] if the file had to be created, but the folder is read-only
    pub fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Self, StoreError> {
        Inner::open(path.as_ref(), options).map(|inner| Self { inner: Arc::new(inner) })
    }

    /// Returns the absolute path of the file, with symbolic links resolved.
    pub fn path(&self) -> &Path {
        self.inner.path()
    }

    /// Moves the whole write-ahead log into the main file and empties it. Useful at the end of a session, but
    /// not required: steps do it when the log has grown. Blocks, and may take a few milliseconds.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if readers or writers blocked it for longer than the busy timeout;
    /// [`StoreError::ReadOnly`]; other errors of the file system.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        self.inner.checkpoint()
    }
}

staleness_lock::blocking_store!(SqliteStore);
