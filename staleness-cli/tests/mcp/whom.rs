//! Answers that name the item and the agent that they are about.

use serde_json::{Value, json};

use crate::client::{Client, Machine};

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

fn connect(machine: &Machine, name: &str, now: &str) -> Client {
    let mut client = Client::start(machine.command(&["mcp", "--now", now]));
    client.introduce_as(name);
    client
}

/// Bug: no call reached an item of all projects where the project has one with its id.
#[test]
fn an_item_of_all_projects_is_called_as_it_is_listed() {
    let machine = Machine::new();
    let at = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        machine.ok(&[&args[..], &["--now", "2026-11-20"]].concat())
    };
    at("work add trap Global --id push --global --expires 2026-11-22");
    at("work add trap Own --id push");
    at("work set push --status resolved");
    at("work add plan Base --id base --global");
    let mut client = connect(&machine, "codex-mcp-client", "2026-11-23");
    let id = "global:push";
    let listed = client.call("work_item", json!({ "action": "list", "kind": "trap" }));
    assert_eq!(listed["structuredContent"]["items"][0]["id"], id, "{listed}");
    assert!(text(&listed).contains("trap `global:push` active"), "{listed}");
    let shown = client.data("work_item", json!({ "action": "show", "id": id }));
    assert_eq!((&shown["item"]["id"], &shown["item"]["text"]), (&json!(id), &json!("Global")));
    let resumed = client.call("resume_session", json!({}));
    let data = &resumed["structuredContent"];
    assert_eq!(
        (&data["warnings"][0]["id"], &data["items"][0]["id"]),
        (&json!(id), &json!("global:base"))
    );
    assert!(text(&resumed).contains("overdue trap `global:push`"), "{resumed}");
    let stale = client.data("list_stale", json!({}));
    assert_eq!(stale["items"][0]["id"], id, "{stale}");
    let add = json!({ "action": "add", "kind": "plan", "text": "Next", "after": ["global:base"] });
    assert_eq!(client.data("work_item", add)["item"]["after"], json!(["base"]));
    let settled = client.data("settle_work", json!({ "id": id }));
    assert_eq!(settled["id"], id, "{settled}");
    assert!(machine.ok(&["work", "show", "push", "--scope", "global"]).contains("resolved"));
}

/// Bug: an item of all projects that is due could not be rescheduled, as its next step says.
#[test]
fn an_item_of_all_projects_is_changed_without_saying_so() {
    let machine = Machine::new();
    machine.ok(&[
        "knowledge",
        "add",
        "--id",
        "call",
        "--kind",
        "todo",
        "--body",
        "Call",
        "--global",
    ]);
    let mut client = machine.client(&[]);
    client.data("save_knowledge", json!({ "id": "call", "due": "2027-01-01" }));
    let shown = machine.ok(&["knowledge", "show", "call", "--json"]);
    assert!(shown.contains("2027-01-01") && shown.contains("\"global\""), "{shown}");
}

/// Bug: an agent that looked at another's news was told what is for that one as its own.
#[test]
fn the_news_of_another_agent_are_not_told_as_ones_own() {
    let machine = Machine::new();
    for args in [
        &["work", "add", "handoff", "Look", "--id", "h", "--to", "codex", "--from", "ana"][..],
        &["work", "add", "plan", "Move", "--id", "p", "--agent", "codex"],
    ] {
        machine.ok(&[args, &["--now", "2026-11-21"]].concat());
    }
    let told = |name: &str| {
        let mut client = connect(&machine, name, "2026-11-22");
        let asked = json!({ "agent": "codex", "since": "2026-11-20" });
        text(&client.call("resume_session", asked)).to_owned()
    };
    let (own, others) = (told("codex-mcp-client"), told("claude-code"));
    assert!(own.contains("(added, open, for you") && own.contains("todo, by this agent"), "{own}");
    assert!(others.contains("(added, open, for `codex`"), "{others}");
    assert!(!others.contains("you") && !others.contains("by this agent"), "{others}");
}

/// Bug: the command in a reason was cut.
#[test]
fn a_reason_is_told_with_all_of_its_command() {
    let machine = Machine::new();
    let trust = json!({ machine.project.to_str().unwrap(): { "hasTrustDialogAccepted": true } });
    let servers = json!({ "wx": { "command": "/bin/false" } });
    let servers = json!({ "mcpServers": servers, "projects": trust });
    std::fs::write(machine.root.join("home/.claude.json"), servers.to_string()).unwrap();
    machine.ok(&["scan", "--probe"]);
    let mut client = machine.client(&[]);
    let listed = client.call("list_stale", json!({}));
    assert!(text(&listed).contains("`staleness scan --probe wx`\""), "{listed}");
}

/// Bug: an agent was told to replace a preference, which is then refused.
#[test]
fn of_a_preference_that_is_said_to_be_wrong_the_user_is_asked() {
    let machine = Machine::new();
    let add = ["knowledge", "add", "--id", "tabs", "--body", "Use tabs", "--kind", "preference"];
    machine.ok(&add);
    machine.ok(&["knowledge", "contradict", "tabs", "--by", "codex", "--reason", "no"]);
    let listed = machine.client(&[]).data("list_stale", json!({}));
    assert_eq!(listed["items"][0]["next"], "ask the user whether it is still true", "{listed}");
}

/// Bug: overdue work that waits for other work was listed without it.
#[test]
fn what_is_overdue_is_listed_with_what_it_waits_for() {
    let machine = Machine::new();
    for args in [
        &["work", "add", "plan", "Base", "--id", "base"][..],
        &["work", "add", "plan", "Then", "--id", "then", "--after", "base"],
    ] {
        machine.ok(&[args, &["--now", "2026-10-01"]].concat());
    }
    let mut client = connect(&machine, "claude-code", "2026-11-22");
    let listed = client.call("list_stale", json!({}));
    assert!(text(&listed).contains("for 52 days; it waits for base"), "{listed}");
}

/// Bug: an item that is over read as a new one, once somebody had edited it.
#[test]
fn an_edit_of_what_is_over_says_so() {
    let machine = Machine::new();
    let add = ["work", "add", "constraint", "No deploys", "--id", "d", "--status", "resolved"];
    machine.ok(&[&add[..], &["--now", "2026-11-20"]].concat());
    machine.ok(&["work", "set", "d", "--text", "None at all", "--now", "2026-11-22"]);
    let mut client = connect(&machine, "claude-code", "2026-11-23");
    let told = client.call("resume_session", json!({ "since": "2026-11-21" }));
    assert!(text(&told).contains("constraint `d` (edited, now resolved)"), "{told}");
}
