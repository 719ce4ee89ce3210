//! Threads and processes that take turns at one store.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use crate::support::*;
use staleness_core::store::{RegistryStore, Selection, StoreError};
use staleness_redb::{OpenOptions, RedbStore};

const IMPATIENT: OpenOptions = OpenOptions::new().busy_timeout(Duration::ZERO);

#[test]
fn all_who_create_it_at_once_get_the_same_store() {
    let (folder, path) = fresh();
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
    assert_eq!(everything(&store).unwrap().tools[&key("t")].uses, 8);
    check(&store).unwrap();
    assert_eq!(files(folder.path()).len(), 2);
}

#[test]
fn whoever_holds_it_makes_it_busy_for_everybody() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let impatient = RedbStore::open(&path, IMPATIENT).unwrap();
    let busy = move |store: &RedbStore| {
        assert!(matches!(transact(store, use_tool("b", 2)), Err(StoreError::Busy)));
        assert!(matches!(everything(store), Err(StoreError::Busy)));
        assert!(matches!(check(store), Err(StoreError::Busy)));
    };
    // A step, and a visitor, that use the store they work for end the same way.
    let second = impatient.clone();
    transact(
        &store,
        step(move |draft| {
            busy(&second);
            draft.append_journal(entry("a"));
        }),
    )
    .unwrap();
    let mut visits = 0;
    pollster::block_on(store.pages(&Selection::everything(), &mut |_| {
        visits += 1;
        busy(&impatient);
        ControlFlow::Continue(())
    }))
    .unwrap();
    assert_eq!(visits, 3);
    transact(&impatient, use_tool("b", 2)).unwrap();
}

#[test]
fn a_program_without_the_lock_makes_it_busy_too() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let store = RedbStore::open(&path, IMPATIENT).unwrap();
    let other = staleness_redb::database(&path).unwrap();
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::Busy)));
    assert!(matches!(everything(&store), Err(StoreError::Busy)));
    drop(other);
    transact(&store, use_tool("b", 2)).unwrap();
}

/// So is a process that was killed: the system closes its files in turn, and the lock before the database.
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

#[test]
fn a_panic_in_a_step_leaves_the_store_as_it_was() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let before = everything(&store).unwrap();
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = transact(&store, step(|_| panic!("inside a step")));
    }));
    assert!(unwound.is_err());
    assert_eq!(everything(&store).unwrap(), before);
    transact(&store, use_tool("b", 2)).unwrap();
    check(&store).unwrap();
}

/// The part of a child process: begins a step, says so, and never ends it.
#[test]
fn child() {
    let Ok(path) = std::env::var("STALENESS_REDB_CHILD") else { return };
    let store = RedbStore::open(&path, OpenOptions::new()).unwrap();
    transact(&store, use_tool("a", 50)).unwrap();
    let stuck = step(|draft| {
        draft.put(tool("half"));
        println!("\nbegun");
        std::io::stdout().flush().unwrap();
        let mut line = String::new();
        let _ = std::io::stdin().read_line(&mut line);
    });
    let _ = transact(&store, stuck);
}

fn stuck_child(path: &std::path::Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sharing::child", "--nocapture"])
        .env("STALENESS_REDB_CHILD", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "begun"));
    child
}

#[test]
fn a_killed_process_leaves_what_it_was_told_and_nothing_else() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let mut child = stuck_child(&path);
    let impatient = RedbStore::open(&path, IMPATIENT);
    assert!(matches!(impatient, Err(StoreError::Busy)));
    child.kill().unwrap();
    child.wait().unwrap();
    // Nothing was left to do at closing: a kill and an end leave the same bytes.
    let killed = std::fs::read(&path).unwrap();
    let view = everything(&store).unwrap();
    assert_eq!((view.tools.len(), view.outcomes.len()), (1, 2));
    check(&store).unwrap();
    assert!(std::fs::read(&path).unwrap() == killed);
    transact(&store, use_tool("b", 2)).unwrap();
    check(&store).unwrap();
}

#[test]
fn a_failed_backup_leaves_nothing() {
    let (folder, path) = fresh();
    let store = filled(&path);
    for target in [path.clone(), folder.path().join("no/copy.redb")] {
        let error = pollster::block_on(store.backup(&target)).unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    }
    check(&store).unwrap();
    assert_eq!(files(folder.path()).len(), 2);
}
