//! The registry in Postgres, shared by many machines.
//!
//! ```no_run
//! use std::sync::Arc;
//! use staleness_core::store::{RegistryStore, Selection};
//! use staleness_postgres::{OpenOptions, PostgresStore};
//!
//! let url = "postgres://registry@db.example/staleness?workspace=team";
//! let store = PostgresStore::open(url, OpenOptions::new())?;
//! let view = pollster::block_on(store.view(Arc::new(Selection::everything())))?;
//! assert!(view.is_empty());
//! # Ok::<(), staleness_core::store::StoreError>(())
//! ```
//!
//! # How it works
//!
//! - A database holds any number of workspaces, each a registry of its own; every table and index
//!   begins with the workspace, and row-level security keeps a connection to its own.
//! - A step is one READ COMMITTED transaction that takes advisory locks on what it selects, in one
//!   order, before it reads: see `locks.rs`. It takes two round trips: begin, lock and read; write and
//!   commit. A step that asks to see more begins again with the union: see `looks.rs`.
//! - A query is one REPEATABLE READ transaction: it sees one snapshot, waits for nobody, and nobody
//!   waits for it. It takes a round trip for each look.
//! - [`Durability::Normal`](staleness_core::store::Durability::Normal) does not wait for the log of
//!   the server (`synchronous_commit = off`), unless it writes to the journal;
//!   [`Durability::Full`](staleness_core::store::Durability::Full) does whatever the server's
//!   configuration says, a standby included, and waits for the log where that says nothing.
//! - Nothing is waited for without end: see [`OpenOptions::busy_timeout`].
//! - The connections live on a thread of the store's own, so it works under any executor, or none.
//!
//! The tables are documented in the source, in `schema.rs`.

mod cells;
mod check;
mod collections;
mod error;
mod flight;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod inner;
mod locks;
mod looks;
mod notices;
mod open;
mod options;
mod pages;
mod patience;
mod pool;
mod schema;
mod store;
mod table;
mod tls;
mod transaction;
mod url;
mod values;

pub use options::OpenOptions;
pub use store::PostgresStore;
