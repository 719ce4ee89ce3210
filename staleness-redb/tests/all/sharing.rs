//! Programs that take turns at one store by redb's own means.

use std::time::Duration;

use crate::support::*;
use staleness_core::store::StoreError;
use staleness_redb::{OpenOptions, RedbStore};

#[test]
fn a_program_without_the_lock_makes_it_busy_too() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let store = RedbStore::open(
        &path,
        OpenOptions { busy_timeout: Duration::ZERO, ..OpenOptions::default() },
    )
    .unwrap();
    let other = staleness_redb::database(&path).unwrap();
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::Busy)));
    assert!(matches!(everything(&store), Err(StoreError::Busy)));
    drop(other);
    transact(&store, use_tool("b", 2)).unwrap();
}

/// Waits for a process that was killed, too: the system closes its files in turn, and the lock before the database.
#[test]
fn who_has_it_open_without_the_lock_is_waited_for() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    for round in 2..50 {
        let other = staleness_redb::database(&path).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| transact(&store, use_tool("b", round)));
            drop(other);
            waiting.join().unwrap().unwrap();
        });
    }
}
