//! Tools on which there is no verdict: not used yet, switched off, of another client, invented.

use serde_json::{Value, json};

use crate::common::{Sandbox, names, used};

/// Records uses that a client reports by its hook.
fn reports(sandbox: &Sandbox, client: &str, tool: &str, event: &str, times: usize) {
    for at in 0..times {
        let payload = used(event, tool, &format!("{client}-{tool}-{event}-{at}"));
        sandbox.hook_with(&["--client", client], payload.to_string().as_bytes());
    }
}

/// Returns a tool, whose verdict must have this level and ask for nothing. Only a fresh one has a freshness.
fn judged(sandbox: &Sandbox, args: &[&str], level: &str) -> Value {
    let shown = sandbox.json(&[&["tools", "show"][..], args].concat());
    let freshness = if level == "fresh" { json!(1.0) } else { Value::Null };
    let verdict = &shown["verdict"];
    let told = [&verdict["level"], &verdict["freshness"], &verdict["action"]];
    assert_eq!(told, [&json!(level), &freshness, &json!("keep")], "{shown}");
    shown
}

#[test]
fn a_tool_that_was_not_used_yet_is_unknown() {
    let sandbox = Sandbox::scanned();
    sandbox.codex(&["github"]);
    sandbox.write("home/.claude/commands/ship.md", "Ship it.\n");
    sandbox.ok(&["scan"]);
    for (name, clients) in [("github", "claude-code, codex"), ("/ship", "claude-code")] {
        let shown = judged(&sandbox, &[name], "unknown");
        let why = format!("not used yet; configured in {clients}");
        assert_eq!(shown["verdict"]["signals"][0]["reason"], json!(why));
        let shown = sandbox.ok(&["tools", "show", name]);
        assert!(shown.contains("unknown\n") && shown.contains(&why), "{shown}");
        assert!(!shown.contains("fresh"), "{shown}");
    }
    let counts = sandbox.json(&[])["counts"].clone();
    assert_eq!((&counts["fresh"], &counts["tools"]), (&json!(0), &json!(2)), "{counts}");
    sandbox.ok(&["record", "mcp__github__list", "--success"]);
    judged(&sandbox, &["github"], "fresh");
}

/// Nothing is known of a tool that was used, as long as no use is known to have worked.
#[test]
fn a_tool_without_a_known_success_is_unknown() {
    let sandbox = Sandbox::scanned();
    let fails = |at: &str| {
        let outcome = if at == "0" { "--interrupted" } else { "--failure" };
        sandbox.ok(&["record", "mcp__github__charge", outcome, "--id", at]);
    };
    for at in ["0", "1"] {
        fails(at);
        for name in ["mcp__github__charge", "github"] {
            let shown = judged(&sandbox, &[name], "unknown");
            let signal = &shown["verdict"]["signals"][0];
            assert_eq!(signal["reason"], "used, but never known to succeed");
        }
    }
    let told = sandbox.ok::<&str>(&[]);
    assert!(
        told.contains("\nnothing is known about 2 tools, 2 without a known success\n"),
        "{told}"
    );
    sandbox.ok(&["record", "mcp__github__charges", "--success", "--new"]);
    let told = sandbox.ok::<&str>(&[]);
    let sound = "\nno known problems with 3 tools, 1 without a known success\n";
    assert!(told.contains(sound), "{told}");
    let counts = sandbox.json(&[])["counts"].clone();
    assert_eq!((&counts["fresh"], &counts["tools"]), (&json!(2), &json!(3)), "{counts}");
    for query in [&["tools", "suggest"][..], &["tools", "suggest", "github"]] {
        let found = sandbox.json(query);
        let found = names(&found["tools"]);
        let place = |name: &str| found.iter().position(|each| *each == name);
        assert!(place("mcp__github__charges") < place("mcp__github__charge"), "{found:?}");
    }
    sandbox.ok(&["record", "mcp__github__charge", "--success"]);
    judged(&sandbox, &["mcp__github__charge"], "fresh");
}

#[test]
fn what_a_person_switched_off_is_off_and_no_advice() {
    let sandbox = Sandbox::new();
    sandbox.codex_github(true);
    reports(&sandbox, "codex", "mcp__github__list", "PostToolUse", 1);
    sandbox.codex_github(false);
    for name in ["github", "mcp__github__list"] {
        let shown = judged(&sandbox, &[name], "off");
        assert_eq!(shown["status"], "off");
        let shown = sandbox.ok(&["tools", "show", name]);
        assert!(shown.contains("  off\n") && shown.contains("switched off"), "{shown}");
        assert!(!shown.contains("stale") && !shown.contains("drop"), "{shown}");
        assert!(sandbox.ok(&["why", name]).contains("off: "), "{name}");
    }
    let listed = sandbox.json(&["tools", "list", "--status", "off"]);
    assert_eq!(names(&listed["tools"]).len(), 2, "{listed}");
    let listed = sandbox.json(&["tools", "list", "--status", "stale"]);
    assert_eq!(listed["tools"], json!([]));
    let found = sandbox.json(&["tools", "discover", "list"]);
    assert_eq!(found["tools"][0]["mark"], "[off]", "{found}");
    let why = sandbox.ok(&["why", "mcp__github__list", "--agent", "codex"]);
    assert!(why.contains("github__* is off: switched off") && !why.contains("is stale"), "{why}");
    let told = sandbox.ok::<&str>(&[]);
    assert!(told.contains("\n2 tools configured, all switched off\n"), "{told}");
    assert_eq!(sandbox.json(&["review"])["items"], json!([]));
    sandbox.ok(&["record", "/ship", "--success", "--new"]);
    let told = sandbox.ok::<&str>(&[]);
    assert!(told.contains("\nno known problems with 3 tools, 2 switched off\n"), "{told}");
}

/// Built-in tools of one client are none of another, and not stale for it.
#[test]
fn a_tool_of_another_client_is_simply_not_this_ones() {
    let sandbox = Sandbox::scanned();
    sandbox.codex(&["linear"]);
    sandbox.ok(&["scan"]);
    reports(&sandbox, "codex", "shell", "PostToolUse", 1);
    reports(&sandbox, "codex", "mcp__hub__find", "PostToolUse", 1);
    for (name, why) in [
        ("shell", "not one of this client's tools: used by codex"),
        ("mcp__hub__find", "not one of this client's tools of the server hub: used by codex"),
        ("linear", "not one of this client's tools: codex/user/mcp lists it"),
    ] {
        let shown = judged(&sandbox, &[name, "--agent", "claude-code"], "other_client");
        assert_eq!(shown["verdict"]["signals"][0]["reason"], why);
        assert_eq!(shown["status"], "other_client");
        let shown = sandbox.ok(&["tools", "show", name, "--agent", "claude-code"]);
        assert!(!shown.contains("stale") && shown.contains("other_client\n"), "{shown}");
    }
    assert_eq!(sandbox.status("shell"), "active", "for the client that has it");
    sandbox.ok(&["tools", "pin", "linear"]);
    let shown = judged(&sandbox, &["linear", "--agent", "claude-code"], "other_client");
    assert_eq!(shown["status"], "other_client");
}

/// A name that no server of its client can have is no tool while it only fails, though the client omits the server.
#[test]
fn a_name_that_its_server_does_not_have_is_invented() {
    let sandbox = Sandbox::with_servers(&["github", "slack", "mail"]);
    let servers =
        json!({ "mcpServers": { "github": { "command": "x" }, "slack": { "command": "x" } } });
    sandbox.write("home/.cursor/mcp.json", servers.to_string());
    sandbox.ok(&["scan"]);
    let invented = || {
        let listed = sandbox.json(&["tools"]);
        names(&listed["invented"]).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    reports(&sandbox, "claude-code", "mcp__github__no_such", "PostToolUseFailure", 3);
    reports(&sandbox, "claude-code", "mcp__mail__send", "PostToolUseFailure", 3);
    reports(&sandbox, "cursor", "MCP:nothing", "PostToolUseFailure", 3);
    assert_eq!(invented(), [""; 0], "each server may have any tool");
    let list = |server: &str| sandbox.lists(server, r#"{"tools": [{"name": "post"}]}"#);
    list("github");
    assert_eq!(invented(), ["mcp__github__no_such"]);
    let shown = sandbox.json(&["tools", "show", "MCP:nothing"]);
    assert_eq!(shown["presence"]["cause"], "used", "slack may have it");
    list("slack");
    assert_eq!(invented(), ["MCP:nothing", "mcp__github__no_such"]);
    let shown = sandbox.json(&["tools", "show", "MCP:nothing"]);
    assert_eq!(shown["presence"]["cause"], "invented");
    // All answers agree that it is no tool, and name the nearest one.
    let shown = sandbox.json(&["tools", "show", "mcp__github__no_such"]);
    let why = sandbox.json(&["why", "mcp__github__no_such"]);
    assert_eq!((&shown["status"], &why["state"]), (&json!("invented"), &json!("invented")));
    for told in [&shown, &why] {
        let verdict = &told["verdict"];
        let told =
            [&verdict["level"], &verdict["freshness"], &verdict["action"], &told["did_you_mean"]];
        let near = json!("mcp__github__post");
        assert_eq!(told, [&json!("invented"), &Value::Null, &json!("drop"), &near], "{verdict}");
    }
    for verb in [&["why"][..], &["tools", "show"]] {
        let text = sandbox.ok(&[verb, &["mcp__github__no_such"]].concat());
        assert!(
            text.contains("did you mean mcp__github__post?") && !text.contains("stale 0"),
            "{text}"
        );
        assert!(!text.contains("may be tried"), "{text}");
    }
    let server = sandbox.json(&["tools", "show", "github"]);
    assert_eq!((&server["outcomes"], &server["verdict"]["level"]), (&json!(""), &json!("unknown")));
    let told = sandbox.start_of("claude-code", "c1");
    assert!(told.contains("mcp__mail__") && !told.contains("no_such"), "{told}");
    // Nor is it suggested, and who reports it once more reads that it is none.
    let near = sandbox.run(&["tools", "show", "mcp__github__no_suc"]);
    assert!(!near.err.contains("no_such"), "{near:?}");
    let told = ["record", "mcp__github__no_such", "--failure", "--agent", "claude-code"];
    assert!(sandbox.ok(&told).starts_with("mcp__github__no_such is invented"));
    reports(&sandbox, "claude-code", "mcp__github__no_such", "PostToolUse", 1);
    assert_eq!(invented(), ["MCP:nothing"], "it works after all");
}

/// A client that succeeded with a tool has it, though its own files do not name the server: then its outcomes count as
/// those of the clients whose files do. Before, its failures are its own.
#[test]
fn a_success_counts_whoever_made_it_and_shows_that_its_client_has_the_tool() {
    const TOOL: &str = "mcp__github__list";
    let sandbox = Sandbox::scanned();
    sandbox.codex(&["linear"]);
    sandbox.ok(&["scan"]);
    reports(&sandbox, "codex", TOOL, "PostToolUseFailure", 3);
    assert_eq!(sandbox.status(TOOL), "active", "codex does not have it");
    reports(&sandbox, "claude-code", TOOL, "PostToolUseFailure", 3);
    assert_eq!(sandbox.status(TOOL), "demoted");
    reports(&sandbox, "codex", TOOL, "PostToolUse", 1);
    assert_eq!(sandbox.status(TOOL), "active");
    let shown = sandbox.json(&["tools", "show", TOOL, "--agent", "codex"]);
    assert_eq!((&shown["presence"]["cause"], &shown["status"]), (&json!("used"), &json!("active")));
}

#[test]
fn one_tool_needs_attention() {
    let sandbox = Sandbox::scanned();
    sandbox.claude(&[]);
    let told = sandbox.ok::<&str>(&[]);
    assert!(told.contains("\n1 of 1 tool needs attention\n"), "{told}");
}

/// A server in a file that its client refuses needs a person, and so do its tools.
#[test]
fn a_tool_of_a_refused_server_needs_what_its_server_needs() {
    let sandbox = Sandbox::new();
    let file = "home/.codex/config.toml";
    sandbox.write(file, "[mcp_servers.hub]\ncommand = \"x\"\n");
    sandbox.ok(&["scan"]);
    reports(&sandbox, "codex", "mcp__hub__find", "PostToolUse", 1);
    sandbox.write(file, "[mcp_servers]\nodd = 7\n[mcp_servers.hub]\ncommand = \"x\"\n");
    sandbox.ok(&["scan"]);
    for name in ["hub", "mcp__hub__find"] {
        let shown = sandbox.json(&["tools", "show", name, "--agent", "codex"]);
        assert_eq!(shown["verdict"]["action"], "update", "{shown}");
        assert_eq!(shown["status"], "stale");
    }
}

#[test]
fn an_unseen_tool_of_another_clients_server_is_none_of_this_one() {
    let sandbox = Sandbox::scanned();
    let shown = sandbox.run(&["tools", "show", "mcp__github__find", "--agent", "codex"]);
    let why = "is not one of this client's tools: its server github is only in claude-code";
    assert!(shown.code == 3 && shown.err.contains(why), "{shown:?}");
}

#[test]
fn a_server_is_known_by_the_name_in_its_tools_names() {
    let sandbox = Sandbox::with_servers(&["my server.x", "other"]);
    sandbox.ok(&["scan"]);
    for name in ["mcp__my_server_x__*", "my_server_x", "my server.x"] {
        let shown = sandbox.json(&["tools", "show", name]);
        assert_eq!(shown["name"], "mcp__my server.x__*");
        sandbox.ok(&["why", name]);
    }
    sandbox.ok(&["tools", "ignore", "mcp__my_server_x__*"]);
}

#[test]
fn what_no_tool_can_be_called_is_not_recorded() {
    let sandbox = Sandbox::scanned();
    for name in ["*", "mcp__*__x", "/", "MCP:", "mcp_", "__"] {
        let told = sandbox.run(&["record", name, "--success", "--new"]);
        assert!(told.code == 3 && told.err.contains("is not a valid tool name"), "{told:?}");
    }
    assert_eq!(names(&sandbox.json(&["tools", "list"])["tools"]), ["mcp__github__*"]);
}
