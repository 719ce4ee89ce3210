//! The floor of `resume`: a raw program that reads the same rows of the same file with the same statements,
//! orders them, prints a line for each, and does nothing else.
//!
//! Arguments: the store, the scope, the time before which work is overdue, the agent.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;

use rusqlite::Connection;
use rusqlite::types::Value;
use staleness_benches::raw::sqlite::{Cells, connect, rows};

const WAYS: [&str; 7] =
    ["in_progress", "waiting", "expiring", "unanswered", "proposed", "generated", "observed"];

macro_rules! work {
    ($tail:literal) => {
        concat!(
            "SELECT scope, id, kind, status, ended, before, text, author, giver, taker, note, \
             generated, created_at, updated_at, expires_at, refs, steps, aging, since FROM work",
            $tail
        )
    };
}

const OVERDUE: &str =
    work!(" INDEXED BY work_open WHERE scope = ?1 AND ended = 0 AND aging = ?2 AND since <= ?3");
const REFERRING: &str = "SELECT rowid, refs FROM work INDEXED BY work_referring \
    WHERE scope = ?1 AND ended = 0 AND refs <> '[]'";
const BY_ROW: &str = work!(" WHERE rowid = ?1");
const BY_KEY: &str = work!(" WHERE scope = ?1 AND id = ?2");
const SINCE: &str = "SELECT revision, idx, at, kind, scope, subject, action, before, after, cause, \
    note, session, actor, op FROM journal INDEXED BY journal_scope WHERE scope = ?1 AND revision > ?2";

fn text(cell: &Value) -> &str {
    match cell {
        Value::Text(text) => text,
        _ => "",
    }
}

fn number(cell: &Value) -> i64 {
    match cell {
        Value::Integer(number) => *number,
        _ => 0,
    }
}

fn overdue(conn: &Connection, scopes: &[&str], until: i64) -> rusqlite::Result<Vec<Cells>> {
    let mut found = Vec::new();
    for scope in scopes {
        for way in WAYS {
            found.extend(rows(conn, OVERDUE, (scope, way, until))?);
        }
    }
    Ok(found)
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
    let mut line = |first: &Value, second: &Value, third: &Value| {
        writeln!(lines, "{} {} {}", text(first), number(second), text(third)).expect("a text");
    };
    let cursor = "SELECT revision FROM cursors WHERE project = ?1 AND agent = ?2";
    let told = number(&rows(&conn, cursor, (scope, agent))?[0][0]);
    let mut new = rows(&conn, SINCE, ("", told))?;
    new.extend(rows(&conn, SINCE, (scope, told))?);
    let subjects: BTreeSet<&str> = new.iter().map(|row| text(&row[5])).collect();
    for subject in subjects {
        for row in rows(&conn, BY_KEY, (scope, subject))? {
            line(&row[1], &row[13], &row[6]);
        }
    }
    let mut found = overdue(&conn, &["", scope], until)?;
    let overdue: BTreeSet<&str> = found.iter().map(|row| text(&row[1])).collect();
    for scope in ["", scope] {
        for row in rows(&conn, REFERRING, (scope,))? {
            let mut words = text(&row[1]).split('"');
            if words.any(|word| overdue.contains(word)) {
                std::hint::black_box(rows(&conn, BY_ROW, (number(&row[0]),))?);
            }
        }
    }
    found.sort_by(|a, b| (number(&a[18]), text(&a[1])).cmp(&(number(&b[18]), text(&b[1]))));
    found.truncate(5);
    for row in &found {
        line(&row[1], &row[18], &row[6]);
    }
    std::io::stdout().write_all(lines.as_bytes()).expect("printed");
    Ok(())
}
