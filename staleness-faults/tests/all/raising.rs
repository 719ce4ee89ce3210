//! Stores of every older format, whose raising fails or is cut off at every call.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::*;
use rusqlite::Connection;
use staleness_conformance::disk::{Did, Disk, Draws, Keeps};
use staleness_core::store::View;
use staleness_faults::{Fails, Plan, fail, heal, install, seen, watch};

/// What each format added; one after the other they make a store of the last.
const FORMATS: [&str; 5] = [
    include_str!("../../../staleness-sqlite/tests/all/fixtures/format-1.sql"),
    include_str!("../../../staleness-sqlite/tests/all/fixtures/format-2.sql"),
    include_str!("../../../staleness-sqlite/tests/all/fixtures/format-3.sql"),
    include_str!("../../../staleness-sqlite/tests/all/fixtures/format-4.sql"),
    include_str!("../../../staleness-sqlite/tests/all/fixtures/format-5.sql"),
];

/// The files of a store of an older format, and what is in it when it was raised.
fn older(format: usize) -> (BTreeMap<String, Vec<u8>>, View) {
    let folder = tempfile::tempdir().unwrap();
    let conn = Connection::open(folder.path().join(NAME)).unwrap();
    for script in &FORMATS[..format] {
        conn.execute_batch(script).unwrap();
    }
    conn.close().unwrap();
    let before = files(folder.path());
    let store = open(folder.path()).unwrap();
    (before, everything(&store).unwrap())
}

/// The store opens, is raised, sound and whole.
#[track_caller]
fn is_whole(folder: &Path, expected: &View, told: &str) {
    let store = open(folder).unwrap_or_else(|error| panic!("{told}: {error:?}"));
    check(&store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
    let view = everything(&store).unwrap_or_else(|error| panic!("{told}: {error:?}"));
    assert!(view == *expected, "{told}: it holds something else");
}

#[test]
fn a_raising_that_fails_anywhere_is_done_by_the_next_opening() {
    install();
    let folder = tempfile::tempdir().unwrap();
    for format in 1..FORMATS.len() {
        let (before, expected) = older(format);
        let mut tried = 0;
        for (fails, times) in [(Fails::Device, 1), (Fails::Full, u64::MAX)] {
            for after in 0.. {
                lay_out(folder.path(), &before);
                fail(Plan { after, times, fails });
                let opened = open(folder.path()).map(drop);
                if heal() == 0 {
                    opened.unwrap();
                    break;
                }
                tried += 1;
                let told = format!("format {format}, call {after}: {opened:?}");
                is_whole(folder.path(), &expected, &told);
            }
        }
        assert!(tried > 50, "format {format}: {tried}");
    }
}

#[test]
fn a_raising_that_the_power_cut_off_is_done_by_the_next_opening() {
    install();
    let (folder, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut draws = Draws(1);
    for format in 1..FORMATS.len() {
        let (before, expected) = older(format);
        lay_out(folder.path(), &before);
        let mut disk = Disk::with(before);
        watch();
        drop(open(folder.path()).unwrap());
        let mut cuts = 0;
        for (number, event) in seen().into_iter().enumerate() {
            if event.file.is_empty() && event.did != Did::SyncFolder {
                continue;
            }
            disk.take(&event.file, event.did);
            for keeps in Keeps::ALL {
                lay_out(cut.path(), &disk.after_power_cut(keeps, &mut draws));
                let told = format!("format {format}, event {number}, keeps {keeps:?}");
                is_whole(cut.path(), &expected, &told);
                cuts += 1;
            }
        }
        assert!(cuts > 100, "format {format}: {cuts}");
    }
}
