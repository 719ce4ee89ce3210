//! Servers that wait for a person: for an approval, or for trust in a folder.

use serde_json::json;

use crate::common::Sandbox;

/// A folder that is trusted again gives back what its client had, and for the first time what it never had.
#[test]
fn what_a_client_had_before_its_folder_lost_trust_is_available_again() {
    let sandbox = Sandbox::new();
    let project = sandbox.project.to_str().unwrap().to_owned();
    let start = |id: &str, level: &str, servers: &[&str]| {
        let servers: String =
            servers.iter().map(|name| format!("[mcp_servers.{name}]\ncommand = \"x\"\n")).collect();
        sandbox.write("project/.codex/config.toml", servers);
        let trust = format!("[projects.{project:?}]\ntrust_level = \"{level}\"\n");
        sandbox.write("home/.codex/config.toml", trust);
        sandbox.start_of("codex", id)
    };
    start("x1", "trusted", &["team"]);
    let told = start("x2", "untrusted", &["team", "late"]);
    assert!(told.contains("do not call: `mcp__team__*`") && !told.contains("late"), "{told}");
    let told = start("x3", "trusted", &["team", "late"]);
    assert!(told.contains("- Available again: `mcp__team__*`\\n- New: `mcp__late__*`"), "{told}");
}

/// A cloned repository may bring what approves its servers; `claude mcp list` calls them pending until it is trusted.
#[test]
fn nothing_in_a_project_that_is_not_trusted_approves_its_servers() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"team": {"command": "x"}}}"#);
    sandbox.write("project/.claude/settings.local.json", r#"{"enableAllProjectMcpServers": true}"#);
    let project = sandbox.project.to_str().unwrap();
    for (is_trusted, state) in [(false, "pending"), (true, "configured")] {
        let section = json!({ "hasTrustDialogAccepted": is_trusted });
        let config = json!({ "projects": { project: section } });
        sandbox.write("home/.claude.json", config.to_string());
        sandbox.ok(&["scan"]);
        assert_eq!(sandbox.tool("team")["clients"]["claude-code"], state);
        let matrix = sandbox.ok(&["tools", "matrix"]);
        assert!(matrix.trim_end().ends_with(&format!("  {state}")), "{matrix}");
    }
}

/// A program that a user's server names may be one of the folder: `npx` prefers those.
#[cfg(all(unix, feature = "mcp"))]
#[test]
fn a_users_server_is_not_started_in_a_folder_that_its_client_does_not_trust() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new();
    let started = sandbox.root().join("started");
    let script = format!("#!/bin/sh\n: > '{}'\n", started.display());
    let theirs = sandbox.write("project/node_modules/.bin/letters", script);
    std::fs::set_permissions(&theirs, std::fs::Permissions::from_mode(0o755)).unwrap();
    let project = sandbox.project.to_str().unwrap().to_owned();
    let server = json!({ "letters": { "command": "node_modules/.bin/letters" } });
    let toml = "[mcp_servers.letters]\ncommand = 'node_modules/.bin/letters'\n";
    let claude = |trusts: bool| {
        let section = json!({ "hasTrustDialogAccepted": trusts, "mcpServers": server });
        json!({ "mcpServers": server, "projects": { &project: section } }).to_string()
    };
    let codex = |trusts| {
        let level = if trusts { "trusted" } else { "untrusted" };
        format!("{toml}[projects.{project:?}]\ntrust_level = '{level}'\n")
    };
    let config = json!({ "mcpServers": server }).to_string();
    for (client, path, untrusted, trusted) in [
        ("claude-code", "home/.claude.json", vec![config.clone(), claude(false)], claude(true)),
        ("codex", "home/.codex/config.toml", vec![toml.to_owned(), codex(false)], codex(true)),
        ("gemini", "home/.gemini/settings.json", vec![config.clone()], String::new()),
    ] {
        for text in untrusted {
            sandbox.write(path, text);
            let probed = sandbox.json(&["scan", "--probe"])["probed"].clone();
            for each in probed.as_array().unwrap() {
                let why = "its client does not trust this folder";
                assert_eq!((&each["state"], &each["reason"]), (&json!("skipped"), &json!(why)));
            }
            assert!(!started.exists() && !probed[0].is_null(), "{client}: {probed}");
        }
        if trusted.is_empty() {
            sandbox.write(
                "home/.gemini/trustedFolders.json",
                json!({ &project: "TRUST_FOLDER" }).to_string(),
            );
        } else {
            sandbox.write(path, trusted);
        }
        sandbox.ok(&["scan", "--probe"]);
        std::fs::remove_file(&started).expect(client);
        std::fs::remove_file(sandbox.root().join(path)).unwrap();
    }
}

/// Leaves off, and never starts, the servers that the settings of Claude Code deny or do not allow.
#[test]
fn what_the_settings_deny_is_off_and_no_probe_starts_it() {
    let sandbox = Sandbox::new();
    let started = sandbox.root().join("started");
    let start = json!({ "command": "touch", "args": [started], "description": "sends a letter" });
    let config = json!({ "mcpServers": { "post": start } });
    sandbox.write("home/.claude.json", config.to_string());
    let rules = json!([{ "serverCommand": ["touch", started] }]);
    let settings = sandbox.write("home/.claude/settings.json", "{}");
    for (settings_text, key) in [
        (json!({ "deniedMcpServers": rules }), "deniedMcpServers"),
        (json!({ "allowedMcpServers": [] }), "allowedMcpServers"),
        (json!({ "permissions": { "deny": ["mcp__post"] } }), "permissions.deny"),
    ] {
        sandbox.write("home/.claude/settings.json", settings_text.to_string());
        let probed = sandbox.ok(&["scan", "--probe", "post"]);
        let why = format!("switched off by `{key}` in {}", settings.display());
        assert!(probed.contains(&why), "{probed}");
        assert!(!started.exists(), "{key}");
        assert_eq!(sandbox.tool("post")["clients"]["claude-code"], "off");
        assert!(!sandbox.ok(&["tools", "suggest", "letter"]).contains("mcp__post"), "{key}");
        assert!(!sandbox.ok(&["stale"]).contains("post"), "switched off by a person: no alarm");
    }
}
