//! The store: the contract of `staleness-core` over Postgres.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::journal::Revision;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};

use crate::OpenOptions;
use crate::inner::Inner;
use crate::open::open;

/// A registry in one workspace of a Postgres database. Clones share its connections.
///
/// It may be used by any number of threads, processes and machines at once. A future that is dropped
/// ends its transaction; whether a commit that was already asked for happened is then not known: ask
/// again with the same op id.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

impl PostgresStore {
    /// Opens the store at `postgres://USER:PASSWORD@HOST:PORT/DATABASE?workspace=NAME`, and creates its
    /// tables and its workspace when they are missing. Blocks while it does.
    ///
    /// The connection is encrypted, and the name of the server checked against its certificate, unless
    /// every host is this machine or `sslmode=disable` is given; `sslrootcert=PATH` names the
    /// certificates to believe instead of the system's. `PGPASSWORD` is the password of a URL without. Other parameters are those of libpq.
    ///
    /// # Errors
    /// - [`StoreError::Io`] of kind `InvalidInput` for a URL that is none (its password is never told),
    ///   of kind `NotFound` when there is no such workspace and none may be created, or what kept the
    ///   server from being reached,
    /// - [`StoreError::FormatTooNew`] for tables of a newer program; they are left as they are,
    /// - [`StoreError::NotAStore`] for a database that cannot hold every text,
    /// - [`StoreError::Backend`] with what the server said, when it refused.
    pub fn open(url: impl AsRef<str>, options: OpenOptions) -> Result<Self, StoreError> {
        open(url.as_ref(), options).map(|inner| Self { inner })
    }

    /// The workspace.
    #[must_use]
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

    async fn changed(&self, seen: Revision) -> Option<Revision> {
        self.inner.changed(seen).await
    }
}
