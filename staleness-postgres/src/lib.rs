//! The registry in Postgres, shared by many machines.
//!
//! ```no_run
//! use std::sync::Arc;
//! use staleness_core::store::{RegistryStore, Selection};
//! use staleness_postgres::{OpenOptions, PostgresStore};
//!
//! let url = "postgres://registry@db.example/staleness?workspace=team";
//! let store = PostgresStore::open(url, OpenOptions::default())?;
//! let view = pollster::block_on(store.view(Arc::new(Selection::everything())))?;
//! assert!(view.is_empty());
//! # Ok::<(), staleness_core::store::StoreError>(())
//! ```
//!
//! # How it works
//!
//! - A database holds any number of workspaces, each a separate registry. All keys begin with the workspace, and
//!   row-level security restricts a connection to one workspace.
//! - A step is one READ COMMITTED transaction. Before reading, it takes advisory locks on its selection, in a
//!   fixed order: see `locks.rs`. It takes two round trips: begin, lock and read; write and commit. A step that
//!   requests more data restarts with all its selections: see `looks.rs`.
//! - A query is one REPEATABLE READ transaction on one snapshot. It neither waits for steps nor blocks them. It
//!   takes one round trip per look.
//! - [`Durability::Normal`](staleness_core::store::Durability::Normal) does not wait for the server's log
//!   (`synchronous_commit = off`), unless the step writes to the journal.
//!   [`Durability::Full`](staleness_core::store::Durability::Full) uses the server's setting, which may include a
//!   standby, but always waits for the log.
//! - All waits have a limit: see [`OpenOptions::busy_timeout`].
//! - Connections run on a thread of the store, so any executor works, or none.
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
