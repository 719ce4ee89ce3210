//! Projects that hold nothing but what somebody wrote.

use serde_json::{Value, json};

use crate::common::Sandbox;

fn paths(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.json(&["project", "list"]);
    let projects = list["projects"].as_array().unwrap();
    projects.iter().map(|each| each["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_project_with_nothing_but_knowledge_is_listed_and_forgotten_with_it() {
    let sandbox = Sandbox::new();
    let root = sandbox.project.to_str().unwrap();
    let refused = sandbox.run(&["knowledge", "add", "--body", "x", "--supersedes", "nope"]);
    assert_eq!((refused.code, paths(&sandbox)), (3, Vec::new()), "{refused:?}");
    sandbox.ok(&["knowledge", "add", "--id", "style", "--body", "x", "--global"]);
    assert_eq!(paths(&sandbox), [""; 0], "what is global belongs to no project");
    for id in ["a", "b"] {
        sandbox.ok(&["knowledge", "add", "--id", id, "--body", id]);
        assert_eq!(paths(&sandbox), [root]);
    }
    let asked = sandbox.run(&["project", "forget", root]);
    assert!(asked.code == 3 && asked.err.contains("2 items of knowledge"), "{asked:?}");
    assert_eq!(sandbox.json(&["knowledge", "list"])["items"].as_array().unwrap().len(), 3);
    let forgotten = sandbox.json(&["project", "forget", root, "--yes"]);
    assert_eq!((&forgotten["knowledge"], &forgotten["work"]), (&json!(2), &json!(0)));
    assert_eq!(paths(&sandbox), [""; 0]);
    let left = sandbox.json(&["knowledge", "list"]);
    let left: Vec<&Value> = left["items"].as_array().unwrap().iter().collect();
    assert!(left.len() == 1 && left[0]["id"] == "style", "{left:#?}");
}

#[test]
fn work_sessions_and_resuming_make_a_project_known_and_go_with_it() {
    for args in [
        &["work", "add", "plan", "Write the guide", "--id", "guide"][..],
        &["session", "start", "--agent", "a", "--id", "s1"],
        &["resume", "--agent", "a"],
    ] {
        let sandbox = Sandbox::new();
        let root = sandbox.project.to_str().unwrap();
        sandbox.ok(args);
        assert_eq!(paths(&sandbox), [root], "{args:?}");
        let forgotten = sandbox.json(&["project", "forget", root, "--yes"]);
        let work = i32::from(args[0] == "work");
        assert_eq!((&forgotten["knowledge"], &forgotten["work"]), (&json!(0), &json!(work)));
        assert_eq!(sandbox.json(&["work", "list"])["items"], json!([]), "{args:?}");
        assert_eq!(sandbox.json(&["session", "list"])["sessions"], json!([]), "{args:?}");
        assert_eq!(paths(&sandbox), [""; 0], "{args:?}");
        let left = sandbox.ok(&["export"]);
        assert!(!left.contains("\"kind\":\"cursor\""), "{left}");
    }
}

#[test]
fn imported_knowledge_makes_its_project_known() {
    let sandbox = Sandbox::new();
    let line = json!({"type": "knowledge", "id": "i", "body": "x", "added": "2026-01-02",
                      "project": "/elsewhere"});
    let file = sandbox.write("lines.jsonl", format!("{line}\n"));
    let import = ["import", "--from", "jsonl", file.to_str().unwrap()];
    sandbox.ok(&[&import[..], &["--dry-run"]].concat());
    assert_eq!(paths(&sandbox), [""; 0]);
    sandbox.ok(&import);
    assert_eq!(paths(&sandbox), ["/elsewhere"]);
    sandbox.ok(&["project", "forget", "/elsewhere", "--yes"]);
    assert_eq!(paths(&sandbox), [""; 0]);
}
