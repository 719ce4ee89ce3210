//! The suite on the memory store, the reference for every other backend.

use std::sync::Arc;

use staleness_conformance::{Backend, Capabilities, Place};
use staleness_core::MemoryStore;
use staleness_core::store::{RegistryStore, StoreError};

#[derive(Debug)]
struct Memory;

impl Backend for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::NONE
    }

    fn place(&self) -> Place {
        Place::new("in memory", ())
    }

    fn open(&self, _: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
        Ok(Arc::new(MemoryStore::new()))
    }
}

staleness_conformance::main!(Memory);
