//! Opening of files, good and bad.

use std::fs;
use std::path::Path;

use crate::support::*;
use rusqlite::Connection;
use staleness_core::store::StoreError;
use staleness_sqlite::{OpenOptions, SqliteStore};

fn try_open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, OpenOptions::default())
}

fn pragma(path: &Path, name: &str) -> String {
    let conn = Connection::open(path).unwrap();
    conn.query_row(&format!("PRAGMA {name}"), (), |row| {
        row.get::<_, rusqlite::types::Value>(0).map(|value| format!("{value:?}"))
    })
    .unwrap()
}

/// Opening must fail, and leave the folder as it is.
fn refused(path: &Path) -> StoreError {
    let folder = path.parent().unwrap();
    let before = files(folder);
    let error = try_open(path).map(drop).unwrap_err();
    assert_eq!(files(folder), before, "{error}");
    error
}

/// The number of the format of a store.
fn format_of(path: &Path) -> u64 {
    let text = pragma(path, "user_version");
    text.trim_start_matches("Integer(").trim_end_matches(')').parse().unwrap()
}

fn is_too_new(error: &StoreError, format: u64) {
    match error {
        StoreError::FormatTooNew { found, supported } => {
            assert_eq!((*found, *supported), (format + 1, format));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_store_says_what_it_is() {
    let (_folder, path) = fresh();
    assert_eq!(open(&path).path(), fs::canonicalize(&path).unwrap());
    assert_eq!(pragma(&path, "application_id"), format!("Integer({})", 0x5374_616C));
    let format: u32 =
        raw(&path).query_row("SELECT format FROM meta", (), |row| row.get(0)).unwrap();
    assert_eq!(format_of(&path), u64::from(format));
    assert_eq!(pragma(&path, "journal_mode"), "Text(\"wal\")");
}

#[test]
fn an_empty_file_beside_a_log_is_damage() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    fs::write(&path, b"").unwrap();
    assert!(matches!(refused(&path), StoreError::Corrupt(_)));
}

#[test]
fn another_programs_database_is_not_a_store() {
    for pragma in ["user_version = 0", "user_version = 1", "application_id = 7"] {
        let (_folder, path) = fresh();
        let other = Connection::open(&path).unwrap();
        other.execute_batch(&format!("PRAGMA {pragma}; CREATE TABLE t(x);")).unwrap();
        other.close().unwrap();
        let error = refused(&path);
        assert!(matches!(error, StoreError::NotAStore(_)), "{pragma}: {error:?}");
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let (newer, format) = (raw(&path), format_of(&path));
    let change = format!("PRAGMA user_version = {}; PRAGMA journal_mode = DELETE", format + 1);
    newer.execute_batch(&change).unwrap();
    newer.close().unwrap();
    is_too_new(&refused(&path), format);
}

#[test]
fn a_format_that_changes_under_an_open_store_is_noticed() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let (other, format) = (raw(&path), format_of(&path));
    let set = |to: u64| {
        let change = format!("PRAGMA user_version = {to}; UPDATE meta SET format = {to}");
        other.execute_batch(&change).unwrap();
    };
    set(format + 1);
    for error in [everything(&store).unwrap_err(), transact(&store, use_tool("b", 2)).unwrap_err()]
    {
        is_too_new(&error, format);
    }
    set(format);
    transact(&store, use_tool("b", 2)).unwrap();
}

#[test]
fn an_older_format_is_refused_by_name() {
    let (_folder, path) = fresh();
    drop(filled(&path));
    let newest = format_of(&path);
    fs::remove_file(&path).unwrap();
    for format in 1..newest {
        let older = Connection::open(&path).unwrap();
        let sql = format!(
            "PRAGMA application_id = 0x5374616C; PRAGMA user_version = {format}; \
             CREATE TABLE IF NOT EXISTS meta(id INTEGER PRIMARY KEY)"
        );
        older.execute_batch(&sql).unwrap();
        older.close().unwrap();
        match refused(&path) {
            StoreError::FormatTooOld { found, needed } => {
                assert_eq!((found, needed), (format, newest));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A damaged byte is an error of whoever reads its page, or nobody's; it is never believed.
#[test]
fn flipped_bytes_are_errors_at_most() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    store.checkpoint().unwrap();
    let sound = everything(&store).unwrap();
    drop(store);
    let whole = fs::read(&path).unwrap();
    let mut found = 0;
    let step = if std::env::var_os("STALENESS_THOROUGH").is_some() { 7 } else { 149 };
    for place in (0..whole.len()).step_by(step) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&path, &damaged).unwrap();
        let read =
            SqliteStore::open(&path, OpenOptions { read_only: true, ..OpenOptions::default() })
                .and_then(|store| check(&store).and_then(|()| everything(&store)));
        match read {
            Ok(view) => assert_eq!(view, sound, "byte {place}"),
            Err(StoreError::Corrupt(_) | StoreError::NotAStore(_)) => found += 1,
            Err(other) => panic!("byte {place}: {other:?}"),
        }
    }
    // All but pages that hold nothing.
    assert!(found * 10 > whole.len() / step * 9, "{found}");
    fs::write(&path, &whole).unwrap();
    assert_eq!(everything(&open(&path)).unwrap(), sound);
}

/// Tools of SQLite's own read and write the file as it is; what they wrote is protected from the next
/// write on.
#[test]
fn a_store_that_another_program_moved_the_log_of_is_a_store() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let before = everything(&store).unwrap();
    drop(store);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(other);
    let store = open(&path);
    check(&store).unwrap();
    assert_eq!(everything(&store).unwrap(), before);
    transact(&store, use_tool("b", 2)).unwrap();
    // A page of zeros is no page that somebody wrote.
    store.checkpoint().unwrap();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 4_096;
    bytes[last..].fill(0);
    fs::write(&path, bytes).unwrap();
    let opened = SqliteStore::open(&path, OpenOptions::default());
    let checked = opened.and_then(|store| check(&store));
    assert!(matches!(checked, Err(StoreError::Corrupt(_))), "{checked:?}");
}

#[test]
fn damage_is_told_on_one_line() {
    let (_folder, path) = fresh();
    drop(open(&path));
    let mut bytes = fs::read(&path).unwrap();
    let begin = b"CREATE TABLE tools(";
    // Pages that were split may hold what they said before.
    let found = |bytes: &[u8]| bytes.windows(begin.len()).position(|part| part == begin);
    while let Some(at) = found(&bytes) {
        bytes[at + begin.len() - 1] = b'`';
    }
    fs::write(&path, bytes).unwrap();
    let store = try_open(&path);
    let checked = store.and_then(|store| check(&store));
    match checked {
        Err(StoreError::Corrupt(why)) => {
            assert!(why.chars().count() <= 200 && !why.contains('\n'), "{why}");
        }
        other => panic!("{other:?}"),
    }
}
