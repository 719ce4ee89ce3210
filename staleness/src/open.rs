//! Opens a registry by URL.

use std::sync::Arc;
use std::time::Duration;

use staleness_core::store::StoreError;
use staleness_core::{MemoryStore, Policy, Registry, RegistryStore};

use crate::url::{ParseUrlError, StoreUrl};

/// Options for opening a registry.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The thresholds for verdicts and retention.
    pub policy: Policy,
    /// Creates a missing store and its parent folders.
    pub create: bool,
    /// Opens the store read-only. Nothing is created, even if `create` is set, and writes return
    /// [`StoreError::ReadOnly`].
    pub read_only: bool,
    /// Maximum time a step waits for the lock before it returns [`StoreError::Busy`].
    pub busy_timeout: Duration,
    /// Maximum total time that all steps wait for a file's lock. Does not apply to a database server.
    pub total_wait: Option<Duration>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            create: true,
            read_only: false,
            busy_timeout: Duration::from_secs(5),
            total_wait: None,
        }
    }
}

/// The reason why a registry could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The URL could not be parsed.
    #[error(transparent)]
    Url(ParseUrlError),
    /// The store could not be opened.
    #[error(transparent)]
    Store(StoreError),
}

/// Opens the registry at `url` with the default policy, creating it if it is missing.
///
/// # Errors
/// If the URL cannot be parsed, this build does not include the backend, or the store cannot be opened.
pub fn open(url: &str) -> Result<Registry, OpenError> {
    let url: StoreUrl = url.parse().map_err(OpenError::Url)?;
    open_with(&url, OpenOptions::default()).map_err(OpenError::Store)
}

/// Opens the registry at `url` with the given options.
///
/// # Errors
/// If the store cannot be opened. See [`StoreError`].
pub fn open_with(url: &StoreUrl, options: OpenOptions) -> Result<Registry, StoreError> {
    let store: Arc<dyn RegistryStore> = match url {
        StoreUrl::Memory => Arc::new(MemoryStore::new()),
        #[cfg(feature = "sqlite")]
        StoreUrl::Sqlite(path) => {
            let OpenOptions { create, read_only, busy_timeout, total_wait, .. } = options;
            let how = staleness_sqlite::OpenOptions { create, read_only, busy_timeout, total_wait };
            Arc::new(staleness_sqlite::SqliteStore::open(path, how)?)
        }
        #[cfg(not(feature = "sqlite"))]
        StoreUrl::Sqlite(_) => {
            return Err(StoreError::Unsupported("sqlite: build with the feature `sqlite`"));
        }
        #[cfg(feature = "redb")]
        StoreUrl::Redb(path) => {
            let OpenOptions { create, read_only, busy_timeout, total_wait, .. } = options;
            let how = staleness_redb::OpenOptions { create, read_only, busy_timeout, total_wait };
            Arc::new(staleness_redb::RedbStore::open(path, how)?)
        }
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(url) => {
            let OpenOptions { create, read_only, busy_timeout, .. } = options;
            let how = staleness_postgres::OpenOptions {
                create,
                read_only,
                busy_timeout,
                ..Default::default()
            };
            Arc::new(staleness_postgres::PostgresStore::open(url.expose(), how)?)
        }
        #[cfg(not(feature = "postgres"))]
        StoreUrl::Postgres(_) => {
            return Err(StoreError::Unsupported("postgres: build with the feature `postgres`"));
        }
        #[cfg(not(feature = "redb"))]
        StoreUrl::Redb(_) => {
            return Err(StoreError::Unsupported("redb: build with the feature `redb`"));
        }
    };
    Ok(Registry::new(store, options.policy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_there_is_told_without_its_password() {
        let error = open("postgres://me:hunter2@127.0.0.1:1/x").unwrap_err().to_string();
        let why = if cfg!(feature = "postgres") { "connecting" } else { "feature `postgres`" };
        assert!(error.contains(why) && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_backend_opens_or_names_its_feature() {
        let folder = tempfile::tempdir().unwrap();
        for (scheme, built_in) in
            [("sqlite", cfg!(feature = "sqlite")), ("redb", cfg!(feature = "redb"))]
        {
            let path = folder.path().join(scheme);
            match open(&format!("{scheme}:{}", path.display())) {
                Ok(_) => assert!(built_in && path.is_file(), "{scheme}"),
                Err(error) => {
                    assert!(!built_in && !path.exists(), "{error}");
                    let feature = format!("build with the feature `{scheme}`");
                    assert!(error.to_string().contains(&feature), "{error}");
                }
            }
        }
    }
}
