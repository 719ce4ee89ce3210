//! Tests that a token neither reads nor changes anything outside its project.

use serde_json::{Value, json};

use super::{OTHER, TOKEN, start};
use crate::client::Machine;

#[test]
fn a_token_changes_no_record_of_all_projects_unless_its_line_says_so() {
    let machine = Machine::new();
    machine.ok(&["knowledge", "add", "--id", "g", "--body", "Ports begin at 7000.", "--global"]);
    machine.ok(&["work", "add", "plan", "Rename the ports", "--id", "w", "--global"]);
    machine.ok(&["record", "Bash", "--success"]);
    let exported = || machine.ok(&["export"]);
    let site = start(&machine);
    let (own, other) = (site.begin(TOKEN, "a"), site.begin(OTHER, "b"));
    let work = |action: &str| json!({ "action": action, "id": "global:w", "text": "x" });
    let calls = [
        ("save_knowledge", json!({ "body": "x", "global": true })),
        ("save_knowledge", json!({ "id": "g", "keywords": ["port"] })),
        ("verify_knowledge", json!({ "ids": ["g"], "still": "holds" })),
        ("verify_knowledge", json!({ "ids": ["g"], "still": "wrong", "reason": "x" })),
        ("work_item", work("update")),
        ("work_item", work("step")),
        ("work_item", json!({ "action": "touch", "id": "global:w" })),
        ("work_item", json!({ "action": "claim", "id": "global:w" })),
        ("record_outcome", json!({ "name": "Bash", "outcome": "failure" })),
    ];
    let before = exported();
    for (tool, arguments) in &calls {
        let refused = site.call(TOKEN, &own, tool, arguments.clone());
        let error = &refused["structuredContent"]["error"];
        let why = "this caller may change only records of its own project";
        assert_eq!(error["message"], why, "{tool} {arguments}: {refused}");
        assert!(error["next"].as_str().unwrap().contains("file of tokens"), "{refused}");
    }
    let all = |text: &str| -> Vec<Value> {
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.filter(|line: &Value| line.to_string().contains("\"global\"")).collect()
    };
    assert_eq!(all(&before), all(&exported()));
    let read = json!({ "query": "where do ports begin" });
    let read = site.call(TOKEN, &own, "recall_knowledge", read);
    assert!(read.to_string().contains("Ports begin at 7000."), "{read}");
    let read = json!({ "action": "show", "id": "global:w" });
    assert_eq!(site.call(TOKEN, &own, "work_item", read)["isError"], false);
    let saved = json!({ "body": "Ours begin at 8000.", "id": "o" });
    assert_eq!(site.call(TOKEN, &own, "save_knowledge", saved)["isError"], false);
    for (tool, arguments) in calls {
        let done = site.call(OTHER, &other, tool, arguments.clone());
        assert_eq!(done["isError"], false, "{tool} {arguments}: {done}");
    }
}

#[test]
fn nobody_learns_which_files_there_are_outside_the_project() {
    let machine = Machine::new();
    crate::ends::gated(&machine);
    let outside = machine.root.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("harbor.md"), "# A secret\n").unwrap();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, machine.project.join(name)).unwrap();
    };
    link("../outside", "out");
    let whole = outside.display();
    let names = ["harbor", "meadow"];
    for name in names {
        link(&format!("../outside/{name}.md"), &format!("near-{name}.md"));
        link(&format!("{whole}/{name}.md"), &format!("far-{name}.md"));
        let text =
            format!("It is in `out/{name}.md:3`, [here](out/{name}.md), `../outside/{name}.md`.\n");
        std::fs::write(machine.project.join(format!("names-{name}.md")), text).unwrap();
    }
    let site = start(&machine);
    let session = site.begin(TOKEN, "claude-code");
    let check = |paths: Value| ("check_documents", json!({ "paths": paths }));
    let cite = |cited: String| ("save_knowledge", json!({ "body": "x", "cite": [cited] }));
    let ask = |name: &str| {
        let text =
            format!("It is in `out/{name}.md`, `../outside/{name}.md`, `{whole}/{name}.md`.");
        let all = [
            check(json!([format!("../outside/{name}.md")])),
            check(json!([format!("{whole}/{name}.md")])),
            check(json!([format!("out/{name}.md")])),
            check(json!([format!("near-{name}.md")])),
            check(json!([format!("far-{name}.md")])),
            check(json!([format!("names-{name}.md")])),
            ("check_documents", json!({ "text": text })),
            cite(format!("out/{name}.md")),
            cite(format!("near-{name}.md:1")),
            cite(format!("{whole}/{name}.md")),
        ];
        all.map(|(tool, arguments)| {
            site.call(TOKEN, &session, tool, arguments).to_string().replace(name, "NAME")
        })
    };
    let [there, not_there] = names.map(ask);
    assert_eq!(there, not_there);
    assert!(!there.concat().contains("secret"), "{there:?}");
    // All documents of the project, in which the links are skipped.
    let told = site.call(TOKEN, &session, "check_documents", json!({}));
    let skipped = told["structuredContent"]["skipped"].as_array().unwrap();
    let of = |name: &str| {
        let of_name = skipped.iter().filter(|each| each["path"].as_str().unwrap().contains(name));
        of_name.map(|each| each["reason"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of("harbor"), of("meadow"), "{told}");
}
