//! Clients that have the server and no hooks.

use serde_json::json;

use crate::client::{Client, Machine};

/// Bug: without hooks nothing ever reads the configuration, so an agent is told of no server.
#[test]
fn the_first_call_of_a_client_reads_its_configuration() {
    let machine = Machine::new();
    let home = machine.root.join("home");
    let configure = |servers: &str| {
        std::fs::create_dir_all(home.join(".codex")).unwrap();
        std::fs::write(home.join(".codex/config.toml"), servers).unwrap();
    };
    let connect = || {
        let mut client = Client::start(machine.command(&["mcp"]));
        client.introduce_as("codex-mcp-client");
        client
    };
    configure("[mcp_servers.github]\ncommand = \"x\"\n[mcp_servers.late]\ncommand = \"x\"\n");
    let mut client = connect();
    client.ask("tools/list", json!({}));
    assert!(!machine.root.join("data").exists(), "who only looks at the tools leaves nothing");
    assert_eq!(client.data("tool_status", json!({ "name": "mcp__github__*" }))["status"], "active");
    assert_eq!(client.data("resume_session", json!({}))["tools"], json!([]), "as it was met");
    configure("[mcp_servers.late]\ncommand = \"x\"\nenabled = false\n");
    let told = connect().data("resume_session", json!({}));
    let gone = [("mcp__github__*", "removed_from_config"), ("mcp__late__*", "disabled")];
    for (at, (name, cause)) in gone.into_iter().enumerate() {
        let each = &told["tools"][at];
        assert_eq!((&each["name"], &each["cause"]), (&json!(name), &json!(cause)), "{told}");
    }
    // What cannot be read proves nothing, and fails no call.
    configure("[mcp_servers.late");
    assert_eq!(connect().data("resume_session", json!({}))["tools"], json!([]));
}

/// Bug: what waits for its user is told to be dropped.
#[test]
fn an_agent_is_asked_to_ask_its_user_for_what_only_the_user_can_mend() {
    let machine = Machine::new();
    let servers = r#"{"mcpServers": {"team": {"command": "x"}}}"#;
    std::fs::write(machine.project.join(".mcp.json"), servers).unwrap();
    std::fs::write(machine.root.join("home/.claude.json"), "{}").unwrap();
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("claude-code");
    let entry = client.data("list_stale", json!({}))["items"][0].clone();
    let next = "do not call it; ask the user to approve it in the client";
    assert_eq!((&entry["next"], &entry["verdict"]["action"]), (&json!(next), &json!("update")));
}
