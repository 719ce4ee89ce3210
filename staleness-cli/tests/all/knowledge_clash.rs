//! One id in a file and outside of it: the file is the truth.

use serde_json::{Value, json};

use crate::common::{Sandbox, fed, line};

/// A project with an item in a file that is stale by its age.
fn filed() -> Sandbox {
    let sandbox = Sandbox::with_history();
    let text = "---\ntype: knowledge\nid: ports\n---\n\nThe database has port 5432.\n";
    sandbox.write("project/AGENTS.md", text);
    sandbox.commit("2025-01-01T00:00:00Z");
    sandbox
}

/// The levels of what a check found, by kind.
fn found(sandbox: &Sandbox) -> Vec<(Value, Value)> {
    let check = sandbox.json(&["check"]);
    let items = check["items"].as_array().unwrap();
    items.iter().map(|item| (item["kind"].clone(), item["verdict"]["level"].clone())).collect()
}

#[test]
fn an_item_is_not_added_under_the_id_of_a_file() {
    let sandbox = filed();
    let add = ["knowledge", "add", "--id", "ports", "--body", "Port 6432."];
    for dry in [&["--dry-run"][..], &[]] {
        let run = sandbox.run(&[&add[..], dry].concat());
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains("\"ports\" already exists in AGENTS.md"), "{run:?}");
    }
    let list = sandbox.json(&["knowledge", "list"]);
    assert_eq!(list["items"][0]["path"], "AGENTS.md", "{list:#}");
    // What holds everywhere is another item, and hidden here.
    sandbox.ok(&[&add[..], &["--global"]].concat());
    assert_eq!(sandbox.json(&["knowledge", "show", "ports"])["path"], "AGENTS.md");
}

/// Bug: a global item with the id of one of the project was stored, and said to exist no longer.
#[test]
fn a_global_item_is_told_although_one_of_the_project_hides_it() {
    for sandbox in [filed(), Sandbox::new()] {
        sandbox.run(&line("knowledge add --id ports --body 5432"));
        sandbox.ok(&line("knowledge add --id ports --body 6432 --global"));
        let shown = |scope: &str| {
            sandbox.json(&["knowledge", "show", "ports", "--scope", scope])["scope"].clone()
        };
        assert_eq!([shown("global"), shown("project")], ["global", "project"]);
        sandbox.ok(&line("knowledge verify ports --scope global"));
        assert_eq!(sandbox.json(&["knowledge", "list"])["items"].as_array().unwrap().len(), 1);
    }
}

/// Bug: an item that was there was said to be unknown to the one that replaces it.
#[test]
fn a_global_item_is_superseded_by_a_global_one() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("knowledge add --id ports --body 5432 --global"));
    let new = sandbox.json(&line("knowledge add --supersedes ports --body 6432 --id new"));
    assert_eq!(new["item"]["scope"], "global", "{new}");
    sandbox.ok(&line("knowledge add --supersedes new --body 7432 --global"));
}

#[test]
fn a_file_is_judged_by_its_kind_though_the_store_has_an_item_of_its_id() {
    let sandbox = filed();
    let before = found(&sandbox);
    assert_eq!(before, [(json!("knowledge"), json!("stale"))]);
    let file = sandbox.project.join("AGENTS.md");
    let aside = sandbox.project.join("aside");
    std::fs::rename(&file, &aside).unwrap();
    sandbox.ok(&["knowledge", "add", "--id", "ports", "--body", "Port 6432."]);
    std::fs::rename(&aside, &file).unwrap();
    assert_eq!(found(&sandbox), before);
    let review = sandbox.json(&["review"]);
    assert_eq!(review["total"], 1, "{review:#}");
    assert_eq!(review["items"][0]["title"], "The database has port 5432.", "{review:#}");
}

#[test]
fn of_an_item_in_a_file_counters_alone_are_imported() {
    let line = json!({
        "type": "knowledge", "id": "ports", "text": "Port 6432.", "added": "2025-12-02",
        "recall_count": 9, "last_recalled": "2026-11-18",
    });
    let import = |sandbox: &Sandbox| {
        let mut command = sandbox.command();
        command.args(["import", "--from", "jsonl", "--json"]);
        let run = fed(command, line.to_string().as_bytes());
        assert_eq!(run.code, 0, "{run:?}");
        serde_json::from_str::<Value>(&run.out).unwrap()["imported"]["knowledge"].clone()
    };
    for before in [&[][..], &["check"], &["knowledge", "contradict", "ports", "--by", "me"]] {
        let sandbox = filed();
        match before {
            [] => {}
            ["check"] => drop(sandbox.run(before)),
            _ => drop(sandbox.ok(&[before, &["--reason", "no"]].concat())),
        }
        let told = |fields: &[&str]| {
            let item = sandbox.json(&["knowledge", "show", "ports"]);
            fields.iter().map(|field| item[*field].clone()).collect::<Vec<_>>()
        };
        let rest = ["path", "body", "kind", "added_at", "updated_at", "verdict"];
        let here = told(&rest);
        assert_eq!(import(&sandbox), 1, "{before:?}");
        assert_eq!(told(&rest), here, "{before:?}");
        assert_eq!(told(&["recalls", "recalled_at"]), [json!(9), json!("2026-11-18T00:00:00Z")]);
        assert_eq!(import(&sandbox), 0, "{before:?}");
        assert_eq!(found(&sandbox), [(json!("knowledge"), json!("stale"))], "{before:?}");
    }
}
