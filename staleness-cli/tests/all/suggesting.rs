//! Suggestions for prompts, and learned queries that are like another one.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, line, names, used};

/// A registry that knows two tools of a server.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::scanned();
    for name in ["mcp__github__search_issues", "mcp__github__merge"] {
        sandbox.ok(&["record", name, "--success", "--session", "before"]);
    }
    sandbox
}

fn prompt(text: &str) -> Value {
    json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": text })
}

/// Runs the hook at a minute past ten.
fn hook_at(sandbox: &Sandbox, minute: u32, payload: &Value) -> Run {
    let mut command = sandbox.command_of(Path::new(env!("CARGO_BIN_EXE_staleness")));
    command.args(["--now", &format!("2026-11-21T10:{minute:02}:00Z"), "hook"]);
    fed(command, payload.to_string().as_bytes())
}

/// Returns what is said for a prompt at a minute past ten, if anything.
fn said(sandbox: &Sandbox, minute: u32, payload: &Value) -> Option<String> {
    let run = hook_at(sandbox, minute, payload);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    if run.out.is_empty() {
        return None;
    }
    let said: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(keys(&said), ["hookSpecificOutput"]);
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    Some(said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned())
}

const ASKED: &str = "please search the issues";

#[test]
fn a_prompt_is_answered_with_names_of_tools_and_our_own_words() {
    let sandbox = sandbox();
    sandbox.write("home/.config/staleness/staleness.toml", "[routes]\nsuggest_from = 0.1\n");
    let text = said(&sandbox, 0, &prompt(&format!("{ASKED} zanzibar"))).unwrap();
    assert!(text.contains("mcp__github__search_issues"), "{text}");
    assert!(text.chars().count() <= 400 && !text.contains("zanzibar"), "{text}");
    let stored = sandbox.files().into_values();
    let holds = |bytes: &[u8]| bytes.windows(8).any(|part| part.eq_ignore_ascii_case(b"zanzibar"));
    assert!(!stored.into_iter().any(|bytes| holds(&bytes)), "a prompt is stored nowhere");
}

/// The learned route, as it is at the end.
fn the_route(sandbox: &Sandbox) -> Value {
    let routes = sandbox.json(&["routes"])["routes"].clone();
    assert_eq!(routes.as_array().map(Vec::len), Some(1), "{routes}");
    routes[0].clone()
}

#[test]
fn a_suggestion_that_was_asked_for_and_then_used_refreshes_its_route() {
    const MERGE: &str = "mcp__github__merge";
    let sandbox = sandbox();
    let at = |minute: u32, args: &[&str]| {
        let now = format!("2026-11-21T10:{minute:02}:00Z");
        sandbox.json(&[&["--now", &now], args].concat())
    };
    at(0, &["routes", "learn", "--query", "bring it home", "--tool", MERGE, "--signal", "0.8"]);
    let used = |minute: u32, session: &str| {
        at(minute, &["record", MERGE, "--success", "--session", session]);
        let route = the_route(&sandbox);
        (route["uses"].clone(), route["last_used_at"].as_str().unwrap()[14..16].to_owned())
    };
    // Without a session, or in another one, nothing is known of it.
    let before = sandbox.ok(&["export"]);
    assert_eq!(names(&at(1, &["tools", "suggest", "bring it home"])["tools"]), [MERGE]);
    assert_eq!(sandbox.ok(&["export"]), before);
    assert_eq!(used(2, "one"), (json!(1), "00".into()));
    let asked = ["tools", "suggest", "bring it home zanzibar", "--session", "two"];
    assert_eq!(names(&at(3, &asked)["tools"]), [MERGE]);
    assert_eq!(used(4, "three"), (json!(1), "00".into()));
    // In the same one it was found and then used; its words are nowhere.
    assert_eq!(used(5, "two"), (json!(2), "05".into()));
    assert_eq!(the_route(&sandbox)["confidence"], json!(0.8));
    let holds = |bytes: &[u8]| bytes.windows(8).any(|part| part.eq_ignore_ascii_case(b"zanzibar"));
    assert!(!sandbox.files().into_values().any(|bytes| holds(&bytes)));
    // Nor does it count twice, nor against what nobody asked for.
    assert_eq!(used(6, "two"), (json!(2), "05".into()));
    for minute in [10, 11, 12] {
        let session = ["tools", "suggest", "search the issues", "--session", "s"];
        assert!(!names(&at(minute, &session)["tools"]).is_empty());
    }
    for call in 0..5 {
        at(13 + call, &["record", "Bash", "--success", "--session", "s"]);
    }
    assert!(said(&sandbox, 20, &prompt(ASKED)).is_some());
}

#[test]
fn a_project_in_which_something_was_suggested_is_known_and_so_pruned() {
    let sandbox = sandbox();
    let listed = || sandbox.json(&["project", "list"])["projects"].as_array().unwrap().len();
    let other = sandbox.second_project();
    let there = ["--project", other.to_str().unwrap(), "tools", "suggest", "search the issues"];
    assert!(!names(&sandbox.json(&there)["tools"]).is_empty());
    assert_eq!(listed(), 1);
    sandbox.json(&[&there[..], &["--session", "s"]].concat());
    assert_eq!(listed(), 2);
}

#[test]
fn suggestions_cool_down_and_are_limited() {
    let sandbox = sandbox();
    assert!(said(&sandbox, 0, &prompt(ASKED)).is_some());
    let uses = |from: u32, to: u32| {
        for at in from..to {
            let mut payload = used("PostToolUse", "Bash", &format!("u{at}"));
            payload["session_id"] = json!("s");
            assert_eq!(said(&sandbox, at, &payload), None);
        }
    };
    uses(1, 5);
    assert_eq!(said(&sandbox, 5, &prompt(ASKED)), None, "four uses later");
    uses(6, 7);
    assert!(said(&sandbox, 7, &prompt(ASKED)).is_some(), "five uses later");
    uses(8, 20);
    assert_eq!(said(&sandbox, 21, &prompt(ASKED)), None, "two are the most");
    let mut other = prompt(ASKED);
    other["session_id"] = json!("other");
    assert!(said(&sandbox, 22, &other).is_some(), "each session has its own");
}

#[test]
fn a_suggestion_under_a_held_lock_begins_the_cool_down_all_the_same() {
    let sandbox = sandbox();
    let lock = std::fs::File::open(sandbox.store().with_extension("db.lock")).unwrap();
    lock.lock().unwrap();
    assert!(said(&sandbox, 0, &prompt(ASKED)).is_some());
    assert_eq!(said(&sandbox, 1, &prompt(ASKED)), None);
    drop(lock);
    assert_eq!(said(&sandbox, 2, &prompt(ASKED)), None);
}

#[test]
fn without_confidence_a_session_or_a_word_nothing_is_said() {
    let sandbox = sandbox();
    let mut nobody = prompt(ASKED);
    nobody.as_object_mut().unwrap().remove("session_id");
    let mut cursor = prompt(ASKED);
    cursor["hook_event_name"] = json!("beforeSubmitPrompt");
    cursor["conversation_id"] = json!("c");
    for payload in [
        prompt("write a poem about the wind, a ship and its issues with the weather"),
        prompt(""),
        prompt("\u{1f680}"),
        prompt(&"x".repeat(1 << 20)),
        json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": 7 }),
        nobody,
        cursor,
    ] {
        assert_eq!(said(&sandbox, 0, &payload), None);
    }
    let new = Sandbox::new();
    assert_eq!(said(&new, 0, &prompt(ASKED)), None);
    assert!(!new.store().exists(), "nothing to suggest makes no registry");
}

/// A server that left the configuration: what was learned of its tools stays, and nobody is sent to them.
#[test]
fn a_route_to_a_tool_that_is_gone_is_suggested_to_nobody() {
    let sandbox = sandbox();
    sandbox.write("home/.config/staleness/staleness.toml", "[routes]\nsuggest_from = 0.1\n");
    let tool = "mcp__github__merge";
    sandbox.ok(&["routes", "learn", "--query", "bring it home", "--tool", tool, "--quiet"]);
    let prompted = |session: &str| {
        let mut payload = prompt("bring it home");
        payload["session_id"] = json!(session);
        said(&sandbox, 0, &payload)
    };
    let suggested = || sandbox.json(&["tools", "suggest", "bring it home"]);
    assert_eq!(names(&suggested()["tools"])[0], tool);
    assert!(prompted("before it went").is_some_and(|text| text.contains(tool)));
    sandbox.write("home/.claude.json", r#"{"mcpServers": {}}"#);
    sandbox.ok(&["scan", "--quiet"]);
    let routes = sandbox.json(&["routes"]);
    assert_eq!(routes["routes"].as_array().map(Vec::len), Some(1), "{routes}");
    assert!(!names(&suggested()["tools"]).contains(&tool));
    assert_eq!(prompted("after it went"), None);
    let cold = json!({ "cold": true, "familiarity": 0.0, "routes": [] });
    assert_eq!(sandbox.json(&["routes", "find", "bring it home"]), cold);
    // Who looks among everything is told what it was, and that it is gone.
    let found = &sandbox.json(&["tools", "discover", "bring it home"])["tools"][0];
    assert_eq!((&found["name"], &found["mark"]), (&json!(tool), &json!("[stale]")));
    // It returns with the tool.
    sandbox.claude(&["github"]);
    sandbox.ok(&["scan", "--quiet"]);
    assert_eq!(names(&suggested()["tools"])[0], tool);
}

#[test]
fn prompts_are_learned_from_only_where_the_user_allows_it() {
    let sandbox = sandbox();
    let learned = |session: &str, minute: u32| {
        let mut asked =
            prompt("bring my branch home, the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a");
        asked["session_id"] = json!(session);
        said(&sandbox, minute, &asked);
        let mut payload = used("PostToolUse", "mcp__github__merge", session);
        payload["session_id"] = json!(session);
        said(&sandbox, minute + 1, &payload);
        sandbox.json(&["routes", "list"])["routes"].as_array().unwrap().clone()
    };
    assert!(learned("s", 0).is_empty());
    sandbox.write("home/.config/staleness/staleness.toml", "[routes]\nlearn_from_prompts = true\n");
    let routes = learned("t", 2);
    assert_eq!(routes.len(), 1, "{routes:?}");
    assert_eq!(routes[0]["tool"], "mcp__github__merge");
    let query = routes[0]["query"].as_str().unwrap();
    assert!(query.starts_with("bring my branch home") && !query.contains("ghp_"), "{query}");
}

#[test]
fn routes_find_tells_what_was_learned_that_is_like_a_query() {
    let sandbox = sandbox();
    let cold = sandbox.json(&["routes", "find", "bring it home"]);
    assert_eq!(cold, json!({ "cold": true, "familiarity": 0.0, "routes": [] }));
    sandbox.ok(&line(
        "routes learn --query 'Bring it home' --tool mcp__github__merge --signal 0.8 --quiet",
    ));
    let found = sandbox.json(&["routes", "find", "bring IT home", "--explain"]);
    assert_eq!((&found["cold"], &found["familiarity"]), (&json!(false), &json!(1.0)));
    let route = &found["routes"][0];
    assert_eq!((&route["tool"], &route["score"]), (&json!("mcp__github__merge"), &json!(0.8)));
    assert_eq!((&route["closeness"], &route["confidence"]), (&json!(1.0), &json!(0.8)));
    let text = sandbox.ok(&["routes", "find", "bring it home", "--explain"]);
    assert!(text.contains("closeness 1.000 × confidence 0.800"), "{text}");
    let suggested = sandbox.json(&["tools", "suggest", "bring it home", "--explain"]);
    assert_eq!(names(&suggested["tools"])[0], "mcp__github__merge");
    let parts = &suggested["tools"][0]["parts"];
    assert_eq!(parts["route"]["query"], json!("Bring it home"));
    assert!(parts["learned"].as_f64().unwrap() >= 0.4 * 0.8, "{parts}");
    let text = sandbox.ok(&["tools", "discover", "bring it home", "--explain"]);
    assert!(text.contains("“Bring it home” closeness 1.000"), "{text}");
}

#[test]
fn vectors_find_by_meaning_and_bad_ones_are_refused() {
    let sandbox = sandbox();
    let file = |name: &str, text: &str| sandbox.write(name, text).display().to_string();
    let (known, other) = (file("v", "[1, 0, 0]"), file("w", "[0.8, 0.6, 0]"));
    let learn =
        "routes learn --query 'ship it' --tool mcp__github__merge --model m --quiet --vector";
    sandbox.ok(&[&line(learn)[..], &[&*known]].concat());
    let found = sandbox.json(&["routes", "find", "unheard", "--vector", &other, "--model", "m"]);
    let familiarity = found["familiarity"].as_f64().unwrap();
    assert!(found["cold"] == false && (familiarity - 0.8).abs() < 1e-6, "{found}");
    assert_eq!(found["routes"][0]["tool"], "mcp__github__merge");
    let unknown =
        sandbox.run(&["routes", "find", "ship it", "--vector", &other, "--model", "n", "--json"]);
    let unknown: Value = serde_json::from_str(&unknown.out).unwrap();
    // Words answer: exactly these were learned.
    assert_eq!((&unknown["cold"], &unknown["familiarity"]), (&json!(false), &json!(1.0)));
    assert_eq!(unknown["routes"][0]["tool"], "mcp__github__merge");
    let note = unknown["note"].as_str().unwrap();
    assert!(note.ends_with("; only words were compared"), "{note}");
    assert!(note.starts_with("no route has a vector from the model n; 1 route has a"), "{note}");
    for (text, why) in [
        ("[1, 0]", "has 2 dimensions; those of the model m have 3"),
        ("[0, 0, 0]", "has no direction"),
    ] {
        let bad = file("bad", text);
        let run = sandbox.run(&["routes", "find", "x", "--vector", &bad, "--model", "m"]);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains(why) && run.err.lines().count() <= 2, "{run:?}");
    }
}

#[test]
fn tools_are_found_by_what_their_learned_queries_mean() {
    let sandbox = sandbox();
    let file = |name: &str, text: &str| sandbox.write(name, text).display().to_string();
    let (known, other) = (file("v", "[1, 0, 0]"), file("w", "[0.8, 0.6, 0]"));
    let learn = ["routes", "learn", "--quiet", "--query", "ship it"];
    let rest = ["--tool", "mcp__github__merge", "--vector", &known, "--model", "m"];
    sandbox.ok(&[&learn[..], &rest].concat());
    let by = |model: &'static str| ["--vector", &other, "--model", model];
    for verb in ["suggest", "discover"] {
        let asked = ["tools", verb, "unheard"];
        assert!(names(&sandbox.json(&asked)["tools"]).is_empty(), "{verb}");
        let found = sandbox.json(&[&asked[..], &by("m"), &["--explain"]].concat());
        assert_eq!(names(&found["tools"]), ["mcp__github__merge"], "{verb}");
        let route = &found["tools"][0]["parts"]["route"];
        let meaning = route["by_meaning"].as_f64().unwrap();
        assert!((meaning - 0.8).abs() < 1e-6 && route["by_words"] == 0.0, "{found}");
        let text = sandbox.ok(&[&asked[..], &by("m"), &["--explain"]].concat());
        assert!(text.contains("(by words 0.000, by meaning 0.800)"), "{text}");
        // Another model is never compared, and no error: words answer.
        let asked = ["tools", verb, "merge"];
        let found = sandbox.json(&[&asked[..], &by("n")].concat());
        assert_eq!(names(&found["tools"])[0], "mcp__github__merge", "{verb}");
        let note = found["note"].as_str().unwrap();
        assert!(
            note.starts_with("no route has a vector from the model n; 1 route has a"),
            "{note}"
        );
        assert!(note.ends_with("; only words were compared"), "{note}");
        assert_eq!(sandbox.json(&asked).get("note"), None);
        for (text, why) in [
            ("[1, 0]", "has 2 dimensions; those of the model m have 3"),
            ("[0, 0, 0]", "has no direction"),
            ("[1, 0, nan]", "not a JSON array"),
        ] {
            let bad = file("bad", text);
            let run = sandbox.run(&["tools", verb, "x", "--vector", &bad, "--model", "m"]);
            assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
            assert!(run.err.contains(why), "{run:?}");
        }
        assert_eq!(sandbox.run(&["tools", verb, "x", "--vector", &other]).code, 2);
    }
    let run = sandbox.run(&[&["tools", "suggest"][..], &by("m")].concat());
    assert!(run.code == 3 && run.err.contains("a vector needs the query"), "{run:?}");
    let text =
        sandbox.ok(&["routes", "find", "unheard", "--vector", &other, "--model", "m", "--explain"]);
    assert!(text.contains("closeness 0.800 (by words 0.000, by meaning 0.800)"), "{text}");
}
