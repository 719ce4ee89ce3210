//! The state of a project in one line, and as a badge.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::check_blind::shallow;
use crate::common::{Sandbox, fed};

fn line(sandbox: &Sandbox, args: &[&str], payload: &[u8]) -> String {
    let mut command = sandbox.command();
    command.current_dir(sandbox.root()).arg("statusline").args(args);
    let run = fed(command, payload);
    assert_eq!((run.code, &*run.err), (0, ""), "{}", run.out);
    run.out
}

#[test]
fn a_status_line_counts_what_needs_attention_in_the_folder_of_the_client() {
    let sandbox = Sandbox::rotted();
    let folder = sandbox.project.to_str().unwrap();
    let payload = json!({ "cwd": "/", "workspace": { "project_dir": folder } }).to_string();
    let asked = |args: &[&str]| line(&sandbox, args, payload.as_bytes());
    assert_eq!(asked(&[]), "staleness: documents not checked yet\n");
    sandbox.claude(&["github"]);
    sandbox.codex(&["files"]);
    sandbox.ok(&["scan"]);
    sandbox.claude(&[]);
    sandbox.check_now();
    assert_eq!(asked(&[]), "staleness: 1 tool and 1 document need attention\n");
    assert_eq!(asked(&["--agent", "codex"]), "staleness: 1 document needs attention\n");
    let told: Value = serde_json::from_str(&asked(&["--json"])).unwrap();
    let counts = json!({ "documents": 1, "knowledge": 0, "level": "stale", "tools": 1, "work": 0 });
    assert_eq!(told, counts);
}

#[test]
fn a_status_line_never_fails() {
    let sandbox = Sandbox::scanned();
    for payload in [&b""[..], b"{", b"[1]", b"{\"cwd\": 7}", b"\xff"] {
        let told = line(&sandbox, &[], payload);
        assert!(told.starts_with("staleness: ") && told.lines().count() == 1, "{told}");
    }
    let null = json!({ "workspace": { "project_dir": null }, "cwd": sandbox.project }).to_string();
    assert_eq!(line(&sandbox, &[], null.as_bytes()), "staleness: documents not checked yet\n");
    // A client that says nothing is not waited for.
    let mut command = sandbox.command();
    let mut silent = command.arg("statusline").stdin(Stdio::piped()).spawn().unwrap();
    assert!(silent.wait().unwrap().success());
    sandbox.write("home/.claude.json", "{");
    assert_eq!(line(&sandbox, &[], null.as_bytes()), "staleness: 2 sources cannot be read\n");
    let mut command = sandbox.command();
    let run = command.arg("statusline").stdin(Stdio::null()).output().unwrap();
    assert!(run.status.success());
    std::fs::write(sandbox.store(), "not a store").unwrap();
    assert_eq!(line(&sandbox, &[], b"{}"), "staleness: this project cannot be read\n");
    assert_eq!(line(&sandbox, &["--json"], b"{}").matches("null").count(), 1);
}

#[test]
fn a_badge_says_how_the_documents_are_and_never_good_without_having_looked() {
    let message = |sandbox: &Sandbox| {
        let told = sandbox.json(&["badge"]);
        assert_eq!((&told["schemaVersion"], &told["label"]), (&1.into(), &"docs".into()));
        let message = told["message"].as_str().unwrap().to_owned();
        let image = sandbox.ok(&["badge"]);
        assert!(image.starts_with("<svg ") && image.ends_with("</svg>\n"), "{image}");
        assert!(image.contains(&format!("<title>docs: {message}</title>")), "{image}");
        message
    };
    let sandbox = Sandbox::with_history();
    assert_eq!(message(&sandbox), "none");
    sandbox.write("project/README.md", "Nothing.\n");
    sandbox.commit("2026-11-01T00:00:00Z");
    assert_eq!(message(&sandbox), "up to date");
    assert_eq!(message(&Sandbox::rotted()), "1 stale");
    assert_eq!(message(&shallow()), "not fully read");
    sandbox.write("project/AGENTS.md", [0, 159, 146, 150]);
    assert_eq!(message(&sandbox), "not fully read", "a document is not text");
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/README.md",
        "Nothing.
",
    );
    assert_eq!(message(&sandbox), "no history");
}
