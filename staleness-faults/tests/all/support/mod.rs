//! Support of the tests: folders of files, and a life in a store.

#![allow(unreachable_pub, reason = "for the tests beside it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use staleness_conformance::life::{Life, Reference};
pub use staleness_conformance::support::{check, everything};
use staleness_core::store::{Durability, StoreError};
use staleness_core::{Policy, Registry};
use staleness_sqlite::{OpenOptions, SqliteStore};

/// The life that is lived in every test.
pub const LIFE: Life = Life(1);

/// The name of the store's file.
pub const NAME: &str = "registry.db";

pub fn open(folder: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(folder.join(NAME), OpenOptions::default())
}

pub fn registry(store: &SqliteStore) -> Registry {
    Registry::new(Arc::new(store.clone()), Policy::default())
}

/// The files of a folder, but for the lock and the index of the log.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = staleness_conformance::support::files(folder).into_iter();
    all.filter(|(name, _)| !name.ends_with(".lock") && !name.ends_with("-shm")).collect()
}

/// Makes a folder hold these files and no others.
pub fn lay_out(folder: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

/// The last state up to this one that had to survive a power cut.
pub fn surely(reference: &Reference, up_to: usize) -> usize {
    let full = |at: &usize| reference.states[*at].durability == Durability::Full;
    (0..=up_to).rev().find(full).unwrap()
}
