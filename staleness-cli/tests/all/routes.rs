//! `routes`, and what sessions teach, through the real binary.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, used};

const TOOL: &str = "mcp__github__search";

fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&["record", TOOL, "--success"]);
    sandbox
}

fn learn(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.json(&[&["routes", "learn", "--tool", TOOL], args].concat())["route"].clone()
}

fn bytes<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

fn refused(sandbox: &Sandbox, args: &[&str], code: i32) -> String {
    let before = sandbox.ok(&["export"]);
    let run = sandbox.run(args);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{args:?} {run:?}");
    assert_eq!(sandbox.ok(&["export"]), before, "{args:?} changed something");
    run.err
}

#[test]
fn learned_listed_pruned_and_forgotten() {
    let sandbox = machine();
    let route = learn(&sandbox, &["--query", " Open  Issues", "--signal", "0.75", "--id", "a"]);
    let expected = ["id", "tool", "query", "confidence", "uses", "created_at", "last_used_at"];
    assert_eq!(keys(&route), expected);
    assert_eq!((&route["query"], &route["confidence"]), (&json!("Open  Issues"), &json!(0.75)));
    let again = learn(&sandbox, &["--query", "open issues", "--signal", "1", "--id", "b"]);
    assert_eq!((&again["confidence"], &again["uses"]), (&json!(0.8), &json!(2)));
    assert_eq!(learn(&sandbox, &["--query", "open issues", "--signal", "0", "--id", "b"]), again);
    assert_eq!(sandbox.json(&["routes"]), json!({ "routes": [again] }));
    assert_eq!(sandbox.json(&["routes", "list"]), sandbox.json(&["routes"]));
    let weak = learn(&sandbox, &["--query", "other", "--signal", "0.05"]);
    assert_eq!(weak, Value::Null);

    let late = ["--now", "2026-12-20T12:00:00Z"];
    let dry = sandbox.json(&[&late[..], &["routes", "prune", "--dry-run"]].concat());
    assert_eq!(dry["removed"][0]["reason"], "unused");
    assert_eq!((&dry["removed"][0]["id"], &dry["kept"]), (&again["id"], &json!(0)));
    assert_eq!(sandbox.json(&["routes"])["routes"].as_array().map(Vec::len), Some(1));

    let id = again["id"].as_str().unwrap();
    let unsure = refused(&sandbox, &["routes", "forget", id], 3);
    assert!(unsure.contains("--yes"), "{unsure}");
    assert_eq!(sandbox.json(&["routes", "forget", id, "--yes"])["route"], again);
    let unknown = refused(&sandbox, &["routes", "forget", id, "--yes"], 3);
    assert!(unknown.contains(id) && unknown.contains("no route"), "{unknown}");
    assert_eq!(sandbox.json(&["routes"]), json!({ "routes": [] }));
}

#[test]
fn vectors_of_every_form_mean_the_same() {
    let sandbox = machine();
    let path = |name: &str, of: &[u8]| {
        sandbox.write(name, of);
        sandbox.root().join(name).display().to_string()
    };
    let numbers = [0.6_f64, -0.8, 0.0, 0.0];
    let files = [
        path("v.json", b" [3, -4, 0.0, 0e0]"),
        path("v.f64", &bytes(numbers.map(f64::to_le_bytes))),
        path("v.f32", &bytes(numbers.map(|number| (number as f32).to_le_bytes()))),
    ];
    for (turn, file) in files.iter().enumerate() {
        let query = format!("query {turn}");
        let route = learn(&sandbox, &["--query", &query, "--vector", file, "--model", "m"]);
        assert_eq!((&route["model"], &route["uses"]), (&json!("m"), &json!(turn + 1)), "{file}");
        assert_eq!(route["query"], "query 0", "it means the same");
    }
    let said = ["routes", "learn", "--query", "q", "--tool", TOOL, "--model", "m", "--vector"];
    for (name, content, part) in [
        ("short.json", &b"[1, 2]"[..], "has 2 dimensions; those of the model \"m\" have 4"),
        ("zero.json", b"[0, 0, 0, 0]", "has no direction"),
        ("nan.f32", &bytes([f32::NAN, 1.0, 1.0, 1.0].map(f32::to_le_bytes)), "not a finite number"),
        ("odd", b"abc", "neither JSON nor numbers"),
        ("long.json", &[b' '; 300_000], "larger than 262144 bytes"),
    ] {
        let file = path(name, content);
        let line = refused(&sandbox, &[&said[..], &[file.as_str()]].concat(), 3);
        assert!(line.contains(part) && line.lines().count() == 1, "{line}");
    }
    let missing = refused(&sandbox, &[&said[..], &["/nowhere/v"]].concat(), 3);
    assert!(missing.contains("/nowhere/v"), "{missing}");
    refused(&sandbox, &["routes", "learn", "--query", "q", "--tool", TOOL, "--model", "m"], 2);
}

#[test]
fn what_another_model_embedded_is_offered_to_be_embedded_anew() {
    let sandbox = machine();
    sandbox.write("v", "[1, 0]");
    sandbox.write("w", "[0, 1, 0]");
    let path = |name: &str| sandbox.root().join(name).display().to_string();
    let (old, new) = (path("v"), path("w"));
    let first = learn(
        &sandbox,
        &["--query", "ship it", "--signal", "0.6", "--vector", &old, "--model", "old"],
    );
    learn(&sandbox, &["--query", "open issues", "--vector", &old, "--model", "other"]);
    learn(&sandbox, &["--query", "by words alone"]);
    let find = ["routes", "find", "unheard", "--vector", &new, "--model", "new"];
    let found = sandbox.json(&find);
    let offer = "2 routes have a vector of another model, which cannot be compared; run \
                 `staleness routes learn --query Q --tool NAME [--vector FILE --model new]` to embed one again";
    let note =
        format!("no route has a vector from the model new; {offer}; only words were compared");
    assert_eq!((&found["routes"], &found["note"]), (&json!([]), &json!(note)));
    let text = sandbox.ok(&find);
    assert!(text.contains(&note), "{text}");
    let quiet = sandbox.ok(&[&find[..], &["--quiet"]].concat());
    assert_eq!(quiet, "");
    let list = sandbox.ok(&["routes"]);
    assert!(list.contains("2 models") && list.contains("1 of old, 1 of other"), "{list}");

    // As it says; with its own confidence for a signal the route is as sure as before.
    let anew = ["--query", "ship it", "--signal", "0.6", "--vector", &new, "--model", "new"];
    let anew = learn(&sandbox, &anew);
    for key in ["id", "query", "confidence", "created_at"] {
        assert_eq!(anew[key], first[key], "{key}");
    }
    assert_eq!(anew["model"], "new");
    let found = sandbox.json(&find);
    assert_eq!(found["routes"][0]["id"], first["id"]);
    assert!(found["note"].as_str().unwrap().starts_with("1 route has a vector of another model"));
    assert!(sandbox.ok(&find).contains("1 route has a vector of another model"));
}

#[test]
fn what_cannot_be_learned_is_refused_and_changes_nothing() {
    let sandbox = machine();
    let said = |rest: &[&'static str]| [&["routes", "learn"][..], rest].concat();
    let long = "x".repeat(100_000);
    for (args, part) in [
        (said(&["--tool", TOOL, "--query", " "]), "the query is empty"),
        (said(&["--tool", TOOL, "--query", "?!"]), "the query has no words"),
        (said(&["--tool", TOOL, "--query", "q", "--signal", "1.01"]), "between 0 and 1"),
        (said(&["--tool", TOOL, "--query", "q", "--signal", "-0.1"]), "between 0 and 1"),
        (said(&["--tool", TOOL, "--query", "q", "--signal", "nan"]), "between 0 and 1"),
        (said(&["--tool", TOOL, "--query", "q", "--signal", "much"]), "is not a number"),
        (
            said(&["--tool", "mcp__github__serch", "--query", "q"]),
            "did you mean mcp__github__search",
        ),
        (said(&["--tool", "", "--query", "q"]), "the tool's name is empty"),
        (said(&["--tool", TOOL, "--query", "q", "--id", ""]), "the id is empty"),
        (vec!["routes", "learn", "--tool", TOOL, "--query", &long], "at most 4096 are allowed"),
    ] {
        let line = refused(&sandbox, &args, 3);
        assert!(line.contains(part), "{line}");
    }
    // A machine that has never seen it stays so.
    let new = Sandbox::new();
    assert_eq!(new.run(&["routes", "learn", "--tool", TOOL, "--query", "q"]).code, 3);
    assert!(!new.root().join("data").exists());
}

#[test]
fn a_result_that_reports_an_error_teaches_nothing() {
    let sandbox = machine();
    let route = learn(&sandbox, &["--query", "open issues", "--id", "a"]);
    let mut payload = used("PostToolUse", TOOL, "b");
    payload["tool_response"] = json!({ "isError": true, "content": [] });
    sandbox.hook(&payload);
    assert_eq!(sandbox.json(&["routes"]), json!({ "routes": [route] }));
}

fn import(sandbox: &Sandbox, args: &[&str], text: &str) -> Run {
    let mut command = sandbox.command();
    command.arg("import").args(args);
    fed(command, text.as_bytes())
}

#[test]
fn routes_of_other_systems_come_with_their_vectors() {
    let sandbox = machine();
    let lines = "\
{\"type\":\"route\",\"query\":\"Open issues\",\"tool\":\"mcp__github__search\",\"confidence\":0.9,\"uses\":4,\
\"created\":\"2026-11-01\",\"last_used\":\"2026-11-19T10:00:00Z\",\"model\":\"m\",\"vector\":[0.1,0.2,0.30000000000000004]}
{\"type\":\"route\",\"query\":\"bare\",\"tool\":\"other\",\"created\":\"2026-11-02\"}
";
    let run = import(&sandbox, &["--from", "jsonl", "--json"], lines);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &report["imported"]["routes"]), (0, &json!(2)), "{run:?}");
    let routes = sandbox.json(&["routes"])["routes"].clone();
    assert_eq!((&routes[1]["confidence"], &routes[1]["uses"]), (&json!(0.9), &json!(4)));
    assert_eq!((&routes[0]["query"], &routes[1]["model"]), (&json!("bare"), &json!("m")));
    let exported = sandbox.ok(&["export"]);
    assert!(exported.contains("\"kind\":\"vector\""), "{exported}");
    let again = import(&sandbox, &["--from", "jsonl", "--json"], lines);
    let report: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(
        (&report["imported"]["routes"], &report["skipped"]["routes"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(sandbox.ok(&["export"]), exported);
    let line = |rest: &str| {
        format!(
            "{{\"type\":\"route\",\"query\":\"q\",\"tool\":\"t\",\"created\":\"2026-11-02\"{rest}}}\n"
        )
    };
    for (rest, part) in [
        (",\"model\":\"m\",\"vector\":[1]", "has 1 dimensions; others of the model \"m\" have 3"),
        (",\"vector\":[1]", "needs the `model`"),
        (",\"model\":\"m\"", "needs its vector"),
        (",\"model\":\"m\",\"vector\":[0,0,0]", "has no direction"),
        (",\"confidence\":1.5", "between 0 and 1"),
        (",\"last_used\":\"2026-11-01\"", ", but created"),
    ] {
        let run = import(&sandbox, &["--from", "jsonl"], &line(rest));
        assert!(run.code == 3 && run.err.contains(part), "{rest} {run:?}");
        assert_eq!(sandbox.ok(&["export"]), exported, "{rest}");
    }
    let wordless = line("").replace("\"q\"", "\"?!\"");
    let run = import(&sandbox, &["--from", "jsonl"], &wordless);
    assert!(run.code == 3 && run.err.contains("the query has no words"), "{run:?}");
    let twice = import(&sandbox, &["--from", "jsonl"], &line("").repeat(2));
    assert!(twice.err.contains("the route of \"q\" appears twice"), "{twice:?}");
}

#[test]
fn an_export_with_routes_is_the_same_bytes_from_every_backend() {
    let sandbox = machine();
    sandbox.write("v.json", "[0.1, -0.7, 3]");
    let file = sandbox.root().join("v.json").display().to_string();
    learn(&sandbox, &["--query", "a \u{1f680} \"query\"", "--vector", &file, "--model", "m"]);
    learn(&sandbox, &["--query", "b", "--signal", "0.333333333"]);
    let wide = ["--set", "routes.precision=\"f64\""];
    let wide_learn =
        ["routes", "learn", "--tool", TOOL, "--query", "c", "--model", "n", "--vector"];
    sandbox.ok(&[&wide[..], &wide_learn, &[file.as_str()]].concat());
    let exported = sandbox.ok(&["export"]);
    assert_eq!(exported.matches("\"kind\":\"vector\"").count(), 2);
    let mut text = exported.clone();
    let schemes: &[&str] = if cfg!(feature = "redb") { &["redb", "sqlite"] } else { &["sqlite"] };
    for scheme in schemes {
        let store = format!("{scheme}:{}", sandbox.root().join(format!("copy.{scheme}")).display());
        let run = import(&sandbox, &["--store", &store], &text);
        assert_eq!(run.code, 0, "{run:?}");
        text = sandbox.ok(&["--store", &store, "export"]);
        assert_eq!(text, exported, "{scheme}");
        assert_eq!(
            sandbox.ok(&["--store", &store, "routes", "--json"]),
            sandbox.ok(&["routes", "--json"])
        );
        let doctor = sandbox.json(&["--store", &store, "doctor"]);
        assert_eq!(doctor["ok"], true, "{doctor}");
    }
    // Into a store that holds something: what was used later stays.
    let merged = import(&sandbox, &["--json"], &text);
    let report: Value = serde_json::from_str(&merged.out).unwrap();
    let counts = |of: &str| (report[of]["routes"].clone(), report[of]["vectors"].clone());
    assert_eq!(counts("imported"), (json!(0), json!(0)));
    assert_eq!(counts("skipped"), (json!(3), json!(2)));
    let broken = exported.replace("\"confidence\":1.0", "\"confidence\":2.0");
    assert_ne!(broken, exported);
    let run = import(&sandbox, &["--dry-run"], &broken);
    assert!(run.code == 3 && run.err.contains("between 0 and 1"), "{run:?}");
}

#[test]
fn what_is_pruned_as_it_is_learned_was_not_learned() {
    let sandbox = machine();
    sandbox.write("home/.config/staleness/staleness.toml", "[routes]\nmax_routes = 5\n");
    for query in ["one", "two", "three", "four"] {
        learn(&sandbox, &["--query", query]);
    }
    learn(&sandbox, &["--query", "five"]);
    assert_eq!(learn(&sandbox, &["--query", "unsure", "--signal", "0.3"]), Value::Null);
    learn(&sandbox, &["--query", "six"]);
    let learn = ["routes", "learn", "--tool", TOOL, "--query", "unsure", "--signal", "0.3"];
    assert!(sandbox.ok(&learn).starts_with("not kept: "));
}
