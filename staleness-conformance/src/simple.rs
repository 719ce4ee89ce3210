//! A backend defined by one function.

use std::sync::Arc;

use staleness_core::MemoryStore;
use staleness_core::store::{RegistryStore, StoreError};

use crate::backend::{Backend, Capabilities, Opening, Place};
use crate::context::Handle;

/// A backend defined by an opening function. A persistent store is in a file called `registry`.
#[derive(Clone, Copy, Debug)]
pub struct Simple {
    /// The name, for reports.
    pub name: &'static str,
    /// The optional capabilities.
    pub capabilities: Capabilities,
    /// Opens the store at a path in the given mode.
    pub open: fn(&str, Opening) -> Result<Handle, StoreError>,
}

impl Simple {
    /// The memory store, the reference for all other backends.
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
