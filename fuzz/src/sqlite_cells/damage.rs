//! Changes one cell.

use arbitrary::Unstructured;
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use staleness_conformance::cells::{NUMBERS, TEXTS};

enum To {
    Value(Value),
    /// These bytes as text, even if they are not UTF-8.
    Text(Vec<u8>),
}

/// Changes a cell, or deletes a row.
pub(super) fn one_cell(
    conn: &Connection,
    tables: &[(String, String)],
    input: &mut Unstructured<'_>,
) {
    let mut byte = || usize::from(input.arbitrary::<u8>().unwrap_or(0));
    let (table, row, column, what) = (byte(), byte(), byte(), byte());
    let table = &tables[table % tables.len()].0;
    let rows = count(conn, &format!("SELECT count(*) FROM {table}"));
    if rows == 0 {
        return;
    }
    let row = row % rows;
    let (columns, keys) = columns(conn, table);
    let column = &columns[column % columns.len()];
    // A table without rowids has a key with non-null columns.
    let place = format!("FROM {table} ORDER BY {} LIMIT 1 OFFSET {row}", keys.join(", "));
    let same = keys.iter().map(|key| format!("{key} IS (SELECT {key} {place})"));
    let here = same.collect::<Vec<_>>().join(" AND ");
    let old = format!("SELECT {column} {place}");
    let old = conn.query_row(&old, (), |row| Ok(bytes(row.get_ref(0)?))).unwrap_or_default();
    let to = match what % 12 {
        0 => To::Value(Value::Null),
        1 => To::Value(Value::Integer(NUMBERS[byte() % NUMBERS.len()])),
        2 => To::Value(Value::Integer(input.arbitrary().unwrap_or(0))),
        3 => To::Value(Value::Real(input.arbitrary().unwrap_or(0.5))),
        4 => To::Text(TEXTS[byte() % TEXTS.len()].into()),
        5 => To::Text(some(input)),
        6 => To::Value(Value::Blob(some(input))),
        // Change a few bytes: packed texts, rings, credits.
        7 => To::Text(patched(old.1, input)),
        8 => To::Value(Value::Blob(patched(old.1, input))),
        9 => To::Value(Value::Integer(
            old.0.wrapping_add(i64::from(input.arbitrary::<i16>().unwrap_or(1))),
        )),
        // The value of another cell.
        10 => {
            let other = &tables[byte() % tables.len()].0;
            let (names, _) = self::columns(conn, other);
            let name = &names[byte() % names.len()];
            let sql = format!("SELECT {name} FROM {other} LIMIT 1 OFFSET {}", byte() % 4);
            To::Value(conn.query_row(&sql, (), |row| row.get(0)).unwrap_or(Value::Null))
        }
        _ => {
            let _ = conn.execute(&format!("DELETE FROM {table} WHERE {here}"), ());
            return;
        }
    };
    // SQLite rejects duplicate keys.
    let _ = match to {
        To::Value(value) => {
            conn.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {here}"), [value])
        }
        To::Text(text) => {
            let sql = format!("UPDATE {table} SET {column} = CAST(?1 AS TEXT) WHERE {here}");
            conn.execute(&sql, [text])
        }
    };
}

fn count(conn: &Connection, sql: &str) -> usize {
    conn.query_row(sql, (), |row| row.get::<_, u32>(0)).map_or(0, |count| count as usize)
}

/// Returns the columns of a table, and its key columns.
fn columns(conn: &Connection, table: &str) -> (Vec<String>, Vec<String>) {
    let mut found =
        conn.prepare_cached("SELECT name, pk FROM pragma_table_info(?1)").expect("a list");
    let rows = found.query_map([table], |row| Ok((row.get(0)?, row.get::<_, u8>(1)? > 0)));
    let all: Vec<(String, bool)> = rows.expect("rows").collect::<Result<_, _>>().expect("names");
    let keys: Vec<String> = all.iter().filter(|one| one.1).map(|one| one.0.clone()).collect();
    let keys = if keys.is_empty() { vec!["rowid".to_owned()] } else { keys };
    (all.into_iter().map(|one| one.0).collect(), keys)
}

/// Returns a cell as a number and as bytes.
fn bytes(cell: ValueRef<'_>) -> (i64, Vec<u8>) {
    match cell {
        ValueRef::Integer(number) => (number, number.to_string().into_bytes()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => (0, bytes.to_vec()),
        ValueRef::Null | ValueRef::Real(_) => (0, Vec::new()),
    }
}

fn some(input: &mut Unstructured<'_>) -> Vec<u8> {
    let length = usize::from(input.arbitrary::<u8>().unwrap_or(0)).min(input.len());
    input.bytes(length).unwrap_or_default().to_vec()
}

/// Replaces up to 15 bytes by up to 15 others.
fn patched(mut bytes: Vec<u8>, input: &mut Unstructured<'_>) -> Vec<u8> {
    let at = usize::from(input.arbitrary::<u16>().unwrap_or(0)) % (bytes.len() + 1);
    let lengths = input.arbitrary::<u8>().unwrap_or(1);
    let (cut, put) = (usize::from(lengths & 15), usize::from(lengths >> 4));
    let put = input.bytes(put.min(input.len())).unwrap_or_default().to_vec();
    let end = (at + cut).min(bytes.len());
    bytes.splice(at..end, put);
    bytes
}
