//! Packed records exactly as SQLite and Postgres store them. These texts must never change.

use serde::de::DeserializeOwned;

use super::*;
use crate::definition::Definition;
use crate::knowledge::Document;
use crate::project::Project;
use crate::route::Suggestions;
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::work::Work;

/// Checks that a record is read from these lines joined into one text, and is stored as the same text under these
/// columns.
fn golden<R: Record + Row + DeserializeOwned>(columns: &str, lines: &str) {
    let text: String = lines.lines().map(str::trim).collect();
    let row: R = serde_json::from_str(&text).unwrap();
    let cells = row.cells();
    assert_eq!(Cell::shown(&cells[..R::INDEXED]), columns);
    assert!(matches!(&cells[R::INDEXED], Cell::Text(Some(stored)) if *stored == text), "{cells:?}");
    assert_eq!(R::verify(&cells), Ok(row));
}

#[test]
fn packed_records_are_these_texts() {
    golden::<Project>(
        r#""p""#,
        r#"{"id":"p","root":"/r","first_seen_at":"1970-01-01T00:00:00.001Z",
        "last_seen_at":"1969-12-31T23:59:59.999Z",
        "config_digest":340282366920938463463374607431768211455,"told":1}"#,
    );
    golden::<Source>(
        r#"("p", "c", 3, "mcp")"#,
        r#"{"id":{"project":"p","client":"c","level":"live","part":"mcp"},"path":"/c",
        "state":"partial","found":7,"digest":5,"readings":18446744073709551615,"last_read_at":null,
        "last_scan_at":"1970-01-01T00:00:00Z","error":"e"}"#,
    );
    golden::<Definition>(
        r#"("p", "n", 1)"#,
        r#"{"key":{"scope":"p","name":"n"},"pinned_at":"1970-01-01T00:00:00Z",
        "current":{"description":{"digest":"d","text":"t"},"found":["hidden",{"address":["h","w"]}]},
        "since":"1970-01-01T00:00:00.001Z","previous":null,"pending":"narrowed","changes":7,
        "journalled":["wording","1970-01-01T00:00:00.001Z"]}"#,
    );
    golden::<Document>(
        r#"("p", "a.md", 1, 1)"#,
        r#"{"key":{"project":"p","path":"a.md"},"loaded":true,"checked_at":"1970-01-01T00:00:00Z",
        "head":"h","digest":2,"gaps":["no_git"],"blocks":9,
        "found":[{"line":3,"last_line":4,"title":"t","digest":5,
        "evidence":[{"fact":"related_stale","id":"i"}]}]}"#,
    );
    golden::<Work>(
        r#"("p", "w", 0, 1, "claimed", 6)"#,
        r#"{"key":{"scope":"p","id":"w"},"kind":"handoff","status":"open","before":"open","text":"x",
        "author":null,"from":"f","to":null,"note":"session_end","generated":false,"by_person":false,
        "created_at":"1970-01-01T00:00:00Z","updated_at":"1970-01-01T00:00:00Z","expires_at":null,
        "refs":["r"],"after":["b"],"claim":{"agent":"a","session":"s",
        "at":"1970-01-01T00:00:00.005Z","until":"1970-01-01T00:00:00.006Z"},
        "steps":[{"text":"s","at":"1970-01-01T00:00:00.004Z"}]}"#,
    );
    golden::<Session>(
        r#"("p", "s")"#,
        r#"{"key":{"project":"p","id":"s"},"agent":"a","started_at":"1970-01-01T00:00:00.001Z",
        "ended_at":"1970-01-01T00:00:00.002Z","from_revision":3,"first_contact":true,
        "told_at":"1970-01-01T00:00:00.005Z"}"#,
    );
    golden::<Cursor>(
        r#"("p", "a")"#,
        r#"{"key":{"project":"p","agent":"a"},"revision":4,"session":"s",
        "moved_at":"1970-01-01T00:00:00.003Z"}"#,
    );
    golden::<Suggestions>(
        r#"("p", "s")"#,
        r#"{"key":{"project":"p","id":"s"},"made":2,
        "prompts":[{"at":"1970-01-01T00:00:00Z",
        "tools":[{"tool":"t","route":"00000000000000000000000000000001"}],"taught":["t"]}],
        "calls":[{"op":"o","tool":"n","turn":"t","at":"1970-01-01T00:00:00.001Z"}],
        "claims":[[{"scope":"","id":"w"},"1970-01-01T00:00:00.002Z"]]}"#,
    );
}
