//! The `RegistryStore` implementation for redb.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::journal::Revision;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};
use staleness_lock::{blocking, pages};

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
    #[must_use]
    pub fn path(&self) -> &Path {
        self.inner.path()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for RedbStore {
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
