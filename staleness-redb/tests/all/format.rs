//! Opening of files, good and bad.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::support::*;
use redb::{Database, ReadableTable, TableDefinition};
use staleness_core::store::StoreError;
use staleness_redb::{OpenOptions, RedbStore};

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");

fn try_open(path: &Path) -> Result<RedbStore, StoreError> {
    RedbStore::open(path, OpenOptions::default())
}

/// Opening must fail, and leave the folder as it is but for the lock.
fn refused(path: &Path) -> StoreError {
    let folder = path.parent().unwrap();
    let others = || {
        let mut found = files(folder);
        found.retain(|(name, _)| !name.ends_with(".lock"));
        found
    };
    let before = others();
    let error = try_open(path).map(drop).unwrap_err();
    assert_eq!(others(), before, "{error}");
    error
}

fn number(path: &Path, name: &str) -> u64 {
    let db = staleness_redb::database(path).unwrap();
    let tx = db.begin_write().unwrap();
    let table = tx.open_table(META).unwrap();
    table.get(name).unwrap().unwrap().value()
}

fn set(path: &Path, name: &str, value: u64) {
    let db = staleness_redb::database(path).unwrap();
    let tx = db.begin_write().unwrap();
    tx.open_table(META).unwrap().insert(name, value).unwrap();
    tx.commit().unwrap();
}

#[test]
fn another_programs_database_is_not_a_store() {
    let tables: [fn(&Database); 4] = [
        |_| {},
        |db| {
            let tx = db.begin_write().unwrap();
            let other: TableDefinition<'_, &str, &str> = TableDefinition::new("secrets");
            tx.open_table(other).unwrap().insert("a", "b").unwrap();
            tx.commit().unwrap();
        },
        |db| {
            let tx = db.begin_write().unwrap();
            let other: TableDefinition<'_, u64, u64> = TableDefinition::new("staleness");
            tx.open_table(other).unwrap().insert(1, 1).unwrap();
            tx.commit().unwrap();
        },
        |db| {
            let tx = db.begin_write().unwrap();
            tx.open_table(META).unwrap().insert("magic", 7).unwrap();
            tx.commit().unwrap();
        },
    ];
    for fill in tables {
        let (_folder, path) = fresh();
        let other = Database::create(&path).unwrap();
        fill(&other);
        drop(other);
        let error = refused(&path);
        assert!(matches!(error, StoreError::NotAStore(_)), "{error:?}");
    }
}

#[test]
fn a_newer_format_is_refused_also_under_an_open_store() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let format = number(&path, "format");
    set(&path, "format", format + 1);
    for error in [
        refused(&path),
        everything(&store).unwrap_err(),
        transact(&store, use_tool("b", 2)).unwrap_err(),
        check(&store).unwrap_err(),
    ] {
        let StoreError::FormatTooNew { found, supported } = error else { panic!("{error:?}") };
        assert_eq!((found, supported), (format + 1, format));
    }
    set(&path, "format", format);
    transact(&store, use_tool("b", 2)).unwrap();
    set(&path, "format", format - 1);
    match refused(&path) {
        StoreError::FormatTooOld { found, needed } => {
            assert_eq!((found, needed), (format - 1, format))
        }
        other => panic!("{other:?}"),
    }
    set(&path, "format", 0);
    assert!(matches!(refused(&path), StoreError::Corrupt(_)));
}

#[test]
fn a_store_that_another_program_closed_is_a_store() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    assert_eq!(store.path(), fs::canonicalize(&path).unwrap());
    let before = everything(&store).unwrap();
    drop(staleness_redb::database(&path).unwrap());
    assert_eq!(everything(&store).unwrap(), before);
    transact(&store, use_tool("b", 2)).unwrap();
    check(&store).unwrap();
}

#[test]
fn a_file_that_is_emptied_or_removed_under_a_store_is_an_error() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    fs::write(&path, b"").unwrap();
    assert!(matches!(everything(&store), Err(StoreError::Corrupt(_))));
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::Corrupt(_))));
    assert!(path.metadata().unwrap().len() == 0);
    fs::remove_file(&path).unwrap();
    for error in [everything(&store).unwrap_err(), transact(&store, use_tool("b", 2)).unwrap_err()]
    {
        match error {
            StoreError::Io { source, .. } => assert_eq!(source.kind(), ErrorKind::NotFound),
            other => panic!("{other:?}"),
        }
    }
}

/// A damaged byte is an error of whoever reads its page, or nobody's; it is never believed, and ends no
/// process. A reader leaves even a damaged file as it is.
#[test]
fn flipped_bytes_are_errors_at_most() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let sound = everything(&store).unwrap();
    let whole = fs::read(&path).unwrap();
    let used: Vec<usize> = (0..whole.len()).filter(|place| whole[*place] != 0).collect();
    let most = if std::env::var_os("STALENESS_THOROUGH").is_some() { 3_000 } else { 150 };
    let headers = (0..360).chain(4_096..4_456).step_by(9);
    let (mut found, step) = (0, used.len().div_ceil(most));
    for place in used.into_iter().step_by(step).chain(headers) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&path, &damaged).unwrap();
        let read = try_open(&path).and_then(|store| everything(&store));
        assert!(fs::read(&path).unwrap() == damaged, "byte {place}");
        let done = transact(&store, use_tool("b", 2));
        let after = check(&store).and_then(|()| everything(&store));
        for (read, written) in [(read, false), (after, done.is_ok())] {
            match read {
                Ok(view) => assert!(view == sound || written, "byte {place}"),
                Err(StoreError::Corrupt(_)) => found += 1,
                Err(other) => panic!("byte {place}: {other:?}"),
            }
        }
        assert!(matches!(done, Ok(_) | Err(StoreError::Corrupt(_))), "byte {place}: {done:?}");
    }
    assert!(found > 20, "{found}");
    fs::write(&path, &whole).unwrap();
    assert_eq!(everything(&open(&path)).unwrap(), sound);
}
