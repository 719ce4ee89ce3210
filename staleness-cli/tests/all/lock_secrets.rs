//! Moves of `agents.lock`, and the secrets that never move it.

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::lock::moved;

#[test]
fn what_a_server_or_hook_runs_counts_in_variables_and_behind_secrets_too() {
    let sandbox = Sandbox::new();
    let settles = |path: &str, text: Value, moves: bool| {
        sandbox.write(&format!("project/{path}"), text.to_string());
        let moved = moved(&sandbox).1;
        assert_eq!(!moved.is_empty(), moves, "{path}: {text}: {moved:?}");
        sandbox.ok(&["lock"]);
    };
    sandbox.write("project/.mcp.json", "{}");
    sandbox.ok(&["lock"]);
    let server = |part: &str, value: Value| {
        let mut hub = json!({ "command": "hub", "args": [] });
        hub[part] = value;
        json!({ "mcpServers": { "hub": hub } })
    };
    let names = "NODE_OPTIONS PATH LD_PRELOAD PYTHONPATH BASH_ENV GIT_SSH_COMMAND GIT_ASKPASS \
                 HTTPS_PROXY npm_config_registry";
    for name in names.split(' ') {
        settles(".mcp.json", server("env", json!({ name: "" })), true);
        settles(".mcp.json", server("env", json!({ name: "./evil" })), true);
    }
    settles(".mcp.json", server("headers", json!({ "X-Tenant": "a" })), true);
    settles(".mcp.json", server("headers", json!({ "X-Tenant": "b" })), true);
    settles(".mcp.json", server("headers", json!({ "Authorization": "a" })), true);
    settles(".mcp.json", server("headers", json!({ "Authorization": "b" })), false);
    settles(".mcp.json", server("args", json!(["--auth-command", "a"])), true);
    settles(".mcp.json", server("args", json!(["--auth-command", "evil"])), true);
    let hook = |line: &str| json!({ "hooks": { "Stop": [{ "command": line }] } });
    for line in [
        "run --token <(evil)",
        "run --token >(evil)",
        "run --token >~/.bashrc",
        "TOKEN=<(evil) run",
        "run --password-command ./evil.sh",
    ] {
        settles(".claude/settings.json", hook("run --token a"), true);
        settles(".claude/settings.json", hook("run --token b"), false);
        settles(".claude/settings.json", hook(line), true);
    }
    settles(".claude/settings.json", hook("TOKEN=a run"), true);
    settles(".claude/settings.json", hook("TOKEN=<(evil) run"), true);
    settles(".claude/settings.json", hook("run --password-command ./a.sh"), true);
    settles(".claude/settings.json", hook("run --password-command ./evil.sh"), true);
}

/// Bug: Claude was told of changes to files of Codex, and Codex of an `AGENTS.md` that another file replaces.
#[test]
fn what_moved_since_the_lock_is_told_to_clients_that_load_it() {
    let sandbox = Sandbox::with_history();
    let write = |path: &str, text: &str| sandbox.write(&format!("project/{path}"), text);
    let skill = |says: &str| {
        write(
            ".agents/skills/pack/SKILL.md",
            &format!("---\nname: pack\ndescription: it\n---\n{says}\n"),
        )
    };
    write("CLAUDE.md", "Be kind.\n");
    write("AGENTS.md", "Be kind.\n");
    skill("Pack.");
    sandbox.ok(&["lock"]);
    write("AGENTS.md", "Be brief.\n");
    skill("Unpack.");
    let told = ["claude-code", "codex"].map(|client| sandbox.start_of(client, client));
    for name in ["`AGENTS.md`", "`.agents/skills/pack`"] {
        let is_told = told.each_ref().map(|told| told.contains(name));
        assert_eq!(is_told, [false, true], "{name}: {told:?}");
    }
    write("AGENTS.override.md", "Be brief.\n");
    let told = sandbox.start_of("codex", "later");
    assert!(told.contains("`AGENTS.override.md` (added)"), "{told}");
    assert!(!told.contains("`AGENTS.md`"), "{told}");
}

#[test]
fn a_changed_tool_is_told_with_the_class_of_its_change() {
    let sandbox = Sandbox::new();
    let servers = json!({ "mcpServers": { "hub": { "command": "x" } } });
    sandbox.write("project/.mcp.json", servers.to_string());
    let live = |text: &str, parameter: &str| {
        let schema = json!({ "type": "object", "properties": { parameter: {} } });
        let tool = json!({ "name": "search", "description": text, "inputSchema": schema });
        sandbox.lists("hub", &json!({ "tools": [tool] }));
    };
    live("Finds.", "q");
    for (text, parameter, class) in [("Finds all.", "q", "wording"), ("Finds.", "p", "narrowed")] {
        sandbox.ok(&["lock"]);
        live(text, parameter);
        assert_eq!(moved(&sandbox).1, ["changed tool mcp__hub__search"]);
        for (format, part) in [
            ("table", format!("changed tool mcp__hub__search ({class})")),
            ("github", format!("tool mcp__hub__search: changed ({class})")),
            ("sarif", format!("tool mcp__hub__search: changed ({class})")),
            ("json", format!("\"class\": \"{class}\"")),
        ] {
            let run = sandbox.run(&["check", "--locked", "--format", format]);
            let told = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(run.code == 1 && told.contains(&part), "{part}: {run:?}");
        }
    }
}
