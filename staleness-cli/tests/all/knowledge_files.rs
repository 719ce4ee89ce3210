//! Items that live in files: the file is the truth, its history dates it, and the store counts.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::common::{Sandbox, line, signals};

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
fn recalling_an_item_in_a_file_asks_for_the_commit_that_is_checked_out() {
    let sandbox = Sandbox::with_history();
    let code = "pub fn vacuum() {}\npub fn vacuum_everything() {}\n";
    sandbox.write("project/src/db.rs", code);
    let body = "The database has port 5432. See `vacuum_everything`.";
    write(&sandbox, "ports", "added: 2026-11-01\n", body);
    sandbox.commit("2026-11-01T00:00:00Z");
    let recalled = || {
        let found = sandbox.json(&["knowledge", "recall", "database port", "--peek"]);
        signals(&found["items"][0]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(recalled(), [""; 0]);
    sandbox.write("project/src/db.rs", "pub fn vacuum() {}\n");
    sandbox.commit("2026-11-05T00:00:00Z");
    assert_eq!(recalled(), ["reference_drift"], "nobody checked since");
    sandbox.ok(&["check"]);
    sandbox.write("project/src/db.rs", code);
    sandbox.commit("2026-11-06T00:00:00Z");
    assert_eq!(recalled(), [""; 0], "it is there again");
}

#[test]
fn verifying_an_item_in_a_file_settles_the_words_that_were_gone_by_then() {
    let sandbox = Sandbox::with_history();
    sandbox
        .write("project/src/db.rs", "pub fn vacuum_everything() {}\npub fn fill_everything() {}\n");
    sandbox.write("project/src/old.rs", "pub fn old() {}\n");
    let body = "The database has port 5432. See `vacuum_everything` and `fill_everything`.";
    write(&sandbox, "ports", "added: 2026-11-01\ncite: src/old.rs\n", body);
    sandbox.commit("2026-11-01T00:00:00Z");
    sandbox.write("project/src/db.rs", "pub fn fill_everything() {}\n");
    std::fs::remove_file(sandbox.project.join("src/old.rs")).unwrap();
    sandbox.commit("2026-11-05T00:00:00Z");
    let both = ["source_missing", "reference_drift"];
    assert_eq!(signals(&listed(&sandbox, "ports")), both);
    sandbox.ok(&["knowledge", "verify", "ports"]);
    let missing = ["source_missing"];
    assert_eq!(signals(&listed(&sandbox, "ports")), missing, "what is cited and gone stays gone");
    let found = sandbox.json(&["knowledge", "recall", "database port", "--peek"]);
    assert_eq!(signals(&found["items"][0]), missing);
    sandbox.write("project/src/db.rs", "pub fn empty_nothing() {}\n");
    sandbox.commit("2099-01-01T00:00:00Z");
    assert_eq!(signals(&listed(&sandbox, "ports")), both, "what went after that is told");
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

#[test]
fn renaming_a_file_changes_nothing_of_its_item() {
    let sandbox = Sandbox::with_history();
    sandbox.ok(&["knowledge", "add", "--id", "old", "--body", "Port 5432."]);
    write(&sandbox, "ports", "added: 2026-01-01\n", "The database has port 6432.");
    write(&sandbox, "hosts", "added: 2026-01-01\n", "The machine is called db.");
    sandbox.commit("2026-11-01T00:00:00Z");
    sandbox.ok(&["knowledge", "supersede", "old", "--by", "ports"]);
    sandbox.ok(&["knowledge", "contradict", "ports", "--by", "ops", "--reason", "it moved"]);
    sandbox.ok(&["knowledge", "verify", "hosts"]);
    sandbox.ok(&["knowledge", "recall", "machine called"]);
    let at_rest = |id: &str| {
        let mut item = listed(&sandbox, id);
        let fields = item.as_object_mut().unwrap();
        fields.retain(|name, _| name != "path" && name != "updated_at");
        item
    };
    let before = ["old", "ports", "hosts"].map(at_rest);
    assert_eq!(before.each_ref().map(signals), [vec!["superseded"], vec!["contradicted"], vec![]]);
    for (from, to) in [("ports", "db"), ("hosts", "machines")] {
        let [from, to] = [from, to].map(|name| format!("memory/{name}.md"));
        sandbox.git("2026-11-02T00:00:00Z", &["mv", &from, &to]);
    }
    sandbox.commit("2026-11-02T00:00:00Z");
    assert_eq!(["old", "ports", "hosts"].map(at_rest), before);
    assert_eq!(signals(&sandbox.json(&["knowledge", "show", "ports"])), ["contradicted"]);
    let found = sandbox.json(&["knowledge", "recall", "database port", "--peek"]);
    let told = |id: &str| found["items"].as_array().unwrap().iter().find(|item| item["id"] == id);
    assert_eq!(signals(told("ports").unwrap()), ["contradicted"], "{found:#}");
    let check = sandbox.json(&["check"]);
    assert_eq!(check["items"][0]["path"], "memory/db.md", "{check:#}");
    assert_eq!(signals(&check["items"][0]), ["contradicted"], "{check:#}");
}

#[test]
fn what_was_deleted_with_its_file_stands_for_nothing_any_more() {
    let sandbox = Sandbox::with_history();
    sandbox.ok(&["knowledge", "add", "--id", "old", "--body", "Port 5432."]);
    write(&sandbox, "new", "added: 2026-11-01\n", "Port 6432.");
    sandbox.commit("2026-11-01T00:00:00Z");
    sandbox.ok(&["knowledge", "supersede", "old", "--by", "new"]);
    assert_eq!(signals(&listed(&sandbox, "old")), ["superseded"]);
    // It stands for the other as long as its file is there, read or not.
    assert_eq!(sandbox.json(&["knowledge", "verify", "old"])["item"]["verdict"]["level"], "stale");
    std::fs::remove_file(sandbox.project.join("memory/new.md")).unwrap();
    sandbox.commit("2026-11-02T00:00:00Z");
    // Bug: the row that it left was verified and marked as wrong.
    for does in ["verify new", "contradict new --by me --reason no", "done new"] {
        let run = sandbox.run(&line(&format!("knowledge {does}")));
        assert!(
            run.code == 3 && run.err.contains("its file \"memory/new.md\" no longer holds it"),
            "{run:?}"
        );
    }
    assert_eq!(signals(&listed(&sandbox, "old")), [""; 0]);
    assert_eq!(signals(&sandbox.json(&["knowledge", "show", "old"])), [""; 0]);
    let found = sandbox.json(&["knowledge", "recall", "port", "--peek"]);
    assert_eq!(signals(&found["items"][0]), [""; 0], "{found:#}");
}

#[test]
fn a_verification_in_the_file_answers_what_was_said_before_it() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "ports", "added: 2026-11-01\nverified: 2026-11-10\n", "Port 5432.");
    sandbox.commit("2026-11-01T00:00:00Z");
    let said = ["--now", "2026-11-12", "knowledge", "contradict", "ports"];
    sandbox.ok(&[&said[..], &["--by", "me", "--reason", "it moved"]].concat());
    assert_eq!(signals(&listed(&sandbox, "ports")), ["contradicted"]);
    write(&sandbox, "ports", "added: 2026-11-01\nverified: 2026-11-13\n", "Port 5432.");
    assert_eq!(signals(&listed(&sandbox, "ports")), [""; 0]);
}

#[test]
fn a_file_that_was_touched_was_not_edited() {
    let sandbox = Sandbox::with_history();
    let todo = "---\ntype: todo\nid: guide\nadded: 2026-11-10\n---\n\nWrite the guide\n";
    sandbox.write("project/memory/guide.md", todo);
    sandbox.commit("2026-11-10T00:00:00Z");
    let touch = |at: u64| {
        let file = File::options().write(true).open(sandbox.project.join("memory/guide.md"));
        file.unwrap().set_modified(UNIX_EPOCH + Duration::from_secs(at)).unwrap();
    };
    let recall = |now: &str| sandbox.json(&["--now", now, "knowledge", "recall", "guide"]);
    touch(1_794_268_800);
    for _ in 0..6 {
        recall("2026-11-18T00:00:00Z");
    }
    assert_eq!(signals(&listed(&sandbox, "guide")), ["recalled_without_progress"]);
    // 2026-11-19, after the last recall.
    touch(1_795_046_400);
    let found = recall("2026-11-20T12:00:00Z");
    assert_eq!(signals(&found["items"][0]), ["recalled_without_progress"], "{found:#}");
    assert_eq!(signals(&listed(&sandbox, "guide")), ["recalled_without_progress"]);
}

#[test]
fn what_changes_nothing_in_a_file_tells_the_item_as_it_is() {
    let sandbox = Sandbox::with_history();
    let text = "---\ntype: todo\nid: guide\nkeywords: [w]\nadded: 2026-01-10\n---\n\nWrite it\n";
    sandbox.write("project/memory/guide.md", text);
    sandbox.commit("2026-01-10T00:00:00Z");
    for args in [&["reopen", "guide"][..], &["set", "guide", "--keyword", "w"]] {
        let told = sandbox.json(&[&["knowledge"], args].concat());
        assert_eq!(told["item"], listed(&sandbox, "guide"), "{args:?}");
    }
    // What holds for this call alone is not kept, and told all the same.
    let version = ["--current-version", "3.0.0"];
    let told = sandbox.json(&[&["knowledge", "reopen", "guide"], &version[..]].concat());
    assert_eq!(told["item"]["id"], "guide", "{told:#}");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_saved_leaves_the_store_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_history();
    sandbox.write("project/memory/b.md", "---\ntype: todo\nid: b\n---\n\nDo b.\n");
    sandbox.commit("2026-11-10T00:00:00Z");
    sandbox.ok(&["knowledge", "add", "--id", "a", "--body", "Do a.", "--kind", "todo"]);
    let before = sandbox.ok(&["export"]);
    let folder = sandbox.project.join("memory");
    let allow = |mode| std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
    allow(0o555);
    // Root writes wherever it likes: nothing can be seen then.
    let is_root = std::fs::write(folder.join("probe"), "").is_ok();
    let acts = [
        &["done", "a", "b"][..],
        &["set", "a", "b", "--keyword", "w"],
        &["supersede", "a", "--by", "b"],
    ];
    for args in acts.into_iter().filter(|_| !is_root) {
        let run = sandbox.run(&[&["knowledge"], args].concat());
        assert_ne!(run.code, 0, "{args:?}: {run:?}");
        assert_eq!(sandbox.ok(&["export"]), before, "{args:?}");
    }
    allow(0o755);
}

#[test]
fn a_file_that_was_committed_after_the_last_check_is_recalled() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "ports", "", "The database has port 5432.");
    sandbox.commit("2026-11-01T00:00:00Z");
    sandbox.ok(&["check"]);
    write(&sandbox, "hosts", "", "The host is called db.");
    sandbox.commit("2026-11-02T00:00:00Z");
    let found = sandbox.json(&["knowledge", "recall", "called host"]);
    assert_eq!(found["items"][0]["id"], "hosts", "{found:#}");
}

#[test]
fn a_file_that_is_read_only_is_left_alone() {
    let sandbox = Sandbox::with_history();
    let text = "---\ntype: todo\nid: ro\n---\n\nWrite it.\n";
    let path = sandbox.write("project/memory/ro.md", text);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    for args in [&["knowledge", "done", "ro"][..], &["knowledge", "set", "ro", "--keyword", "x"]] {
        let run = sandbox.run(args);
        assert!(run.code == 3 && run.err.contains("ro.md: it is read-only"), "{run:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
