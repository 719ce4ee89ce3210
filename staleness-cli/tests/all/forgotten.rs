//! Forgotten data is in no file of the store any more, however the program was run since.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{Sandbox, used};

const MERGE: &str = "mcp__github__merge";
const WORD: &str = "quuxzanzibar";

/// A registry that learns from prompts and knows a tool.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let policy = "[routes]\nlearn_from_prompts = true\nsuggest_from = 0.1\n";
    sandbox.write("home/.config/staleness/staleness.toml", policy);
    sandbox.ok(&["record", MERGE, "--success"]);
    sandbox
}

/// The files below the folder of the data that hold the word.
fn holding(sandbox: &Sandbox) -> Vec<PathBuf> {
    let holds = |bytes: &[u8]| bytes.windows(WORD.len()).any(|part| part == WORD.as_bytes());
    let data = sandbox.root().join("data");
    let files = sandbox.files().into_iter();
    files.filter(|(path, bytes)| path.starts_with(&data) && holds(bytes)).map(|it| it.0).collect()
}

fn prompt(session: &str, text: &str) -> Value {
    json!({ "session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text })
}

/// Learns the word in every way, and much else in between, so that its rows move about.
fn taught() -> Sandbox {
    let sandbox = sandbox();
    for round in 0..20 {
        let session = format!("s{}", round % 3);
        sandbox.hook(&prompt(&session, &format!("merge the {WORD} branch")));
        let mut used = used("PostToolUse", MERGE, &format!("u{round}"));
        used["session_id"] = json!(session);
        sandbox.hook(&used);
        let other = format!("something else, number {round}");
        sandbox.ok(&["routes", "learn", "--query", &other, "--tool", MERGE]);
    }
    assert!(!holding(&sandbox).is_empty());
    sandbox
}

#[test]
fn the_words_of_a_forgotten_route_are_in_no_file_of_the_store() {
    let sandbox = taught();
    let routes = sandbox.json(&["routes"])["routes"].clone();
    let learned = |route: &&Value| route["query"].as_str().unwrap().contains(WORD);
    let ids = routes.as_array().unwrap().iter().filter(learned);
    let ids: Vec<&str> = ids.map(|route| route["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 1, "{routes}");
    sandbox.ok(&["routes", "forget", ids[0], "--yes"]);
    assert_eq!(holding(&sandbox), Vec::<PathBuf>::new());
    assert_eq!(sandbox.json(&["routes"])["routes"].as_array().map(Vec::len), Some(20));
}

#[test]
fn what_goes_with_a_tool_a_project_or_an_item_is_in_no_file_either() {
    let id = |sandbox: &Sandbox| -> String {
        let list = sandbox.json(&["project", "list"]);
        list["projects"][0]["id"].as_str().unwrap().to_owned()
    };
    let sandbox = taught();
    sandbox.ok(&["project", "forget", &id(&sandbox), "--yes"]);
    assert_eq!(holding(&sandbox), Vec::<PathBuf>::new());

    let sandbox = self::sandbox();
    sandbox.ok(&["routes", "learn", "--query", WORD, "--tool", MERGE]);
    assert!(!holding(&sandbox).is_empty());
    sandbox.ok(&["tools", "forget", MERGE, "--yes"]);
    assert_eq!(holding(&sandbox), Vec::<PathBuf>::new());

    let body = format!("the code word is {WORD}");
    sandbox.ok(&["knowledge", "add", "--id", "word", "--body", &body]);
    assert!(!holding(&sandbox).is_empty());
    sandbox.ok(&["knowledge", "remove", "word", "--yes"]);
    assert_eq!(holding(&sandbox), Vec::<PathBuf>::new());
}

#[test]
fn prompts_of_a_project_that_nobody_began_are_pruned_and_forgotten() {
    let sandbox = sandbox();
    let asked = |folder: &str| {
        let path = sandbox.root().join(folder);
        std::fs::create_dir_all(path.join(".git")).unwrap();
        let mut prompt = prompt("s", &format!("nothing that {WORD} is like"));
        prompt["cwd"] = json!(path);
        sandbox.hook(&prompt);
        assert!(!holding(&sandbox).is_empty());
    };
    asked("first");
    let projects = sandbox.json(&["project", "list"])["projects"].clone();
    let first = projects.as_array().unwrap().iter();
    let first = first.filter(|row| row["path"].as_str().unwrap().ends_with("first"));
    let ids: Vec<&str> = first.map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 1, "{projects}");
    sandbox.ok(&["project", "forget", ids[0], "--yes"]);
    assert_eq!(holding(&sandbox), Vec::<PathBuf>::new());
    asked("second");
    sandbox.ok(&["--now", "2028-01-01T00:00:00Z", "prune"]);
    let left = sandbox.ok(&["--now", "2028-01-01T00:00:00Z", "doctor"]);
    assert!(!left.contains(WORD), "{left}");
    // What is pruned is let go, and overwritten; the log is moved when it has grown.
    let log = sandbox.store().with_file_name("registry.db-wal");
    assert!(holding(&sandbox).iter().all(|path| *path == log));
}
