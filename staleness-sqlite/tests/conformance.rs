//! The suite that every backend runs.

use std::sync::Arc;

use staleness_conformance::{Backend, Capabilities, Place};
use staleness_core::store::{RegistryStore, StoreError};
use staleness_sqlite::{OpenOptions, SqliteStore};

#[derive(Debug)]
struct Sqlite;

impl Backend for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            persistent: true,
            multi_process: true,
            backup: true,
            concurrent_readers: true,
        }
    }

    fn place(&self) -> Place {
        Place::temporary("registry.db")
    }

    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
        Ok(Arc::new(SqliteStore::open(location, OpenOptions::new())?))
    }
}

staleness_conformance::main!(Sqlite);
