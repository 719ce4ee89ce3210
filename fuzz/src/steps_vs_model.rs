//! Steps and queries on the memory store, against rows in plain lists.
//!
//! The memory store is what every backend is held to, so it is held to something simpler here.
//!
//! Input: four bytes for each thing that is done: the seed of what it is and of its values.

use std::sync::Arc;

use staleness_conformance::model::{Lists, play_bytes};
use staleness_conformance::{Backend, Opening, Simple, Twice};
use staleness_core::MemoryStore;

/// Does the same to both, and compares after each transition.
pub fn run(data: &[u8]) {
    let open = |_: &str, _: Opening| Ok(Arc::new(Twice::new(Arc::new(MemoryStore::new()))) as _);
    let backend: Arc<dyn Backend> = Arc::new(Simple { open, ..Simple::MEMORY });
    play_bytes(&backend, Arc::new(Lists::default()), data);
}
