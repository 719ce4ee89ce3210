//! The documents that scripts read: their keys, and that they never change by themselves.

use serde_json::{Value, json};

use crate::common::{NOW, Sandbox, keys, line};

/// Fails unless the object has every key of `must`, and no other than those and `may`.
fn shape(value: &Value, must: &[&str], may: &[&str]) {
    let found = keys(value);
    for key in must {
        assert!(found.contains(key), "{key} is missing: {value}");
    }
    for key in found {
        assert!(must.contains(&key) || may.contains(&key), "{key} is unknown: {value}");
    }
}

fn is_time(value: &Value) {
    let text = value.as_str().unwrap();
    assert!(text.len() >= 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T', "{text}");
}

fn is_tool(tool: &Value, more: &[&str]) {
    let must = "name scope kind sources clients status presence health outcomes failures uses \
                discovered_at verdict";
    let may = "project server plugin description last_seen_at last_used_at hold \
               held_by held_because";
    shape(tool, &line(must), &[&line(may)[..], more].concat());
    for key in more.iter().filter(|key| !["parts", "mark"].contains(key)) {
        assert!(!tool[key].is_null(), "{key} is missing: {tool}");
    }
    assert_eq!(tool["scope"] == "project", tool["project"].is_string());
    shape(&tool["presence"], &["state"], &["cause", "since"]);
    shape(&tool["health"], &["state"], &["cause"]);
    assert!(tool["sources"].is_array() && tool["uses"].is_u64() && tool["failures"].is_u64());
    is_time(&tool["discovered_at"]);
    is_verdict(&tool["verdict"]);
}

fn is_verdict(verdict: &Value) {
    shape(verdict, &["level", "freshness", "signals", "action"], &[]);
    for signal in verdict["signals"].as_array().unwrap() {
        shape(signal, &["kind", "strength", "weight", "reason"], &[]);
    }
}

fn each<'a>(document: &'a Value, key: &str) -> &'a Vec<Value> {
    let rows = document[key].as_array().unwrap();
    assert!(!rows.is_empty(), "{key} is empty: {document}");
    rows
}

/// A machine with something of everything.
fn eventful() -> Sandbox {
    let sandbox = Sandbox::with_servers(&["github", "linear"]);
    sandbox.write("home/.cursor/mcp.json", "{ broken");
    sandbox.write("home/.claude/skills/pdf/SKILL.md", "---\ndescription: Reads PDFs\n---\n");
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"team": {"command": "x"}}}"#);
    sandbox.write("home/.claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#);
    sandbox.ok(&["scan"]);
    for at in 0..3 {
        let id = format!("f{at}");
        sandbox.ok(&["record", "mcp__github__search", "--failure", "--id", &id, "--session", "s"]);
    }
    sandbox.ok(&["record", "mcp__team__plan", "--success", "--duration-ms", "12"]);
    sandbox.claude(&["github"]);
    sandbox
}

#[test]
fn overview() {
    let document = eventful().json(&[]);
    let must = [
        "for",
        "project",
        "tools",
        "off",
        "documents",
        "knowledge",
        "work",
        "counts",
        "documents_checked_at",
        "gaps",
    ];
    shape(&document, &must, &["root"]);
    each(&document, "tools").iter().for_each(|tool| is_tool(tool, &[]));
    assert!(each(&document, "tools").iter().all(|tool| tool["verdict"]["level"] != "fresh"));
    for empty in ["documents", "work", "gaps"] {
        assert_eq!(document[empty], json!([]), "{empty}");
    }
    assert!(document["counts"].as_object().unwrap().values().all(Value::is_u64));
}

#[test]
fn scan() {
    let sandbox = eventful();
    let dry = sandbox.json(&["scan", "--dry-run"]);
    let document = sandbox.json(&["scan"]);
    let must = line("project sources added stale restored changed unchanged revision");
    for document in [&dry, &document] {
        shape(document, &must, &["root"]);
        each(document, "stale").iter().for_each(|tool| is_tool(tool, &["changed_for"]));
        for source in each(document, "sources") {
            shape(source, &["source", "client", "path", "scope", "state", "found"], &["error"]);
            let state = source["state"].as_str().unwrap();
            assert!(["read", "missing", "partial", "failed"].contains(&state), "{state}");
            assert_eq!(source["error"].is_string(), ["partial", "failed"].contains(&state));
        }
        assert!(document["unchanged"].is_u64() && document["revision"].is_u64());
    }
    assert_eq!(dry["stale"], document["stale"], "a dry run tells what a real one does");
}

#[test]
fn record() {
    let document = eventful().json(&["record", "mcp__github__search", "--success"]);
    shape(&document, &["tool", "changed"], &[]);
    is_tool(&document["tool"], &[]);
    for change in each(&document, "changed") {
        shape(change, &["from", "to", "cause"], &[]);
    }
}

#[test]
fn recording_twice_says_so() {
    let document = eventful().json(&["record", "mcp__github__search", "--failure", "--id", "f0"]);
    shape(&document, &["tool", "changed", "duplicate"], &[]);
    assert_eq!((&document["tool"]["uses"], &document["changed"]), (&json!(3), &json!([])));
}

#[test]
fn tools() {
    let sandbox = eventful();
    sandbox.ok(&["scan"]);
    for (args, more) in [
        (&["tools"][..], &[][..]),
        (&["tools", "list", "--status", "stale"], &[]),
        (&["tools", "list", "--kind", "mcp_tool", "--all-projects"], &[]),
        (&["tools", "rank"], &["score"]),
        (&["tools", "suggest"], &["score", "reason", "parts", "mark"]),
        (&["tools", "suggest", "plan", "--explain"], &["score", "reason", "parts", "mark"]),
        (&["tools", "discover", "search"], &["score", "reason", "parts", "mark"]),
    ] {
        let document = sandbox.json(args);
        let is_list = !more.contains(&"score");
        let all = ["for", "tools", "invented"];
        assert_eq!(keys(&document), all[..2 + usize::from(is_list)], "{args:?}");
        each(&document, "tools").iter().for_each(|tool| is_tool(tool, more));
    }
    is_tool(&sandbox.tool("mcp__github__search"), &["for"]);
    is_tool(&sandbox.tool("linear"), &["for"]);
}

#[test]
fn history() {
    let sandbox = eventful();
    let document = sandbox.json(&["tools", "history", "mcp__github__search"]);
    assert_eq!(keys(&document), ["entries"]);
    for entry in each(&document, "entries") {
        let may = ["from", "to", "session", "note"];
        shape(entry, &["revision", "at", "scope", "action", "cause"], &may);
        is_time(&entry["at"]);
    }
}

#[test]
fn what_a_person_decides() {
    let sandbox = eventful();
    for verb in ["demote", "restore", "pin", "ignore"] {
        let document = sandbox.json(&["tools", verb, "pdf", "--reason", "tried it"]);
        assert_eq!(keys(&document), ["tool"], "{verb}");
        is_tool(&document["tool"], &[]);
    }
    let forgotten = sandbox.json(&["tools", "forget", "pdf", "--yes"]);
    assert_eq!(forgotten, json!({ "forgotten": "pdf" }));
}

#[test]
fn projects() {
    let sandbox = eventful();
    let document = sandbox.json(&["project", "list"]);
    assert_eq!(keys(&document), ["projects"]);
    let project = &each(&document, "projects")[0];
    assert_eq!(keys(project), ["id", "path", "last_seen_at"]);
    is_time(&project["last_seen_at"]);
    let id = project["id"].as_str().unwrap();
    let forgotten = sandbox.json(&["project", "forget", id, "--yes"]);
    assert_eq!(forgotten, json!({ "forgotten": id, "knowledge": 0, "work": 0 }));
}

#[test]
fn doctor_prune_backup_and_config() {
    let sandbox = eventful();
    let doctor = sandbox.json(&["doctor"]);
    assert_eq!(keys(&doctor), ["ok", "checks"]);
    for check in each(&doctor, "checks") {
        assert_eq!(keys(check), ["name", "state", "detail"]);
        assert!(["ok", "warn", "fail"].contains(&check["state"].as_str().unwrap()));
    }
    for args in [&["prune", "--dry-run"][..], &["prune"]] {
        let (none, four) = (json!({ "removed": 0, "kept": 0 }), json!({ "removed": 0, "kept": 4 }));
        let expected = json!({ "routes": none, "outcomes": four, "sessions": none,
                               "cursors": none, "projects": { "removed": 0 },
                               "invented": { "removed": 0 }, "unlisted": { "removed": 0 },
                               "journal": { "removed": 0 } });
        assert_eq!(sandbox.json(args), expected);
    }
    let copy = sandbox.root().join("copy.db");
    let backup = sandbox.json(&["backup", copy.to_str().unwrap()]);
    let bytes = std::fs::metadata(&copy).unwrap().len();
    assert_eq!(backup, json!({ "path": copy, "bytes": bytes }));
    for args in [&["config", "show"], &["config", "path"]] {
        let config = sandbox.json(args);
        assert_eq!(keys(&config), ["values"]);
        for value in each(&config, "values") {
            assert_eq!(keys(value), ["key", "value", "source"]);
        }
    }
}

#[test]
fn errors() {
    let sandbox = eventful();
    let commands =
        "tools show githb,--store x tools,nonsense,tools show,project,uninstall,tools --limit";
    for args in commands.split(',').map(line) {
        let args = &args[..];
        let run = sandbox.run(&[args, &["--json"]].concat());
        assert_eq!(run.out, "", "{args:?}");
        assert_eq!(run.err.lines().count(), 1, "{run:?}");
        let document: Value = serde_json::from_str(&run.err).unwrap();
        assert_eq!(keys(&document), ["error"]);
        assert_eq!(keys(&document["error"]), ["kind", "message", "hint"]);
        assert!(document["error"]["hint"].is_string(), "{args:?}: {document}");
    }
}

#[test]
fn two_runs_at_the_same_time_print_the_same_bytes() {
    let sandbox = eventful();
    sandbox.ok(&["scan"]);
    let commands = ",tools,tools rank,tools suggest pdf,tools discover s,tools history github,\
                    project list,doctor,config show,scan --dry-run,prune --dry-run,\
                    tools show github";
    for look in commands.split(',').map(line) {
        let look = &look[..];
        for form in [&[][..], &["--json"]] {
            let args = [look, form].concat();
            assert_eq!(sandbox.ok(&args), sandbox.ok(&args), "{args:?}");
        }
    }
}

#[test]
fn two_machines_that_lived_the_same_print_the_same_tools() {
    let told = || {
        let sandbox = eventful();
        sandbox.ok(&["scan"]);
        let [tools, projects, prune] = sandbox.recorded();
        let id = projects["projects"][0]["id"].as_str().unwrap().to_owned();
        (tools.to_string().replace(&id, "ID"), prune)
    };
    assert_eq!(told(), told());
    assert!(told().0.contains(NOW));
}
