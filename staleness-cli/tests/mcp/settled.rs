//! Knowledge that an agent settles, or may not settle.

use serde_json::json;

use crate::client::{Client, Machine};
use crate::models::{git, rotted};

/// Bug: an agent silently took back that a person had marked an item as wrong.
#[test]
fn an_agent_does_not_lift_what_a_person_said() {
    let machine = Machine::new();
    machine.ok(&["knowledge", "add", "--id", "k", "--body", "Shortest prefix"]);
    let reason = "It is the \"longest\"";
    machine.ok(&["knowledge", "contradict", "k", "--by", "ana", "--reason", reason]);
    let mut client = machine.client(&[]);
    let holds = json!({ "ids": ["k"], "still": "holds" });
    let refused = client.call("verify_knowledge", holds);
    assert_eq!(refused["isError"], true, "{refused}");
    let text = refused["content"][0]["text"].as_str().unwrap();
    for part in [
        "ana marked",
        "as wrong on 20",
        "longest",
        "Next: \"ask the user whether it is still true\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nor in two calls, and a refused call changes nothing.
    let wrong = json!({ "ids": ["k"], "still": "wrong", "reason": "moved" });
    client.data("verify_knowledge", wrong);
    let holds = json!({ "ids": ["k"], "still": "holds", "expires": "-3d" });
    assert_eq!(client.call("verify_knowledge", holds)["isError"], true);
    assert!(!machine.ok(&["knowledge", "show", "k", "--json"]).contains("expires_at"));
    // What is true now settles it.
    let listed = client.data("list_stale", json!({}));
    let next = "save what is true now with save_knowledge and supersedes";
    assert_eq!(listed["items"][0]["next"], next, "{listed}");
    let now = json!({ "body": "Longest prefix", "supersedes": ["k"] });
    client.data("save_knowledge", now);
    assert_eq!(client.data("list_stale", json!({}))["items"], json!([]));
    // Its own mark it may take back.
    client.call("save_knowledge", json!({ "id": "own", "body": "Port 1" }));
    let wrong = json!({ "ids": ["own"], "still": "wrong", "reason": "moved" });
    client.data("verify_knowledge", wrong);
    let told = client.data("verify_knowledge", json!({ "ids": ["own"], "still": "holds" }));
    assert_eq!(told["items"][0]["verdict"]["level"], "fresh", "{told}");
}

/// Bug: a superseded item was listed for ever.
#[test]
fn what_is_superseded_is_settled_and_names_what_holds() {
    let (machine, mut client) = Machine::served();
    client.data("save_knowledge", json!({ "id": "ports2", "body": "The port is 5433" }));
    let new = json!({ "id": "ports3", "body": "The port is 5434", "supersedes": ["ports2"] });
    client.data("save_knowledge", new);
    assert_eq!(client.data("list_stale", json!({}))["items"], json!([]));
    let line = machine.ok(&["statusline", "--json"]);
    assert!(line.contains("\"knowledge\": 0"), "{line}");
    assert!(machine.ok(&["review"]).starts_with("nothing needs attention\n"));
    let recalled = client.call("recall_knowledge", json!({ "query": "which port" })).to_string();
    assert!(recalled.contains("superseded by ports3"), "{recalled}");
}

/// Bug: the next step for an overdue to-do was to compare it with the code.
#[test]
fn an_overdue_to_do_is_done_or_gets_another_date() {
    let machine = Machine::new();
    let add = ["--now", "2026-11-10", "knowledge", "add", "--kind", "todo", "--id", "ship"];
    machine.ok(&[&add[..], &["--body", "Ship it", "--due", "+2d"]].concat());
    let mut client = machine.client(&["--now", "2026-11-14"]);
    let listed = client.data("list_stale", json!({}));
    let next = "verify_knowledge with still=done if it is done, else ask the user";
    assert_eq!(
        (&listed["items"][0]["id"], &listed["items"][0]["next"]),
        (&json!("ship"), &json!(next))
    );
}

/// Runs a command at a time, and returns what it printed.
fn at(machine: &Machine, now: &str, args: &str) -> String {
    let args: Vec<&str> = args.split(' ').collect();
    machine.ok(&[&args[..], &["--now", now]].concat())
}

/// Bug: for a tool that a person demoted, and for one that may be tried again, the next step was to repair it.
#[test]
fn the_next_step_for_a_failing_tool_fits_its_health() {
    let machine = Machine::new();
    let at = |now: &str, args: &str| at(&machine, now, args);
    let [first, later] = ["2026-11-20T12:00:00Z", "2026-11-20T14:00:00Z"];
    at(first, "record /ask --success");
    at(first, "tools demote /ask");
    for _ in 0..3 {
        at(first, "record /try --failure --agent claude-code");
        at(later, "record /fix --failure --agent claude-code");
    }
    let mut client = machine.client(&["--now", later]);
    let listed = client.data("list_stale", json!({ "kind": "tool" }));
    let next = |id: &str| {
        let items = listed["items"].as_array().unwrap();
        let item = items.iter().find(|each| each["id"].as_str().unwrap().ends_with(id));
        item.unwrap_or_else(|| panic!("{id}: {listed}"))["next"].as_str().unwrap().to_owned()
    };
    assert_eq!(next("ask"), "a person demoted it: ask the user before you call it");
    assert_eq!(next("try"), "use another; if none fits, it may be tried again");
    assert_eq!(next("fix"), "use another, or retry after a repair");
    let resumed = client.call("resume_session", json!({})).to_string();
    let ask = "/ask`, ask the user before you call it: demoted by hand";
    for told in [ask, "/try` failed, may be tried again: "] {
        assert!(resumed.contains(told), "{told}: {resumed}");
    }
}

/// Bug: a tool that an agent demoted was said to recover after one success.
#[test]
fn what_an_agent_demoted_an_agent_may_restore() {
    let machine = Machine::new();
    machine.ok(&["record", "/own", "--success"]);
    machine.ok(&["tools", "demote", "/own", "--agent", "codex"]);
    let mut client = machine.client(&[]);
    client.data("record_outcome", json!({ "name": "/own", "outcome": "success" }));
    let way = "an agent demoted it: use another, or if it works again ask the user to run \
               `staleness tools restore NAME`";
    let listed = client.data("list_stale", json!({ "kind": "tool" }));
    assert_eq!(listed["items"][0]["next"], way, "{listed}");
    let refused = client.call("settle_work", json!({ "id": "/own" })).to_string();
    assert!(refused.contains("demoted: if it works again, ask the user to restore it"));
    machine.ok(&["tools", "restore", "/own", "--agent", "claude-code"]);
    assert_eq!(client.data("list_stale", json!({}))["counts"]["total"], 0);
}

/// Bug: a name that the user and the project have was listed twice.
#[test]
fn a_name_in_both_scopes_is_listed_once() {
    let machine = Machine::new();
    let servers = json!({ "mcpServers": { "db": { "command": "x" } } }).to_string();
    let files = [machine.root.join("home/.claude.json"), machine.project.join(".mcp.json")];
    files.iter().for_each(|file| std::fs::write(file, &servers).unwrap());
    machine.ok(&["scan"]);
    files.iter().for_each(|file| std::fs::write(file, "{}").unwrap());
    machine.ok(&["scan"]);
    let listed = machine.client(&[]).data("list_stale", json!({}));
    let ids: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!((ids, &listed["counts"]["tools"]), (vec!["mcp__db__*"], &json!(1)), "{listed}");
}

/// Bug: of a server that a person demoted one tool might be tried again.
#[test]
fn a_tool_of_a_demoted_server_is_demoted_with_it() {
    let machine = Machine::new();
    let at = |now: &str, args: &str| at(&machine, now, args);
    let [first, later] = ["2026-11-20T12:00:00Z", "2026-11-20T14:00:00Z"];
    let servers = json!({ "mcpServers": { "github": { "command": "x" } } }).to_string();
    std::fs::write(machine.root.join("home/.claude.json"), servers).unwrap();
    at(first, "scan");
    at(first, "record mcp__github__get --success --agent claude-code");
    for _ in 0..3 {
        at(first, "record mcp__github__list --failure --agent claude-code");
    }
    at(first, "tools demote github --reason leaks");
    let mut client = machine.client(&["--now", later]);
    let resumed = client.call("resume_session", json!({})).to_string();
    assert!(resumed.contains("mcp__github__*`, ask the user before you call it"), "{resumed}");
    assert!(!resumed.contains("tried again"), "{resumed}");
    // Bug: each of its tools was listed beside it.
    assert_eq!(resumed.matches("mcp__github__").count(), 2, "as text and as data: {resumed}");
    let status = client.data("tool_status", json!({ "name": "mcp__github__get" }));
    assert_eq!(status["status"], "demoted", "{status}");
    for name in ["mcp__github__get", "github"] {
        let status = client.call("tool_status", json!({ "name": name, "history": 9 })).to_string();
        assert!(status.contains("demoted by hand") && !status.contains("leaks"), "{status}");
    }
    let found = client.call("discover_tools", json!({ "query": "github get" })).to_string();
    assert!(found.contains("mcp__github__get") && !found.contains("active"), "{found}");
    for command in ["tools show mcp__github__get", "tools rank"] {
        let told = at(later, command);
        assert!(told.contains("demoted"), "{told}");
    }
    at(later, "tools restore github");
    let status = client.data("tool_status", json!({ "name": "mcp__github__get" }));
    assert_eq!(status["status"], "active", "{status}");
    // Bug: of some acts of agents the history named a command instead.
    at(later, "tools demote github --agent claude-code");
    let status = client.call("tool_status", json!({ "name": "github", "history": 9 })).to_string();
    assert!(
        status.contains("demoted by `claude-code`") || status.contains("demoted by claude-code"),
        "{status}"
    );
}

/// Bug: an expiry that one item cannot have was refused when all had been verified.
#[test]
fn an_expiry_that_is_refused_changes_nothing() {
    let machine = Machine::new();
    machine.ok(&["knowledge", "add", "--id", "note", "--body", "The port is 8080"]);
    let add = ["knowledge", "add", "--id", "tabs", "--body", "Use tabs", "--kind", "preference"];
    machine.ok(&add);
    let mut client = machine.client(&[]);
    let holds = json!({ "ids": ["note", "tabs"], "still": "holds", "expires": "+30d" });
    let refused = client.call("verify_knowledge", holds);
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(!machine.ok(&["why", "note"]).contains("verified"));
}

/// Bug: a client without a usable name acted as a person.
#[test]
fn a_client_without_a_name_is_no_person() {
    let machine = Machine::new();
    machine.ok(&["knowledge", "add", "--kind", "preference", "--id", "tabs", "--body", "Use tabs"]);
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("");
    let refused =
        client.call("save_knowledge", json!({ "body": "Use spaces", "supersedes": ["tabs"] }));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(machine.ok(&["knowledge", "show", "tabs"]).contains("fresh 1.00"));
}

/// Bug: a check at one commit said at another one that nothing is known.
#[test]
fn what_was_checked_at_another_commit_is_not_said_to_be_without_problems() {
    let machine = rotted();
    git(&machine, &["checkout", "--quiet", "-b", "old", "HEAD~1"]);
    machine.ok(&["check"]);
    let head = |machine: &Machine| {
        let answer = machine.client(&[]).call("list_stale", json!({}));
        answer["content"][0]["text"].as_str().unwrap().lines().next().unwrap().to_owned()
    };
    assert!(head(&machine).starts_with("no known problems here"), "{}", head(&machine));
    git(&machine, &["checkout", "--quiet", "-"]);
    assert!(head(&machine).contains("checked at another commit"), "{}", head(&machine));
}
