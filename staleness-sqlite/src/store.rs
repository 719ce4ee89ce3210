//! The store: the contract of `staleness-core` over SQLite.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};

use crate::OpenOptions;

/// A registry in one SQLite file. Clones share it.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    path: Arc<PathBuf>,
}

impl SqliteStore {
    /// Opens the store at `path`, creating or upgrading it when needed.
    ///
    /// # Errors
    /// Skeleton.
    pub fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Self, StoreError> {
        let _ = options;
        Ok(Self { path: Arc::new(path.as_ref().to_path_buf()) })
    }

    /// The file, as an absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves everything from the write-ahead log into the main file. For the end of a session.
    ///
    /// # Errors
    /// Skeleton.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("anything yet"))
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for SqliteStore {
    async fn view(&self, _: Arc<dyn Query>) -> Result<View, StoreError> {
        Err(StoreError::Unsupported("anything yet"))
    }

    async fn transact(&self, _: Arc<dyn Step>) -> Result<Commit, StoreError> {
        Err(StoreError::Unsupported("anything yet"))
    }

    async fn pages(
        &self,
        _: &Selection,
        _: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("anything yet"))
    }

    async fn backup(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("anything yet"))
    }

    async fn check(&self) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("anything yet"))
    }
}
