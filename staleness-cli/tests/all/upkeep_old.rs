//! Old sessions, cursors and projects are pruned; nothing that a person wrote is.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Sandbox, used};

/// A session of 2024 in the second project, with a use of a tool.
fn long_ago(sandbox: &Sandbox, id: &str) {
    let cwd = sandbox.second_project();
    for event in ["SessionStart", "PostToolUse", "SessionEnd"] {
        let mut payload = used(event, "mcp__github__search", &format!("u-{id}"));
        payload["cwd"] = json!(cwd);
        payload["session_id"] = json!(id);
        let now = ["--now", "2024-06-01"];
        let run = sandbox.hook_with(&now, payload.to_string().as_bytes());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    }
}

fn removed(report: &Value) -> [u64; 3] {
    ["sessions", "cursors", "projects"].map(|key| report[key]["removed"].as_u64().unwrap())
}

fn roots(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.json(&["project", "list"]);
    let roots = list["projects"].as_array().unwrap().iter();
    roots.map(|project| project["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn sessions_and_places_in_the_changes_go_after_a_year() {
    let sandbox = Sandbox::scanned();
    long_ago(&sandbox, "s1");
    let here = sandbox.project.clone();
    sandbox.session_start(&here, "s2", "startup");
    let dry = removed(&sandbox.json(&["prune", "--dry-run"]));
    assert_eq!((dry[0], dry[2]), (1, 0));
    assert_eq!(removed(&sandbox.json(&["prune", "--dry-run"])), dry, "a dry run removes nothing");
    let keep = ["--set", "sessions.keep_days=9000", "prune", "--dry-run"];
    assert_eq!(removed(&sandbox.json(&keep)), [0, 0, 0]);
    assert!(sandbox.ok(&["prune", "--dry-run"]).contains("\n1 session would be removed\n"));
    assert_eq!(removed(&sandbox.json(&["prune"])), dry);
    let again = sandbox.json(&["prune"]);
    assert_eq!((removed(&again), &again["sessions"]["kept"]), ([0, 0, 0], &json!(1)));
}

#[test]
fn a_project_whose_folder_is_gone_is_forgotten_after_a_year() {
    let sandbox = Sandbox::scanned();
    long_ago(&sandbox, "s1");
    assert_eq!(roots(&sandbox).len(), 2);
    assert_eq!(removed(&sandbox.json(&["prune"]))[2], 0, "its folder is there");
    fs::remove_dir_all(sandbox.second_project()).unwrap();
    let keep = ["--set", "projects.forget_after_days=9000", "prune"];
    assert_eq!(removed(&sandbox.json(&keep))[2], 0);
    assert_eq!(removed(&sandbox.json(&["prune", "--dry-run"]))[2], 1);
    assert_eq!(roots(&sandbox).len(), 2, "a dry run removes nothing");
    assert!(sandbox.ok(&["prune"]).contains("\n1 project without a folder removed\n"));
    assert_eq!(roots(&sandbox), [sandbox.project.to_str().unwrap()]);
}

#[test]
fn the_end_of_a_session_forgets_sessions_and_looks_at_no_folder() {
    let sandbox = Sandbox::scanned();
    long_ago(&sandbox, "s1");
    fs::remove_dir_all(sandbox.second_project()).unwrap();
    let end = json!({ "session_id": "s", "hook_event_name": "SessionEnd", "reason": "exit" });
    assert_eq!(sandbox.hook(&end).code, 0);
    assert_eq!(roots(&sandbox).len(), 2);
    assert_eq!(removed(&sandbox.json(&["prune", "--dry-run"])), [0, 0, 1]);
}

#[test]
fn a_project_that_holds_what_a_person_wrote_or_decided_stays() {
    for written in [
        &["knowledge", "add", "--body", "The port is 5432"][..],
        &["work", "add", "plan", "Move to another port"],
        &["tools", "pin", "mcp__local__*"],
    ] {
        let sandbox = Sandbox::scanned();
        let other = sandbox.second_project();
        let config = json!({ "mcpServers": { "local": { "command": "npx" } } });
        sandbox.write("other/.mcp.json", config.to_string());
        long_ago(&sandbox, "s1");
        let there = ["--project", other.to_str().unwrap(), "--now", "2024-06-02"];
        sandbox.ok(&[&there[..], written].concat());
        fs::remove_dir_all(&other).unwrap();
        assert_eq!(removed(&sandbox.json(&["prune"]))[2], 0, "{written:?}");
        assert_eq!(roots(&sandbox).len(), 2, "{written:?}");
    }
}
