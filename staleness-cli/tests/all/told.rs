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

/// Bug: after a server recovered in part, the other client hears neither that nor of the tool that still fails.
#[test]
fn a_server_that_recovers_in_part_is_told_to_both_of_its_clients_alike() {
    let sandbox = Sandbox::new();
    sandbox.claude(&["shared"]);
    sandbox.codex(&["shared"]);
    let on = |day: u32, act: &str| {
        let act = format!("record mcp__shared__{act} --agent claude-code --now 2026-11-{day}");
        sandbox.ok(&line(&act));
    };
    let told = |day: u32| {
        let told = ["claude-code", "codex"].map(|client| told_on(&sandbox, client, day));
        assert_eq!(told[0], told[1], "{day}");
        told[1].clone()
    };
    told(10);
    for tool in ["a", "b"] {
        (0..3).for_each(|_| on(10, &format!("{tool} --failure")));
    }
    assert!(told(11).contains("avoid: `mcp__shared__*` (all 2 of its tools in use are demoted)"));
    on(12, "a --success");
    let still = "- Still failing, avoid: `mcp__shared__b` (3 of the last 3 uses failed, last used";
    let again = told(13);
    assert!(again.contains(still), "{again}");
    assert!(again.ends_with("- Available again: `mcp__shared__a`"), "{again}");
    assert!(told(14).contains(still));
    on(15, "b --success");
    assert!(told(16).ends_with("\n- Available again: `mcp__shared__b`"));
    assert_eq!(told(17), "");
}
