//! The floor of `resume`: a raw program that reads the same rows of the same file with the same statements,
//! sorts them, and prints a line for each.
//!
//! Arguments: store, scope, time before which work is overdue, agent.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;

use rusqlite::types::Value;
use rusqlite::{Connection, Params};
use serde::de::DeserializeOwned;
use staleness::work::Work;
use staleness_benches::raw::sqlite::{connect, rows};
use staleness_core::session::Cursor;
use staleness_core::work::Aging;

const OVERDUE: &str = "SELECT value FROM work INDEXED BY work_open \
    WHERE scope = ?1 AND ended = 0 AND aging = ?2 AND since <= ?3";
const REFERRING: &str =
    "SELECT value FROM work INDEXED BY work_referring WHERE scope = ?1 AND refers = 1";
const BY_KEY: &str = "SELECT value FROM work WHERE scope = ?1 AND id = ?2";
const CURSOR: &str = "SELECT value FROM cursors WHERE project = ?1 AND agent = ?2";
const SINCE: &str = "SELECT revision, idx, at, kind, scope, subject, action, before, after, cause, \
    note, session, actor, op FROM journal INDEXED BY journal_scope WHERE scope = ?1 AND revision > ?2";

fn text(cell: &Value) -> &str {
    match cell {
        Value::Text(text) => text,
        _ => "",
    }
}

/// Decodes the rows of a statement.
fn decoded<T: DeserializeOwned>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<T>> {
    let decode = |row: Vec<Value>| serde_json::from_str(text(&row[0])).expect("a row");
    Ok(rows(conn, sql, params)?.into_iter().map(decode).collect())
}

fn main() -> rusqlite::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [store, scope, until, agent] = args.as_slice() else { panic!("four arguments") };
    let until: i64 = until.parse().expect("a time");
    let conn = connect(store)?;
    conn.execute_batch("BEGIN")?;
    let meta = rows(&conn, "SELECT revision FROM meta", ())?;
    std::hint::black_box(&meta);
    let mut lines = String::new();
    let mut line = |row: &Work, millis: i64| {
        writeln!(lines, "{} {millis} {}", row.key.id, row.text).expect("a text");
    };
    let told = decoded::<Cursor>(&conn, CURSOR, (scope, agent))?[0].revision.0 as i64;
    let mut new = rows(&conn, SINCE, ("", told))?;
    new.extend(rows(&conn, SINCE, (scope, told))?);
    let subjects: BTreeSet<&str> = new.iter().map(|row| text(&row[5])).collect();
    for subject in subjects {
        for row in decoded::<Work>(&conn, BY_KEY, (scope, subject))? {
            line(&row, row.updated_at.as_millis());
        }
    }
    let mut found = Vec::new();
    for scope in ["", scope] {
        for aging in Aging::ALL {
            found.extend(decoded::<Work>(&conn, OVERDUE, (scope, aging.as_str(), until))?);
        }
    }
    for scope in ["", scope] {
        std::hint::black_box(rows(&conn, REFERRING, (scope,))?);
    }
    let since = |row: &Work| row.aging().map_or(0, |(_, since)| since.as_millis());
    found.sort_by(|a, b| (since(a), &a.key.id).cmp(&(since(b), &b.key.id)));
    found.iter().take(5).for_each(|row| line(row, since(row)));
    std::io::stdout().write_all(lines.as_bytes()).expect("printed");
    Ok(())
}
