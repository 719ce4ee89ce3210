//! Calls that fail, one after the other, under a life on SQLite.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::*;
use staleness_conformance::life::{Life, Met, Reference, kind, stride};
use staleness_core::store::StoreError;
use staleness_faults::{Fails, Plan, fail, heal, install};
use staleness_sqlite::SqliteStore;

/// Turns of the life that are lived: every verb once, and some again.
const TURNS: usize = 15;

/// Tries a turn under a plan: returns the number of calls that failed, and what the open store said.
fn attempt(
    folder: &Path,
    turn: usize,
    plan: Plan,
) -> (u64, Result<(), StoreError>, Option<SqliteStore>) {
    fail(plan);
    let opened = open(folder);
    let (done, store) = match opened {
        Ok(store) => (LIFE.turn(&registry(&store), turn as u64).map(drop), Some(store)),
        Err(error) => (Err(error), None),
    };
    (heal(), done, store)
}

/// Fails calls of every turn at a stride, in the way that `plan` says for the number of the call.
fn fail_everywhere(plan: impl Fn(u64) -> Plan) -> (usize, Met) {
    install();
    let reference = Reference::of(LIFE, TURNS as u64);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut begins = BTreeMap::new();
    let (mut tried, mut met) = (0, Met::new());
    for turn in 0..TURNS {
        let (before, end) = (reference.before(turn), reference.ends[turn]);
        for call in (turn as u64 % 3..).step_by(stride()) {
            lay_out(folder, &begins);
            let (failed, done, store) = attempt(folder, turn, plan(call));
            if failed == 0 {
                done.unwrap();
                break;
            }
            tried += 1;
            let told = format!("turn {turn}, call {call}: {done:?}");
            if let Err(error) = &done {
                *met.entry(kind(error)).or_default() += 1;
            }
            // The store that met the error is as good as one that is opened anew.
            let store = store.unwrap_or_else(|| {
                open(folder).unwrap_or_else(|error| panic!("{told}: {error:?}"))
            });
            let view = everything(&store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
            let at = reference.find(&view, before, end).unwrap_or_else(|| panic!("{told}"));
            check(&store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
            match &done {
                Ok(()) => assert_eq!(at, end, "{told}"),
                Err(StoreError::Unknown(_)) => {}
                // A turn of one step: what says that it was not done was not done.
                Err(_) if Life::is_one_step(turn as u64) => assert_eq!(at, before, "{told}"),
                Err(_) => {}
            }
            if at < end {
                LIFE.turn(&registry(&store), turn as u64)
                    .unwrap_or_else(|error| panic!("{told}: {error:?}"));
            }
            drop(store);
            let store = open(folder).unwrap_or_else(|error| panic!("{told}: {error:?}"));
            let view = everything(&store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
            assert_eq!(reference.find(&view, end, end), Some(end), "{told}: done again");
            check(&store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
        }
        begins = files(folder);
    }
    println!("{tried} calls failed: {met:?}");
    (tried, met)
}

#[test]
fn a_call_that_fails_once_leaves_the_turn_done_or_undone() {
    let (tried, met) = fail_everywhere(|after| Plan { after, times: 1, fails: Fails::Device });
    assert!(tried > 300 / stride(), "{tried}");
    assert!(met.contains_key("unknown"), "{met:?}");
    assert!(!met.contains_key("corrupt") && !met.contains_key("not a store"), "{met:?}");
}

#[test]
fn a_device_that_is_gone_leaves_the_turn_done_or_undone() {
    let gone = |after| Plan { after, times: u64::MAX, fails: Fails::Device };
    let (tried, met) = fail_everywhere(gone);
    assert!(tried > 300 / stride(), "{tried}");
    assert!(!met.contains_key("corrupt") && !met.contains_key("not a store"), "{met:?}");
}

#[test]
fn b13_a_full_disk_is_told_as_one_and_leaves_the_turn_undone() {
    let full = |after| Plan { after, times: u64::MAX, fails: Fails::Full };
    let (tried, met) = fail_everywhere(full);
    assert!(tried > 50 / stride(), "{tried}");
    assert!(met.keys().eq(&["full"]), "{met:?}");
}
