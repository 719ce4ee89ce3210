//! The registry in one SQLite file, shared by many processes.

mod options;
mod store;

pub use options::OpenOptions;
pub use store::SqliteStore;
