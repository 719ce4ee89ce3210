//! Environment variables, and options, which win over them.

use std::path::Path;

use crate::common::{Run, Sandbox, names};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_store() {
    let sandbox = Sandbox::scanned();
    let url = format!("sqlite:{}", sandbox.root().join("elsewhere/own.db").display());
    let there = [("STALENESS_STORE", url.as_str())];
    sandbox.json_under(&there, &["record", "There", "--success"]);
    assert_eq!(names(&sandbox.json_under(&there, &["tools"])["tools"]), ["There"]);
    assert_eq!(names(&sandbox.json(&["tools"])["tools"]), ["mcp__github__*"]);
    let own = format!("sqlite:{}", sandbox.store().display());
    let named = sandbox.json_under(&there, &["--store", &own, "tools"]);
    assert_eq!(names(&named["tools"]), ["mcp__github__*"]);
    let data = sandbox.root().join("data2");
    sandbox.json_under(&[("XDG_DATA_HOME", text(&data))], &["scan"]);
    assert!(data.join("staleness/registry.db").is_file());
    sandbox.json_under(&[("XDG_DATA_HOME", "relative")], &["scan"]);
    assert!(sandbox.home.join(".local/share/staleness/registry.db").is_file());
}

#[test]
fn a_home_that_is_no_place_is_none() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    let run = command.env("HOME", "relative").env_remove("XDG_DATA_HOME").arg("scan");
    let run = Run::of(run.output().unwrap());
    assert_ne!(run.code, 0, "{run:?}");
    assert!(run.err.contains("home"), "{run:?}");
    assert!(!sandbox.project.join("relative").exists());
}

#[test]
fn a_store_in_memory_leaves_nothing_behind() {
    let sandbox = Sandbox::with_servers(&["github"]);
    let before = sandbox.files();
    let scan = sandbox.json(&["--store", "memory:", "scan"]);
    assert_eq!(names(&scan["added"]), ["mcp__github__*"]);
    assert_eq!(sandbox.files(), before);
}

#[test]
fn the_project() {
    let sandbox = Sandbox::scanned();
    let other = sandbox.second_project();
    let (here, there) = (text(&sandbox.project), text(&other));
    let root = |variables: &[(&str, &str)], args: &[&str]| {
        sandbox.json_under(variables, &[args, &["scan", "--dry-run"]].concat())["root"].clone()
    };
    assert_eq!(root(&[], &[]), here);
    assert_eq!(root(&[("CLAUDE_PROJECT_DIR", there)], &[]), there);
    assert_eq!(root(&[("STALENESS_PROJECT", there), ("CLAUDE_PROJECT_DIR", here)], &[]), there);
    assert_eq!(root(&[("STALENESS_PROJECT", here)], &["--project", there]), there);
    assert_eq!(root(&[("STALENESS_PROJECT", "")], &[]), here, "empty is not set");
}

#[test]
fn the_home_and_the_folders_of_the_clients() {
    let sandbox = Sandbox::with_servers(&["mine"]);
    sandbox.write("home2/.claude.json", r#"{"mcpServers": {"second": {"command": "x"}}}"#);
    sandbox.write("moved/.claude.json", r#"{"mcpServers": {"moved": {"command": "x"}}}"#);
    sandbox.write("moved/skills/pdf/SKILL.md", "");
    let (home, moved) = (sandbox.root().join("home2"), sandbox.root().join("moved"));
    let found = |variables: &[(&str, &str)], args: &[&str]| {
        let scan = sandbox.json_under(variables, &[args, &["scan", "--dry-run"]].concat());
        names(&scan["added"]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(&[], &[]), ["mcp__mine__*"]);
    assert_eq!(found(&[("STALENESS_HOME", text(&home))], &[]), ["mcp__second__*"]);
    assert_eq!(found(&[], &["--home", text(&home)]), ["mcp__second__*"]);
    let claude = [("CLAUDE_CONFIG_DIR", text(&moved))];
    assert_eq!(found(&claude, &[]), ["mcp__moved__*", "pdf"]);
    assert_eq!(found(&claude, &["--home", text(&home)]), ["mcp__second__*"], "another's home");
}

#[test]
fn verbose_says_where_on_stderr_only() {
    let sandbox = Sandbox::scanned();
    let plain = sandbox.ok(&["tools", "--json"]);
    let run = sandbox.run(&["tools", "--json", "--verbose"]);
    assert_eq!((run.code, run.out.as_str()), (0, plain.as_str()));
    assert_eq!(run.err.lines().count(), 1, "{run:?}");
    for part in [text(&sandbox.project), text(&sandbox.home), text(&sandbox.store())] {
        assert!(run.err.contains(part), "{run:?}");
    }
}
