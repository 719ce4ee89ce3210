//! The suite that every backend runs.

use std::sync::Arc;

use staleness_conformance::{Backend, Capabilities, Place};
use staleness_core::store::{RegistryStore, StoreError};
use staleness_redb::{OpenOptions, RedbStore};

#[derive(Debug)]
struct Redb;

impl Backend for Redb {
    fn name(&self) -> &'static str {
        "redb"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            persistent: true,
            multi_process: true,
            backup: true,
            concurrent_readers: false,
        }
    }

    fn place(&self) -> Place {
        Place::temporary("registry.redb")
    }

    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
        Ok(Arc::new(RedbStore::open(location, OpenOptions::new())?))
    }
}

staleness_conformance::main!(Redb);
