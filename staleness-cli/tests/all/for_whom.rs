//! What an agent is told is its own: tools of its client, work that is for it, words of the person whom it serves.

use serde_json::json;

use crate::common::Sandbox;

/// Bug W3: of what a person wrote an agent is told half a slug.
#[cfg(unix)]
#[test]
fn w3_what_a_person_typed_is_quoted_and_what_others_wrote_is_not() {
    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use crate::common::Run;

    let sandbox = Sandbox::new();
    let here = sandbox.project.clone();
    let typed = |args: &[&str], variable: &str| {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let stdin = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let mut command = sandbox.command();
        command.args(args).env(variable, "1").stdin(stdin);
        let run = Run::of(command.output().unwrap());
        assert_eq!(run.code, 0, "{run:?}");
    };
    let add = ["work", "add", "constraint", "Never edit files under src/gen", "--id"];
    typed(&[&add[..], &["typed"]].concat(), "NOTHING");
    typed(&[&add[..], &["from-claude"]].concat(), "CLAUDECODE");
    typed(&[&add[..], &["named", "--agent", "codex"]].concat(), "NOTHING");
    sandbox.ok(&[&add[..], &["piped"]].concat());
    let quoted = |sandbox: &Sandbox, id: &str| {
        let told = sandbox.session_start(&here, id, "startup").unwrap();
        for id in ["typed", "from-claude", "named", "piped"] {
            assert!(told.contains(&format!("constraint `{id}`")), "{told}");
        }
        let quotes = told.matches("\"Never edit files under src/gen\"").count();
        assert_eq!(quotes, told.matches("src/gen").count(), "{told}");
        quotes
    };
    assert_eq!(quoted(&sandbox, "s1"), 1, "as changed");
    assert_eq!(quoted(&sandbox, "s2"), 1, "and as what is in force");
    let export = sandbox.write("export.jsonl", sandbox.ok(&["export"]));
    sandbox.ok(&["work", "set", "typed", "--text", "Edit files under src/gen", "--agent", "codex"]);
    assert_eq!(quoted(&sandbox, "s3"), 0, "an agent's words are not the person's");
    std::fs::remove_dir_all(sandbox.root().join("data")).unwrap();
    sandbox.ok(&["import", export.to_str().unwrap()]);
    assert_eq!(quoted(&sandbox, "s4"), 0, "a file proves nothing");
}

/// Bug W4: a handoff does not say that it is mine, nor from whom.
#[test]
fn w4_a_handoff_says_for_whom_it_is_and_how_to_answer() {
    let sandbox = Sandbox::new();
    let here = sandbox.project.clone();
    let start = |client: &str| {
        let payload =
            json!({ "session_id": client, "hook_event_name": "SessionStart", "cwd": here });
        sandbox.hook_with(&["--client", client], payload.to_string().as_bytes()).out
    };
    let handoff = ["work", "add", "handoff", "Review the migration", "--id", "m"];
    sandbox.ok(&[&handoff[..], &["--from", "claude-code", "--to", "codex"]].concat());
    let told = start("codex");
    assert!(told.contains("For you: handoff `m` from `claude-code` (accept it:"), "{told}");
    assert!(!start("claude-code").contains("For you"));
}

/// Bug W1: an agent is told of servers that its own client never had.
#[test]
fn w1_codex_is_not_told_of_servers_of_claude_code() {
    let sandbox = Sandbox::new();
    sandbox.claude(&["github"]);
    sandbox.codex(&["context7"]);
    let here = sandbox.project.clone();
    let start = |client: &str, id: &str| {
        let payload = json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": here });
        sandbox.hook_with(&["--client", client], payload.to_string().as_bytes()).out
    };
    start("claude-code", "c1");
    start("codex", "x1");
    sandbox.claude(&["github", "stripe"]);
    assert_eq!(start("codex", "x2"), "");
    assert!(start("claude-code", "c2").contains("New: `mcp__stripe__*`"));
    sandbox.claude(&[]);
    assert_eq!(start("codex", "x3"), "");
    sandbox.claude(&["github"]);
    assert_eq!(start("codex", "x4"), "", "nor that it came back");
}

/// Bug W2: a server is gone for one client, and nobody says so because another one has it.
#[test]
fn w2_claude_code_is_told_of_its_loss_though_cursor_has_the_server() {
    let sandbox = Sandbox::new();
    sandbox.claude(&["github"]);
    let servers = json!({ "mcpServers": { "github": { "command": "npx" } } });
    sandbox.write("home/.cursor/mcp.json", servers.to_string());
    let here = sandbox.project.clone();
    let start = |id: &str| {
        let payload = json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": here });
        sandbox.hook(&payload).out
    };
    start("c1");
    sandbox.claude(&[]);
    let told = start("c2");
    assert!(told.contains("do not call: `mcp__github__*` (removed from config)"), "{told}");
    assert_eq!(sandbox.tool("mcp__github__*")["status"], "active", "for any client");
}
