//! Cells that somebody changed: what cannot be read is named, and nothing panics.
//!
//! Every eighth change is tried; `STALENESS_CELLS=all` tries all of them, which takes a few minutes.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use staleness_conformance::cells::{self, BYTES, Changed, NUMBERS, TEXTS, fill, read};
use staleness_core::{Policy, Registry};
use staleness_sqlite::{OpenOptions, SqliteStore};

fn registry(path: &Path) -> Registry {
    let store = SqliteStore::open(path, OpenOptions::default()).unwrap();
    Registry::new(Arc::new(store), Policy::default())
}

/// A connection that may change a store, since it writes checksums.
fn raw(path: &Path) -> Connection {
    Connection::open_with_flags_and_vfs(path, OpenFlags::default(), "staleness").unwrap()
}

/// A column: its table, its name, whether it is a part of the key, and what its cells may be changed to.
#[derive(Debug)]
struct Column {
    table: String,
    name: String,
    is_key: bool,
    values: Vec<String>,
}

fn columns(conn: &Connection) -> Vec<Column> {
    let sql = "SELECT tables.name, columns.name, columns.pk > 0, columns.type \
               FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns \
               WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'";
    let mut statement = conn.prepare(sql).unwrap();
    let column = |row: &rusqlite::Row<'_>| {
        let kind: String = row.get(3)?;
        let values = values(&kind);
        Ok(Column { table: row.get(0)?, name: row.get(1)?, is_key: row.get(2)?, values })
    };
    statement.query_map((), column).unwrap().map(Result::unwrap).collect()
}

/// Returns the values that a cell of this kind may be changed to, as SQL.
fn values(kind: &str) -> Vec<String> {
    let null = ["NULL".to_owned()];
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match kind {
        "INTEGER" => NUMBERS.iter().map(i64::to_string).chain(null).collect(),
        "TEXT" => {
            let text = |text: &&str| format!("CAST(x'{}' AS TEXT)", hex(text.as_bytes()));
            TEXTS.iter().map(text).chain(null).collect()
        }
        "BLOB" => BYTES.iter().map(|bytes| format!("x'{}'", hex(bytes))).chain(null).collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn whatever_stands_in_a_cell_is_read_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    let site = registry(&whole);
    fill(&site);
    assert!(read(&site).iter().all(Result::is_ok));
    drop(site);
    let conn = raw(&whole);
    conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let columns = columns(&conn);
    drop(conn);
    let every = cells::every();
    let (mut changed, mut named) = (0, 0);
    for (number, column) in columns.iter().enumerate() {
        let Column { table, name, is_key, values } = column;
        // Another value of each column, so that every value is tried somewhere.
        for value in values.iter().skip(number % every).step_by(every) {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join("copy.db");
            std::fs::copy(&whole, &path).unwrap();
            let registry = registry(&path);
            let conn = raw(&path);
            let first = format!("{name} IS (SELECT {name} FROM {table} LIMIT 1)");
            let how = format!("UPDATE OR IGNORE {table} SET {name} = {value} WHERE {first}");
            // Nothing where something must be, a second row with the same key.
            if !conn.execute(&how, ()).is_ok_and(|rows| rows > 0) {
                continue;
            }
            drop(conn);
            changed += 1;
            let cell = Changed { how: &how, table, is_key: *is_key };
            named += cell.try_out(&registry, &["the journal has"]);
        }
    }
    eprintln!("{changed} cells changed, {named} errors");
    assert!(changed > 100 && named > 100, "{changed}, {named}");
}
