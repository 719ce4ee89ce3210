//! Programs that share one store by SQLite's own means.

use std::time::Duration;

use crate::support::*;
use staleness_core::store::StoreError;
use staleness_sqlite::{OpenOptions, SqliteStore};

#[test]
fn a_program_without_the_lock_makes_it_busy_too() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let store = SqliteStore::open(
        &path,
        OpenOptions { busy_timeout: Duration::ZERO, ..OpenOptions::default() },
    )
    .unwrap();
    let other = raw(&path);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::Busy)));
    other.execute_batch("ROLLBACK").unwrap();
    transact(&store, use_tool("b", 2)).unwrap();
}

#[test]
fn a_step_that_fails_while_it_is_written_leaves_the_store_usable() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let before = everything(&store).unwrap();
    // A row that breaks a key fails in the middle of writing.
    let conn = raw(&path);
    conn.execute_batch(
        "CREATE TRIGGER no BEFORE INSERT ON journal BEGIN SELECT raise(ABORT, 'no'); END",
    )
    .unwrap();
    let half = step(|draft| {
        draft.put(tool("half"));
        draft.append_outcome(outcome("half", 5));
        draft.append_journal(entry("half"));
    });
    assert!(matches!(transact(&store, half), Err(StoreError::Backend(_))));
    conn.execute_batch("DROP TRIGGER no").unwrap();
    assert_eq!(everything(&store).unwrap(), before);
    transact(&store, use_tool("b", 2)).unwrap();
    transact(&open(&path), use_tool("b", 3)).unwrap();
}
