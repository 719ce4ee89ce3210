//! Answers and texts that help the one who asks: of its own client, and with commands that work as printed.

use serde_json::json;

use crate::common::{Run, Sandbox, line, told};

/// A session of a client starts on a day of November; what its agent is told.
fn told_on(sandbox: &Sandbox, client: &str, day: u32) -> String {
    let id = format!("{client}-{day}");
    let start =
        json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": sandbox.project });
    let options = ["--client", client, "--now", &format!("2026-11-{day}T12:00:00Z")];
    told(&sandbox.hook_with(&options, start.to_string().as_bytes()))
}

/// Bug: a command acts on another registry than the answer that printed it.
#[test]
fn a_command_is_printed_with_the_options_that_its_own_needs() {
    let sandbox = Sandbox::new();
    let store = format!("sqlite:{}/my own.db", sandbox.root().display());
    let (elsewhere, project) = (sandbox.second_project(), sandbox.project.to_str().unwrap());
    let add = ["work", "add", "plan", "Ship it", "--id", "ship", "--status", "in_progress"];
    let given = ["--store", &store, "--project", project, "--agent", "codex"];
    sandbox.ok(&[&add[..], &given[..], &["--now", "2026-11-01"]].concat());
    let run = |command: &str| {
        let mut process = sandbox.command();
        process.current_dir(&elsewhere);
        process.args(line(command.strip_prefix("staleness ").unwrap()));
        let done = Run::of(process.output().unwrap());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{command}");
        done.out
    };
    let entry = |list: &str| {
        let answer = sandbox.json(&[&[list][..], &given[..]].concat());
        let list = answer.get("warnings").or(answer.get("items"));
        list.unwrap()[0]["suggested_action"].as_str().unwrap().to_owned()
    };
    let settle = entry("stale");
    let options = format!("--store '{store}' --project {project} --agent codex");
    assert_eq!(settle, format!("staleness {options} stale resolve ship"));
    assert_eq!(entry("review"), settle);
    let settled = run(&settle);
    let back = format!("staleness {options} work reopen ship");
    assert!(settled.contains(&format!("to undo: `{back}`")), "{settled}");
    run(&back);
}

/// What the environment says holds for the next command too.
#[test]
fn a_command_is_printed_without_what_it_has_from_elsewhere() {
    let sandbox = Sandbox::new();
    let store = format!("sqlite:{}/mine.db", sandbox.root().display());
    let variables = [("STALENESS_STORE", store.as_str()), ("STALENESS_AGENT", "codex")];
    let add = ["work", "add", "trap", "It is slow", "--id", "t", "--expires", "2026-11-02"];
    sandbox.json_under(&variables, &[&add[..], &["--now", "2026-11-01"]].concat());
    let stale = sandbox.json_under(&variables, &["stale", "--agent", "codex"]);
    assert_eq!(stale["warnings"][0]["suggested_action"], "staleness stale resolve t");
}
