//! The `RegistryStore` implementation for Postgres.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};

use crate::OpenOptions;
use crate::inner::Inner;
use crate::open::open;

/// A registry in one workspace of a Postgres database. Clones share its connections.
///
/// Any number of threads, processes and machines may use it at the same time. Only waiting for the server is
/// asynchronous: steps and queries run on the thread that polls the future. Dropping a future ends its
/// transaction. If the commit had already been sent, its outcome is unknown: retry with the same op id.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

impl PostgresStore {
    /// Opens the store at `postgres://USER:PASSWORD@HOST:PORT/DATABASE?workspace=NAME`. Creates missing
    /// tables and the workspace. Blocks the calling thread.
    ///
    /// The connection is encrypted, and the server's name is checked against its certificate, unless all
    /// hosts are local or `sslmode=disable` is given. `sslrootcert=PATH` replaces the system's certificates.
    /// `PGPASSWORD` is used if the URL has no password. Other parameters are those of libpq.
    ///
    /// # Errors
    /// - [`StoreError::Io`] of kind `InvalidInput` if the URL is invalid (the password is never shown), of kind
    ///   `NotFound` if the workspace does not exist and must not be created, or of another kind if the server could not
    ///   be reached
    /// - [`StoreError::FormatTooNew`] if the tables were made by a newer program; they are not changed
    /// - [`StoreError::FormatTooOld`] if the tables were made by an older program; they are not changed
    /// - [`StoreError::NotAStore`] if the database's encoding cannot represent every text
    /// - [`StoreError::Backend`] with the server's message, if the server refused
    pub fn open(url: impl AsRef<str>, options: OpenOptions) -> Result<Self, StoreError> {
        open(url.as_ref(), options).map(|inner| Self { inner })
    }

    /// Returns the name of the workspace.
    pub fn workspace(&self) -> &str {
        self.inner.workspace()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for PostgresStore {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.inner.view(query.as_ref()).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        self.inner.transact(step.as_ref()).await
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        self.inner.pages(selection, visit).await
    }

    async fn backup(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("backups to a file: take them with pg_dump, or export"))
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.inner.check().await
    }
}
