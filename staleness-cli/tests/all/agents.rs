//! What the policy says of one agent holds wherever that agent is known, and nowhere else.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox};

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
    let mut command = sandbox.command();
    command.env("STALENESS_AGENT", agent).args(args).arg("--json");
    let run = Run::of(command.output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{agent} {args:?}: {run:?}");
    serde_json::from_str(&run.out).unwrap()
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
fn it_holds_for_the_agent_that_an_option_names() {
    let sandbox = sandbox();
    let verified = |agent: &str| {
        let args = ["knowledge", "set", "port", "--keyword", agent, "--agent", agent];
        sandbox.json(&args)["item"]["verdict"]["level"].clone()
    };
    assert_eq!(verified("cursor"), "stale");
    assert_eq!(verified("codex"), "fresh");
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
