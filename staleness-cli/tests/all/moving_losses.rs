//! Moving in: what is left behind, replaced or dated by other means, and where the data was.

use std::path::Path;

use serde_json::json;

use crate::common::Sandbox;
use crate::moving::{ISSUES, import, moved, refused, shown, some};

/// Bug: an import lost these without a word.
#[test]
fn what_has_no_place_here_is_counted_by_name() {
    let sandbox = Sandbox::new();
    let issue = json!({
        "id": "a-1", "title": "t", "created_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-02T00:00:00Z",
        "status": "closed", "close_reason": "Done without a date", "priority": "high", "labels": {"a": 1}, "parent": "a-0",
        "issue_type": "bug", "due_at": "2026-04-01T00:00:00Z",
        "dependencies": [{"depends_on_id": "a-2", "type": "discovered-from", "thread_id": "x"}],
        "comments": [{"text": "Without a date"}],
    });
    let path = sandbox.write("theirs/issues.jsonl", issue.to_string());
    let left = json!({
        "issue.comments without a time": 1, "issue.dependencies.type=discovered-from": 1,
        "issue.dependency.thread_id": 1, "issue.labels": 1, "issue.priority": 1,
    });
    assert_eq!(moved(&sandbox, "beads", &path)["left"], left);
    let item = shown(&sandbox, "work", "a-1");
    assert_eq!(item["refs"], json!(["a-0", "a-2"]));
    assert_eq!(item["steps"][0]["text"], "closed: Done without a date");
    assert!(item["text"].as_str().unwrap().ends_with("(bug; due 2026-04-01)"), "{item}");
}

/// Bug: one id that came again refused all. beads itself keeps the later line.
#[test]
fn of_two_records_with_one_id_the_later_one_is_imported() {
    let sandbox = Sandbox::new();
    let again = ISSUES.lines().next().unwrap().replace("Checkout hangs", "Checkout waits");
    let path = sandbox.write("theirs/issues.jsonl", format!("{ISSUES}{again}\n"));
    let report = moved(&sandbox, "beads", &path);
    assert_eq!(some(&report["imported"]), json!({"knowledge": 1, "work": 4}));
    assert_eq!(report["left"]["issue that a later one replaces"], 1, "{report}");
    let bug = shown(&sandbox, "work", "shop-1");
    assert!(bug["text"].as_str().unwrap().starts_with("Checkout waits"), "{bug}");
    let stale = sandbox.ok(&["stale", "--from", "beads", "--input", path.to_str().unwrap()]);
    assert_eq!(stale.matches("shop-1").count(), 1, "{stale}");
}

#[test]
fn the_place_that_was_read_is_named_if_another_was_given() {
    let sandbox = Sandbox::new();
    let memory =
        "---\nname: a\ntype: user\nmetadata:\n  node_type: memory\n  origin: s-1\n---\nTabs.\n";
    let file = sandbox.write("home/.claude/projects/-p/memory/a.md", memory);
    let inner = file.parent().unwrap();
    let run = |path: &Path| {
        sandbox.ok(&["import", "--from", "claude-memory", path.to_str().unwrap(), "--dry-run"])
    };
    let told = run(inner.parent().unwrap());
    assert!(told.contains("read from ") && told.contains("-p/memory\n"), "{told}");
    let told = run(inner);
    assert!(!told.contains("read from") && told.contains("memory.metadata.origin"), "{told}");
    // Bug: the memories of all projects became knowledge of this one.
    let err = refused(&sandbox, "claude-memory", inner.ancestors().nth(2).unwrap());
    assert!(err.contains("contains folders with memories; name one, such as"), "{err}");
}

/// Bug: in a clone, the time of a file is that of the clone.
#[test]
fn a_note_without_a_date_has_those_of_its_commits() {
    let sandbox = Sandbox::with_history();
    let path = sandbox.write("project/vault/Index.md", "Everything is in one index.\n");
    sandbox.commit("2025-05-01T00:00:00Z");
    sandbox.write("project/vault/Index.md", "Everything is in two.\n");
    sandbox.commit("2025-06-01T00:00:00Z");
    let report = moved(&sandbox, "basic-memory", path.parent().unwrap());
    assert_eq!(report["left"], json!({}));
    let item = shown(&sandbox, "knowledge", "Index");
    assert_eq!(
        (&item["added_at"], &item["updated_at"]),
        (&json!("2025-05-01T00:00:00Z"), &json!("2025-06-01T00:00:00Z"))
    );
}

#[test]
fn secrets_are_taken_out_of_every_field_and_name() {
    let sandbox = Sandbox::new();
    let line = r#"{"id": "a-1", "title": "t", "created_at": "2026-03-01T00:00:00Z",
        "created_by": "password=hunter2zz", "external_ref": "https://bob:hunter2zz@ci.example/",
        "status": "password=hunter2zz"}"#;
    let path = sandbox.write("issues.jsonl", line.replace('\n', ""));
    let told = import(&sandbox, "beads", &path, &[]);
    assert_eq!(told["redacted"], 1);
    let item = shown(&sandbox, "work", "a-1");
    assert!(!format!("{told} {item}").contains("hunter2zz"), "{told} {item}");
}

#[test]
fn a_line_that_is_not_utf8_is_left_behind() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("issues.jsonl", [ISSUES.as_bytes(), b"{\"id\": \"\xff\"}\n"].concat());
    assert_eq!(import(&sandbox, "beads", &path, &[])["left"]["issue that is not UTF-8"], 1);
}
