//! The write-ahead log stays short.

use std::fs;
use std::path::Path;

use crate::support::*;
use staleness_core::store::StoreError;
use staleness_sqlite::{OpenOptions, SqliteStore};

/// Bytes of a frame.
const FRAME: u64 = 24 + 4096;

fn frames(path: &Path) -> u64 {
    let log = path.with_file_name("registry.db-wal");
    log.metadata().unwrap().len() / FRAME
}

#[test]
fn short_lived_stores_keep_it_below_64_frames_and_a_commit() {
    let (_folder, path) = fresh();
    let mut longest = 0;
    for round in 0..1_200 {
        let store = open(&path);
        transact(&store, use_tool(&format!("t{}", round % 20), round)).unwrap();
        longest = longest.max(frames(&path));
        drop(store);
        assert!(frames(&path) < 64, "after round {round}");
    }
    assert!(longest < 64, "{longest}");
    assert_eq!(everything(&open(&path)).unwrap().outcomes.len(), 1_200);
}

#[test]
fn a_long_lived_store_trims_it_now_and_then_and_when_dropped() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let mut longest = 0;
    for round in 0..1_200 {
        transact(&store, use_tool("t", round)).unwrap();
        longest = longest.max(frames(&path));
    }
    assert!((64..1_000).contains(&longest), "{longest}");
    drop(store);
    assert!(frames(&path) < 64);
}

#[test]
fn a_reader_that_stays_stops_no_writer() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let reader = raw(&path);
    reader.execute_batch("BEGIN; SELECT * FROM meta").unwrap();
    for round in 0..100 {
        transact(&open(&path), use_tool("t", round)).unwrap();
    }
    assert!(frames(&path) >= 64);
    reader.execute_batch("COMMIT").unwrap();
    // Whoever commits next finds that nobody is in the way any more.
    transact(&open(&path), use_tool("t", 100)).unwrap();
    assert!(frames(&path) < 64);
}

/// Its pages have no checksums there, neither old nor added ones.
#[test]
fn a_store_stays_sound_when_another_program_moves_it_into_the_file() {
    let (_folder, path) = fresh();
    for round in 0..100 {
        transact(&open(&path), use_tool(&format!("t{}", round % 40), round))
            .unwrap_or_else(|err| panic!("round {round}: {err}"));
        let other = rusqlite::Connection::open(&path).unwrap();
        other.query_row("SELECT count(*) FROM tools", (), |row| row.get::<_, i64>(0)).unwrap();
        drop(other);
        assert!(!path.with_file_name("registry.db-wal").exists());
        assert_eq!(everything(&open(&path)).unwrap().outcomes.len() as u64, round + 1);
    }
}

fn describe(store: &SqliteStore, name: &str, text: &str) {
    let mut known = tool(name);
    known.description = Some(text.to_owned());
    transact(store, step(move |draft| draft.put(known.clone()))).unwrap();
}

/// Texts that do not fit into one page: of some the second one is full but for its last sector, or for less.
fn texts() -> impl Iterator<Item = String> {
    (3_900..4_100).step_by(8).map(|length| "x".repeat(length))
}

/// Overflow pages are full in part only, wherever a process of any age is killed.
#[test]
fn b5_pages_that_a_killed_process_added_and_another_program_moved_are_no_damage() {
    let (_folder, path) = fresh();
    let store = open(&path);
    for round in 0..100 {
        transact(&store, use_tool("t", round)).unwrap();
    }
    for text in texts() {
        describe(&store, &format!("long{}", text.len()), &text);
        let (_place, copy) = fresh();
        let beside = |path: &Path| path.with_file_name("registry.db-wal");
        fs::copy(&path, &copy).unwrap();
        fs::copy(beside(&path), beside(&copy)).unwrap();
        let other = rusqlite::Connection::open(&copy).unwrap();
        other.query_row("SELECT count(*) FROM tools", (), |row| row.get::<_, i64>(0)).unwrap();
        drop(other);
        assert!(!beside(&copy).exists());
        let read = everything(&open(&copy)).unwrap();
        assert!(read.tools.values().any(|tool| tool.description.as_ref() == Some(&text)));
    }
}

/// A page that ends in zeros is moved as soon as the reader that was in the way is gone.
#[test]
fn a_reader_delays_what_another_program_must_not_move_and_no_more() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let store = open(&path);
    let reader = raw(&path);
    reader.execute_batch("BEGIN; SELECT * FROM meta").unwrap();
    for text in texts() {
        describe(&store, &format!("long{}", text.len()), &text);
    }
    assert_ne!(frames(&path), 0);
    reader.execute_batch("COMMIT").unwrap();
    drop(reader);
    transact(&store, use_tool("t", 1)).unwrap();
    assert_eq!(frames(&path), 0, "the next commit moves it, however old the store is");
    drop(store);
    assert_eq!(frames(&path), 0);
    drop(rusqlite::Connection::open(&path).unwrap());
    let read = everything(&open(&path)).unwrap();
    let read: Vec<_> = read.tools.values().filter_map(|tool| tool.description.clone()).collect();
    assert!(texts().all(|text| read.contains(&text)));
}

#[test]
fn a_checkpoint_empties_it() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    assert_ne!(frames(&path), 0);
    store.checkpoint().unwrap();
    assert_eq!(frames(&path), 0);
    assert_eq!(everything(&store).unwrap().tools.len(), 1);
    let reader =
        SqliteStore::open(&path, OpenOptions { read_only: true, ..OpenOptions::default() })
            .unwrap();
    assert!(matches!(reader.checkpoint(), Err(StoreError::ReadOnly)));
}
