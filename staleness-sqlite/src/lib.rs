//! The registry in one SQLite file, shared by many processes.
//!
//! ```
//! use std::sync::Arc;
//! use staleness_core::store::{RegistryStore, Selection};
//! use staleness_sqlite::{OpenOptions, SqliteStore};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("registry.db");
//! let store = SqliteStore::open(&path, OpenOptions::new())?;
//! let view = pollster::block_on(store.view(Arc::new(Selection::everything())))?;
//! assert!(view.is_empty());
//! # Ok::<(), staleness_core::store::StoreError>(())
//! ```
//!
//! # How it works
//!
//! - The database is in write-ahead mode. A step takes its turn at a fair file lock, then runs in
//!   one `BEGIN IMMEDIATE` transaction. Readers run in one deferred transaction: they see one
//!   snapshot, wait for nobody, and nobody waits for them.
//! - [`Durability::Full`](staleness_core::store::Durability::Full) syncs the log with every commit;
//!   [`Durability::Normal`](staleness_core::store::Durability::Normal) leaves that to the next
//!   trimming of the log.
//! - With the feature `tokio` and inside a tokio runtime, the work is done on the runtime's blocking
//!   threads, so that its own are never blocked. Otherwise the futures block, and never wait. A
//!   future that is dropped does not stop work that has begun: ask again with the same op id.
//!
//! # Files that may only be read
//!
//! [`OpenOptions::read_only`] never writes to the store; a file that may not be written to is opened
//! the same way. SQLite still has to create `<path>-shm` to read a store in write-ahead mode, so a
//! store in a folder that may not be written to can be read while another process has it open, or
//! when it is a [backup](staleness_core::store::RegistryStore::backup), which needs no log.
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
