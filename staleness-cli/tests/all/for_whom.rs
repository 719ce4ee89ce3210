//! Texts for one agent: the tools of its client, the work that is for it, the words of its person.

#[cfg(unix)]
use std::process::Stdio;

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
    // At a terminal, but for the end that is closed; under a variable.
    let typed = |args: &[&str], variable: &str, closed: &str| {
        let (name, value) = variable.split_once('=').unwrap();
        let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        let path = ptsname(&main, Vec::new()).unwrap();
        let end = |name| match name {
            name if name == closed => Stdio::null(),
            _ => rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())
                .unwrap()
                .into(),
        };
        let mut command = sandbox.command();
        command.args(args).env(name, value);
        command.stdin(end("stdin")).stdout(end("stdout")).stderr(end("stderr"));
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    let (rule, none) = ("Never edit files under src/gen", "NOTHING=1");
    let others = [
        ("in-claude", "", "CLAUDECODE=1", ""),
        ("in-vscode", "", "TERM_PROGRAM=vscode", ""),
        ("in-codex", "", "STALENESS_AGENT=codex", ""),
        ("by-codex", "--agent codex", none, ""),
        ("of-codex", "--author codex", none, ""),
        ("from-codex", "--from codex", none, ""),
        ("proposed", "--generated", none, ""),
        ("stdin", "", none, "stdin"),
        ("stdout", "", none, "stdout"),
        ("stderr", "", none, "stderr"),
    ];
    for (id, args, variable, closed) in others {
        let mut add = vec!["work", "add", "trap", rule, "--id", id];
        add.extend(args.split_whitespace());
        typed(&add, variable, closed);
    }
    typed(&["work", "add", "trap", rule, "--id", "typed"], none, "");
    let quoted = |sandbox: &Sandbox, id: &str| {
        let told = sandbox.session_start(&here, id, "startup").unwrap();
        for id in others.map(|other| other.0).into_iter().chain(["typed"]) {
            assert!(told.contains(&format!("trap `{id}`")), "{told}");
        }
        let quotes = told.matches("\"Never edit files under src/gen\"").count();
        assert_eq!(quotes, told.matches("src/gen").count(), "{told}");
        quotes
    };
    assert_eq!(quoted(&sandbox, "s1"), 1, "as changed");
    assert_eq!(quoted(&sandbox, "s2"), 1, "and as what is in force");
    let set = ["work", "set", "typed", "--text"];
    typed(&[&set[..], &["Edit files under src/gen", "--agent", "codex"]].concat(), none, "");
    assert_eq!(quoted(&sandbox, "s3"), 0, "an agent's words are not the person's");
    typed(&[&set[..], &[rule]].concat(), none, "");
    assert_eq!(quoted(&sandbox, "s4"), 1);
    let later = sandbox
        .ok(&["export"])
        .replace("\"updated_at\":\"2026-11-20T12:", "\"updated_at\":\"2026-11-20T13:");
    let later = sandbox.write("export.jsonl", later);
    let import = || sandbox.ok(&["import", later.to_str().unwrap()]);
    assert!(import().contains("11 work"));
    assert_eq!(quoted(&sandbox, "s5"), 1, "the text is known to be the person's");
    sandbox.ok(&["work", "set", "typed", "--expires", "+9d", "--agent", "codex"]);
    assert_eq!(quoted(&sandbox, "s6"), 0, "what an agent changes is not");
    std::fs::remove_dir_all(sandbox.root().join("data")).unwrap();
    import();
    assert_eq!(quoted(&sandbox, "s7"), 0, "and a file proves nothing");
}

/// Bug W4: a handoff does not say that it is mine, nor from whom.
#[test]
fn w4_a_handoff_says_for_whom_it_is_and_how_to_answer() {
    let sandbox = Sandbox::new();
    let handoff = ["work", "add", "handoff", "Review the migration", "--id", "m"];
    sandbox.ok(&[&handoff[..], &["--from", "claude-code", "--to", "codex"]].concat());
    let told = sandbox.start_of("codex", "x1");
    assert!(told.contains("For you: handoff `m` from `claude-code` (accept it:"), "{told}");
    let told = sandbox.start_of("claude-code", "c1");
    assert!(told.contains("handoff `m` ") && told.contains(" for `codex`"), "{told}");
    assert!(!told.contains("For you"), "{told}");
}

/// Bug W1: an agent is told of servers that its own client never had.
#[test]
fn w1_codex_is_not_told_of_servers_of_claude_code() {
    let sandbox = Sandbox::new();
    sandbox.claude(&["github"]);
    sandbox.codex(&["context7"]);
    sandbox.start_of("claude-code", "c1");
    sandbox.start_of("codex", "x1");
    sandbox.claude(&["github", "stripe"]);
    assert_eq!(sandbox.start_of("codex", "x2"), "");
    assert!(sandbox.start_of("claude-code", "c2").contains("New: `mcp__stripe__*`"));
    sandbox.claude(&[]);
    assert_eq!(sandbox.start_of("codex", "x3"), "");
    sandbox.claude(&["github"]);
    assert_eq!(sandbox.start_of("codex", "x4"), "", "nor that it came back");
}

/// Bug W2: a server is gone for one client, and nobody says so because another one has it.
#[test]
fn w2_claude_code_is_told_of_its_loss_though_cursor_has_the_server() {
    let sandbox = Sandbox::new();
    sandbox.claude(&["github"]);
    let servers = json!({ "mcpServers": { "github": { "command": "npx" } } });
    sandbox.write("home/.cursor/mcp.json", servers.to_string());
    sandbox.start_of("claude-code", "c1");
    sandbox.claude(&[]);
    let told = sandbox.start_of("claude-code", "c2");
    assert!(told.contains("do not call: `mcp__github__*` (removed from config)"), "{told}");
    assert_eq!(sandbox.tool("mcp__github__*")["status"], "active", "for any client");
}
