//! `export` and `import`.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, line, used};

const HEADER: &str = "{\"kind\":\"staleness-export\",\"version\":2}\n";

/// A machine on which much has happened: demoted, pinned, removed, forgotten, used.
fn lived_in() -> Sandbox {
    let sandbox = Sandbox::with_servers(&["github", "slack", "jira"]);
    sandbox.ok(&["scan"]);
    for id in ["a", "b", "c"] {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__search", id));
    }
    sandbox.hook(&used("PostToolUse", "Bash", "d"));
    sandbox.ok(&["record", "mcp__jira__find", "--success", "--id", "e", "--duration-ms", "3"]);
    sandbox.ok(&["tools", "pin", "slack", "--reason", "needed \u{1f680}\n\"soon\""]);
    sandbox.ok(&["tools", "forget", "mcp__jira__find", "--yes"]);
    sandbox.claude(&["github", "jira"]);
    sandbox.ok(&["scan"]);
    sandbox.session_start(&sandbox.project, "s1", "startup");
    sandbox
}

fn import(sandbox: &Sandbox, store: &str, text: &str, args: &[&str]) -> Run {
    let mut command = sandbox.command();
    command.args(["--store", store, "import"]).args(args);
    fed(command, text.as_bytes())
}

/// The store of this name in the sandbox, which need not exist.
fn store(sandbox: &Sandbox, scheme: &str, name: &str) -> String {
    format!("{scheme}:{}", sandbox.root().join(name).display())
}

fn export_of(sandbox: &Sandbox, store: &str) -> String {
    sandbox.ok(&["--store", store, "export"])
}

/// Returns the counts of an import, as `imported+skipped` of each collection.
fn counts(run: &Run) -> String {
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let kinds = ["projects", "sources", "tools", "knowledge", "outcomes", "journal"];
    let of = |kind| format!("{}+{}", report["imported"][kind], report["skipped"][kind]);
    kinds.map(of).join(" ")
}

#[test]
fn an_import_into_an_empty_store_exports_the_same_bytes() {
    let sandbox = lived_in();
    let exported = sandbox.ok(&["export"]);
    assert!(exported.starts_with(HEADER) && exported.ends_with('\n'), "{exported}");
    assert_eq!(sandbox.ok(&["export", "--json"]), exported);
    let schemes: &[&str] =
        if cfg!(feature = "redb") { &["sqlite", "redb", "sqlite"] } else { &["sqlite", "sqlite"] };
    let mut text = exported.clone();
    for (turn, scheme) in schemes.iter().enumerate() {
        let copy = store(&sandbox, scheme, &format!("copy-{turn}"));
        let before = import(&sandbox, &copy, &text, &["--dry-run", "--json"]);
        assert!(!Path::new(copy.split_once(':').unwrap().1).exists(), "a dry run creates nothing");
        let run = import(&sandbox, &copy, &text, &["--json"]);
        assert_eq!(counts(&run), counts(&before));
        text = export_of(&sandbox, &copy);
        assert_eq!(text, exported, "{copy}");
        let looks = "tools history mcp__github__search,tools history mcp__jira__find,tools rank,\
                     tools list --all-projects,project list";
        for args in looks.split(',').map(line) {
            let args = &args[..];
            let asked = [&["--json", "--store", &copy], args].concat();
            assert_eq!(sandbox.ok(&asked), sandbox.ok(&[&["--json"], args].concat()), "{args:?}");
        }
    }
    let shown = import(&sandbox, "memory:", &text, &[]);
    assert!(shown.out.starts_with("imported: 1 project, 1 source, "), "{shown:?}");
    assert_eq!(shown.out.lines().count(), 1, "{shown:?}");
}

#[test]
fn importing_twice_is_importing_once() {
    let sandbox = lived_in();
    let text = sandbox.ok(&["export"]);
    let copy = store(&sandbox, "sqlite", "copy");
    let first = counts(&import(&sandbox, &copy, &text, &["--json"]));
    let again = counts(&import(&sandbox, &copy, &text, &["--json"]));
    let swap =
        |count: &str| count.split_once('+').map(|(new, old)| format!("{old}+{new}")).unwrap();
    let swapped: Vec<String> = first.split(' ').map(swap).collect();
    assert_eq!(again, swapped.join(" "));
    assert_eq!(export_of(&sandbox, &copy), text);
    let said = import(&sandbox, &copy, &text, &[]);
    assert!(said.out.contains("skipped 1 project,"), "{said:?}");
}

#[test]
fn a_store_that_is_not_empty_keeps_what_is_newer_and_says_so() {
    let sandbox = lived_in();
    let text = sandbox.ok(&["export"]);
    let other = Sandbox::new();
    other.claude(&["slack", "linear"]);
    other.ok(&["scan"]);
    let run = import(&other, &store(&other, "sqlite", "data/staleness/registry.db"), &text, &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.contains("was not empty"), "{run:?}");
    assert_eq!(other.status("mcp__github__search"), "demoted");
    assert_eq!(other.status("linear"), "active");
    let merged = other.ok(&["export"]);
    let default = store(&other, "sqlite", "data/staleness/registry.db");
    import(&other, &default, &text, &[]);
    assert_eq!(other.ok(&["export"]), merged, "twice is once");
    // The configuration of this machine decides what is there.
    other.ok(&["scan"]);
    assert_eq!(other.status("github"), "stale");
    assert_eq!(other.json(&["doctor"])["ok"], true);
}

#[test]
fn a_file_that_is_refused_is_named_with_its_line_and_nothing_is_imported() {
    let sandbox = lived_in();
    sandbox.ok(&["routes", "learn", "--query", "find it", "--tool", "mcp__github__search"]);
    let whole = sandbox.ok(&["export"]);
    let lines: Vec<&str> = whole.lines().collect();
    let route = lines.iter().position(|line| line.contains("\"kind\":\"route\"")).unwrap();
    let forged = lines[route].replace("find it", "delete it");
    let tool = lines.iter().position(|line| line.contains("\"kind\":\"tool\"")).unwrap();
    let with = |at: usize, line: &str| {
        let mut changed = lines.clone();
        changed[at] = line;
        changed.join("\n")
    };
    let twice = |at: usize| {
        let mut changed = lines.clone();
        changed.insert(at, lines[at]);
        changed.join("\n")
    };
    let newer = whole.replacen("\"version\":2", "\"version\":3", 1);
    let last = lines.len() - 1;
    let before = sandbox.files();
    for (text, line, part) in [
        (String::new(), 1, "header"),
        ("{\"tools\": []}".into(), 1, "header"),
        (with(tool, "{\"kind\":"), tool + 1, "EOF"),
        (with(tool, "{\"kind\":\"spell\",\"row\":{}}"), tool + 1, "unknown variant"),
        (with(tool, "{\"kind\":\"tool\",\"row\":987654321}"), tool + 1, "integer `…`"),
        (newer, 1, "version 3; this program reads version 2"),
        (with(route, &forged), route + 1, "does not match the tool"),
        (twice(1), 3, "same record"),
        (twice(tool), tool + 2, "same record"),
        (twice(last), last + 2, "gaps"),
        (with(last, &lines[last][..40]), last + 1, "EOF"),
        (whole.clone() + &whole, lines.len() + 1, "second header"),
        ("\u{1b}[31m".into(), 1, "header"),
    ] {
        let path = sandbox.write("broken.jsonl", &text);
        let file = path.to_str().unwrap().to_owned();
        let copy = store(&sandbox, "sqlite", "copy");
        for run in [
            import(&sandbox, &copy, &text, &[]),
            sandbox.run(&["--store", &copy, "import", &file]),
            sandbox.run(&["--store", &copy, "import", &file, "--dry-run"]),
        ] {
            assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
            assert_eq!(run.err.lines().count(), 1, "{run:?}");
            assert!(run.err.contains(&format!(":{line}: ")), "{line}: {run:?}");
            assert!(run.err.contains(part) && run.err.contains("nothing was imported"), "{run:?}");
        }
        std::fs::remove_file(path).unwrap();
        assert_eq!(sandbox.files(), before, "{part}");
    }
    let windows =
        import(&sandbox, &store(&sandbox, "sqlite", "other"), &whole.replace('\n', "\r\n"), &[]);
    assert_eq!(windows.code, 0, "line breaks of Windows: {windows:?}");
    let bytes = import_bytes(&sandbox, b"\xff\xfe");
    assert!(bytes.code == 3 && bytes.err.contains("UTF-8"), "{bytes:?}");
    let folder = sandbox.run(&["import", sandbox.home.to_str().unwrap()]);
    assert!(folder.code == 3 && folder.err.contains("folder"), "{folder:?}");
    let missing = sandbox.run(&["import", "no-such-file"]);
    assert!(missing.code == 3 && missing.err.contains("no such file"), "{missing:?}");
}

fn import_bytes(sandbox: &Sandbox, bytes: &[u8]) -> Run {
    let mut command = sandbox.command();
    command.arg("import");
    fed(command, bytes)
}

#[test]
fn nothing_recorded_is_a_header_and_creates_nothing() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(&["export"]), HEADER);
    assert!(!sandbox.store().exists());
    let copy = store(&sandbox, "sqlite", "copy");
    assert_eq!(counts(&import(&sandbox, &copy, HEADER, &["--json"])), "0+0 0+0 0+0 0+0 0+0 0+0");
    assert_eq!(export_of(&sandbox, &copy), HEADER);
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn outcomes_and_tools_of_other_systems_are_taken_in() {
    let sandbox = Sandbox::scanned();
    let failure = |id: &str| {
        json!({"type": "outcome", "tool": "mcp__github__search", "result": "failure",
               "at": "2026-11-19T12:00:00Z", "id": id, "session": "s", "agent": "a",
               "duration_ms": 7})
    };
    let text = lines(&[
        failure("1"),
        json!({"type": "tool", "name": "search", "server": "github", "description": "Finds"}),
        failure("2"),
        json!({"type": "tool", "name": "/deploy", "kind": "slash_command"}),
        failure("3"),
        failure("3"),
        json!({"type": "outcome", "tool": "lint", "result": "success", "project": "/elsewhere/",
               "at": "2026-11-19T12:00:00+01:00", "id": "4"}),
    ]);
    let run = |args: &[&str]| {
        let mut command = sandbox.command();
        command.args(["import", "--from", "jsonl", "--json"]).args(args);
        counts(&fed(command, text.as_bytes()))
    };
    assert_eq!(run(&["--dry-run"]), "0+0 0+0 2+0 0+0 4+1 0+0");
    assert_eq!(run(&[]), "0+0 0+0 2+0 0+0 4+1 0+0");
    let before = sandbox.ok(&["export"]);
    assert_eq!(run(&[]), "0+0 0+0 0+2 0+0 0+5 0+0");
    assert_eq!(sandbox.ok(&["export"]), before);
    let tool = sandbox.tool("mcp__github__search");
    assert_eq!((&tool["status"], &tool["outcomes"]), (&json!("demoted"), &json!("FFF")));
    assert_eq!(tool["description"], "Finds");
    assert_eq!(sandbox.tool("/deploy")["sources"], json!(["import/live/import"]));
    let projects = sandbox.json(&["project", "list"]);
    let projects = projects["projects"].as_array().unwrap();
    assert!(projects.iter().any(|project| project["path"] == "/elsewhere"), "{projects:?}");

    // The list of a source replaces its earlier one, and no other's.
    let list = lines(&[json!({"type": "tool", "name": "/undo", "kind": "slash_command"})]);
    for (source, deploy) in [("other", "active"), ("import", "stale")] {
        let mut command = sandbox.command();
        command.args(["import", "--from", "jsonl", "--source", source]);
        assert_eq!(fed(command, list.as_bytes()).code, 0);
        assert_eq!(sandbox.status("/deploy"), deploy, "{source}");
    }
}

/// An item of another system, with these fields beside what every one has; without a text, an empty one.
fn item(fields: &Value) -> Value {
    let mut line = json!({"type": "knowledge", "id": "i", "added": "2026-01-02"});
    for (name, value) in fields.as_object().unwrap() {
        line[name] = value.clone();
    }
    if fields.get("body").or(fields.get("text")).is_none() {
        line["body"] = json!("");
    }
    line
}

#[test]
fn knowledge_of_other_systems_is_taken_in() {
    let sandbox = Sandbox::scanned();
    let of = |id: &str, mut fields: Value| {
        fields["id"] = json!(id);
        item(&fields)
    };
    let deploy = json!({ "text": "Deploys go through\nthe pipeline.", "kind": "reference",
        "keywords": ["release", "ci"], "version_context": "2.4.0",
        "last_recalled": "2026-11-18T08:00:00+01:00", "recall_count": 3, "stale_after": "2027-01-01",
        "verified": "2026-02-01", "related": ["nowhere"] });
    let first = lines(&[
        of("deploy", deploy),
        of("style", json!({ "body": "Short names.", "global": true })),
        of("deploy", json!({ "body": "Elsewhere.", "project": "/elsewhere/" })),
    ]);
    let run = |text: &str, args: &[&str]| {
        let mut command = sandbox.command();
        command.args(["import", "--from", "jsonl", "--json"]).args(args);
        counts(&fed(command, text.as_bytes()))
    };
    assert_eq!(run(&first, &["--dry-run"]), "0+0 0+0 0+0 3+0 0+0 0+0");
    assert_eq!(run(&first, &[]), "0+0 0+0 0+0 3+0 0+0 0+0");
    let before = sandbox.ok(&["export"]);
    assert_eq!(run(&first, &[]), "0+0 0+0 0+0 0+3 0+0 0+0");
    assert_eq!(sandbox.ok(&["export"]), before);
    for part in [
        "\"body\":\"Deploys go through\\nthe pipeline.\",\"keywords\":[\"ci\",\"release\"]",
        "\"expires_at\":\"2027-01-01T00:00:00Z\",\"verified_at\":\"2026-02-01T00:00:00Z\"",
        "\"recalls\":3,\"recalls_since_edit\":0,\"recalled_at\":\"2026-11-18T07:00:00Z\"",
        "{\"kind\":\"knowledge\",\"row\":{\"key\":{\"scope\":\"\",\"id\":\"style\"}",
        "\"action\":\"added\",\"from\":null,\"to\":\"current\",\"cause\":\"imported\"",
    ] {
        assert!(before.contains(part), "{part} in {before}");
    }
    // An export of it goes into an empty store of the other backend, byte for byte.
    if cfg!(feature = "redb") {
        let copy = store(&sandbox, "redb", "knowledge");
        counts(&import(&sandbox, &copy, &before, &["--json"]));
        assert_eq!(export_of(&sandbox, &copy), before);
    }
    // What was edited later wins; an older line adds to the counters alone.
    let long = json!({ "body": "Long names.", "updated": "2026-03-01", "global": true });
    let older = json!({ "body": "Older.", "recalls": 9 });
    let later = lines(&[of("style", long), of("deploy", older)]);
    assert_eq!(run(&later, &[]), "0+0 0+0 0+0 2+0 0+0 0+0");
    let after = sandbox.ok(&["export"]);
    assert!(after.contains("Long names.") && !after.contains("Older."), "{after}");
    assert!(after.contains("\"recalls\":9"), "{after}");
    assert_eq!(after.matches("\"cause\":\"imported\"").count(), 4, "three added, one edited");
}

#[test]
fn lines_of_other_systems_are_judged_before_anything_is_written() {
    let sandbox = Sandbox::scanned();
    let good = json!({"type": "outcome", "tool": "t", "result": "success", "id": "1",
                      "at": "2026-11-19T12:00:00Z"});
    let but = |key: &str, value: Value| {
        let mut line = good.clone();
        line[key] = value;
        line.to_string()
    };
    let tool = json!({"type": "tool", "name": "t"});
    let knows = |fields: Value| item(&fields).to_string();
    let before = sandbox.ok(&["export"]);
    for (line, part) in [
        ("nonsense".to_owned(), "expected"),
        (String::new(), "EOF"),
        (but("type", json!("poem")), "poem"),
        (but("result", json!("maybe")), "maybe"),
        (but("at", json!("yesterday")), "yesterday"),
        (but("id", json!("")), "empty"),
        (but("tool", json!("a\u{7}b")), "control"),
        (but("project", json!("here")), "absolute"),
        (but("duration_ms", json!(-1)), "integer"),
        (but("colour", json!(1)), "colour"),
        (json!({"type": "tool", "name": "x", "kind": "spell"}).to_string(), "spell"),
        (json!({"type": "tool", "name": "x", "server": " "}).to_string(), "server"),
        (tool.to_string(), "appears twice"),
        (knows(json!({})), "the text is empty"),
        (knows(json!({ "id": "", "text": "x" })), "empty"),
        (knows(json!({ "body": "x", "added": "soon" })), "soon"),
        (knows(json!({ "body": "x", "done": "2026-01-01" })), "to-do"),
        (knows(json!({ "body": "x", "kind": "poem" })), "poem"),
        (knows(json!({ "body": "x", "text": "y" })), "duplicate"),
        (knows(json!({ "body": "x", "project": "here" })), "absolute"),
        (knows(json!({ "body": "x", "keywords": ["a\tb"] })), "keyword"),
        (knows(json!({ "body": "x", "freshness": 1 })), "freshness"),
    ] {
        let text = format!("{good}\n{tool}\n{line}\n");
        let mut command = sandbox.command();
        command.args(["import", "--from", "jsonl"]);
        let run = fed(command, text.as_bytes());
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{line}: {run:?}");
        assert!(run.err.contains("stdin:3: ") && run.err.contains(part), "{line}: {run:?}");
    }
    assert_eq!(sandbox.ok(&["export"]), before);
    for args in [&["--from", "csv"][..], &["--source", "x"]] {
        let run = sandbox.run(&[&["import"], args].concat());
        assert!([2, 3].contains(&run.code), "{run:?}");
    }
}

#[test]
fn two_imports_at_once_are_one() {
    let sandbox = Sandbox::new();
    let mut text = HEADER.to_owned();
    for turn in 0..300 {
        text.push_str(&format!(
            "{{\"kind\":\"outcome\",\"row\":{{\"seq\":0,\"op\":\"{turn}\",\
             \"tool\":{{\"scope\":\"\",\"name\":\"t\"}},\"server\":null,\"credits\":[],\"mark\":\"S\",\
             \"at\":\"2026-01-01T00:00:00Z\",\"project\":\"p\",\"session\":null,\"agent\":null,\
             \"client\":null,\"duration_ms\":null}}}}\n"
        ));
    }
    for revision in 1..=60 {
        // The same over and over: only how often it is said tells entries apart.
        text.push_str(&format!(
            "{{\"kind\":\"journal\",\"row\":{{\"revision\":{revision},\"index\":0,\
             \"at\":\"2026-01-01T00:00:00Z\",\"subject\":{{\"kind\":\"tool\",\"scope\":\"\",\"id\":\"t\"}},\
             \"action\":\"absent\",\"from\":null,\"to\":null,\"cause\":\"removed_from_config\",\
             \"note\":null,\"session\":null,\"actor\":null,\"op\":null,\"clients\":[]}}}}\n"
        ));
    }
    let file = sandbox.write("both.jsonl", &text);
    let copy = store(&sandbox, "sqlite", "copy");
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = sandbox.command();
            command.args(["--store", &copy, "--quiet", "import"]).arg(&file);
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(export_of(&sandbox, &copy), text);
}

/// Bug: an agent ended a person's rule and rewrote a preference with a file.
#[test]
#[cfg(unix)]
fn an_agent_imports_nothing() {
    let sandbox = Sandbox::new();
    let rule = line("work add constraint 'No push' --id np --now 2026-11-02");
    assert!(sandbox.typed(&rule, "NOTHING=1", "").success());
    for (id, scope, agent) in
        [("tabs", "", ""), ("all", "--global", ""), ("own", "", "--agent codex")]
    {
        let add = format!("knowledge add --kind preference --id {id} --body Tabs {scope} {agent}");
        sandbox.ok(&line(&format!("{add} --now 2026-11-02")));
    }
    for deed in ["record mcp__x__a --success", "tools ignore mcp__x__a"] {
        sandbox.ok(&line(&format!("{deed} --now 2026-11-02")));
    }
    let kept = sandbox.ok(&["export"]);
    let import = |lines: &str, args: &[&str], variable: &str| {
        let file = sandbox.write("lines.jsonl", lines);
        let mut command = sandbox.command();
        command.arg("import").args(args).arg(file).env(variable, "1");
        Run::of(command.output().unwrap())
    };
    let rule = r#"{"type":"work","id":"np","kind":"constraint","text":"No push","status":"resolved","created":"2026-11-02","updated":"2027-11-02"}"#;
    let item = |id: &str| {
        format!(
            r#"{{"type":"knowledge","id":"{id}","kind":"preference","body":"Spaces","added":"2026-11-03"}}"#
        )
    };
    let newer = kept.replace("Tabs", "Spaces").replace("2026-11-02", "2026-11-04");
    let is_of_tool =
        |line: &&str| ["staleness-export", r#""hold":"#].iter().any(|part| line.contains(part));
    let tool: Vec<&str> = newer.lines().filter(is_of_tool).collect();
    let tool = tool.join("\n").replace("ignored", "none");
    // An export has definitions that are accepted in advance, and a journal that says who wrote what.
    for lines in [rule, &tool, &item("tabs"), &item("all"), &item("own"), &newer, &kept] {
        let jsonl: &[&str] =
            if lines.contains("staleness-export") { &[] } else { &["--from", "jsonl"] };
        for (args, variable, code) in [(&[][..], "CLAUDECODE", 2), (&["--agent", "codex"], "X", 3)]
        {
            let run = import(lines, &[jsonl, args].concat(), variable);
            assert_eq!(run.code, code, "{lines}: {run:?}");
        }
        assert_eq!(sandbox.ok(&["export"]), kept, "{lines}");
    }
    assert_eq!(import(rule, &["--from", "jsonl"], "X").code, 0, "a person's own import");
}
