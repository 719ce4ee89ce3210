//! The registry in one SQLite file, shared by many processes.
//!
//! ```
//! use std::sync::Arc;
//! use staleness_core::store::{RegistryStore, Selection};
//! use staleness_sqlite::{OpenOptions, SqliteStore};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("registry.db");
//! let store = SqliteStore::open(&path, OpenOptions::default())?;
//! let view = pollster::block_on(store.view(Arc::new(Selection::everything())))?;
//! assert!(view.is_empty());
//! # Ok::<(), staleness_core::store::StoreError>(())
//! ```
//!
//! # How it works
//!
//! - The database is in write-ahead mode. A step takes a fair file lock and runs in one `BEGIN IMMEDIATE` transaction.
//!   A reader runs in one deferred transaction on one snapshot. Readers never wait, and nobody waits for them.
//! - [`Durability::Full`](staleness_core::store::Durability::Full) syncs the log with every commit.
//!   [`Durability::Normal`](staleness_core::store::Durability::Normal) leaves this to the next trimming of the log.
//! - With the feature `tokio` and inside a tokio runtime, work runs on the runtime's blocking threads. Otherwise the
//!   futures block and are ready immediately. Dropping a future does not stop work that has begun: retry with the same
//!   op id.
//!
//! # Read-only files
//!
//! [`OpenOptions::read_only`] never writes to the store. A read-only file is opened the same way. SQLite must still
//! create `<path>-shm` to read a store in write-ahead mode. A store in a read-only folder can therefore be read only
//! while another process has it open, or if it is a [backup](staleness_core::store::RegistryStore::backup), which
//! needs no log.
//!
//! The format of the file is documented in the source, in `schema.rs`.

mod cells;
mod check;
mod checksum;
mod collections;
mod connection;
mod error;
mod inner;
mod open;
mod pages;
mod pool;
mod schema;
mod shrink;
mod store;
mod transaction;
mod wal;

pub use staleness_lock::OpenOptions;
pub use store::SqliteStore;
