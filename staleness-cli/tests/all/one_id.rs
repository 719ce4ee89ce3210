//! Two items with one id, in the project and for all projects: what is printed for one acts on it.

use serde_json::{Value, json};

use crate::common::{Sandbox, line};
use crate::told::told_on;

fn typed(sandbox: &Sandbox, text: &str) {
    assert!(sandbox.typed(&line(text), "NOTHING=1", "").success(), "{text}");
}

/// Bug: the command that was printed for an item acted on the project's item with its id.
#[test]
fn a_printed_id_means_the_item_that_it_is_printed_for() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 20);
    let run = |text: &str| sandbox.run(&line(text));
    let ok = |text: &str| sandbox.ok(&line(text));
    ok("work add handoff Theirs --id review --to claude-code --agent codex --now 2026-11-21");
    let mine = "work add handoff 'Review mine' --id review --to claude-code --global";
    typed(&sandbox, &format!("{mine} --now 2026-11-21"));
    let told = told_on(&sandbox, "claude-code", 22);
    for part in ["handoff `review` from `codex`", "handoff `global:review`: \"Review mine\""] {
        assert!(told.contains(part), "{part}: {told}");
    }
    ok("work set review --status accepted --agent claude-code --now 2026-11-22");
    let told = told_on(&sandbox, "claude-code", 23);
    let take = "\"Review mine\" (take it: `staleness work claim review --scope global --agent claude-code ";
    assert!(told.contains(take), "{told}");
    let claimed = sandbox.json(&line("work claim global:review --agent claude-code"));
    assert_eq!(claimed["item"]["text"], "Review mine", "{claimed}");
    let listed = sandbox.json(&["work", "list"]);
    let key = |item: &Value| json!([item["id"], item["scope"], item["status"]]);
    let both = [json!(["review", "global", "open"]), json!(["review", null, "accepted"])];
    assert_eq!(listed["items"].as_array().unwrap().iter().map(key).collect::<Vec<_>>(), both);
    let table = ok("work list");
    assert!(table.contains(" global:review ") && table.contains(" review "), "{table}");

    // A refusal names the rule that it is about.
    typed(&sandbox, "work add constraint 'No force push' --id push --global");
    ok("work add constraint 'Push as you like' --id push --agent codex");
    for name in ["global:push", "push --scope global"] {
        let refused = run(&format!("work set {name} --status resolved --agent codex"));
        let end = "`staleness work set global:push --status resolved`";
        assert!(refused.code == 3 && refused.err.contains(end), "{refused:?}");
    }
    assert_eq!(run("work set push --status resolved --agent codex").code, 0);
    // Another item refers to it as it is printed.
    let plan = sandbox.json(&line("work add plan Next --id next --after global:review"));
    assert_eq!(plan["item"]["after"], json!(["review"]), "{plan}");
    let why = ok("why global:push");
    assert!(why.contains("No force push") && !why.contains("resolved"), "{why}");
}

/// Bug: an agent added an item with the id that is printed for a person's rule, and the person's command ended that
/// one.
#[test]
fn no_item_has_the_id_that_is_printed_for_another() {
    let sandbox = Sandbox::new();
    let run = |text: &str| sandbox.run(&line(text));
    let refused = |run: &crate::common::Run| {
        assert!(run.code == 3 && run.err.contains("begins with `global:`"), "{run:?}");
    };
    refused(&run("work add constraint 'Push' --id global:push --agent codex"));
    let import = |lines: &str| {
        let file = sandbox.write("lines.jsonl", lines);
        sandbox.run(&["import", "--from", "jsonl", file.to_str().unwrap()])
    };
    let plan =
        r#"{"type":"work","id":"global:push","kind":"plan","text":"Push","created":"2026-11-02"}"#;
    refused(&import(plan));
    // A line names others as they are printed, too.
    sandbox.ok(&line("work add plan Base --id base --global"));
    let after = plan.replace("global:push", "next").replace("}", r#","after":["global:base"]}"#);
    assert_eq!(import(&after).code, 0);
    let shown = sandbox.json(&line("work show next"));
    assert_eq!(shown["after"], json!(["base"]), "{shown}");
}

/// Bug: an agent replaced a person's preference for all projects by naming an item of its own beside it.
#[test]
fn what_becomes_global_replaces_no_preference_of_a_person() {
    let sandbox = Sandbox::new();
    let run = |text: &str| sandbox.run(&line(text));
    sandbox.ok(&line("knowledge add --kind preference --id tabs --body 'Use tabs' --global"));
    for (id, scope) in [("x", "--global"), ("y", "--global"), ("z", "")] {
        sandbox.ok(&line(&format!("knowledge add --id {id} --body {id} {scope} --agent codex")));
    }
    sandbox.write("project/t.md", "---\nid: tabs\ntype: knowledge\n---\nMine.\n");
    let replace = |ids: &str| run(&format!("knowledge add --body Spaces {ids} --agent codex"));
    let refused = replace("--supersedes x --supersedes tabs");
    assert!(refused.code == 3 && refused.err.contains("only a person can"), "{refused:?}");
    let shown = sandbox.ok(&line("knowledge show tabs --scope global"));
    assert!(!shown.contains("superseded"), "{shown}");
    let unknown = replace("--supersedes x --supersedes z");
    assert!(unknown.code != 0 && unknown.err.contains("no item named"), "{unknown:?}");
    assert_eq!(replace("--supersedes x --supersedes y").code, 0);
}

/// Bug: over MCP the item of all projects could not be reached.
#[cfg(feature = "mcp")]
#[test]
fn what_is_printed_of_knowledge_of_all_projects_can_be_run() {
    let sandbox = Sandbox::new();
    let ok = |text: &str| sandbox.ok(&line(text));
    ok("knowledge add --id ports --body 5432 --global");
    ok("knowledge contradict ports --by codex --reason moved --agent codex");
    let told = told_on(&sandbox, "claude-code", 21);
    let settle = "`staleness knowledge add --supersedes ID --body TEXT --agent claude-code`";
    assert!(told.contains(settle), "{told}");
    ok("knowledge add --supersedes ports --body 6432 --id ports2 --agent claude-code");
    assert_eq!(sandbox.json(&["knowledge", "show", "ports2"])["scope"], "global");
    assert!(!told_on(&sandbox, "gemini", 22).contains("Marked as wrong"));
}
