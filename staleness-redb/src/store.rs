//! The store: the contract of `staleness-core` over redb.

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
/// It may be used by any number of threads and processes: they take turns, readers included. The
/// file is opened for every step, query, walk over pages, check and backup, and closed after it.
///
/// A [`Step`], [`Query`] or visitor of pages must not use the store that it is working for, nor
/// another one of the same file: it would wait for itself until the busy timeout ends that with
/// [`StoreError::Busy`].
#[derive(Clone, Debug)]
pub struct RedbStore {
    inner: Arc<Inner>,
}

impl RedbStore {
    /// Opens the store at `path`, or creates it. Blocks while it does.
    ///
    /// Beside the file `<path>.lock` orders those who use it, and `<path>.new` is there for a moment
    /// while it is created. All are readable and writable by their owner alone, and so are the
    /// folders that are created.
    ///
    /// # Errors
    /// - [`StoreError::Io`] of kind `NotFound` when there is no file and none may be created,
    /// - [`StoreError::NotAStore`] for a folder, a file that is no redb database, or one of another
    ///   program; it is left as it is,
    /// - [`StoreError::FormatTooNew`] for a store of a newer program; it is left as it is,
    /// - [`StoreError::Corrupt`] when the file is damaged so far as opening can tell:
    ///   [`RegistryStore::check`] tells more,
    /// - [`StoreError::Busy`] when others held it for too long, or a program that does not know the
    ///   lock has it open,
    /// - [`StoreError::ReadOnly`] when it would have to be created and may not be.
    pub fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Self, StoreError> {
        Inner::open(path.as_ref(), options).map(|inner| Self { inner: Arc::new(inner) })
    }

    /// The file: absolute, with symbolic links resolved.
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
