//! Texts for one agent: the tools of its client, the work that is for it, the words of its person.

use serde_json::json;

use crate::common::Sandbox;

/// Bug W3: of what a person wrote an agent is told half a slug.
#[cfg(unix)]
#[test]
fn w3_what_a_person_typed_is_quoted_and_what_others_wrote_is_not() {
    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let sandbox = Sandbox::new();
    let here = sandbox.project.clone();
    let typed = |args: &[&str], (name, value): (&str, &str)| {
        let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        let path = ptsname(&main, Vec::new()).unwrap();
        let end = || rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let mut command = sandbox.command();
        command.args(args).env(name, value).stdin(end()).stdout(end()).stderr(end());
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    let (rule, nobody) = ("Never edit files under src/gen", ("NOTHING", "1"));
    let add = |id: &'static str| ["work", "add", "constraint", rule, "--id", id];
    typed(&add("typed"), nobody);
    let others = ["in-claude", "in-vscode", "of-codex", "by-codex", "from-codex", "piped"];
    typed(&add(others[0]), ("CLAUDECODE", "1"));
    typed(&add(others[1]), ("TERM_PROGRAM", "vscode"));
    typed(&add(others[2]), ("STALENESS_AGENT", "codex"));
    typed(&[&add(others[3])[..], &["--agent", "codex"]].concat(), nobody);
    typed(&[&add(others[4])[..], &["--author", "codex"]].concat(), nobody);
    sandbox.ok(&add(others[5]));
    let quoted = |sandbox: &Sandbox, id: &str| {
        let told = sandbox.session_start(&here, id, "startup").unwrap();
        for id in others.into_iter().chain(["typed"]) {
            assert!(told.contains(&format!("constraint `{id}`")), "{told}");
        }
        let quotes = told.matches("\"Never edit files under src/gen\"").count();
        assert_eq!(quotes, told.matches("src/gen").count(), "{told}");
        quotes
    };
    assert_eq!(quoted(&sandbox, "s1"), 1, "as changed");
    assert_eq!(quoted(&sandbox, "s2"), 1, "and as what is in force");
    let export = sandbox.write("export.jsonl", sandbox.ok(&["export"]));
    let set = ["work", "set", "typed", "--text"];
    typed(&[&set[..], &["Edit files under src/gen", "--agent", "codex"]].concat(), nobody);
    assert_eq!(quoted(&sandbox, "s3"), 0, "an agent's words are not the person's");
    typed(&[&set[..], &[rule]].concat(), nobody);
    assert_eq!(quoted(&sandbox, "s4"), 1);
    sandbox.ok(&["work", "set", "typed", "--expires", "+9d", "--agent", "codex"]);
    assert_eq!(quoted(&sandbox, "s5"), 0, "nor is what an agent made of them");
    std::fs::remove_dir_all(sandbox.root().join("data")).unwrap();
    sandbox.ok(&["import", export.to_str().unwrap()]);
    assert_eq!(quoted(&sandbox, "s6"), 0, "a file proves nothing");
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
    let told = start("claude-code");
    assert!(told.contains("handoff `m` ") && told.contains(" for `codex`"), "{told}");
    assert!(!told.contains("For you"), "{told}");
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
