//! Stores of their own for tests.

#![allow(unreachable_pub, reason = "the tests use it by a glob")]

use std::path::{Path, PathBuf};

pub use staleness_conformance::support::*;
use staleness_sqlite::{OpenOptions, SqliteStore};
use tempfile::TempDir;

/// A temporary folder and a path in it where nothing is yet.
pub fn fresh() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    (folder, path)
}

/// A connection of SQLite's own that may change a store, since it writes checksums. A store must have
/// been opened before in this process.
pub fn raw(path: &Path) -> rusqlite::Connection {
    let flags = rusqlite::OpenFlags::default();
    rusqlite::Connection::open_with_flags_and_vfs(path, flags, "staleness").unwrap()
}

/// Opens or creates a store.
pub fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, OpenOptions::default()).unwrap()
}

/// A store with one row in every table but projects and sources.
pub fn filled(path: &Path) -> SqliteStore {
    let store = open(path);
    fill(&store);
    store
}
