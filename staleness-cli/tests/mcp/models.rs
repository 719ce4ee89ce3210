//! Calls that a model makes by what the names and descriptions of the tools say.

use std::process::Command;

use serde_json::{Value, json};
use staleness::work::WorkKind;

use crate::client::{Client, Machine};

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

pub(crate) fn git(machine: &Machine, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let mut command = Command::new("git");
    command.args(identity).args(args).current_dir(&machine.project);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// A repository whose CLAUDE.md names a file that is gone.
pub(crate) fn rotted() -> Machine {
    let machine = Machine::new();
    std::fs::remove_dir(machine.project.join(".git")).unwrap();
    let write = |path: &str, text: &str| std::fs::write(machine.project.join(path), text).unwrap();
    write("router.py", "prefix = 1\n");
    write("CLAUDE.md", "# Project\n\nIt begins in `router.py`.\n\nIt ends in `router.py`.\n");
    git(&machine, &["init", "-q"]);
    git(&machine, &["add", "."]);
    git(&machine, &["commit", "-qm", "both"]);
    git(&machine, &["mv", "router.py", "routing.py"]);
    git(&machine, &["commit", "-qm", "moved"]);
    machine
}

fn listed(client: &mut Client) -> Vec<Value> {
    let list = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    list.as_array().unwrap().clone()
}

#[test]
fn gemini_reads_tools_as_it_calls_them_whatever_its_agent_is_called() {
    let machine = Machine::new();
    machine.ok(&["record", "mcp__a__find", "--success"]);
    for named in ["gemini", "ana"] {
        let policy = format!("agents.gemini-cli-mcp-client={named}");
        let mut client = Client::start(machine.command(&["mcp", "--set", &policy]));
        client.introduce_as("gemini-cli-mcp-client");
        for (tool, asked) in [
            ("suggest_tool", json!({})),
            ("discover_tools", json!({ "query": "find" })),
            ("tool_status", json!({ "name": "mcp_a_find" })),
            ("record_outcome", json!({ "name": "mcp_a_find", "outcome": "success" })),
        ] {
            let answer = client.call(tool, asked);
            assert!(text(&answer).contains("`mcp_a_find`"), "{answer}");
            // Whoever calls the name of the JSON calls the same tool.
            let data = &answer["structuredContent"];
            let tool = if data["tools"].is_array() { &data["tools"][0] } else { data };
            assert_eq!(tool["name"], "mcp_a_find", "{answer}");
        }
    }
    for _ in 0..3 {
        machine.ok(&["record", "mcp__a__find", "--failure"]);
    }
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("gemini-cli-mcp-client");
    let news = client.data("resume_session", json!({ "since": "-1d" }));
    let stale = client.data("list_stale", json!({ "kind": "tool" }));
    assert_eq!(
        (&news["tools"][0]["name"], &stale["items"][0]["id"]),
        (&json!("mcp_a_find"), &json!("mcp_a_find")),
        "{news} {stale}"
    );
}

#[test]
fn m1_nothing_is_verified_unless_the_call_says_what_was_seen() {
    let (_machine, mut client) = Machine::served();
    client.data("save_knowledge", json!({ "body": "The port is 5432", "id": "port" }));
    let wrong = json!({ "ids": ["port"], "still": "wrong", "reason": "it is 5433" });
    client.data("verify_knowledge", wrong);
    for still in [Value::Null, json!("yes"), json!(true)] {
        let refused =
            client.call("verify_knowledge", json!({ "ids": ["port"], "still": still.clone() }));
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(text(&refused).contains("holds: compared with the code, it is true"), "{refused}");
    }
    let stale = client.data("list_stale", json!({ "kind": "knowledge" }));
    assert_eq!(stale["items"][0]["id"], "port", "{stale}");
    client.data("verify_knowledge", json!({ "ids": ["port"], "still": "holds" }));
    assert_eq!(client.data("list_stale", json!({}))["counts"]["knowledge"], 0);
}

#[test]
fn m1_a_document_is_verified_by_the_name_that_list_stale_gives_it() {
    let machine = rotted();
    let mut client = machine.client(&[]);
    client.data("check_documents", json!({}));
    let id = |client: &mut Client| {
        let stale = client.data("list_stale", json!({ "kind": "document" }));
        (stale["counts"]["documents"].clone(), stale["items"][0]["id"].clone())
    };
    let (count, name) = id(&mut client);
    assert_eq!((&count, &name), (&json!(2), &json!("CLAUDE.md:3")));
    let said = machine.command(&["knowledge", "verify", "CLAUDE.md:3"]).output().unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(
        said.contains("it is a document: correct the file, then run `staleness check`"),
        "{said}"
    );
    // To say so is not enough: what is outdated is found again.
    let still = client.call("verify_knowledge", json!({ "ids": [name], "still": "holds" }));
    assert!(text(&still).contains("- `CLAUDE.md` is not verified:\n- `CLAUDE.md` line 3: "));
    let found = &still["structuredContent"]["documents"][0];
    assert_eq!(
        (&found["path"], found["findings"].as_array().unwrap().len()),
        (&json!("CLAUDE.md"), 2)
    );
    // One is corrected, the other is right as it stands, and the answer says how that is written down.
    let now = staleness::clock::now().to_string();
    let verified = format!("<!-- staleness: verified {} -->", &now[..10]);
    let note = text(&still);
    assert!(note.contains("<!-- staleness: verified DATE -->"), "{note}");
    let corrected = format!(
        "# Project\n\nIt begins in `routing.py`.\n\n{verified}\n\nIt ends in `router.py`.\n"
    );
    std::fs::write(machine.project.join("CLAUDE.md"), corrected).unwrap();
    let told =
        client.call("verify_knowledge", json!({ "ids": [name, "CLAUDE.md"], "still": "holds" }));
    assert_eq!(text(&told), "compared with the code again:\n- `CLAUDE.md`: no known problems");
    assert_eq!(id(&mut client).0, 0, "and list_stale knows");
    for still in ["done", "wrong"] {
        let asked = json!({ "ids": ["CLAUDE.md"], "still": still, "reason": "x" });
        let refused = client.call("verify_knowledge", asked);
        assert!(text(&refused).contains("Next: \"correct the file"), "{refused}");
    }
}

/// Bug M2: a name that no client has is a tool like any other.
#[test]
fn m2_an_invented_name_is_answered_with_the_nearest_real_one() {
    let machine = Machine::new();
    machine.ok(&["record", "mcp__a__find", "--success"]);
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("claude-code");
    for _ in 0..3 {
        let told = json!({ "name": "mcp__a__fnd", "outcome": "failure" });
        let answer = client.call("record_outcome", told);
        assert!(text(&answer).starts_with("`mcp__a__fnd` is invented"), "{answer}");
        assert!(text(&answer).ends_with("; did you mean `mcp__a__find`?"), "{answer}");
        let data = &answer["structuredContent"];
        assert_eq!(data["verdict"]["level"], "invented", "{data}");
        assert_eq!(data["did_you_mean"], "mcp__a__find", "{data}");
    }
    let answer = client.call("tool_status", json!({ "name": "mcp__a__fnd" }));
    assert_eq!(
        text(&answer),
        "`mcp__a__fnd` is invented: \"no client lists it, and it never worked\"; \"3 of the last 3 uses failed\"; \
         did you mean `mcp__a__find`?"
    );
    assert_eq!(answer["structuredContent"]["did_you_mean"], "mcp__a__find");
    for (tool, asked) in
        [("suggest_tool", json!({})), ("discover_tools", json!({ "query": "fnd" }))]
    {
        assert!(!text(&client.call(tool, asked)).contains("fnd"));
    }
    assert_eq!(client.data("list_stale", json!({}))["counts"]["total"], 0);
}

/// Bug M2: a name that nothing lists was a tool after one report, and offered.
#[test]
fn m2_a_name_that_nothing_lists_is_recorded_only_if_it_is_said_to_be_new() {
    let machine = Machine::new();
    machine.ok(&["record", "mcp__a__find", "--success"]);
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("claude-code");
    let mut report = |more: Value| {
        let mut told = json!({ "name": "search_issues", "outcome": "success" });
        told.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = client.call("record_outcome", told);
        (
            answer["isError"] == true,
            text(&answer).to_owned(),
            client.call("suggest_tool", json!({})).to_string(),
        )
    };
    let (refused, why, offered) = report(json!({}));
    assert!(refused && why.contains("say so with new: true"), "{why}");
    assert!(!offered.contains("search_issues"), "{offered}");
    let (refused, why, offered) = report(json!({ "new": true }));
    assert!(!refused && offered.contains("search_issues"), "{why} {offered}");
    assert!(!report(json!({})).0, "it is known now");
}

/// Bug F2: of a tool of a configured server nothing is known but that it is none.
#[test]
fn f2_a_tool_that_was_never_used_is_told_by_its_server() {
    let machine = Machine::new();
    let servers = r#"{"mcpServers": {"a": {"command": "x"}, "please run it": {"command": "x"}}}"#;
    std::fs::write(machine.root.join("home/.claude.json"), servers).unwrap();
    machine.ok(&["scan"]);
    let mut client = Client::start(machine.command(&["mcp"]));
    client.introduce_as("claude-code");
    let prose = client.call("tool_status", json!({ "name": "mcp__please_run_it__x" }));
    assert!(text(&prose).contains("\"its server is configured in claude-code\""), "{prose}");
    assert!(!prose.to_string().contains("please run"), "{prose}");
    let answer = client.call("tool_status", json!({ "name": "mcp__a__find" }));
    assert_eq!(answer["isError"], false, "{answer}");
    assert_eq!(
        text(&answer),
        "`mcp__a__find` is not used yet: \"its server a is configured in claude-code\"; call it if your client lists it"
    );
    let data = &answer["structuredContent"];
    assert_eq!(
        (&data["clients"], &data["for"]),
        (&json!({ "claude-code": "configured" }), &json!("claude-code"))
    );
    machine.ok(&["record", "mcp__a__find", "--success"]);
    machine.ok(&["tools", "ignore", "a"]);
    for (tool, told) in
        [("find", "ignored by the user: do not call it"), ("get", "the user has chosen to ignore")]
    {
        let answer = client.call("tool_status", json!({ "name": format!("mcp__a__{tool}") }));
        assert!(
            text(&answer).contains(told) && text(&answer).contains("do not call it"),
            "{answer}"
        );
    }
    machine.ok(&["tools", "restore", "a"]);
    for (tool, asked) in [
        ("tool_status", json!({ "name": "a" })),
        ("suggest_tool", json!({})),
        ("discover_tools", json!({ "query": "find" })),
        ("list_stale", json!({})),
        ("resume_session", json!({})),
    ] {
        let answer = machine.client(&[]).call(tool, asked);
        assert!(text(&answer).ends_with("\nfor any client, because yours is unknown"), "{answer}");
        assert_eq!(answer["structuredContent"]["for"], "any client");
    }
    let overview = |mut client: Client| {
        let asked = json!({ "uri": "staleness://overview" });
        let read = client.ask("resources/read", asked);
        let text = read["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
        text.ends_with("\nfor any client, because yours is unknown\n")
    };
    assert!(overview(machine.client(&[])) && !overview(client));
}

/// Five overdue items are named, and the others counted.
#[test]
fn overdue_items_without_room_are_counted() {
    let machine = Machine::new();
    for id in ["a", "b", "c", "d", "e", "f", "g"] {
        machine.ok(&["work", "add", "trap", "Wait", "--id", id, "--expires", "2026-11-01"]);
    }
    let mut client = machine.client(&[]);
    let answer = client.call("resume_session", json!({ "agent": "claude-code" }));
    assert_eq!(answer["structuredContent"]["warnings"].as_array().unwrap().len(), 5, "{answer}");
    assert!(text(&answer).contains("2 more; list_stale lists all"), "{answer}");
}

/// Bug C4: a client that leaves the server out has this one beside the only other.
#[test]
fn c4_tools_of_this_server_are_not_those_of_another() {
    let machine = Machine::new();
    let servers = r#"{"mcpServers": {"a": {"command": "x"}, "staleness": {"command": "x"}}}"#;
    std::fs::create_dir(machine.root.join("home/.cursor")).unwrap();
    std::fs::write(machine.root.join("home/.cursor/mcp.json"), servers).unwrap();
    machine.ok(&["scan"]);
    for tool in listed(&mut machine.client(&[])) {
        let name = tool["name"].as_str().unwrap();
        let serverless = format!("MCP:{name}");
        machine.ok(&["record", &serverless, "--success", "--agent", "cursor"]);
        machine.ok(&["tools", "show", &format!("mcp__staleness__{name}")]);
    }
}

#[test]
fn m4_what_settles_work_is_named_for_it_and_says_what_settles_a_document() {
    let machine = rotted();
    let mut client = machine.client(&[]);
    client.data("check_documents", json!({}));
    assert_eq!(
        client.ask("tools/call", json!({ "name": "resolve_stale" }))["error"]["code"],
        -32602
    );
    let refused = client.call("settle_work", json!({ "id": "CLAUDE.md:3" }));
    let next = refused["structuredContent"]["error"]["next"].as_str().unwrap();
    assert!(next.contains("correct the file, then call verify_knowledge"), "{refused}");
    client.data("work_item", json!({ "action": "add", "kind": "plan", "text": "x", "id": "p" }));
    let refused = client.call("settle_work", json!({ "id": "p" }));
    assert!(text(&refused).contains("work_item with action update"), "{refused}");
}

#[test]
fn c5_clients_that_defer_tools_find_each_and_show_two_from_the_beginning() {
    let machine = Machine::new();
    let tools = listed(&mut machine.client(&[]));
    let mut always = Vec::new();
    for tool in &tools {
        assert!(tool["title"].as_str().unwrap().contains(' '), "{tool}");
        assert!(!tool["_meta"]["anthropic/searchHint"].as_str().unwrap().is_empty(), "{tool}");
        if tool["_meta"]["anthropic/alwaysLoad"] == true {
            always.push(tool["name"].as_str().unwrap());
        }
        let output = &tool["outputSchema"];
        assert_eq!(output["type"], "object", "{tool}");
        assert!(output["properties"].as_object().is_some_and(|all| !all.is_empty()), "{tool}");
        assert_eq!(output.get("required"), None, "a refusal is no such answer: {tool}");
    }
    assert_eq!(always, ["list_stale", "resume_session"]);
}

#[test]
fn m5_m7_each_tool_says_when_to_call_it_and_searches_are_told_apart() {
    let machine = Machine::new();
    let tools = listed(&mut machine.client(&[]));
    let about = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["description"].as_str().unwrap().to_owned()
    };
    for tool in &tools {
        let text = tool["description"].as_str().unwrap();
        assert!(text.starts_with("Call "), "{text}");
    }
    assert!(about("discover_tools").contains("when suggest_tool finds nothing"));
    assert!(about("discover_tools").contains("your client's own search"));
    assert!(about("suggest_tool").contains("when several tools could do a job"));
    assert!(about("check_documents").contains("list_stale returns the last result at once"));
    assert!(about("list_stale").contains("Documents are as of the last check"));
}

#[test]
fn m6_the_states_of_each_kind_of_work_are_in_the_schema() {
    let machine = Machine::new();
    let tools = listed(&mut machine.client(&[]));
    let work = tools.iter().find(|tool| tool["name"] == "work_item").unwrap();
    let status = work["inputSchema"]["properties"]["status"]["description"].as_str().unwrap();
    for kind in WorkKind::ALL {
        let states = kind.states().iter().map(|state| state.as_str());
        let states = format!("{kind}: {}", states.collect::<Vec<_>>().join(", "));
        assert!(status.contains(&states), "{states} in {status}");
    }
}

#[test]
fn m8_every_parameter_is_described_in_plain_words() {
    let machine = Machine::new();
    for tool in listed(&mut machine.client(&[])) {
        for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let text = schema["description"].as_str().unwrap_or_default();
            assert!(text.len() > 8, "{} {name}: {schema}", tool["name"]);
        }
    }
}

#[test]
fn m9_refusals_name_parameters_and_no_option_of_a_command_line() {
    let machine = rotted();
    let mut client = machine.client(&[]);
    for (name, arguments, what) in [
        ("discover_tools", json!({}), "`query` is required"),
        ("tool_status", json!({ "name": "x", "projekt": "." }), "use name, history, project"),
        (
            "check_documents",
            json!({ "since": "nobody" }),
            "since 'nobody': no commit has this name",
        ),
        ("save_knowledge", json!({ "body": "x", "cite": ["../x"] }), "cite '../x'"),
        ("save_knowledge", json!({ "body": "x", "due": "--x" }), "due needs a time"),
        ("resume_session", json!({ "since": "--x" }), "no session named"),
        ("resume_session", json!({ "since": "2026-99" }), "not a time"),
        (
            "recall_knowledge",
            json!({ "query": "x", "limit": -1 }),
            "`limit` must be a whole number",
        ),
        (
            "work_item",
            json!({ "action": "update", "id": "h", "status": "done" }),
            "cannot be 'done'",
        ),
        ("work_item", json!({ "action": "list", "kind": "wish" }), "`kind` cannot be 'wish'"),
        (
            "work_item",
            json!({ "action": "add", "kind": "note", "text": "x", "refs": [1] }),
            "`refs` must be",
        ),
    ] {
        if arguments["id"] == "h" {
            let handoff = json!({ "action": "add", "kind": "handoff", "text": "x", "id": "h" });
            client.data("work_item", handoff);
        }
        let refused = client.call(name, arguments.clone());
        assert_eq!(refused["isError"], true, "{name} {arguments}: {refused}");
        let told = text(&refused);
        assert!(told.contains(what), "{name} {arguments}: {told}");
        let ours = told.replace("--x", "");
        assert!(!ours.contains("--") && !ours.contains("make no sense"), "{name}: {told}");
    }
}

#[test]
fn m10_the_next_step_fits_the_kind_of_work() {
    let machine = Machine::new();
    let add = |kind: &str, more: &[&str]| {
        let args = ["--now", "-90d", "work", "add", kind, "x", "--id", kind];
        machine.ok(&[&args[..], more].concat());
    };
    add("trap", &["--expires", "+1d"]);
    add("constraint", &["--expires", "+1d"]);
    add("plan", &[]);
    add("handoff", &[]);
    add("note", &[]);
    machine.ok(&["--now", "-90d", "work", "add", "candidate", "x", "--id", "candidate"]);
    let mut client = machine.client(&[]);
    let stale = client.data("list_stale", json!({ "kind": "work" }));
    let next = |kind: &str| {
        let items = stale["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["kind"] == kind);
        item.unwrap_or_else(|| panic!("{kind}: {stale}"))["next"].as_str().unwrap()
    };
    for kind in ["trap", "constraint"] {
        assert!(next(kind).contains("expires=+30d") && !next(kind).contains("step"), "{kind}");
    }
    assert!(next("plan").starts_with("work_item step"));
    assert!(next("handoff").starts_with("work_item claim if you take it"));
    assert!(next("candidate").contains("status=accepted"));
    assert!(next("note").starts_with("work_item touch"));
    // Each works as it is told.
    for (kind, call) in [
        ("trap", json!({ "action": "update", "expires": "+30d" })),
        ("constraint", json!({ "action": "update", "expires": "+30d" })),
        ("plan", json!({ "action": "step", "text": "it goes on" })),
        ("handoff", json!({ "action": "claim" })),
        ("candidate", json!({ "action": "update", "status": "accepted" })),
        ("note", json!({ "action": "touch" })),
    ] {
        let mut call = call;
        call["id"] = kind.into();
        client.data("work_item", call);
    }
    assert_eq!(client.data("list_stale", json!({ "kind": "work" }))["counts"]["work"], 0);
}

/// Bug F4: a handoff by another name of a client reaches nobody, and so does one without a name.
#[test]
fn f4_a_handoff_reaches_whom_the_model_means() {
    let (_machine, mut client) = Machine::served();
    let mut add = |to: Option<&str>| {
        let mut item = json!({ "action": "add", "kind": "handoff", "text": "Review it" });
        if let Some(to) = to {
            (item["to"], item["id"]) = (to.into(), to.to_lowercase().into());
        }
        let added = client.call("work_item", item);
        (added["structuredContent"]["item"]["to"].clone(), text(&added).to_owned())
    };
    for (name, agent) in [("claude", "claude-code"), ("Codex", "codex")] {
        let (to, said) = add(Some(name));
        assert!(to == agent && !said.contains("no agent"), "{said}");
    }
    let (to, said) = add(Some("codx"));
    let unknown = "; unknown agent `codx`: did you mean `codex`?";
    assert!(to == "codx" && said.ends_with(unknown), "{said}");
    let (to, said) = add(None);
    assert!(to.is_null() && !said.contains("no agent"), "{said}");
    let changed =
        client.call("work_item", json!({ "action": "update", "id": "codx", "to": "CODEX" }));
    assert_eq!(changed["structuredContent"]["item"]["to"], "codex");
    let told = client.call("resume_session", json!({ "agent": "cursor", "digest": true }));
    assert!(text(&told).contains("(open, for whoever takes it, from `test-client`)"), "{told}");
}

/// Bug F6: an item of the store whose citation is gone is missing in `list_stale`.
#[test]
fn f6_an_item_whose_citation_is_gone_is_listed() {
    let machine = rotted();
    let add = ["knowledge", "add", "--id", "kk", "--body", "It routes", "--cite", "routing.py"];
    machine.ok(&add);
    let mut client = machine.client(&[]);
    let mut listed = || client.data("list_stale", json!({ "kind": "knowledge" }))["items"].clone();
    assert_eq!(listed(), json!([]));
    git(&machine, &["mv", "routing.py", "routes.py"]);
    assert_eq!(listed(), json!([]), "not committed yet");
    git(&machine, &["commit", "-qm", "again"]);
    let items = listed();
    assert_eq!((&items[0]["id"], items.as_array().unwrap().len()), (&json!("kk"), 1));
    let next = items[0]["next"].as_str().unwrap();
    assert!(next.ends_with("save_knowledge under the same id with another cite"), "{next}");
    let told = client.call("verify_knowledge", json!({ "ids": ["kk"], "still": "holds" }));
    assert!(text(&told).ends_with("under the same id with another cite"), "{told}");
    client.data("save_knowledge", json!({ "id": "kk", "cite": ["routes.py"] }));
    let mut listed = || client.data("list_stale", json!({ "kind": "knowledge" }))["items"].clone();
    assert_eq!(listed(), json!([]), "what is named settles it");
}
