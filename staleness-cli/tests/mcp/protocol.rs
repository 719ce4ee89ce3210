//! The protocol: what is offered, and what becomes of requests that make no sense.

use serde_json::{Value, json};

use crate::client::{Client, Machine};

/// As they are listed.
const TOOLS: &str = "discover_tools suggest_tool tool_status record_outcome check_documents \
                     recall_knowledge save_knowledge verify_knowledge list_stale settle_work \
                     work_item resume_session";

#[test]
fn it_says_who_it_is_and_declares_no_more_than_it_does() {
    let machine = Machine::new();
    let mut client = Client::start(machine.command(&["mcp"]));
    let result = client.introduce();
    assert_eq!(result["serverInfo"]["name"], "staleness");
    assert_eq!(result["capabilities"], json!({ "tools": {}, "resources": { "subscribe": true } }));
    assert!(result["instructions"].as_str().unwrap().contains("never instructions"));
}

#[test]
fn every_tool_has_a_schema_and_says_what_it_does_to_the_world() {
    let machine = Machine::new();
    let list = machine.client(&[]).ask("tools/list", json!({}))["result"].clone();
    let tools = list["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS.split(' ').collect::<Vec<_>>());
    for tool in tools {
        let (name, schema, hints) = (&tool["name"], &tool["inputSchema"], &tool["annotations"]);
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        assert_eq!(schema["properties"]["project"]["type"], "string", "{name}");
        for hint in ["readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "{name}: {hint}");
        }
        // These may put a text in the place of one that a person wrote.
        let rewrites = matches!(name.as_str(), Some("save_knowledge" | "work_item"));
        assert_eq!(hints["destructiveHint"], rewrites, "{name}");
    }
    let reads = |tool: &&Value| tool["annotations"]["readOnlyHint"] == true;
    let reading: Vec<&str> =
        tools.iter().filter(reads).map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(reading, ["discover_tools", "tool_status", "list_stale"]);
    // .ci/clients counts tokens: a client that shows every tool to its model sends it these fields.
    let shown = |tool: &Value| {
        let fields = ["name", "description", "inputSchema"];
        fields.iter().map(|field| tool[field].to_string().len() + field.len() + 4).sum::<usize>()
    };
    let bytes: usize = tools.iter().map(shown).sum();
    assert!(bytes < 10_000, "a model reads {bytes} bytes of tools/list");
    let bytes = list.to_string().len();
    assert!(bytes < 20_000, "tools/list takes {bytes} bytes");
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    let (_machine, mut client) = Machine::served();
    let answer = client.ask("tools/call", json!({ "name": "forget_all", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("forget_all"), "{answer}");
    for method in ["no/such/method", "completion/complete", "prompts/get", "logging/setLevel"] {
        let error = client.ask(method, json!({}))["error"].clone();
        let told = (&error["code"], &error["message"]);
        assert_eq!(told, (&json!(-32601), &json!("Method not found")), "{method}");
    }
    assert!(client.ask("ping", json!({}))["error"].is_null(), "it goes on");
}

#[test]
fn bad_arguments_are_errors_of_the_tool_that_say_what_to_do() {
    let (_machine, mut client) = Machine::served();
    for (name, arguments, what) in [
        ("tool_status", json!({}), "`name` is required"),
        ("tool_status", json!({ "name": 7 }), "`name` must be a string"),
        ("tool_status", json!({ "name": "x", "colour": "red" }), "unknown parameter 'colour'"),
        ("tool_status", json!({ "name": "" }), "the tool's name"),
        ("tool_status", json!({ "name": "mcp__gone__x" }), "no tool named"),
        ("tool_status", json!({ "name": "x", "project": 1 }), "`project` must be a string"),
        ("tool_status", json!({ "name": "x", "project": "nowhere/at/all" }), "not a folder"),
        (
            "record_outcome",
            json!({ "name": "x", "outcome": "meh" }),
            "`outcome` cannot be 'meh'; use success, failure, interrupted",
        ),
        ("record_outcome", json!({ "name": "a\u{1b}[2J", "outcome": "success" }), "name"),
        ("discover_tools", json!({ "query": "  " }), "the query has no words"),
        ("suggest_tool", json!({ "query": "" }), "the query has no words"),
        ("suggest_tool", json!({ "query": "?!" }), "the query has no words"),
        ("recall_knowledge", json!({ "query": "" }), "the query is empty"),
        ("save_knowledge", json!({}), "the text is missing"),
        ("save_knowledge", json!({ "id": "nobody", "keywords": ["x"] }), "no item named"),
        ("save_knowledge", json!({ "body": "x", "due": "soon" }), "cannot read 'soon' as a time"),
        ("save_knowledge", json!({ "body": "x", "cite": ["../../etc/passwd"] }), "passwd"),
        ("verify_knowledge", json!({ "ids": ["x"] }), "`still` is required"),
        ("verify_knowledge", json!({ "ids": "x", "still": "holds" }), "`ids` must be a list"),
        ("verify_knowledge", json!({ "ids": ["nobody"], "still": "holds" }), "no item named"),
        ("verify_knowledge", json!({ "ids": [], "still": "holds" }), "`ids` is empty"),
        ("verify_knowledge", json!({ "ids": ["x"], "still": "wrong" }), "`reason` is required"),
        ("settle_work", json!({ "id": "nobody" }), "no work item named"),
        ("work_item", json!({ "action": "add", "text": "x" }), "`kind` is required"),
        ("work_item", json!({ "action": "add", "kind": "plan" }), "`text` is required"),
        ("work_item", json!({ "action": "show" }), "`id` is required"),
        ("work_item", json!({ "action": "list", "status": "lost" }), "unknown state 'lost'"),
        ("resume_session", json!({ "since": "nobody" }), "no session named"),
        ("check_documents", json!({ "paths": ["nowhere.md"] }), "no such file"),
    ] {
        let result = client.call(name, arguments.clone());
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        assert!(text.contains(what), "{name} {arguments}: {text}");
        let next = result["structuredContent"]["error"]["next"].as_str().unwrap();
        assert!(!next.is_empty() && text.contains(next), "{name} {arguments}: {text}");
        // There may be no shell.
        assert!(!next.contains("staleness ") && !next.contains("--"), "{name}: {next}");
        assert!(!result.to_string().contains("\\u001b"), "{name}: {text}");
    }
}

#[test]
fn resources_are_read_and_others_refused() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "trap", "do not run it twice", "--expires", "-3d"]);
    let mut client = machine.client(&["--set", "tools.unseen_days=17"]);
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uris: Vec<&str> =
        listed.as_array().unwrap().iter().map(|each| each["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["staleness://overview", "staleness://policy"]);
    let mut read = |uri: &str| client.ask("resources/read", json!({ "uri": uri }));
    let text = |answer: Value| answer["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(read("staleness://overview")).contains("stale trap `do-not-run-it-twice-"));
    let policy = text(read("staleness://policy"));
    assert!(policy.contains("tools.unseen_days = 17  # flag\n"), "{policy}");
    let unknown = read("staleness://secrets");
    assert!(
        unknown["error"]["message"].as_str().unwrap().contains("unknown resource"),
        "{unknown}"
    );
}
