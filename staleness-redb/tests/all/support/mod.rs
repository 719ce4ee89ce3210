//! Stores of their own for tests.

#![allow(unreachable_pub, reason = "the tests use it by a glob")]

use std::path::{Path, PathBuf};

pub use staleness_conformance::support::*;
use staleness_redb::{OpenOptions, RedbStore};
use tempfile::TempDir;

/// A temporary folder and a path in it where nothing is yet.
pub fn fresh() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.redb");
    (folder, path)
}

/// Opens or creates a store.
pub fn open(path: &Path) -> RedbStore {
    RedbStore::open(path, OpenOptions::default()).unwrap()
}

/// A store with one row in every table but projects and sources.
pub fn filled(path: &Path) -> RedbStore {
    let store = open(path);
    fill(&store);
    store
}
