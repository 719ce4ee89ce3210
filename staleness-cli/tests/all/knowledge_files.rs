//! Items that live in files: the file is the truth, its history dates it, and the store counts.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::common::Sandbox;

/// What speaks against an item, but its age.
fn signals(item: &Value) -> Vec<&str> {
    let signals = item["verdict"]["signals"].as_array().unwrap();
    let kinds = signals.iter().map(|signal| signal["kind"].as_str().unwrap());
    kinds.filter(|kind| *kind != "age").collect()
}

fn listed(sandbox: &Sandbox, id: &str) -> Value {
    let list = sandbox.json(&["knowledge", "list"]);
    let items = list["items"].as_array().unwrap();
    items.iter().find(|item| item["id"] == id).unwrap_or_else(|| panic!("{id}: {list:#}")).clone()
}

fn write(sandbox: &Sandbox, id: &str, fields: &str, body: &str) {
    let text = format!("---\ntype: knowledge\nid: {id}\n{fields}---\n\n{body}\n");
    sandbox.write(&format!("project/memory/{id}.md"), text);
}

#[test]
fn the_commits_of_a_file_say_when_its_item_was_written_and_edited() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "ports", "", "Port 5432.");
    write(&sandbox, "hosts", "added: 2026-02-01\n", "Host db.");
    sandbox.commit("2026-03-01T00:00:00Z");
    write(&sandbox, "ports", "", "Port 6432.");
    sandbox.commit("2026-05-01T00:00:00Z");
    sandbox.git("2026-05-02T00:00:00Z", &["mv", "memory/ports.md", "memory/db.md"]);
    sandbox.commit("2026-05-02T00:00:00Z");
    let ports = listed(&sandbox, "ports");
    assert_eq!(ports["added_at"], "2026-03-01T00:00:00Z", "under whatever name");
    assert!(ports["updated_at"].as_str().unwrap() < "2026-05-03", "{ports:#}");
    let hosts = listed(&sandbox, "hosts");
    assert_eq!(hosts["added_at"], "2026-02-01T00:00:00Z", "what the file says goes before that");
    assert_eq!(hosts["updated_at"], "2026-03-01T00:00:00Z");
    // An item that depends on another one is not older than that because a file was checked out.
    let add = |id: &str, at: &str, on: &str| {
        let add = ["--now", at, "knowledge", "add", "--id", id, "--body", "x", "--related", on];
        sandbox.ok(&add);
    };
    add("later", "2026-04-01", "hosts");
    add("before", "2026-04-01", "ports");
    assert!(!signals(&listed(&sandbox, "later")).contains(&"related_fresher"));
    assert!(signals(&listed(&sandbox, "before")).contains(&"related_fresher"));
}

#[test]
fn recalling_an_item_in_a_file_says_what_showing_it_says() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "ports", "", "The database has port 5432.");
    sandbox.commit("2026-03-01T00:00:00Z");
    let shown = sandbox.json(&["knowledge", "show", "ports"]);
    assert_ne!(shown["verdict"]["level"], "fresh", "it is old");
    let found = sandbox.json(&["knowledge", "recall", "database port", "--peek"]);
    assert_eq!(found["items"][0]["verdict"], shown["verdict"], "{found:#}");
}

#[test]
fn recalls_count_on_from_what_a_file_says() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "ports", "added: 2026-11-01\nrecall_count: 7\n", "The database has port 5432.");
    sandbox.commit("2026-11-01T00:00:00Z");
    assert_eq!(listed(&sandbox, "ports")["recalls"], 7);
    for recalls in [8, 9] {
        sandbox.ok(&["knowledge", "recall", "database port"]);
        assert_eq!(listed(&sandbox, "ports")["recalls"], recalls);
    }
}

#[test]
fn editing_a_todo_in_a_file_is_progress() {
    let sandbox = Sandbox::with_history();
    let text =
        |body: &str| format!("---\ntype: todo\nid: guide\nadded: 2026-11-10\n---\n\n{body}\n");
    sandbox.write("project/memory/guide.md", text("Write the migration guide"));
    sandbox.commit("2026-11-10T00:00:00Z");
    // Files are written at the present moment, and this test lives at another.
    let written = UNIX_EPOCH + Duration::from_secs(1_794_268_800);
    let file = File::options().write(true).open(sandbox.project.join("memory/guide.md")).unwrap();
    file.set_modified(written).unwrap();
    for _ in 0..5 {
        let found = sandbox.json(&["knowledge", "recall", "migration guide"]);
        assert_eq!(found["items"][0]["id"], "guide", "{found:#}");
    }
    assert_eq!(signals(&listed(&sandbox, "guide")), ["recalled_without_progress"]);
    sandbox.write("project/memory/guide.md", text("Finish the migration guide: two chapters left"));
    sandbox.commit("2026-11-20T12:00:01Z");
    assert_eq!(signals(&listed(&sandbox, "guide")), [""; 0]);
}

#[test]
fn what_an_item_in_a_file_stands_for_is_taken_back_in_the_file() {
    let sandbox = Sandbox::with_history();
    sandbox.ok(&["knowledge", "add", "--id", "old", "--body", "Port 5432."]);
    write(&sandbox, "older", "added: 2026-11-01\n", "Port 3306.");
    write(&sandbox, "new", "added: 2026-11-01\nsupersedes: [old]\n", "Port 6432.");
    sandbox.commit("2026-11-01T00:00:00Z");
    let show = |id: &str| sandbox.json(&["knowledge", "show", id]);
    assert_eq!(signals(&listed(&sandbox, "old")), ["superseded"]);
    assert_eq!(signals(&show("old")), ["superseded"]);
    let both = sandbox.json(&["knowledge", "supersede", "older", "--by", "new"]);
    assert_eq!(signals(&both["item"]), ["superseded"]);
    assert_eq!(both["by"]["supersedes"], json!(["old", "older"]));
    let file = sandbox.project.join("memory/new.md");
    let said = std::fs::read_to_string(&file).unwrap();
    assert!(said.contains("supersedes: [old, older]"), "{said}");
    sandbox.ok(&["knowledge", "supersede", "old", "--by", "new"]);
    write(&sandbox, "new", "added: 2026-11-01\n", "Port 6432.");
    for id in ["old", "older"] {
        assert_eq!(signals(&listed(&sandbox, id)), [""; 0], "{id}");
        assert_eq!(signals(&show(id)), [""; 0], "{id}");
    }
}

#[test]
fn what_is_left_of_an_item_whose_file_is_gone_hides_nothing() {
    let sandbox = Sandbox::with_history();
    sandbox.ok(&["knowledge", "add", "--id", "ports", "--body", "Port 1.", "--global"]);
    write(&sandbox, "ports", "added: 2026-11-01\n", "Port 5432.");
    sandbox.commit("2026-11-01T00:00:00Z");
    sandbox.ok(&["knowledge", "verify", "ports"]);
    assert_eq!(listed(&sandbox, "ports")["scope"], "project");
    std::fs::remove_file(sandbox.project.join("memory/ports.md")).unwrap();
    sandbox.commit("2026-11-02T00:00:00Z");
    assert_eq!(listed(&sandbox, "ports")["scope"], "global");
    assert_eq!(sandbox.json(&["knowledge", "show", "ports"])["scope"], "global");
    let found = sandbox.json(&["knowledge", "recall", "port"]);
    assert_eq!(found["items"][0]["scope"], "global", "{found:#}");
    // What is left can still be removed.
    sandbox.ok(&["knowledge", "remove", "ports", "--scope", "project", "--yes"]);
    let left = sandbox.run(&["knowledge", "show", "ports", "--scope", "project"]);
    assert_eq!(left.code, 3, "{left:?}");
}
