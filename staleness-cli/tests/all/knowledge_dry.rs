//! Dry runs: `--dry-run` shows the result and writes nothing. And taking `done` back.

use serde_json::{Value, json};

use crate::common::Sandbox;

/// Two facts and a to-do in the store, a fact and a to-do in files.
fn written() -> Sandbox {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/memory/ports.md", "---\ntype: knowledge\nid: ports\n---\n\nPort 1.\n");
    sandbox.write("project/memory/later.md", "---\ntype: todo\nid: later\n---\n\nDo it.\n");
    sandbox.commit("2026-11-10T00:00:00Z");
    for (id, kind) in [("a", "knowledge"), ("b", "knowledge"), ("t", "todo")] {
        sandbox.ok(&["knowledge", "add", "--id", id, "--body", id, "--kind", kind]);
    }
    sandbox
}

/// Everything that is stored, and every file of the project that holds an item.
fn everything(sandbox: &Sandbox) -> (String, Vec<String>) {
    let read = |name: &str| std::fs::read_to_string(sandbox.project.join(name)).unwrap();
    (sandbox.ok(&["export"]), ["memory/ports.md", "memory/later.md"].map(read).to_vec())
}

#[test]
fn a_dry_run_of_every_verb_tells_what_would_be_and_writes_nothing() {
    let sandbox = written();
    let before = everything(&sandbox);
    for (args, pointer, value) in [
        (&["verify", "a"][..], "/item/verified_at", json!("2026-11-20T12:00:00Z")),
        (&["verify", "ports"], "/item/verified_at", json!("2026-11-20T12:00:00Z")),
        (&["set", "a", "--keyword", "w"], "/item/keywords", json!(["w"])),
        (&["set", "ports", "--keyword", "w"], "/item/keywords", json!(["w"])),
        (&["set", "a", "--supersedes", "b"], "/item/supersedes", json!(["b"])),
        (&["done", "t"], "/item/done_at", json!("2026-11-20T12:00:00Z")),
        (&["done", "later"], "/item/done_at", json!("2026-11-20T12:00:00Z")),
        (&["supersede", "a", "--by", "b"], "/item/verdict/level", json!("stale")),
        (&["supersede", "a", "--by", "ports"], "/by/supersedes", json!(["a"])),
        (
            &["contradict", "a", "--by", "me", "--reason", "no"],
            "/item/verdict/level",
            json!("stale"),
        ),
        (&["remove", "a"], "/item/id", json!("a")),
        (&["add", "--id", "c", "--body", "x"], "/item/id", json!("c")),
    ] {
        let told = sandbox.json(&[&["knowledge"], args, &["--dry-run"]].concat());
        assert_eq!(told.pointer(pointer), Some(&value), "{args:?}: {told:#}");
        assert_eq!(everything(&sandbox), before, "{args:?}");
    }
    let text = sandbox.ok(&["knowledge", "set", "a", "--keyword", "w", "--dry-run"]);
    assert!(text.contains("nothing was written"), "{text}");
    let refused = sandbox.run(&["knowledge", "done", "a", "--dry-run"]);
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn a_todo_that_was_done_is_reopened() {
    let sandbox = written();
    let done_at = |id: &str| sandbox.json(&["knowledge", "show", id])["done_at"].clone();
    sandbox.ok(&["knowledge", "done", "t", "later"]);
    assert_ne!((done_at("t"), done_at("later")), (Value::Null, Value::Null));
    let open = sandbox.json(&["knowledge", "reopen", "t", "later"]);
    for item in open["items"].as_array().unwrap() {
        assert_eq!(item["done_at"], Value::Null, "{item:#}");
    }
    assert_eq!((done_at("t"), done_at("later")), (Value::Null, Value::Null));
    let file = std::fs::read_to_string(sandbox.project.join("memory/later.md")).unwrap();
    assert!(file.contains("status: open\n"), "{file}");
    let run = sandbox.run(&["knowledge", "reopen", "a"]);
    assert!(
        run.code == 3 && run.err.contains("only a to-do or an expired item can be reopened"),
        "{run:?}"
    );
}
