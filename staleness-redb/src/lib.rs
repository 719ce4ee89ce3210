//! The registry in one redb file. Pure Rust, without a C compiler. Processes take turns.
//!
//! ```
//! use std::sync::Arc;
//! use staleness_core::store::{RegistryStore, Selection};
//! use staleness_redb::{OpenOptions, RedbStore};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("registry.redb");
//! let store = RedbStore::open(&path, OpenOptions::default())?;
//! let view = pollster::block_on(store.view(Arc::new(Selection::everything())))?;
//! assert!(view.is_empty());
//! # Ok::<(), staleness_core::store::StoreError>(())
//! ```
//!
//! # How it works
//!
//! - redb locks its file for one process at a time, even for reading, and does not wait. Every operation therefore
//!   takes a fair file lock, opens the database, works, and closes it. The file is closed between two steps.
//! - Readers write nothing: pages that redb writes on opening stay in memory. A read-only file can be read, checked
//!   and copied.
//! - Every commit saves redb's allocator state and has two phases, so opening is not slower after a crash or a power
//!   cut.
//! - Every commit is synced before it is acknowledged, whatever the step's
//!   [`Durability`](staleness_core::store::Durability).
//! - A [`Step`](staleness_core::store::Step), [`Query`](staleness_core::store::Query) or visitor of pages must not use
//!   the same store: it would wait for itself until the busy timeout.
//! - Every page has a checksum that is verified before redb sees the page. A damaged file gives
//!   [`StoreError::Corrupt`](staleness_core::store::StoreError::Corrupt). If a step panics, the file is closed and the
//!   panic continues.
//! - With the feature `tokio` and inside a tokio runtime, work runs on the runtime's blocking threads. Otherwise the
//!   futures block and are ready immediately. Dropping a future does not stop work that has begun: retry with the same
//!   op id.
//!
//! The format of the file is documented in the source, in `tables.rs`, `file.rs` and `codec.rs`.

mod check;
mod codec;
mod collections;
mod error;
mod file;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod inner;
mod open;
mod pages;
mod session;
mod store;
mod tables;

pub use staleness_lock::OpenOptions;

/// Opens the database in a store's file, for tests that damage it. Not part of the public API.
///
/// # Errors
/// Errors of redb or the system.
#[doc(hidden)]
pub fn database(path: &std::path::Path) -> Result<redb::Database, redb::DatabaseError> {
    let file = std::fs::File::options().read(true).write(true).open(path)?;
    redb::Builder::new().create_with_backend(file::StoreFile::new(file, true)?)
}

pub use store::RedbStore;
