//! The policy for one agent holds wherever that agent is known, and nowhere else.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, line};

/// A project that has rotted for everybody but for `codex`, who recalls nothing either.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::rotted();
    let policy = "[knowledge.agent.codex]\nweight_source_missing = 0.0\n\
                  weight_reference_drift = 0.0\nweight_contradicted = 0.0\nrecall_from = 1.0\n";
    sandbox.write("home/.config/staleness/staleness.toml", policy);
    sandbox.ok(&["knowledge", "add", "--id", "port", "--body", "The database port is 5432"]);
    let said = ["--by", "me", "--reason", "it moved"];
    sandbox.ok(&[&["knowledge", "contradict", "port"][..], &said].concat());
    sandbox
}

/// The answer to an agent that says in its environment who it is.
fn asked(sandbox: &Sandbox, agent: &str, args: &[&str]) -> Value {
    sandbox.json_under(&[("STALENESS_AGENT", agent)], args)
}

fn count(answer: &Value, key: &str) -> usize {
    answer[key].as_array().unwrap().len()
}

#[test]
fn it_holds_for_the_agent_that_the_environment_names() {
    let sandbox = sandbox();
    sandbox.check_now();
    for (args, key, all) in [
        (&["check"][..], "items", 2),
        (&["review"], "items", 3),
        (&[], "documents", 2),
        (&["knowledge", "list", "--level", "stale"], "items", 1),
        (&["knowledge", "recall", "database port", "--peek"], "items", 1),
    ] {
        assert_eq!(count(&asked(&sandbox, "cursor", args), key), all, "{args:?}");
        let answer = asked(&sandbox, "codex", args);
        let own = answer[key].as_array().unwrap().iter();
        let doubted = own.filter(|each| each["verdict"]["level"] != "fresh").count();
        assert_eq!(doubted, 0, "{args:?}: {answer:#}");
    }
    let shown = asked(&sandbox, "codex", &["knowledge", "show", "port"]);
    assert_eq!(shown["verdict"]["freshness"], 1.0, "{shown:#}");
    assert_eq!(asked(&sandbox, "codex", &["check"])["counts"]["stale"], 0);
    assert_eq!(asked(&sandbox, "codex", &["check"])["counts"]["fresh"], 6);
}

#[test]
fn it_holds_for_the_client_that_calls_a_hook() {
    let sandbox = sandbox();
    sandbox.check_now();
    let told = |client: &str, id: &str| {
        let payload = json!({
            "session_id": id, "cwd": sandbox.project, "hook_event_name": "SessionStart",
            "source": "startup",
        });
        let run = sandbox.hook_with(&["--client", client], payload.to_string().as_bytes());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        run.out.contains("AGENTS.md")
    };
    assert!(told("claude-code", "s1"));
    assert!(!told("codex", "s2"));
}

#[test]
fn a_name_that_is_none_is_refused_and_a_hook_goes_on_without_it() {
    let sandbox = sandbox();
    let with = |args: &[&str]| {
        let mut command = sandbox.command();
        command.env("STALENESS_AGENT", "a\nb").args(args);
        Run::of(command.output().unwrap())
    };
    let run = with(&["check"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("STALENESS_AGENT") && run.err.lines().count() <= 2, "{run:?}");
    assert_eq!(with(&["hook"]).code, 0);
    let mut command = sandbox.command();
    command.env("STALENESS_AGENT", "").arg("check");
    assert_eq!(Run::of(command.output().unwrap()).code, 0, "empty is not set");
}

#[test]
fn c7_one_agent_has_one_name_one_cursor_and_what_was_handed_to_it() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["resume", "--agent", "codex"]);
    sandbox.ok(&["work", "add", "plan", "Ship it", "--agent", "codex-mcp-client"]);
    let handed = ["--to", "gemini-cli-mcp-client", "--from", "codex"];
    sandbox.ok(&[&["work", "add", "handoff", "Review it"][..], &handed].concat());
    let handoff = json!({ "type": "work", "kind": "handoff", "id": "h", "text": "Take it", "created": "2026-11-19",
        "author": "codex-mcp-client", "from": "gemini-cli-mcp-client", "to": "Codex" });
    let file = sandbox.write("work.jsonl", handoff.to_string());
    sandbox.ok(&["import", "--from", "jsonl", file.to_str().unwrap()]);
    let names =
        ["author", "from", "to"].map(|key| sandbox.json(&["work", "show", "h"])[key].clone());
    assert_eq!(names, ["codex", "gemini", "codex"], "an import names them alike");
    let work = sandbox.json(&["work", "list"]);
    let texts = work["items"].to_string();
    assert!(texts.contains(r#""author":"codex""#) && texts.contains(r#""to":"gemini""#), "{texts}");
    assert!(!texts.contains("mcp-client"), "{texts}");
    let first = sandbox.ok(&["resume", "--agent", "codex-mcp-client"]);
    assert!(first.contains("Ship it"), "{first}");
    let again = sandbox.ok(&["resume", "--agent", "codex"]);
    assert!(!again.contains("Ship it"), "told once under either name: {again}");
}

/// An agent may have any name: its tools and documents are those of its client.
#[test]
fn a_client_whose_agent_goes_by_another_name_is_told_of_its_own_tools_and_documents() {
    let sandbox = sandbox();
    let policy = "[agents]\ngemini = \"ana\"\ngemini-cli-mcp-client = \"ana\"\n";
    sandbox.write("home/.config/staleness/staleness.toml", policy);
    sandbox.check_now();
    let start = || {
        let start = json!({ "session_id": "s", "hook_event_name": "SessionStart" }).to_string();
        sandbox.hook_with(&["--client", "gemini"], start.as_bytes()).out
    };
    assert!(!start().contains("AGENTS.md"), "it loads none");
    sandbox.claude(&["theirs"]);
    sandbox.write("home/.gemini/settings.json", r#"{"mcpServers": {"own": {}}}"#);
    let told = start();
    assert!(told.contains("New: `mcp_own_*`") && !told.contains("theirs"), "{told}");
    assert_eq!(sandbox.json(&["session", "list"])["sessions"][0]["agent"], "ana");
}

#[test]
fn other_names_of_agents_are_the_users_to_add_and_not_a_projects() {
    let sandbox = Sandbox::scanned();
    sandbox.write("home/.config/staleness/staleness.toml", "[agents]\nmy-wrapper = \"codex\"\n");
    for name in ["my-wrapper", "codex-mcp-client"] {
        sandbox.ok(&["session", "start", "--agent", name, "--id", name]);
    }
    let sessions = sandbox.json(&["session", "list"]);
    assert!(sessions["sessions"].as_array().unwrap().iter().all(|each| each["agent"] == "codex"));
    let chain = sandbox.run(&["scan", "--set", "agents.codex=other"]);
    assert_eq!(chain.code, 3, "{chain:?}");
    assert!(chain.err.contains("codex is itself an alias"), "{chain:?}");
    sandbox.write("project/staleness.toml", "[agents]\nclaude-code = \"codex\"\n");
    let run = sandbox.run(&["scan"]);
    assert!(run.code != 0 && run.err.contains("a project may not set"), "{run:?}");
}

/// An agent that was told a command with `--agent` gives it to others, too.
#[test]
fn every_command_takes_the_agent_that_asks() {
    let sandbox = Sandbox::scanned();
    sandbox.codex(&["context7"]);
    sandbox.ok(&["scan"]);
    let listed = sandbox.ok(&line("tools --agent codex-mcp-client"));
    assert!(listed.contains("mcp__context7__*") && !listed.contains("mcp__github__*"), "{listed}");
    assert!(listed.ends_with("\nfor codex\n"), "{listed}");
    sandbox.ok(&line("work add plan Ship --id ship --agent codex"));
    for command in ["work touch ship", "work show ship", "stale", "check", "session start"] {
        sandbox.ok(&line(&format!("{command} --agent codex")));
    }
    assert_eq!(sandbox.json(&["work", "show", "ship"])["author"], "codex");
    for command in ["resume", "session start"] {
        let run = sandbox.run(&line(command));
        let asked = "error: no agent given; set --agent or STALENESS_AGENT\n";
        assert_eq!((run.code, run.err.as_str()), (2, asked), "{command}");
    }
    assert_eq!(sandbox.run(&["tools", "--agent", "a\nb"]).code, 3);
}
