//! Fuzzes a SQLite store with changed cells.
//!
//! Input: the number of cells (at most [`MOST_CELLS`]), which cells and their new values (see [`damage`]),
//! then events as for `sqlite_vs_redb`.

mod damage;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arbitrary::Unstructured;
use rusqlite::{Connection, OpenFlags};
use staleness_conformance::disk::Draws;
use staleness_conformance::workload::{self, BYTES, Workload, one_line};
use staleness_core::store::Selection;
use staleness_core::{Registry, StoreError, Wait};
use staleness_sqlite::{OpenOptions, SqliteStore};

/// Maximum number of cells to change.
const MOST_CELLS: u8 = 6;
/// Maximum number of events on a changed store.
const MOST_EVENTS: usize = 4;
/// Minimum number of events before the store is changed.
const BEFORE: usize = 60;

thread_local! {
    static MADE: Made = Made::new();
}

/// The unchanged store.
#[derive(Debug)]
struct Made {
    folder: tempfile::TempDir,
    /// The content of its file, in which tables accept any value.
    bytes: Vec<u8>,
    /// The names and original declarations of the tables.
    tables: Vec<(String, String)>,
    workload: Workload,
}

/// Opens a connection that can change a store, because it writes checksums.
fn raw(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags_and_vfs(path, OpenFlags::default(), "staleness")
}

/// Changes the cells in the input, and uses the store.
pub fn run(data: &[u8]) {
    MADE.with(|made| {
        let mut input = Unstructured::new(data);
        let path = made.path();
        for suffix in ["-wal", "-shm", ".lock"] {
            let mut name = path.clone().into_os_string();
            name.push(suffix);
            let _ = fs::remove_file(name);
        }
        fs::write(&path, &made.bytes).expect("the store is written");
        let cells = 1 + input.arbitrary::<u8>().unwrap_or(0) % MOST_CELLS;
        let conn = raw(&path).expect("the copy opens");
        conn.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").expect("a mode");
        for _ in 0..cells {
            damage::one_cell(&conn, &made.tables, &mut input);
        }
        declare(&conn, &made.tables);
        drop(conn);
        live(&path, made.workload.clone(), input.take_rest());
    });
}

/// Reads everything from a store, runs an event, and reads again.
fn live(path: &Path, mut workload: Workload, choices: &[u8]) {
    let Some(store) = opened(path) else { return };
    let was_sound = judged(&store, &workload);
    let store = choices.chunks(BYTES).take(MOST_EVENTS).try_fold(store, |store, bytes| {
        let event = workload.next(bytes);
        if event.reopens() {
            drop(store);
            return opened(path);
        }
        let _ = event.run(&store);
        Some(store)
    });
    let Some(store) = store else {
        assert!(!was_sound, "a sound store opens again");
        return;
    };
    let is_sound = judged(&store, &workload);
    assert!(
        is_sound || !was_sound,
        "a sound store stays sound: {:?}",
        store.admin().check().wait()
    );
    drop(store);
    assert!(opened(path).is_some() || !is_sound, "a sound store opens again");
}

fn opened(path: &Path) -> Option<Registry> {
    match SqliteStore::open(path, OpenOptions::default()) {
        Ok(store) => Some(workload::registry(Arc::new(store))),
        Err(error) => {
            let _ = one_line(&error);
            None
        }
    }
}

/// Returns true if a check of the store succeeds. In any case everything can be queried, with the same answer
/// twice. A valid store can be read completely.
fn judged(store: &Registry, workload: &Workload) -> bool {
    let seen = workload.look(store);
    assert_eq!(seen, workload.look(store), "the same twice");
    let export = workload::exported(store, &Selection::records());
    let (check, again) = (store.store().check().wait(), store.store().check().wait());
    assert_eq!(said(&check), said(&again), "the same twice");
    for error in [export.as_ref().err(), check.as_ref().err()].into_iter().flatten() {
        let _ = one_line(error);
    }
    if check.is_ok() {
        assert!(export.is_ok(), "it is sound, and cannot be read: {export:?}");
        assert!(!seen.contains(" cannot be read"), "it is sound, and cannot be read: {seen}");
    }
    check.is_ok()
}

fn said(check: &Result<(), StoreError>) -> String {
    check.as_ref().err().map(ToString::to_string).unwrap_or_default()
}

impl Made {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("made.db");
        let store = opened(&path).expect("a new store opens");
        let (mut draws, mut workload) = (Draws(7), Workload::default());
        for turn in 0.. {
            if turn >= BEFORE && tables(&path).iter().all(|(name, _)| rows(&path, name) > 0) {
                break;
            }
            let bytes: Vec<u8> = (0..BYTES).map(|_| draws.below(256) as u8).collect();
            let event = workload.next(&bytes);
            // Skip operations that remove rows, so that all tables have rows to damage.
            let verb = event.verb().rsplit('.').next().unwrap_or_default();
            if !["forget", "prune", "remove", "end"].iter().any(|word| verb.starts_with(word)) {
                let _ = event.run(&store);
            }
        }
        store.admin().check().wait().expect("what is made is sound");
        drop(store);
        let tables = tables(&path);
        let conn = raw(&path).expect("the store opens");
        conn.execute_batch("PRAGMA journal_mode = DELETE").expect("its log is put away");
        let loose =
            tables.iter().map(|(name, sql)| (name.clone(), loosened(sql))).collect::<Vec<_>>();
        declare(&conn, &loose);
        drop(conn);
        let bytes = fs::read(&path).expect("the store is read");
        Self { workload, folder, bytes, tables }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("registry.db")
    }
}

/// Returns the names and declarations of a store's tables.
fn tables(path: &Path) -> Vec<(String, String)> {
    let conn = raw(path).expect("the store opens");
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut found = conn.prepare(sql).expect("a schema");
    let rows = found.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).expect("tables");
    rows.collect::<Result<_, _>>().expect("names and texts")
}

fn rows(path: &Path, table: &str) -> i64 {
    let conn = raw(path).expect("the store opens");
    let sql = format!("SELECT count(*) FROM {table}");
    conn.query_row(&sql, (), |row| row.get(0)).expect("a number")
}

/// Changes a table's declaration to accept any value, including null, in any column.
fn loosened(sql: &str) -> String {
    // Keep the type of rowid columns.
    let parts: Vec<String> = sql
        .split(" INTEGER PRIMARY KEY")
        .map(|part| {
            let part = part.replace("STRICT, ", "").replace(" STRICT", "").replace(" NOT NULL", "");
            let part = part.replace(" INTEGER", " BLOB").replace(" TEXT", " BLOB");
            part.replace("(seq BLOB", "(seq INTEGER")
        })
        .collect();
    parts.join(" INTEGER PRIMARY KEY")
}

/// Replaces the declarations of tables without changing their rows.
fn declare(conn: &Connection, tables: &[(String, String)]) {
    conn.execute_batch("PRAGMA writable_schema = ON").expect("the schema can be written");
    for (name, sql) in tables {
        let update = "UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1";
        conn.execute(update, (name, sql)).expect("a table is declared");
    }
}
