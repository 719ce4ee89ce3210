//! Files of older formats: the commit that raises one fails, or the power is cut, at every call.

use std::fs;
use std::path::{Path, PathBuf};

use staleness_conformance::disk::{Disk, Draws, Keeps};
use staleness_core::store::{Durability, Selection, StoreError, View};

use super::tests::{Plan, Use, fail, heal};
use crate::OpenOptions;
use crate::inner::Inner;

#[path = "../tests/all/support/dump.rs"]
mod dump;

const NAME: &str = "registry.redb";
const NEWEST: u64 = 5;

const OLDER: [(u64, &str); 4] = [
    (1, include_str!("../tests/all/fixtures/format-1.txt")),
    (2, include_str!("../tests/all/fixtures/format-2.txt")),
    (3, include_str!("../tests/all/fixtures/format-3.txt")),
    (4, include_str!("../tests/all/fixtures/format-4.txt")),
];

/// A file of an older format, and what is in it before and after the commit that raises it.
struct Older {
    format: u64,
    bytes: Vec<u8>,
    before: View,
    after: View,
}

fn open(path: &Path) -> Result<Inner, StoreError> {
    Inner::open(path, OpenOptions::new())
}

fn everything(path: &Path) -> Result<View, StoreError> {
    let store = open(path)?;
    store.check()?;
    store.view(&Selection::everything())
}

/// The first commit of this program.
fn raise(path: &Path) -> Result<(), StoreError> {
    open(path)?.transact(&Use { op: 7, durability: Durability::Full }).map(drop)
}

impl Older {
    fn of((format, dump): (u64, &str)) -> Self {
        let (_folder, path) = fresh();
        let bytes = dump::bytes_of(dump);
        fs::write(&path, &bytes).unwrap();
        let before = everything(&path).unwrap();
        assert_eq!(dump::format_of(&path), format);
        raise(&path).unwrap();
        assert_eq!(dump::format_of(&path), NEWEST);
        let after = everything(&path).unwrap();
        assert!(before != after);
        Self { format, bytes, before, after }
    }

    /// A sound store that is raised with all that was committed, or holds what it held in the format that
    /// it had; in the end it is raised. Whether it was.
    #[track_caller]
    fn is_whole(&self, path: &Path, told: &str) -> bool {
        let told = format!("format {}, {told}", self.format);
        let view = everything(path).unwrap_or_else(|error| panic!("{told}: {error:?}"));
        let raised = view == self.after;
        assert!(raised || view == self.before, "{told}: it holds something else");
        let format = if raised { NEWEST } else { self.format };
        assert_eq!(dump::format_of(path), format, "{told}");
        if !raised {
            raise(path).unwrap_or_else(|error| panic!("{told}: {error:?}"));
            assert!(
                everything(path).unwrap() == self.after,
                "{told}: it is raised to something else"
            );
        }
        raised
    }
}

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAME);
    (folder, path)
}

#[test]
fn a_raising_that_the_power_cut_off_is_done_by_the_next_commit() {
    let (_folder, path) = fresh();
    let (_cut_folder, cut) = fresh();
    let mut draws = Draws(1);
    for older in OLDER.map(Older::of) {
        fs::write(&path, &older.bytes).unwrap();
        fail(Plan::NOTHING);
        raise(&path).unwrap();
        let (log, _) = heal();
        let mut disk = Disk::with([(NAME.to_owned(), older.bytes.clone())]);
        let (events, mut raised, mut left) = (log.len(), 0, 0);
        for (number, did) in log.into_iter().enumerate() {
            disk.take(NAME, did);
            for keeps in Keeps::ALL {
                fs::write(&cut, &disk.after_power_cut(keeps, &mut draws)[NAME]).unwrap();
                let told = format!("event {number}, keeps {keeps:?}");
                let done = older.is_whole(&cut, &told);
                // It was acknowledged behind the last one.
                assert!(done || number + 1 < events, "format {}, {told}: lost", older.format);
                *if done { &mut raised } else { &mut left } += 1;
            }
        }
        println!("format {}: {raised} raised, {left} as they were", older.format);
        assert!(raised > 0 && left > 50, "format {}: {raised}, {left}", older.format);
    }
}

#[test]
fn a_raising_that_fails_anywhere_is_done_by_the_next_commit() {
    let (_folder, path) = fresh();
    for older in OLDER.map(Older::of) {
        let mut tried = 0;
        for (reads, times) in [(true, 1), (true, u64::MAX), (false, u64::MAX)] {
            for after in 0.. {
                fs::write(&path, &older.bytes).unwrap();
                fail(Plan { after, times, reads });
                let done = raise(&path);
                let (_, not_met) = heal();
                let told = format!("call {after} of {times}, reads {reads}: {done:?}");
                let raised = older.is_whole(&path, &told);
                match &done {
                    Ok(()) => assert!(raised, "format {}, {told}", older.format),
                    Err(StoreError::Unknown(_)) => {}
                    Err(_) => assert!(!raised, "format {}, {told}", older.format),
                }
                if not_met == times {
                    done.unwrap();
                    break;
                }
                tried += 1;
            }
        }
        println!("format {}: {tried} calls failed", older.format);
        assert!(tried > 30, "format {}: {tried}", older.format);
    }
}
