//! Tests with disk failures and power cuts at every read, write and sync in a sequence of mixed operations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use staleness_conformance::disk::{Did, Disk, Draws, Keeps};
use staleness_conformance::life::{Life, Met, Reference, kind, stride};
use staleness_core::store::{RegistryStore, Selection, StoreError, View};
use staleness_core::{Policy, Registry};

use super::tests::{Plan, fail, heal};
use crate::{OpenOptions, RedbStore};

const LIFE: Life = Life(1);
/// Number of turns: each operation once, and one of them again.
const TURNS: usize = 15;
const NAME: &str = "registry.redb";

fn open(folder: &Path) -> Result<RedbStore, StoreError> {
    RedbStore::open(folder.join(NAME), OpenOptions::default())
}

fn registry(store: &RedbStore) -> Registry {
    Registry::new(Arc::new(store.clone()), Policy::default())
}

fn everything(store: &RedbStore) -> Result<View, StoreError> {
    pollster::block_on(store.view(Arc::new(Selection::everything())))
}

fn check(store: &RedbStore) -> Result<(), StoreError> {
    pollster::block_on(store.check())
}

/// Returns the number of the state between `from` and `to` in which the store is. Panics if it is in none of them, or
/// is damaged.
#[track_caller]
fn found(store: &RedbStore, reference: &Reference, from: usize, to: usize, told: &str) -> usize {
    check(store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
    let view = everything(store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
    reference
        .find(&view, from, to)
        .unwrap_or_else(|| panic!("{told}: not a state from {from} to {to}: {}", view.revision))
}

/// The power is cut after every n-th write. The store is created on an intact disk.
#[test]
fn a_power_cut_takes_no_commit_that_was_acknowledged_and_leaves_a_whole_store() {
    let reference = Reference::of(LIFE, TURNS as u64);
    let folder = tempfile::tempdir().unwrap();
    let cut = tempfile::tempdir().unwrap();
    let mut draws = Draws(1);
    let mut lost = BTreeMap::new();
    let store = open(folder.path()).unwrap();
    // A new store is moved into place when complete: see `open.rs`.
    let mut disk = Disk::with([(NAME.to_owned(), fs::read(folder.path().join(NAME)).unwrap())]);
    for turn in 0..TURNS {
        fail(Plan::NOTHING);
        LIFE.turn(&registry(&store), turn as u64).unwrap();
        let (log, _) = heal();
        let (before, end) = (reference.before(turn), reference.ends[turn]);
        let events = log.len();
        for (number, did) in log.into_iter().enumerate() {
            disk.take(NAME, did);
            let acknowledged = if number + 1 == events { end } else { before };
            if (turn + number) % stride() > 0 && number + 1 < events {
                continue;
            }
            for keeps in Keeps::ALL {
                let told = format!("turn {turn}, event {number}, keeps {keeps:?}");
                let image = &disk.after_power_cut(keeps, &mut draws)[NAME];
                fs::write(cut.path().join(NAME), image).unwrap();
                let store = open(cut.path()).unwrap_or_else(|error| panic!("{told}: {error:?}"));
                let at = found(&store, &reference, acknowledged, end, &told);
                *lost.entry(acknowledged.saturating_sub(at)).or_insert(0) += 1;
            }
        }
    }
    println!("cuts by how many commits were lost: {lost:?}");
    assert!(lost[&0] > 1_000 / stride(), "{lost:?}");
}

/// Fails every n-th call of each turn, as `plan` specifies for the number of the call.
fn fail_everywhere(plan: impl Fn(u64) -> Plan) -> (usize, Met) {
    let reference = Reference::of(LIFE, TURNS as u64);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAME);
    let (mut tried, mut met) = (0, Met::new());
    let mut begins: Option<Vec<u8>> = None;
    for turn in 0..TURNS {
        let (before, end) = (reference.before(turn), reference.ends[turn]);
        for call in (turn as u64 % 3..).step_by(stride()) {
            match &begins {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => drop(fs::remove_file(&path)),
            }
            let planned = plan(call);
            fail(planned);
            let opened = open(folder.path());
            let done = match &opened {
                Ok(store) => LIFE.turn(&registry(store), turn as u64).map(drop),
                Err(_) => Ok(()),
            };
            let missed = heal().1 == planned.times;
            // The store that had the error must work as well as a newly opened one.
            let (done, store) = match opened {
                Ok(store) => (done, store),
                Err(error) => (Err(error), open(folder.path()).unwrap()),
            };
            if missed {
                done.unwrap();
                break;
            }
            tried += 1;
            let told = format!("turn {turn}, call {call}: {done:?}");
            let at = found(&store, &reference, before, end, &told);
            match &done {
                Ok(()) => assert_eq!(at, end, "{told}"),
                Err(error) => {
                    *met.entry(kind(error)).or_default() += 1;
                    // For a turn of a single step, an error other than `Unknown` means that nothing was done.
                    if !matches!(error, StoreError::Unknown(_)) && Life::is_one_step(turn as u64) {
                        assert_eq!(at, before, "{told}");
                    }
                }
            }
            if at < end {
                let again = LIFE.turn(&registry(&store), turn as u64);
                again.unwrap_or_else(|error| panic!("{told}: {error:?}"));
            }
            found(&store, &reference, end, end, &told);
        }
        begins = Some(fs::read(&path).unwrap());
    }
    println!("{tried} calls failed: {met:?}");
    (tried, met)
}

#[test]
fn a_call_that_fails_once_leaves_the_turn_done_or_undone() {
    let (tried, met) = fail_everywhere(|after| Plan { after, times: 1, reads: true });
    assert!(tried > 300 / stride(), "{tried}");
    assert!(met.contains_key("unknown") && !met.contains_key("corrupt"), "{met:?}");
}

#[test]
fn a_device_that_is_gone_leaves_the_turn_done_or_undone() {
    let (tried, met) = fail_everywhere(|after| Plan { after, times: u64::MAX, reads: true });
    assert!(tried > 300 / stride(), "{tried}");
    assert!(met.contains_key("unknown") && !met.contains_key("corrupt"), "{met:?}");
}

/// The disk is still full when the commit is rolled back.
#[test]
fn a_full_disk_is_told_as_one_and_leaves_the_turn_done_or_undone() {
    let (tried, met) = fail_everywhere(|after| Plan { after, times: u64::MAX, reads: false });
    assert!(tried > 100 / stride(), "{tried}");
    assert!(met.keys().all(|kind| ["full", "unknown"].contains(kind)), "{met:?}");
}

/// Checks the harness: on a disk that ignores syncs, data must be lost.
#[test]
fn a_disk_that_lies_about_syncs_is_found_out() {
    let reference = Reference::of(LIFE, 3);
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let mut disk = Disk::with([(NAME.to_owned(), fs::read(folder.path().join(NAME)).unwrap())]);
    fail(Plan::NOTHING);
    for turn in 0..3 {
        LIFE.turn(&registry(&store), turn).unwrap();
    }
    heal().0.into_iter().filter(|did| *did != Did::Sync).for_each(|did| disk.take(NAME, did));
    fs::write(folder.path().join(NAME), &disk.after_power_cut(Keeps::Nothing, &mut Draws(1))[NAME])
        .unwrap();
    assert_eq!(found(&store, &reference, 0, reference.ends[2], "nothing was synced"), 0);
}
