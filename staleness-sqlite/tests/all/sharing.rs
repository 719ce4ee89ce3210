//! Threads and processes that share one store.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::*;
use staleness_core::store::{RegistryStore, StoreError};
use staleness_sqlite::{OpenOptions, SqliteStore};

#[test]
fn all_who_create_it_at_once_get_the_same_store() {
    let (_folder, path) = fresh();
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for one in 0..8 {
            let (start, path) = (&start, &path);
            scope.spawn(move || {
                start.wait();
                transact(&open(path), use_tool("t", one)).unwrap();
            });
        }
    });
    let store = open(&path);
    let view = everything(&store).unwrap();
    assert_eq!(view.outcomes.len(), 8);
    assert_eq!(view.tools[&key("t")].uses, 8);
    check(&store).unwrap();
}

#[test]
fn a_store_that_is_held_is_busy_and_then_free() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let impatient =
        SqliteStore::open(&path, OpenOptions::new().busy_timeout(Duration::ZERO)).unwrap();
    let second = impatient.clone();
    let outer = step(move |draft| {
        // The first one is in the middle of its step.
        assert!(matches!(transact(&second, use_tool("b", 2)), Err(StoreError::Busy)));
        // Readers are not held up.
        assert_eq!(everything(&second).unwrap().tools.len(), 1);
        draft.append_journal(entry("a"));
    });
    transact(&store, outer).unwrap();
    transact(&impatient, use_tool("b", 2)).unwrap();
}

#[test]
fn a_program_without_the_lock_makes_it_busy_too() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let store = SqliteStore::open(&path, OpenOptions::new().busy_timeout(Duration::ZERO)).unwrap();
    let other = raw(&path);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::Busy)));
    other.execute_batch("ROLLBACK").unwrap();
    transact(&store, use_tool("b", 2)).unwrap();
}

#[test]
fn a_refused_or_failed_step_leaves_the_store_usable() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let before = everything(&store).unwrap();
    let panics = step(|_| panic!("inside a step"));
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = transact(&store, panics);
    }));
    assert!(unwound.is_err());
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

#[test]
fn a_backup_is_whole_while_others_write() {
    let (folder, path) = fresh();
    let store = open(&path);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut op = 0;
            while !done.load(Ordering::SeqCst) {
                op += 1;
                transact(&store, use_tool("t", op)).unwrap();
            }
            op
        });
        let mut last = 0;
        for round in 0..10 {
            let copy = folder.path().join(format!("copy{round}.db"));
            pollster::block_on(store.backup(&copy)).unwrap();
            let copy = open(&copy);
            check(&copy).unwrap();
            let view = everything(&copy).unwrap();
            let uses = view.tools.get(&key("t")).map_or(0, |tool| tool.uses);
            assert_eq!(uses, view.outcomes.len() as u64);
            assert!(uses >= last);
            last = uses;
        }
        done.store(true, Ordering::SeqCst);
        assert!(writer.join().unwrap() >= last);
    });
}

#[test]
fn a_failed_backup_leaves_nothing() {
    let (folder, path) = fresh();
    let store = filled(&path);
    let error = pollster::block_on(store.backup(&path)).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    let nowhere = folder.path().join("no/copy.db");
    let error = pollster::block_on(store.backup(&nowhere)).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    check(&store).unwrap();
    assert_eq!(files(folder.path()).len(), 4);
}

/// The part of a child process: begins a step, says so, and never ends it.
#[test]
fn child() {
    let Ok(path) = std::env::var("STALENESS_SQLITE_CHILD") else { return };
    let store = SqliteStore::open(&path, OpenOptions::new()).unwrap();
    let stuck = step(|draft| {
        draft.put(tool("half"));
        println!("\nbegun");
        std::io::stdout().flush().unwrap();
        let mut line = String::new();
        let _ = std::io::stdin().read_line(&mut line);
    });
    let _ = transact(&store, stuck);
}

#[test]
fn a_process_that_dies_in_a_step_leaves_no_trace() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let before = everything(&store).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sharing::child", "--nocapture"])
        .env("STALENESS_SQLITE_CHILD", &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "begun"));
    let impatient =
        SqliteStore::open(&path, OpenOptions::new().busy_timeout(Duration::ZERO)).unwrap();
    assert!(matches!(transact(&impatient, use_tool("b", 2)), Err(StoreError::Busy)));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(everything(&store).unwrap(), before);
    transact(&store, use_tool("b", 2)).unwrap();
}
