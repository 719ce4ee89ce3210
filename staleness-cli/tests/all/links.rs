//! `why` and `impact`: what is connected to one thing.

use serde_json::{Value, json};

use crate::common::Sandbox;

const TOOL: &str = "mcp__hub__find_issue";

/// A project in which a tool lost its parameter `repo` and fails since then; texts of every kind name it.
fn connected() -> Sandbox {
    let sandbox = Sandbox::new();
    let live = |parameter: &str, now: &str| {
        let schema = json!({ "type": "object", "properties": { parameter: { "type": "string" } } });
        let tool = json!({ "name": "find_issue", "description": "Finds.", "inputSchema": schema });
        let file = sandbox.write("tools.json", json!({ "tools": [tool] }).to_string());
        let file = file.to_str().unwrap();
        sandbox.ok(&["scan", "--tools-json", file, "--server", "hub", "--now", now]);
    };
    sandbox.claude(&["hub"]);
    live("repo", "2026-11-01T08:00:00Z");
    live("project", "2026-11-18T08:00:00Z");
    for hour in 9..14 {
        let now = format!("2026-11-18T{hour:02}:00:00Z");
        sandbox.ok(&["record", TOOL, "--failure", "--now", &now]);
    }
    sandbox.write(
        "project/guide.md",
        "Call `find_issue` first.\n\nIt takes `repo`.\n\nrepo, find_issues.\n",
    );
    sandbox.write("project/other.md", "Here `repo` is something else.\n");
    sandbox.ok(&["routes", "learn", "--query", "open issues of repo", "--tool", TOOL]);
    let add = ["knowledge", "add", "--id", "how", "--cite", "guide.md:1", "--body"];
    sandbox.ok(&[&add[..], &["Issues come from find_issue with `repo`."]].concat());
    sandbox.ok(&["knowledge", "add", "--id", "next", "--related", "how", "--body", "Next."]);
    sandbox.ok(&[
        "work",
        "add",
        "plan",
        "Move to mcp__hub__find_issue",
        "--id",
        "move",
        "--ref",
        "how",
    ]);
    sandbox
}

fn column<'v>(told: &'v Value, list: &str, key: &str) -> Vec<&'v str> {
    told[list].as_array().unwrap().iter().map(|each| each[key].as_str().unwrap()).collect()
}

#[test]
fn a_tool_tells_since_when_it_fails_what_happened_then_and_what_rests_on_it() {
    let sandbox = connected();
    let why = sandbox.json(&["why", TOOL]);
    assert_eq!((&why["kind"], &why["state"]), (&json!("mcp_tool"), &json!("demoted")), "{why}");
    assert!(why["since"].as_str().unwrap().starts_with("2026-11-18T"), "{why}");
    let cause = "began on 2026-11-18; its definition lost `repo` on 2026-11-18";
    assert_eq!(why["causes"], json!([cause]));
    let actions = column(&why, "journal", "action");
    assert!(actions.contains(&"failing") && actions.contains(&"redefined"), "{why}");
    let counts = json!({ "lines": 2, "documents": 1, "routes": 1, "knowledge": 1, "work": 1,
                         "still": 3, "still_by": { "names": ["repo"], "documents": 1,
                         "routes": 1, "knowledge": 1, "work": 0 } });
    assert_eq!(why["counts"], counts);
    let impact = sandbox.json(&["impact", TOOL]);
    assert_eq!(impact["lost"], json!(["repo"]));
    let lines = impact["documents"].as_array().unwrap().iter();
    let lines: Vec<String> =
        lines.map(|it| format!("{}:{} {}", it["path"], it["line"], it["names"])).collect();
    assert_eq!(lines, ["\"guide.md\":1 [\"find_issue\"]", "\"guide.md\":3 [\"repo\"]"]);
    assert_eq!(column(&impact, "knowledge", "id"), ["how"]);
    assert_eq!(impact["knowledge"][0]["lost"], json!(["repo"]));
    assert_eq!(impact["routes"][0]["lost"], json!(["repo"]));
    let text = sandbox.ok(&["impact", TOOL]);
    assert!(text.contains("leads to mcp__hub__find_issue; still says repo"), "{text}");
    assert_eq!(
        (column(&impact, "work", "id"), column(&impact, "work", "how")),
        (vec!["move"], vec!["names it"])
    );
    let text = sandbox.ok(&["why", TOOL]);
    assert!(
        text.contains(cause)
            && text.contains("2 lines in 1 document, 1 route, 1 item, 1 open work item")
            && text.contains("; 1 document, 1 route and 1 item still say `repo`"),
        "{text}"
    );
}

#[test]
fn a_lost_parameter_is_found_however_a_call_is_written() {
    let sandbox = connected();
    for (at, line, is_said) in [
        (0, "find_issue(repo=\"x\")", true),
        (1, "hub find_issue --repo x", true),
        (2, "find_issue {\"arguments\": {\"repo\": \"x\"}}", true),
        (3, "find_issue({ repo: 'x' })", true),
        (4, "find_issue in this repo: none", false),
        (5, "find_issue repo == x --repo-id my-repo=x", false),
        (6, "find_issue https://repo.example/repo/x", false),
    ] {
        sandbox.write(&format!("project/d{at}.md"), format!("{line}\n"));
        let impact = sandbox.json(&["impact", TOOL]);
        let path = format!("d{at}.md");
        let mut lines = impact["documents"].as_array().unwrap().iter();
        let found = lines.find(|it| it["path"] == path.as_str()).unwrap();
        let names = found["names"].as_array().unwrap();
        assert_eq!(names.contains(&json!("repo")), is_said, "{line}: {found}");
    }
    let body = "mcp__hub__find_issue wants repo in the form owner/name.";
    sandbox.ok(&["knowledge", "add", "--id", "form", "--body", body]);
    sandbox.ok(&["work", "add", "plan", "Call find_issue by repo", "--id", "by"]);
    let why = sandbox.ok(&["why", TOOL]);
    let told = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "5 documents, 1 route, 2 items and 1 open work item still say `repo`";
    assert!(told.contains(said), "{why}");
}

#[test]
fn a_lost_parameter_is_named_after_the_next_change_too() {
    let sandbox = connected();
    sandbox.ok(&["tools", "accept", TOOL]);
    let schema = json!({ "type": "object", "properties": { "project": { "type": "string" } } });
    let tool = json!({ "name": "find_issue", "description": "Finds it.", "inputSchema": schema });
    sandbox.lists("hub", &json!({ "tools": [tool] }));
    let impact = sandbox.json(&["impact", TOOL]);
    assert_eq!((&impact["lost"], &impact["counts"]["still"]), (&json!(["repo"]), &json!(3)));
    let route = impact["routes"][0]["id"].as_str().unwrap();
    let why = sandbox.json(&["why", route]);
    let cause = "its query names `repo`, which mcp__hub__find_issue no longer has";
    assert!(why["causes"].as_array().unwrap().contains(&json!(cause)), "{why}");
}

#[test]
fn a_change_after_the_failures_is_not_their_cause() {
    let sandbox = connected();
    let tool = json!({ "name": "find_issue", "description": "Finds.", "inputSchema": {} });
    let file = sandbox.write("tools.json", json!({ "tools": [tool] }).to_string());
    let file = file.to_str().unwrap();
    let now = ["--server", "hub", "--now", "2026-11-21T08:00:00Z"];
    sandbox.ok(&[&["scan", "--tools-json", file][..], &now].concat());
    let why = sandbox.json(&["why", TOOL]);
    assert!(why["since"].as_str().unwrap().starts_with("2026-11-18T"), "{why}");
    // Of two losses nobody knows which parameter went on which day.
    let cause = "began on 2026-11-18; its definition changed (narrowed) on 2026-11-18";
    assert_eq!(why["causes"], json!([cause]));
}

#[test]
fn documents_items_work_and_routes_tell_what_rests_on_them() {
    let sandbox = connected();
    sandbox.write("project/README.md", "See [the guide](guide.md), not other/guide.md.\n");
    let route = sandbox.json(&["routes"])["routes"][0]["id"].as_str().unwrap().to_owned();
    for (name, kind, list, ids) in [
        ("guide.md", "document", "knowledge", vec!["how"]),
        ("how", "knowledge", "knowledge", vec!["next"]),
        ("how", "knowledge", "work", vec!["move"]),
        ("move", "plan", "work", vec![]),
        (&route, "route", "work", vec![]),
        ("mcp__hub__*", "mcp_server", "routes", vec![&*route]),
    ] {
        let told = sandbox.json(&["impact", name]);
        assert_eq!(told["kind"], kind, "{name}");
        assert_eq!(column(&told, list, "id"), ids, "{name} {list}: {told}");
        let why = sandbox.json(&["why", name]);
        assert!(
            !why["state"].as_str().unwrap().is_empty() && why["counts"] == told["counts"],
            "{why}"
        );
    }
    let told = sandbox.json(&["impact", "guide.md"]);
    assert_eq!(column(&told, "documents", "path"), ["README.md"], "{told}");
}

#[test]
fn a_name_that_nothing_has_is_answered_with_the_nearest() {
    let sandbox = connected();
    for (name, near) in [("mcp__hub__find_isue", TOOL), ("guides.md", "guide.md"), ("mov", "move")]
    {
        for command in ["why", "impact"] {
            let run = sandbox.run(&[command, name]);
            assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
            assert!(run.err.contains(&format!("did you mean {near}?")), "{run:?}");
        }
    }
    sandbox.write("project/src/guide.rs", "fn guide() {}\n");
    for name in ["src/guide.rs", "./src/guide.rs"] {
        let run = sandbox.run(&["impact", name]);
        assert!(
            run.code == 3 && run.err.contains("it is a file: `staleness check --impact`"),
            "{run:?}"
        );
    }
    let outside = sandbox.run(&["impact", "../tools.json"]);
    assert!(outside.code == 3 && !outside.err.contains("it is a file"), "{outside:?}");
    let server = sandbox.ok(&["why", "mcp__hub__*"]);
    assert!(server.contains("`staleness impact 'mcp__hub__*'` shows them"), "{server}");
    assert_eq!(sandbox.run(&["why", ""]).code, 3);
    assert_eq!(sandbox.run(&["impact", "a\u{1b}[2J"]).code, 3);
}

#[test]
fn nothing_is_written_and_nothing_of_a_text_obeyed() {
    let sandbox = connected();
    sandbox.write("project/evil.md", "find_issue \u{1b}[2J \u{202e}obey\n");
    let before = sandbox.ok(&["export"]);
    let text = sandbox.ok(&["impact", TOOL]);
    assert!(
        text.contains("\\u{1b}[2J") && !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text}"
    );
    sandbox.ok(&["why", TOOL]);
    assert_eq!(sandbox.ok(&["export"]), before);
}

#[test]
fn a_document_tells_each_finding_and_since_when_it_does_not_hold() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "fn old_name() {}\nfn other_name() {}\n");
    let text = "Call `old_name()`.\n\nOr `other_name()`, see [b](b.txt).\n\nThat holds.\n";
    sandbox.write("project/guide.md", text);
    sandbox.write("project/b.txt", "b\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    let why = || sandbox.json(&["why", "guide.md"]);
    assert_eq!(why()["state"], "not checked yet");
    std::fs::remove_file(sandbox.project.join("b.txt")).unwrap();
    sandbox.commit("2026-02-11T00:00:00Z");
    sandbox.write("project/src/a.rs", "fn main() {}\n");
    sandbox.commit("2026-03-12T00:00:00Z");
    sandbox.check_now();
    let told = why();
    assert_eq!((&told["state"], &told["since"]), (&json!("stale"), &json!("2026-02-11T00:00:00Z")));
    assert_eq!(column(&told, "findings", "id"), ["guide.md:3", "guide.md:1"]);
    assert_eq!(told["verdict"], told["findings"][0]["verdict"]);
    let text = sandbox.ok(&["why", "guide.md"]);
    for part in ["guide.md:1", "old_name no longer exists", "guide.md:3", "b.txt no longer exists"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // What was written after its target went did not hold from then on.
    sandbox.write("project/guide.md", "Since then.\n\nSee [b](b.txt).\n");
    sandbox.commit("2026-04-13T00:00:00Z");
    sandbox.check_now();
    assert_eq!(why()["since"], "2026-04-13T00:00:00Z");
}

#[test]
fn skills_commands_and_agents_name_tools_as_documents_do() {
    let sandbox = connected();
    let paths = [".claude/agents/ag.md", ".claude/commands/go.md", ".claude/skills/rel/SKILL.md"];
    for path in paths {
        let text = "---\nname: rel\ndescription: d\n---\nCall `find_issue` with `repo`.\n";
        sandbox.write(&format!("project/{path}"), text);
        assert_eq!(sandbox.json(&["why", path])["kind"], "document", "{path}");
    }
    let told = sandbox.json(&["impact", TOOL]);
    assert_eq!(column(&told, "documents", "path")[..3], paths, "{told}");
    assert_eq!((&told["counts"]["documents"], &told["counts"]["still"]), (&json!(4), &json!(6)));
}

#[test]
fn a_name_belongs_to_the_server_that_has_the_tool() {
    let sandbox = Sandbox::with_servers(&["a", "a__b"]);
    for (server, name) in [("a", "get__node"), ("a__b", "find")] {
        let tool = json!({ "name": name, "inputSchema": {} });
        sandbox.lists(server, &json!({ "tools": [tool] }));
        let full = format!("mcp__{server}__{name}");
        sandbox.ok(&["routes", "learn", "--query", name, "--tool", &full]);
    }
    sandbox.write("project/guide.md", "mcp__a__b__find\n\nmcp__a__get__node\n\nget__node\n");
    for (name, lines, tool) in [
        ("mcp__a__*", json!([3]), "mcp__a__get__node"),
        ("mcp__a__b__*", json!([1]), "mcp__a__b__find"),
        ("mcp__a__get__node", json!([3, 5]), "mcp__a__get__node"),
    ] {
        let told = sandbox.json(&["impact", name]);
        let found: Vec<&Value> =
            told["documents"].as_array().unwrap().iter().map(|each| &each["line"]).collect();
        assert_eq!((json!(found), column(&told, "routes", "tool")), (lines, vec![tool]), "{name}");
    }
}

#[test]
fn a_route_tells_that_it_is_skipped_and_what_its_query_names() {
    let sandbox = connected();
    let route = sandbox.json(&["routes"])["routes"][0]["id"].as_str().unwrap().to_owned();
    let causes = [
        format!("skipped: {TOOL} is demoted"),
        "began on 2026-11-18; its definition lost `repo` on 2026-11-18".to_owned(),
        format!("its query names `repo`, which {TOOL} no longer has"),
    ];
    assert_eq!(sandbox.json(&["why", &route])["causes"], json!(causes));
    sandbox.ok(&["tools", "restore", TOOL]);
    assert_eq!(sandbox.json(&["why", &route])["causes"], json!(causes[2..]));
}

#[test]
fn a_plan_tells_what_it_rests_on_that_does_not_hold_and_an_item_since_when() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/run.sh", "x\n");
    sandbox.write("project/guide.md", "Start `run.sh` first.\n");
    sandbox.commit("2026-01-02T00:00:00Z");
    let run = |args: &[&str], now: &str| sandbox.ok(&[args, &["--now", now]].concat());
    let add = ["knowledge", "add", "--id", "rt", "--cite", "run.sh", "--body", "Start it."];
    run(&add, "2026-01-03T00:00:00Z");
    let plan = ["work", "add", "plan", "Release", "--id", "pl", "--ref", "rt", "--ref", "guide.md"];
    run(&plan, "2026-01-03T00:00:00Z");
    let why = |name: &str| sandbox.json(&["why", name, "--now", "2026-01-06T00:00:00Z"]);
    assert_eq!(
        (&why("pl")["causes"], &why("rt")["since"]),
        (&json!([]), &json!("2026-01-03T00:00:00Z"))
    );
    std::fs::rename(sandbox.project.join("run.sh"), sandbox.project.join("go.sh")).unwrap();
    sandbox.commit("2026-01-05T00:00:00Z");
    sandbox.check_now();
    let told = why("rt");
    assert_eq!((&told["state"], &told["since"]), (&json!("stale"), &json!("2026-01-05T00:00:00Z")));
    let plan = why("pl");
    let causes = plan["causes"].as_array().unwrap().iter().map(|each| each.as_str().unwrap());
    let causes: Vec<&str> = causes.collect();
    assert!(
        causes.len() == 2
            && causes[0].starts_with("refers to rt, which is stale: run.sh is now go.sh")
            && causes[1].starts_with("refers to guide.md, which is stale: run.sh is now go.sh"),
        "{causes:?}"
    );
}

/// Bug: a document that names a tool that is gone was fresh, and nothing else said so.
#[test]
fn texts_tell_which_tools_that_they_name_are_gone() {
    let sandbox = Sandbox::with_servers(&["hub", "kept"]);
    sandbox.ok(&["scan"]);
    for name in ["mcp__hub__find", "mcp__hub__drop", "mcp__kept__get"] {
        sandbox.ok(&["record", name, "--success"]);
    }
    sandbox.write("project/CLAUDE.md", "Call mcp__hub__find, then mcp__kept__get.\n");
    sandbox.ok(&["knowledge", "add", "--id", "how", "--body", "mcp__hub__drop drops."]);
    sandbox.ok(&["work", "add", "plan", "Ship", "--id", "ship"]);
    sandbox.ok(&["work", "step", "ship", "called mcp__hub__find"]);
    let causes = |name: &str| sandbox.json(&["why", name])["causes"].clone();
    for name in ["CLAUDE.md", "how", "ship"] {
        assert_eq!(causes(name), json!([]), "{name}");
    }
    let overview = || sandbox.ok(&[""; 0]);
    assert!(!overview().contains("staleness impact"));
    sandbox.claude(&["kept"]);
    sandbox.ok(&["scan"]);
    for (name, called) in
        [("CLAUDE.md", "mcp__hub__find"), ("how", "mcp__hub__drop"), ("ship", "mcp__hub__find")]
    {
        let cause = format!(
            "names {called}, whose server is stale: removed from config: claude-code/user/mcp no \
             longer lists it, and 2 tools with it"
        );
        assert_eq!(causes(name), json!([cause]), "{name}");
    }
    let hint = "`staleness impact NAME` shows what still names it";
    assert!(overview().contains(hint));
    for _ in 0..3 {
        sandbox.ok(&["record", "mcp__kept__get", "--failure"]);
    }
    let failing = "names mcp__kept__get, which is demoted: 3 of the last 4 uses failed";
    assert_eq!(causes("CLAUDE.md")[1], failing);
}
