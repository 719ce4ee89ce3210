//! The registry in one redb file: pure Rust, no C compiler; processes take turns.
//!
//! ```
//! use std::sync::Arc;
//! use staleness_core::store::{RegistryStore, Selection};
//! use staleness_redb::{OpenOptions, RedbStore};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("registry.redb");
//! let store = RedbStore::open(&path, OpenOptions::new())?;
//! let view = pollster::block_on(store.view(Arc::new(Selection::everything())))?;
//! assert!(view.is_empty());
//! # Ok::<(), staleness_core::store::StoreError>(())
//! ```
//!
//! # How it works
//!
//! - redb locks its file for one process at a time, readers included, and does not wait. So
//!   everything that is done with a store takes its turn at a fair file lock, opens the database,
//!   works, and closes it. Nobody holds the file between two steps.
//! - A reader writes nothing: what redb would write to a file that it opens stays in memory. A file
//!   that may not be written to can be read, checked and copied.
//! - Every commit saves redb's allocator state and is made in two phases, so an opening after a kill
//!   or a power cut costs the same as any other.
//! - A commit is synced before it is acknowledged, whatever
//!   [`Durability`](staleness_core::store::Durability) a step asks for.
//! - A [`Step`](staleness_core::store::Step), a [`Query`](staleness_core::store::Query) or a visitor
//!   of pages that uses the store itself waits for its own turn, in vain.
//! - Every page of the file has a checksum, which is compared before redb sees the page: a damaged file
//!   is [`StoreError::Corrupt`](staleness_core::store::StoreError::Corrupt). A panic of a step goes on,
//!   after the file was closed.
//! - With the feature `tokio` and inside a tokio runtime, the work is done on the runtime's blocking
//!   threads, so that its own are never blocked. Otherwise the futures block, and never wait. A
//!   future that is dropped does not stop work that has begun: ask again with the same op id.
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

/// The database in the file of a store, for tests that damage it. No part of the API: it may change or go
/// with any release.
///
/// # Errors
/// Errors of redb or the system.
#[doc(hidden)]
pub fn database(path: &std::path::Path) -> Result<redb::Database, redb::DatabaseError> {
    let file = std::fs::File::options().read(true).write(true).open(path)?;
    redb::Builder::new().create_with_backend(file::StoreFile::new(file, true)?)
}

pub use store::RedbStore;
