//! `check -`: a text on standard input.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed};

fn check(sandbox: &Sandbox, args: &[&str], text: &[u8]) -> Run {
    let mut command = sandbox.command();
    command.args(["check", "-"]).args(args);
    fed(command, text)
}

#[test]
fn a_plan_is_told_what_went_and_what_never_was() {
    let sandbox = Sandbox::rotted();
    let before = sandbox.files();
    let plan = b"1. Read `src/router.rs`.\n2. Run with `--fast-path`.\n3. Edit `src/rooting.rs`.\n";
    let run = check(&sandbox, &[], plan);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.contains("1:10  stale  src/router.rs\n"), "{}", run.out);
    assert!(run.out.contains("3:10  invented  src/rooting.rs\n"), "{}", run.out);
    assert!(run.out.contains("did you mean src/routing.rs?"), "{}", run.out);
    assert!(run.out.ends_with("3 names: 2 stale, 1 invented\n"), "{}", run.out);
    let run = check(&sandbox, &["--json", "--fail-on", "review"], plan);
    let told: Value = serde_json::from_str(&run.out).unwrap();
    let states = told["items"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap());
    assert_eq!((run.code, states.collect::<Vec<_>>()), (1, vec!["stale", "stale", "invented"]));
    assert_eq!(told["items"][0]["renamed_to"], "src/routing.rs");
    assert_eq!(told["items"][0]["commit"].as_str().unwrap().len(), 40);
    assert_eq!(told["items"][2]["nearest"], "src/routing.rs");
    let invented = check(&sandbox, &["--fail-on", "stale"], b"Edit `src/rooting.rs`.\n");
    assert_eq!(invented.code, 0, "{invented:?}");
    assert_eq!(sandbox.files(), before, "nothing is stored");
}

/// Bug: the name of a tool that works was called invented.
#[test]
fn a_tool_in_the_registry_is_not_invented() {
    let sandbox = Sandbox::rotted();
    sandbox.claude(&["hub", "quiet"]);
    let list = |names: &[&str]| {
        let tools: Vec<Value> =
            names.iter().map(|name| json!({ "name": name, "inputSchema": {} })).collect();
        sandbox.lists("hub", &json!({ "tools": tools }));
    };
    list(&["find", "merge"]);
    list(&["find"]);
    let plan = b"1. Call `mcp__hub__find`, then `mcp__hub__merge` or `mcp__quiet__look`.\n2. Call `mcp__nub__find`.\n";
    let run = check(&sandbox, &["--json"], plan);
    let told: Value = serde_json::from_str(&run.out).unwrap();
    let items = told["items"].as_array().unwrap().iter();
    let items: Vec<(&str, &str)> = items
        .map(|each| (each["state"].as_str().unwrap(), each["name"].as_str().unwrap()))
        .collect();
    assert_eq!(items, [("stale", "mcp__hub__merge"), ("invented", "mcp__nub__find")], "{run:?}");
    assert_eq!(told["counts"], json!({ "stale": 1, "invented": 1 }));
    let reason = told["items"][0]["verdict"]["signals"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("its server no longer lists it"), "{reason}");
}

/// Bug: a tool of another client was never in the project.
#[test]
fn a_tool_of_another_client_is_not_invented() {
    let sandbox = Sandbox::rotted();
    sandbox.claude(&["hub"]);
    sandbox.codex(&["other"]);
    sandbox.ok(&["scan"]);
    sandbox.ok(&["record", "mcp__other__q", "--success", "--agent", "codex"]);
    for agent in ["claude-code", "codex"] {
        let run = check(&sandbox, &["--agent", agent], b"Call `mcp__other__q`.\n");
        assert_eq!(run.out, "1 name: 0 stale, 0 invented\n", "{agent}");
    }
}

#[test]
fn what_is_no_text_or_too_much_is_refused() {
    let sandbox = Sandbox::rotted();
    let large = vec![b'a'; 100 << 20];
    for (text, args, code, why) in [
        (&large[..], &[][..], 3, "more than"),
        (b"\xff\xfe", &[], 3, "UTF-8"),
        (b"x", &["a.md"], 2, "stdin"),
        (b"x", &["--fix", "--yes"], 2, "stdin"),
        (b"x", &["--format", "sarif"], 2, "stdin"),
    ] {
        let run = check(&sandbox, args, text);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
        assert!(run.err.contains(why), "{run:?}");
    }
    let empty = check(&sandbox, &[], b"");
    assert_eq!(empty.out, "0 names: 0 stale, 0 invented\n");
}
