//! Moving in from databases of other systems: those that are refused, and one behind a link.

use crate::common::Sandbox;
use crate::moving::{CLAUDE_MEM, RIGLM2, database, import, moved, of_laminark, refused};

#[test]
fn a_database_of_another_version_is_refused_with_what_is_missing() {
    let sandbox = Sandbox::new();
    let other_vector = "UPDATE dynamic_entries SET vector = zeroblob(1536)";
    for (system, sql, change, expected) in [
        (
            "claude-mem",
            "",
            "CREATE TABLE observations (id, project, type, body)",
            "observations has no memory_session_id, created_at_epoch, title, subtitle, narrative, text, facts",
        ),
        // Bug: its items had no text.
        (
            "claude-mem",
            CLAUDE_MEM,
            "ALTER TABLE session_summaries RENAME learned TO lessons",
            "session_summaries has no learned",
        ),
        // Bug: 32-bit numbers were read as half as many of 64 bits.
        ("riglm2", RIGLM2, other_vector, "a vector does not have 384 numbers of 64 bits"),
    ] {
        let (path, db) = database(&sandbox, sql);
        db.execute_batch(change).unwrap();
        let err = refused(&sandbox, system, &path);
        assert!(err.contains(expected), "{change}: {err}");
        drop(db);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
    let (path, db) = database(&sandbox, "");
    // A view may compute for ever, so it is no table.
    db.execute_batch("CREATE VIEW observations AS SELECT 1 AS id").unwrap();
    let err = refused(&sandbox, "claude-mem", &path);
    assert!(err.contains("observations has no id, memory_session_id"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_database_behind_a_link_is_read_with_its_log_and_waits_for_no_pipe() {
    let sandbox = Sandbox::new();
    let (path, db) = database(&sandbox, &of_laminark(&sandbox.project));
    let link = sandbox.root().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(path.with_extension("db-wal").metadata().unwrap().len() > 0);
    assert_eq!(moved(&sandbox, "laminark", &link)["imported"]["tools"], 3);
    // A tool of all projects and of this one is kept once.
    let twice = "INSERT INTO tool_registry (name, tool_type, scope, source, status, usage_count, discovered_at) \
                 SELECT name, tool_type, 'global', source, status, usage_count, discovered_at \
                 FROM tool_registry WHERE name = 'mcp__github__fork'";
    db.execute_batch(twice).unwrap();
    let report = import(&sandbox, "laminark", &link, &[]);
    assert_eq!(report["left"]["tool that a later one replaces"], 1, "{report}");

    drop(db);
    let pipe = path.with_extension("db-wal");
    let _ = std::fs::remove_file(&pipe);
    std::os::unix::fs::symlink(sandbox.write("log of another", ""), &pipe).unwrap();
    assert!(refused(&sandbox, "laminark", &link).contains("its -wal is not a file"));
    std::fs::remove_file(&pipe).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert!(refused(&sandbox, "laminark", &link).contains("its -wal is not a file"));
}

#[test]
fn a_damaged_database_is_refused() {
    let sandbox = Sandbox::new();
    let (path, db) = database(&sandbox, CLAUDE_MEM);
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(db);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096..].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    let err = refused(&sandbox, "claude-mem", &path);
    assert!(err.contains("a damaged SQLite database"), "{err}");
    assert!(!sandbox.store().exists());
}

#[test]
fn rows_without_end_are_refused() {
    let sandbox = Sandbox::new();
    let table = "CREATE TABLE observations (id, memory_session_id, project, type, created_at_epoch, title, subtitle, \
                 narrative, text, facts)";
    let (path, db) = database(&sandbox, table);
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000001) \
                INSERT INTO observations (id, memory_session_id, project, type, created_at_epoch) \
                SELECT i, 'm-1', 'blog', 'change', 1 FROM n";
    db.execute_batch(rows).unwrap();
    let err = refused(&sandbox, "claude-mem", &path);
    assert!(err.contains("contains more than 1000000 records"), "{err}");
}

#[test]
fn a_row_of_a_database_that_is_too_large_is_refused() {
    let sandbox = Sandbox::new();
    // A gzipped repository holds such a database in a few kilobytes.
    for (system, sql, change, table) in [
        (
            "riglm2",
            RIGLM2,
            "UPDATE dynamic_entries SET vector = zeroblob(9000000)",
            "dynamic_entries",
        ),
        (
            "claude-mem",
            CLAUDE_MEM,
            "UPDATE observations SET text = hex(zeroblob(2500000)), narrative = hex(zeroblob(2500000))",
            "observations",
        ),
    ] {
        let (path, db) = database(&sandbox, sql);
        db.execute_batch(change).unwrap();
        let err = refused(&sandbox, system, &path);
        let expected = format!("a row of the table {table} is larger than 8 MiB");
        assert!(err.contains(&expected), "{err}");
        drop(db);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
    assert!(!sandbox.store().exists());

    // Below the bound, only what is too long for an item is left.
    let (path, db) = database(&sandbox, CLAUDE_MEM);
    db.execute_batch("UPDATE observations SET text = hex(zeroblob(2000000)) WHERE id = 1").unwrap();
    let report = import(&sandbox, "claude-mem", &path, &[]);
    assert_eq!(report["left"]["observation that cannot be kept"], 1, "{report}");
}
