//! Claims and handoffs, over the protocol.

use std::io::Write;

use serde_json::{Value, json};

use crate::client::{Client, Machine};

const BEGIN: &str = "2026-11-29T12:00:00Z";

fn connect(machine: &Machine, name: &str) -> Client {
    let mut client = Client::start(machine.command(&["mcp", "--now", BEGIN]));
    client.introduce_as(name);
    client
}

/// Returns what the hook of Claude Code says to an event of a session.
fn event(machine: &Machine, session: &str, name: &str, minute: u32) -> String {
    let payload = json!({
        "session_id": session, "hook_event_name": name, "cwd": machine.project, "prompt": "go on",
        "tool_name": "Bash", "tool_use_id": format!("{session} {minute}"),
    });
    let now = format!("2026-11-29T12:{minute:02}:00Z");
    let mut hook = machine.command(&["hook", "--client", "claude-code", "--now", &now]);
    let mut child = hook.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

/// Bug: the claim belonged to the connection alone, so no hook of its agent renewed it.
#[test]
fn with_several_sessions_each_renews_a_claim_until_its_connection_ends() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move the parser", "--id", "p", "--now", BEGIN]);
    for session in ["s-1", "s-2"] {
        event(&machine, session, "SessionStart", 0);
    }
    let mut client = connect(&machine, "claude-code");
    let claim = json!({ "action": "claim", "id": "p" });
    let claimed = client.data("work_item", claim.clone())["item"]["claim"].clone();
    assert_eq!(claimed["until"], "2026-11-29T12:30:00Z");
    assert!(claimed["session"].as_str().unwrap().starts_with("mcp-"), "{claimed}");
    let until = || {
        let shown = machine.ok(&["work", "show", "p", "--json", "--now", BEGIN]);
        serde_json::from_str::<Value>(&shown).unwrap()["claim"]["until"].clone()
    };
    // Bug: its own agent was told to throw it away, as the claim of another session.
    let told = event(&machine, "s-2", "SessionStart", 1);
    let own =
        "Claimed by you over MCP or by a command, in this session or another: plan `p` until ";
    assert!(told.contains(own) && !told.contains("work release"), "{told}");
    assert_eq!(event(&machine, "s-2", "PostToolUse", 20), "");
    assert_eq!(until(), "2026-11-29T12:50:00Z");
    assert_eq!(event(&machine, "s-1", "UserPromptSubmit", 40), "");
    assert_eq!(until(), "2026-11-29T13:10:00Z");
    let refused = connect(&machine, "claude-code").call("work_item", claim);
    assert!(text(&refused).contains("is claimed by"), "one holds it: {refused}");
    client.leave();
    assert_eq!(event(&machine, "s-2", "PostToolUse", 45), "");
    assert_eq!(until(), BEGIN, "the sessions that go on do not revive it");
    machine.ok(&["work", "claim", "p", "--agent", "codex", "--now", "2026-11-29T12:46:00Z"]);
    assert!(event(&machine, "s-1", "PostToolUse", 47).contains("another session took over"));
}

/// Bug: an agent was not told for whom a handoff is, and could close or claim it though it was for another.
#[test]
fn a_handoff_between_two_others_is_named_and_refused() {
    let machine = Machine::new();
    for (id, to) in [("h", "codex"), ("free", "")] {
        let add = ["work", "add", "handoff", "Review it", "--id", id, "--now", "2026-11-01"];
        let parties = ["--from", "gemini", "--to", to];
        machine.ok(&[&add[..], &parties[..if to.is_empty() { 2 } else { 4 }]].concat());
    }
    let mut claude = connect(&machine, "claude-code");
    let listed = claude.call("work_item", json!({ "action": "list" }));
    assert!(text(&listed).contains("- handoff `h` open, for `codex`: "), "{listed}");
    assert!(text(&listed).contains("- handoff `free` open: "), "{listed}");
    // Bug: a step was told for it that is refused.
    let told = claude.data("resume_session", json!({ "digest": true }));
    let of = |id: &str| told["warnings"].as_array().unwrap().iter().find(|it| it["id"] == id);
    assert_eq!(of("h").unwrap()["next"], "leave it to its agents, or ask the user", "{told}");
    assert!(of("free").unwrap()["next"].as_str().unwrap().contains("settle_work"), "{told}");
    let accept = json!({ "action": "update", "id": "h", "status": "accepted" });
    for (tool, asked) in [
        ("settle_work", json!({ "id": "h" })),
        ("work_item", json!({ "action": "claim", "id": "h" })),
        ("work_item", json!({ "action": "update", "id": "h", "status": "closed" })),
        ("work_item", accept.clone()),
    ] {
        let refused = claude.call(tool, asked);
        assert_eq!(refused["isError"], true, "{refused}");
        let why = refused["structuredContent"]["error"]["message"].as_str().unwrap();
        assert_eq!(why, "\"h\" is a handoff for \"codex\"");
    }
    // A person may.
    machine.ok(&["work", "set", "h", "--status", "closed"]);
    machine.ok(&["work", "reopen", "h"]);
    let mut codex = connect(&machine, "codex-mcp-client");
    // Bug: it was not said that this settles it, and whoever tried to end it was led in a circle.
    let accepted = codex.call("work_item", accept);
    assert!(
        text(&accepted).ends_with("; this resolves it; there is nothing more to do"),
        "{accepted}"
    );
    for (tool, asked) in [
        ("settle_work", json!({ "id": "h" })),
        ("work_item", json!({ "action": "update", "id": "h", "status": "closed" })),
    ] {
        let refused = codex.call(tool, asked);
        assert!(text(&refused).contains("it is already resolved"), "{refused}");
    }
    // One that is for anybody is accepted once.
    let accept = json!({ "action": "update", "id": "free", "status": "accepted" });
    codex.data("work_item", accept.clone());
    codex.data("work_item", accept.clone());
    let refused = claude.call("work_item", accept.clone());
    assert!(text(&refused).contains("was already accepted, by 'codex'"), "{refused}");
    // Bug: so was the acceptance of one that was handed on.
    let hand_on = json!({ "action": "update", "id": "free", "to": "claude" });
    codex.data("work_item", hand_on);
    claude.data("work_item", accept);
    // Bug: whoever named itself as the receiver could close it for another.
    let close = json!({ "action": "update", "id": "h", "to": "claude", "status": "closed" });
    assert!(text(&claude.call("work_item", close)).contains("is a handoff for 'codex'"));
}

/// Bug: of the items that wait for one, ten were named as if there were no more.
#[test]
fn how_many_more_items_wait_for_one_is_said() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move", "--id", "p"]);
    for _ in 0..12 {
        machine.ok(&["work", "add", "plan", "Wait", "--after", "p"]);
    }
    let mut codex = connect(&machine, "codex");
    let shown = codex.call("work_item", json!({ "action": "show", "id": "p" }));
    assert!(text(&shown).ends_with(" waits for it, and 2 more"), "{shown}");
    // Bug: what an item waits for was not in a list.
    let listed = codex.call("work_item", json!({ "action": "list" }));
    assert_eq!(text(&listed).matches(" todo, waits for `p`: \"Wait\"").count(), 12, "{listed}");
}

/// Bug: whoever holds an item was not told by whom its claim was ended.
#[test]
fn a_session_that_resumes_is_told_who_ended_its_claim() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move", "--id", "p", "--now", BEGIN]);
    let mut client = connect(&machine, "claude-code");
    client.call("resume_session", json!({}));
    client.data("work_item", json!({ "action": "claim", "id": "p" }));
    machine.ok(&["work", "release", "p", "--now", BEGIN]);
    let told = client.call("resume_session", json!({}));
    let how = "your claim was ended by a person at 2026-11-29T12:00:00Z: stop working on it or ask";
    assert!(text(&told).contains(how), "{told}");
    assert!(!text(&client.call("resume_session", json!({}))).contains("`p`"));
}

/// Bug: a claim in another project than the server's outlived the connection.
#[test]
fn the_end_of_a_connection_ends_its_claims_in_every_project() {
    let machine = Machine::new();
    let other = machine.project.join("../other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    let other = other.to_str().unwrap().to_owned();
    let place = ["--project", &other, "--now", BEGIN];
    machine.ok(&[&["work", "add", "plan", "Move", "--id", "p"], &place[..]].concat());
    let mut client = connect(&machine, "claude-code");
    let claim = json!({ "action": "claim", "id": "p", "project": other });
    let claimed = client.data("work_item", claim)["item"]["claim"].clone();
    assert_eq!(claimed["until"], "2026-11-29T12:30:00Z", "{claimed}");
    client.leave();
    let shown = machine.ok(&[&["work", "show", "p", "--json"], &place[..]].concat());
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["claim"]["until"], BEGIN, "{shown}");
}

/// Bug: the news of an open handoff for anybody that had only been edited did not say for whom it is, and the sender of
/// an abandoned one was told to claim it, which is refused.
#[test]
fn news_of_handoffs_tell_for_whom_and_what_can_be_done() {
    let machine = Machine::new();
    let add = ["work", "add", "handoff", "Review it", "--from", "claude-code", "--now", BEGIN];
    machine.ok(&[&add[..], &["--id", "free"]].concat());
    machine.ok(&[&add[..], &["--id", "sent", "--to", "codex"]].concat());
    let mut gemini = connect(&machine, "gemini");
    gemini.call("resume_session", json!({}));
    machine.ok(&["work", "step", "free", "looked", "--agent", "claude-code", "--now", BEGIN]);
    let told = gemini.call("resume_session", json!({}));
    assert!(
        text(&told)
            .contains("(stepped, for whoever takes it, by `claude-code`, from `claude-code`)"),
        "{told}"
    );
    let claim = ["work", "claim", "sent", "--agent", "codex", "--for", "1m"];
    machine.ok(&[&claim[..], &["--now", "2026-11-29T11:00:00Z"]].concat());
    let mut claude = connect(&machine, "claude-code");
    for tool in ["list_stale", "resume_session"] {
        let told = claude.call(tool, json!({}));
        let told = text(&told);
        assert!(told.contains("Next: work_item release") && !told.contains("claim if"), "{told}");
    }
}

/// Bug: an expired item was verified, and stayed expired, with no way to go on.
#[test]
fn an_expired_item_is_verified_with_a_new_expiry_or_none() {
    let machine = Machine::new();
    let add = ["knowledge", "add", "--id", "port", "--body", "The port is 8080"];
    machine.ok(&[&add[..], &["--expires", "2026-11-03", "--now", "2026-11-01"]].concat());
    let mut client = connect(&machine, "claude-code");
    let mut verify = |expires: Option<&str>| {
        let asked = json!({ "ids": ["port"], "still": "holds", "expires": expires });
        let answer = client.call("verify_knowledge", asked);
        let level = answer["structuredContent"]["items"][0]["verdict"]["level"].clone();
        (level, text(&answer).to_owned())
    };
    let (level, told) = verify(None);
    let next = "; call again with expires=+30d or none, or with still=done";
    assert!(
        told.starts_with("verified, but some are not fresh yet:") && told.ends_with(next),
        "{told}"
    );
    assert_eq!((level, verify(Some("none")).0), (json!("stale"), json!("fresh")));
    assert_eq!(verify(Some("-3d")).0, "stale");
    assert_eq!(verify(Some("+30d")).0, "fresh");
    let asked = json!({ "ids": ["port"], "still": "wrong", "reason": "x", "expires": "+30d" });
    let refused = client.call("verify_knowledge", asked);
    assert!(text(&refused).contains("`expires` is allowed only for items that hold"), "{refused}");
    let saved = client.data("save_knowledge", json!({ "id": "port", "expires": "none" }));
    assert_eq!(saved["item"]["verdict"]["level"], "fresh");
}

/// Bug: an agent with MCP alone could only call an expired item wrong, which kept it in the list.
#[test]
fn an_expired_item_is_ended_as_done() {
    let machine = Machine::new();
    let add = |id: &str| {
        let add = ["knowledge", "add", "--body", "The port is 8080", "--now", "2026-11-01", "--id"];
        machine.ok(&[&add[..], &[id, "--expires", "2026-11-03"]].concat());
    };
    ["port", "host"].into_iter().for_each(add);
    let mut client = connect(&machine, "claude-code");
    let next = "verify_knowledge with still=holds and expires=+30d or none, or with still=done";
    let told = client.call("list_stale", json!({}));
    assert_eq!(text(&told).matches(next).count(), 2, "{told}");
    client.data("verify_knowledge", json!({ "ids": ["port", "host"], "still": "done" }));
    let none = client.call("list_stale", json!({ "kind": "knowledge" }));
    assert!(text(&none).starts_with("nothing of this kind needs attention"), "{none}");
    assert_eq!(client.data("recall_knowledge", json!({ "query": "port" }))["items"], json!([]));
    machine.ok(&["knowledge", "reopen", "port"]);
    assert_eq!(client.data("list_stale", json!({}))["items"][0]["id"], "port");
    client.data("save_knowledge", json!({ "id": "host", "expires": "none" }));
    let found = client.data("recall_knowledge", json!({ "query": "port" }));
    let level = |at: usize| found["items"][at]["verdict"]["level"].clone();
    assert_eq!([level(0), level(1)], [json!("stale"), json!("fresh")], "host holds again: {found}");
    assert!(!machine.ok(&["knowledge", "show", "host"]).contains("done"));
}

/// Bug: an agent without hooks lost what it was at work on after half an hour, unless it claimed it again.
#[test]
fn each_call_of_a_connection_renews_its_claims() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move", "--id", "p", "--now", BEGIN]);
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("codex");
    let claim = json!({ "action": "claim", "id": "p", "for": "1s" });
    let claimed = client.data("work_item", claim)["item"]["claim"].clone();
    let until = |claim: &Value| claim["until"].as_str().unwrap().to_owned();
    // Each call is later than the one before, so one of them is late enough to renew it.
    let renewed = std::iter::repeat_with(|| {
        let shown = client.data("work_item", json!({ "action": "show", "id": "p" }));
        shown["item"]["claim"].clone()
    });
    let renewed = renewed.take(10_000).find(|claim| until(claim) != until(&claimed));
    assert!(until(&renewed.unwrap()) > until(&claimed));
}
