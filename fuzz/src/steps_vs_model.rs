//! Compares steps and queries on the memory store with rows in plain lists.
//!
//! The memory store is the reference for all backends, so it is compared with something simpler here.
//!
//! Input: four bytes per operation, the seed of its kind and values.

use std::sync::Arc;

use staleness_conformance::model::{Lists, play_bytes};
use staleness_conformance::{Backend, Opening, Simple, Twice};
use staleness_core::MemoryStore;

/// Applies the same operations to both, and compares after each.
pub fn run(data: &[u8]) {
    let open = |_: &str, _: Opening| Ok(Arc::new(Twice::new(Arc::new(MemoryStore::new()))) as _);
    let backend: Arc<dyn Backend> = Arc::new(Simple { open, ..Simple::MEMORY });
    play_bytes(&backend, Arc::new(Lists::default()), data);
}
