//! A backend that one function describes.

use std::sync::Arc;

use staleness_core::MemoryStore;
use staleness_core::store::{RegistryStore, StoreError};

use crate::backend::{Backend, Capabilities, Opening, Place};
use crate::context::Handle;

/// A kind of store that a function opens, in a file called `registry` when it is persistent.
#[derive(Clone, Copy, Debug)]
pub struct Simple {
    /// The name, for reports.
    pub name: &'static str,
    /// Its promises beyond the contract.
    pub capabilities: Capabilities,
    /// Opens the store in a file.
    pub open: fn(&str, Opening) -> Result<Handle, StoreError>,
}

impl Simple {
    /// The memory store, the reference for every other backend.
    pub const MEMORY: Self = Self {
        name: "memory",
        capabilities: Capabilities::NONE,
        open: |_, _| Ok(Arc::new(MemoryStore::new())),
    };
}

impl Backend for Simple {
    fn name(&self) -> &'static str {
        self.name
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn place(&self) -> Place {
        if self.capabilities.persistent {
            Place::temporary("registry")
        } else {
            Place::new("in memory", ())
        }
    }

    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
        (self.open)(location, Opening::Create)
    }

    fn open_as(
        &self,
        location: &str,
        opening: Opening,
    ) -> Result<Arc<dyn RegistryStore>, StoreError> {
        (self.open)(location, opening)
    }
}
