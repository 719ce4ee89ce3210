//! The store: the contract of `staleness-core` over SQLite.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::journal::Revision;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};
use staleness_lock::{blocking, pages};

use crate::OpenOptions;
use crate::inner::Inner;

/// A registry in one SQLite file. Clones share its connections.
///
/// It may be used by any number of threads and processes at once: steps take turns, readers wait
/// for nobody. When the last clone is dropped, the write-ahead log is trimmed if that takes no
/// waiting.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

impl SqliteStore {
    /// Opens the store at `path`, creates it, or raises its format to that of this program. Blocks
    /// while it does; a store that is up to date takes a fraction of a millisecond.
    ///
    /// Beside the file SQLite keeps `<path>-wal` and `<path>-shm`, and `<path>.lock` orders the
    /// writers. All four are readable and writable by their owner alone, and so are the folders
    /// that are created.
    ///
    /// # Errors
    /// - [`StoreError::Io`] of kind `NotFound` when there is no file and none may be created,
    /// - [`StoreError::NotAStore`] for a folder, a file that is no database, or one of another
    ///   program; it is left as it is,
    /// - [`StoreError::FormatTooNew`] for a store of a newer program; it is left as it is,
    /// - [`StoreError::Corrupt`] when the file is damaged so far as opening can tell:
    ///   [`RegistryStore::check`] tells more,
    /// - [`StoreError::FormatTooOld`] for a store of an older program; it is left as it is,
    /// - [`StoreError::Busy`] when the file had to be created and others held it,
    /// - [`StoreError::ReadOnly`] when it would have to be, and may not be written to.
    pub fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Self, StoreError> {
        Inner::open(path.as_ref(), options).map(|inner| Self { inner: Arc::new(inner) })
    }

    /// The file: absolute, with symbolic links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.inner.path()
    }

    /// Moves everything from the write-ahead log into the main file and empties the log, for the
    /// end of a session. Steps do so by themselves when the log has grown; nothing is lost without
    /// it. Blocks, and may take a few milliseconds.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when readers or writers stood in the way for longer than the busy
    /// timeout, [`StoreError::ReadOnly`], or what else the file system reports.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        self.inner.checkpoint()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for SqliteStore {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        blocking(&self.inner, move |inner| inner.view(query.as_ref())).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        blocking(&self.inner, move |inner| inner.transact(step.as_ref())).await
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        pages(
            &self.inner,
            selection,
            |inner, selection, visit| inner.pages(selection, visit),
            visit,
        )
        .await
    }

    async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let to = to.to_path_buf();
        blocking(&self.inner, move |inner| inner.backup(&to)).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        blocking(&self.inner, Inner::check).await
    }

    async fn changed(&self, _: Revision) -> Option<Revision> {
        None
    }
}
