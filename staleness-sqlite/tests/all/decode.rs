//! Records that cannot be read are named, and nothing panics.

use std::sync::Arc;

use crate::support::*;
use staleness_core::Timestamp;
use staleness_core::ids::{ModelId, ProjectId, Scope, ToolName, WorkId, WorkKey};
use staleness_core::route::{RouteId, RouteKey};
use staleness_core::store::table::Cell;
use staleness_core::store::{RegistryStore, Selection, StoreError, VectorFilter};
use staleness_core::work::{Work, WorkKind};

/// A work item as its table holds it.
fn text_of(work: &Work) -> String {
    match Cell::packed(work) {
        Cell::Text(Some(text)) => text.into_owned(),
        other => panic!("{other:?}"),
    }
}

/// Runs `sql` on a filled store. What the store says to reading it all, and to a check.
fn damaged(sql: &str) -> [StoreError; 2] {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let conn = raw(&path);
    conn.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    [everything(&store).unwrap_err(), check(&store).unwrap_err()]
}

fn names(sql: &str, what: &str) {
    for error in damaged(sql) {
        match error {
            StoreError::Corrupt(text) => assert!(text.contains(what), "{sql}: {text}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn words_numbers_and_blobs_that_mean_nothing_are_named() {
    let tool = "tools (\"\", \"a\"): ";
    for column in ["kind", "cause", "hold"] {
        names(&format!("UPDATE tools SET {column} = 'nonsense'"), &format!("{tool}{column}"));
    }
    for column in ["server", "plugin"] {
        names(&format!("UPDATE tools SET {column} = char(7)"), &format!("{tool}{column}"));
    }
    for column in ["ring", "listings"] {
        names(&format!("UPDATE tools SET {column} = x'0102'"), &format!("{tool}{column}"));
    }
    names("UPDATE tools SET counted = 256", &format!("{tool}counted"));
    names("UPDATE tools SET revived = 2", &format!("{tool}revived"));
    names("UPDATE tools SET demoted = 1", &format!("{tool}demoted"));
    names("UPDATE tools SET defined_chars = -1", &format!("{tool}defined_chars"));
    names("UPDATE tools SET demotions = -1", &format!("{tool}demotions"));
    names("UPDATE tools SET failing_since = 1", &format!("{tool}failing_cause"));
    names("UPDATE tools SET updated_at = 9223372036854775807", &format!("{tool}updated_at"));
    names("UPDATE outcomes SET mark = 'SS'", "outcomes 1: mark");
    names("UPDATE outcomes SET identity = 0", "outcomes 1: identity");
    names("UPDATE outcomes SET credits = x'02'", "outcomes 1: credits");
    names("UPDATE outcomes SET seq = -1", "outcomes -1: seq");
    names("UPDATE journal SET kind = 'moon'", "journal (1, 0): kind");
    names("UPDATE journal SET action = ''", "journal (1, 0): action");
    names("UPDATE journal SET idx = -1", "journal (1, -1): idx");
    names("UPDATE tools SET configured = 1", &format!("{tool}configured"));
    let item = |kind: &str, keywords: &str, citations: &str, contradicted: &str| {
        format!(
            "INSERT INTO knowledge VALUES('', 'i', '{kind}', '', '{keywords}', NULL, 0, 0, NULL, 0, \
             NULL, NULL, NULL, NULL, 0, '{citations}', '[]', '[]', '[]', {contradicted}, NULL, 0, \
             0, NULL, NULL)"
        )
    };
    let said = "knowledge (\"\", \"i\"): ";
    names(&item("moon", "[]", "[]", "NULL"), &format!("{said}kind"));
    names(&item("todo", "[1]", "[]", "NULL"), &format!("{said}keywords"));
    names(&item("todo", "[", "[]", "NULL"), &format!("{said}keywords"));
    names(&item("todo", "[]", "[{}]", "NULL"), &format!("{said}citations"));
    names(&item("todo", "[]", "[]", "'{}'"), &format!("{said}contradicted"));
    packed();
    let route = |id: &str, confidence: i64, ops: &str| {
        format!(
            "INSERT INTO routes VALUES('p', 't', {id}, 'q', {confidence}, 1, 0, 0, NULL, {ops})"
        )
    };
    let id = "x'0000000000000000000000000000002a'";
    let said = "routes (\"p\", \"t\", \"0000000000000000000000000000002a\"): ";
    names(&route("x'2a'", 0, "x''"), "routes (\"p\", \"t\", \"2a\"): id");
    names(&route(id, 1_000_000_001, "x''"), &format!("{said}confidence"));
    names(&route(id, -1, "x''"), &format!("{said}confidence"));
    names(&route(id, 0, "x'01'"), &format!("{said}ops"));
    names(&route(id, 0, "zeroblob(136)"), &format!("{said}ops"));
    let vector = |form: &str, numbers: &str| {
        format!("INSERT INTO vectors VALUES('p', 't', {id}, 'm', '{form}', {numbers})")
    };
    let said = said.replace("routes", "vectors");
    names(&vector("f32", "x'0000803f'"), &format!("{said}form"));
    names(&vector("f32 unit", "x''"), &format!("{said}numbers"));
    names(&vector("f64 unit", "x'0000803f00'"), &format!("{said}numbers"));
    names("UPDATE meta SET revision = -1", "meta 1: revision");
    names("UPDATE meta SET floor = -1", "meta 1: floor");
    names("UPDATE meta SET format = 0", "meta 1: format");
    names("DELETE FROM meta", "meta 1");
}

/// Checks that damage of a packed record is named: in its text and in the columns of its key and indexes.
fn packed() {
    let key = WorkKey { scope: Scope::Global, id: WorkId::new("w").unwrap() };
    let value = text_of(&Work::new(key, WorkKind::Plan, "x", Timestamp::from_millis(0)));
    let put = |id: &str, ended: u8, value: &str| {
        format!("INSERT INTO work VALUES('', '{id}', {ended}, 0, 'waiting', 0, '{value}')")
    };
    for (one, other) in [
        ("\"plan\"", "\"moon\""),
        ("\"todo\"", "\"moon\""),
        ("\"refs\":[]", "\"refs\":[1]"),
        ("\"refs\":[]", "\"refs\":["),
        ("\"steps\":[]", "\"steps\":[{}]"),
        ("1970-01-01", "1970-13-01"),
        ("\"generated\":false", "\"generated\":2"),
        ("\"text\":", "\"moon\":0,\"text\":"),
        ("\"id\":\"w\"", "\"id\":\"\""),
        ("}", ""),
        ("}", "}}"),
    ] {
        assert!(value.contains(one), "{value}");
        names(&put("w", 0, &value.replacen(one, other, 1)), "work (\"\", \"w\"): value");
    }
    names(&put("v", 0, &value), "work (\"\", \"v\"): id");
    for (column, status, ended) in
        [("ended", "todo", 1), ("ended", "done", 0), ("aging", "in_progress", 0)]
    {
        let value = value.replace("\"todo\"", &format!("\"{status}\""));
        names(&put("w", ended, &value), &format!("work (\"\", \"w\"): {column}"));
    }
    for value in ["", "null", "[]", "{}"] {
        let said = "documents (\"p\", \"a.md\"): value";
        names(&format!("INSERT INTO documents VALUES('p', 'a.md', 1, 1, '{value}')"), said);
    }
}

/// A text that says the same in other words was not written by a store: a check finds it, though it can be read.
#[test]
fn a_check_finds_a_record_that_is_written_otherwise() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let conn = raw(&path);
    let key = WorkKey { scope: Scope::Global, id: WorkId::new("w").unwrap() };
    let work = Work::new(key, WorkKind::Plan, "x", Timestamp::from_millis(0));
    let put = "INSERT INTO work VALUES('', 'w', 0, 0, 'waiting', 0, ?1)";
    conn.execute(put, (text_of(&work),)).unwrap();
    check(&store).unwrap();
    conn.execute_batch("UPDATE work SET value = replace(value, ':[]', ': []')").unwrap();
    assert!(everything(&store).unwrap().work.values().eq([&work]));
    let found = check(&store).unwrap_err().to_string();
    assert!(found.contains("work (\"\", \"w\"): value"), "{found}");
}

#[test]
fn a_check_finds_what_no_single_row_shows() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    check(&store).unwrap();
    let conn = raw(&path);
    for (sql, what) in [
        ("UPDATE meta SET revision = 0", "beyond 0"),
        ("UPDATE journal SET idx = 1", "journal 1.1: an entry before it is missing"),
        ("UPDATE journal SET revision = 2; UPDATE meta SET revision = 2", "no entry of revision 1"),
        ("UPDATE meta SET revision = 2", "no entry of revision 2"),
        ("UPDATE meta SET floor = 1", "has revision 1, which was pruned"),
    ] {
        conn.execute_batch(sql).unwrap();
        match check(&store) {
            Err(StoreError::Corrupt(text)) => assert!(text.contains(what), "{text}"),
            other => panic!("{other:?}"),
        }
        let back =
            "UPDATE meta SET revision = 1, floor = 0; UPDATE journal SET revision = 1, idx = 0";
        conn.execute_batch(back).unwrap();
    }
}

/// A load takes the numbers of a vector as they are; a check looks at them.
#[test]
fn a_check_finds_vectors_that_point_nowhere() {
    for numbers in ["x'00000040'", "x'0000c07f'", "x'00000000'"] {
        let (_folder, path) = fresh();
        let store = filled(&path);
        let conn = raw(&path);
        let sql = format!(
            "INSERT INTO vectors VALUES('p', 't', zeroblob(16), 'm', 'f32 unit', {numbers})"
        );
        conn.execute_batch(&sql).unwrap();
        match check(&store) {
            Err(StoreError::Corrupt(text)) => assert!(text.contains("numbers"), "{text}"),
            other => panic!("{numbers}: {other:?}"),
        }
    }
}

#[test]
fn a_vector_is_named_in_full_however_it_is_found() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    let conn = raw(&path);
    let project = || ProjectId::new("p").unwrap();
    let said = "vectors (\"p\", \"t\", \"00000000000000000000000000000000\"): numbers";
    // Alone, and far from another one.
    for other in [
        "",
        "INSERT INTO vectors(rowid, project, tool, id, model, form, numbers) \
                   VALUES(100, 'p', 'u', zeroblob(16), 'm', 'f32 unit', x'0000803f')",
    ] {
        let damaged = "REPLACE INTO vectors(rowid, project, tool, id, model, form, numbers) \
                       VALUES(1, 'p', 't', zeroblob(16), 'm', 'f32 unit', x'')";
        conn.execute_batch(&format!("{damaged}; {other}")).unwrap();
        let of_model = VectorFilter::Model(project(), ModelId::new("m").unwrap());
        let (tool, model) = (ToolName::new("t").unwrap(), ModelId::new("m").unwrap());
        let key = RouteKey { project: project(), tool: tool.clone(), id: RouteId(0) };
        for filter in [
            VectorFilter::Project(project()),
            of_model,
            VectorFilter::Key(key),
            VectorFilter::First(project(), model),
            VectorFilter::Tool(project(), tool),
            VectorFilter::All,
        ] {
            let selection = Arc::new(Selection::new().peek(filter));
            match pollster::block_on(store.view(selection)) {
                Err(StoreError::Corrupt(text)) => assert!(text.starts_with(said), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
