//! The `RegistryStore` implementation for redb.

use std::path::Path;
use std::sync::Arc;

use staleness_core::store::StoreError;
#[cfg(doc)]
use staleness_core::store::{Query, RegistryStore, Step};

use crate::OpenOptions;
use crate::inner::Inner;

/// A registry in one redb file.
///
/// Any number of threads and processes may use it. They take turns, including readers. The file is opened for
/// each step, query, visit of pages, check and backup, and closed afterwards.
///
/// A [`Step`], [`Query`] or visitor of pages must not use the same store or file. It would wait for itself
/// until the busy timeout, and fail with [`StoreError::Busy`].
#[derive(Clone, Debug)]
pub struct RedbStore {
    inner: Arc<Inner>,
}

impl RedbStore {
    /// Opens or creates the store at `path`. Blocks the calling thread.
    ///
    /// The file `<path>.lock` serialises access, and `<path>.new` exists briefly during creation. These files
    /// and any created folders are only accessible to their owner.
    ///
    /// # Errors
    /// - [`StoreError::Io`] of kind `NotFound` if the file does not exist and must not be created
    /// - [`StoreError::NotAStore`] for a folder, a file that is not a redb database, or another program's; it
    ///   is not changed
    /// - [`StoreError::FormatTooNew`] for a store of a newer program; it is not changed
    /// - [`StoreError::FormatTooOld`] for a store of an older program; it is not changed
    /// - [`StoreError::Corrupt`] if opening detects damage; [`RegistryStore::check`] finds more
    /// - [`StoreError::Busy`] if others held the lock for too long, or a program that ignores the lock has
    ///   the file open
    /// - [`StoreError::ReadOnly`] if the store would have to be created, but the folder is read-only
    pub fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Self, StoreError> {
        Inner::open(path.as_ref(), options).map(|inner| Self { inner: Arc::new(inner) })
    }

    /// Returns the absolute path of the file, with symbolic links resolved.
    pub fn path(&self) -> &Path {
        self.inner.path()
    }
}

staleness_lock::blocking_store!(RedbStore);
