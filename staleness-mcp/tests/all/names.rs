//! Hostile names through every text that the server answers.

use proptest::prelude::*;
use serde_json::{Value, json};
use staleness_conformance::arbitrary::{MARK, hostile_name};
use staleness_mcp::resources::{OVERVIEW, POLICY};
use staleness_mcp::{Options, Server};

use crate::serve::Client;

/// Outside of quotes, backticks and marked lines a text holds nothing of a hostile name.
fn is_ours(text: &str) -> Result<(), TestCaseError> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("  | ")).collect();
    let lines = lines.join("\n");
    let quotes: Vec<&str> = lines.split('"').collect();
    prop_assert!(quotes.len() % 2 == 1, "an open quote: {text}");
    let ours: String = quotes.into_iter().step_by(2).collect::<Vec<_>>().join("…");
    let parts: Vec<&str> = ours.split('`').collect();
    prop_assert!(parts.len() % 2 == 1, "an open fence: {text}");
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 0 {
            prop_assert!(!part.contains(MARK), "{part:?} in {text}");
        } else if !part.starts_with("staleness ") {
            let name = |c: char| c.is_alphanumeric() || "_-./:@*~+#…\u{301}".contains(c);
            prop_assert!(part.len() <= 80 && part.chars().all(name), "{part:?} in {text}");
        }
    }
    Ok(())
}

/// Calls a tool; returns true if it did what it was asked.
fn call(server: &Server, tool: &str, arguments: Value) -> Result<bool, TestCaseError> {
    let Value::Object(arguments) = arguments else { unreachable!("arguments are an object") };
    let result = server.call(tool, arguments).unwrap();
    let result = serde_json::to_value(result).unwrap();
    is_ours(result["content"][0]["text"].as_str().unwrap())?;
    Ok(result["isError"] != true)
}

/// Reads the resources, and asks for some that are not there; returns every text that is answered.
async fn read(server: &Server, names: &[String]) -> Vec<String> {
    let mut client = Client::new(server).await;
    let mut told = Vec::new();
    for uri in [OVERVIEW, POLICY].into_iter().chain(names.iter().map(String::as_str)) {
        for method in ["resources/read", "resources/subscribe", "tools/call"] {
            let answer = client.ask(method, json!({ "uri": uri, "name": uri })).await;
            let texts = [&answer["result"]["contents"][0]["text"], &answer["error"]["message"]];
            told.extend(texts.iter().find_map(|text| text.as_str()).map(str::to_owned));
        }
    }
    client.leave().await;
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_answer_tells_a_name_as_prose(names in prop::collection::vec(hostile_name(), 1..4)) {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(Options {
            store: Some("memory:".into()),
            project: Some(folder.path().to_path_buf()),
            home: Some(folder.path().to_path_buf()),
            now: Some("2026-11-20".into()),
            ..Options::default()
        })
        .unwrap();
        let mut told = 0;
        for name in &names {
            for outcome in ["success", "failure", "failure", "failure"] {
                let outcome = json!({ "name": name, "outcome": outcome, "new": true });
                call(&server, "record_outcome", outcome)?;
            }
            call(&server, "record_outcome", json!({ "name": format!("{name}y"), "outcome": "success" }))?;
            let query = json!({ "query": name });
            for tool in ["discover_tools", "suggest_tool", "recall_knowledge"] {
                call(&server, tool, query.clone())?;
            }
            call(&server, "tool_status", json!({ "name": name, "history": 5 }))?;
            call(&server, "tool_status", json!({ "name": format!("{name}x") }))?;
            let plan = json!({ "action": "add", "kind": "trap", "id": name, "text": name,
                "expires": "2026-11-01" });
            told += usize::from(call(&server, "work_item", plan)?);
            let handoff = json!({ "action": "add", "kind": "handoff", "text": name, "to": name });
            call(&server, "work_item", handoff)?;
            call(&server, "tool_status", json!({ (name): name }))?;
            call(&server, "record_outcome", json!({ "name": MARK, "outcome": name }))?;
            for action in ["show", "touch", "list"] {
                call(&server, "work_item", json!({ "action": action, "id": name }))?;
            }
            let item = json!({ "id": name, "body": name, "keywords": [MARK], "due": "2026-11-01",
                "kind": "todo" });
            told += usize::from(call(&server, "save_knowledge", item)?);
            let wrong = json!({ "ids": [name], "still": "wrong", "reason": name });
            call(&server, "verify_knowledge", wrong)?;
            call(&server, "recall_knowledge", json!({ "query": MARK }))?;
            call(&server, "check_documents", json!({ "paths": [name] }))?;
            call(&server, "verify_knowledge", json!({ "ids": [name], "still": "holds" }))?;
        }
        call(&server, "list_stale", json!({}))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for text in runtime.block_on(read(&server, &names)) {
            is_ours(&text)?;
        }
        let agent = json!({ "agent": names[0] });
        call(&server, "resume_session", agent.clone())?;
        for name in &names {
            call(&server, "settle_work", json!({ "id": name, "reason": name }))?;
        }
        call(&server, "resume_session", agent)?;
        let valid = names.iter().filter(|name| name.len() <= 512 && !name.contains(char::is_control));
        prop_assert!(told > 0 || valid.count() == 0, "none of it was there");
    }
}
