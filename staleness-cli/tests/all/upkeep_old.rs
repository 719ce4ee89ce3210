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
    // Bug: the doctor counted outcomes alone.
    let doctor = || sandbox.run(&["doctor"]).out;
    assert!(doctor().contains("; `staleness prune` would remove 1 session"), "{}", doctor());
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

#[test]
fn old_entries_of_the_journal_go_and_whoever_was_not_told_them_hears_that() {
    let sandbox = Sandbox::with_servers(&["github"]);
    let then = |day: u32, args: &[&str]| {
        sandbox.ok(&[&["--now", &format!("2024-06-0{day}")], args].concat())
    };
    then(1, &["scan"]);
    then(1, &["resume", "--agent", "codex"]);
    for day in 2..8 {
        then(day, &["tools", if day % 2 == 0 { "pin" } else { "restore" }, "github"]);
    }
    let removed = |report: Value| report["journal"]["removed"].clone();
    let dry = ["prune", "--dry-run"];
    assert_eq!(removed(sandbox.json(&[&["--now", "2024-07-01"][..], &dry].concat())), 0);
    let keep = ["--set", "journal.keep_days=9000"];
    assert_eq!(removed(sandbox.json(&[&keep[..], &dry].concat())), 0);
    // The place of an agent that is remembered keeps what it was not told.
    let remember = ["--set", "sessions.keep_days=9000"];
    assert_eq!(removed(sandbox.json(&[&remember[..], &dry].concat())), 0);
    assert_eq!(removed(sandbox.json(&dry)), 3);
    assert!(sandbox.run(&["doctor"]).out.contains("3 old journal entries\n"));
    assert!(sandbox.ok(&["prune"]).contains("\n3 old journal entries removed\n"));
    assert_eq!(removed(sandbox.json(&["prune"])), 0);
    let history = sandbox.json(&["tools", "history", "github"]);
    let actions: Vec<&str> = history["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["restored", "pinned", "restored", "added"]);
    assert!(history["pruned_until"].as_str().unwrap().starts_with("2024-06-04T"), "{history}");
    assert!(sandbox.ok(&["tools", "history", "github"]).contains("were pruned"));
    sandbox.ok(&["--now", "2024-06-08", "record", "mcp__new__go", "--success"]);
    assert!(sandbox.json(&["tools", "history", "mcp__new__go"]).get("pruned_until").is_none());
    assert!(sandbox.run(&["doctor"]).out.contains("every record can be read"));

    let peek = ["resume", "--agent", "codex", "--peek"];
    assert!(sandbox.json(&peek)["pruned_until"].as_str().unwrap().starts_with("2024-06-04T"));
    let text = sandbox.ok(&peek);
    assert!(text.contains("\nchanges up to 2024-06-04"), "{text}");
    assert!(text.contains("were pruned, so some may be missing here\n"), "{text}");
    let since = |day| sandbox.json(&["resume", "--agent", "codex", "--since", day]);
    assert!(since("2024-06-01")["pruned_until"].is_string());
    assert!(since("2024-06-05").get("pruned_until").is_none());
    let told = sandbox.session_start(&sandbox.project, "s1", "startup").unwrap();
    assert!(told.contains("Older changes are no longer kept"), "{told}");
    let again = sandbox.session_start(&sandbox.project, "s2", "startup").unwrap_or_default();
    assert!(!again.contains("no longer kept"), "{again}");
}
