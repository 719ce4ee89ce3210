//! Advice to an agent: what it is told to do agrees with the verdict, and settles the matter.

use serde_json::json;

use crate::common::{Sandbox, line};

const LIST: &str = "mcp__github__list";

/// Returns what Claude Code is told when a session starts at this hour.
fn start(sandbox: &Sandbox, id: &str, hour: u32) -> String {
    let payload =
        json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": sandbox.project });
    let now = format!("2026-11-20T{hour}:00:00Z");
    let options = ["--client", "claude-code", "--now", &now];
    let run = sandbox.hook_with(&options, payload.to_string().as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    run.out
}

fn fail(sandbox: &Sandbox, count: usize) {
    for _ in 0..count {
        sandbox.ok(&line(&format!("record {LIST} --failure --agent claude-code")));
    }
}

/// Bug: an agent was told to avoid a tool that `suggest_tool` offered it again.
#[test]
fn a_tool_whose_cool_down_has_passed_may_be_tried_again() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&line(&format!("record {LIST} --success --agent claude-code")));
    start(&sandbox, "s1", 12);
    fail(&sandbox, 3);
    let why = format!("`{LIST}` (3 of the last 4 uses failed)");
    let told = start(&sandbox, "s2", 12);
    assert!(told.contains(&format!("Failing since the last session, avoid: {why}")), "{told}");
    let told = start(&sandbox, "s3", 14);
    let trial = format!("- Failing; may be tried again if no other tool fits: {why}");
    assert!(told.contains(&trial) && !told.contains("avoid"), "{told}");
    // Another failure begins the cool-down anew.
    let at = "--agent claude-code --now 2026-11-20T14:30:00Z";
    sandbox.ok(&line(&format!("record {LIST} --failure {at}")));
    let told = start(&sandbox, "s4", 15);
    assert!(told.contains("avoid") && !told.contains("tried again"), "{told}");
    assert!(start(&sandbox, "s5", 16).contains("tried again"));
}

/// Bug: where one tool of a server might be tried again, so might the server.
#[test]
fn a_server_may_be_tried_again_if_each_tool_that_fails_may() {
    let sandbox = Sandbox::scanned();
    for (tool, hour) in [(LIST, 12), ("mcp__github__get", 13)] {
        for minute in 0..3 {
            let now = format!("--now 2026-11-20T{hour}:3{minute}:00Z --agent claude-code");
            sandbox.ok(&line(&format!("record {tool} --failure {now}")));
        }
    }
    let told = start(&sandbox, "s1", 14);
    assert!(told.contains("avoid: `mcp__github__*`") && !told.contains("tried"), "{told}");
    let told = start(&sandbox, "s2", 15);
    assert!(told.contains("may be tried again if no other tool fits: `mcp__github__*`"), "{told}");
}

/// Bug: a server that a person had demoted and then removed was told as one to ask for.
#[test]
fn what_is_demoted_and_gone_is_told_as_gone() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&line(&format!("record {LIST} --success --agent claude-code")));
    start(&sandbox, "s1", 12);
    sandbox.ok(&line("tools demote github"));
    sandbox.claude(&[]);
    let told = start(&sandbox, "s2", 13);
    let gone = "Gone since the last session; do not call: `mcp__github__*` (removed from config";
    assert!(told.contains(gone) && !told.contains("emoted"), "{told}");
}

/// Bug: news gave the failures as they were when the tool was demoted, the overview those of now.
#[test]
fn the_failures_of_a_tool_are_counted_alike_in_news_and_overview() {
    let sandbox = Sandbox::scanned();
    start(&sandbox, "s1", 12);
    sandbox.ok(&line(&format!("record {LIST} --success --agent claude-code")));
    fail(&sandbox, 5);
    let why = "5 of the last 5 uses failed";
    let overview = sandbox.ok(&line("--agent claude-code"));
    assert!(overview.contains(why), "{overview}");
    let told = start(&sandbox, "s2", 12);
    assert!(told.contains(&format!("Failing since the last session, avoid: `{LIST}` ({why})")));
}

/// Bug: what a person demoted was told as failing, and the failure of its server spoke for it.
#[test]
fn what_a_person_demoted_is_told_as_that() {
    let sandbox = Sandbox::scanned();
    for tool in [LIST, "mcp__github__get"] {
        sandbox.ok(&line(&format!("record {tool} --success --agent claude-code")));
    }
    let told = |id, hour| start(&sandbox, id, hour);
    told("s1", 12);
    sandbox.ok(&line("tools demote mcp__github__get --reason slow"));
    let demoted = "- Demoted by the user; ask before you call: `mcp__github__get`";
    for id in ["s2", "s3"] {
        let told = told(id, 12);
        assert!(told.contains(demoted) && !told.contains("ailing"), "{told}");
    }
    fail(&sandbox, 3);
    let told = told("s4", 14);
    assert!(told.contains(demoted) && told.contains("tried again"), "{told}");
    let health = &sandbox.tool("mcp__github__get")["health"];
    assert_eq!(health["state"], "demoted");
}

/// Bug: a server of which one tool failed spoke for another that an agent had demoted, and offered it for a trial.
#[test]
fn what_was_demoted_by_hand_is_told_apart_from_what_fails() {
    for (by, title) in [
        ("--agent codex", "Demoted by an agent, avoid: `mcp__github__get` (demoted by `codex`)"),
        ("", "Demoted by the user; ask before you call: `mcp__github__get`"),
    ] {
        let sandbox = Sandbox::scanned();
        sandbox.codex_github(true);
        for tool in [LIST, "mcp__github__get"] {
            sandbox.ok(&line(&format!("record {tool} --success --agent claude-code")));
        }
        start(&sandbox, "s1", 12);
        fail(&sandbox, 3);
        sandbox.ok(&line(&format!("tools demote mcp__github__get {by}")));
        for (id, hour, fails) in
            [("s2", 12, "avoid: "), ("s3", 14, "may be tried again if no other tool fits: ")]
        {
            let told = start(&sandbox, id, hour);
            assert!(told.contains(&format!("- {title}")), "{told}");
            assert!(told.contains(&format!("{fails}`{LIST}` (")), "{told}");
            assert!(!told.contains("mcp__github__*"), "{told}");
        }
    }
}

/// Bug: a removed server that nobody ever used was to be reviewed for ever.
#[test]
fn what_is_gone_and_was_never_used_needs_no_review() {
    let sandbox = Sandbox::with_servers(&["github", "linear"]);
    sandbox.ok(&["scan"]);
    sandbox.ok(&line(&format!("record {LIST} --success --agent claude-code")));
    sandbox.claude(&[]);
    sandbox.ok(&["scan"]);
    let listed = |now: &str| {
        let review = sandbox.json(&["review", "--now", now]);
        let items = review["items"].as_array().unwrap().iter();
        let items: Vec<_> = items.map(|each| each["id"].as_str().unwrap().to_owned()).collect();
        let overview = sandbox.ok(&["--now", now]);
        assert_eq!(overview.contains("linear"), items.contains(&"mcp__linear__*".to_owned()));
        items
    };
    assert_eq!(listed("2026-11-21"), ["mcp__github__*", "mcp__linear__*"]);
    assert_eq!(listed("2026-12-21"), ["mcp__github__*"]);
    assert_eq!(sandbox.status("linear"), "stale", "it is known to be gone");
    sandbox.ok(&line("tools forget github --yes"));
    assert_eq!(sandbox.run(&line("--fail-on review --now 2026-12-21")).code, 0);
    let overview = sandbox.ok(&line("--now 2026-12-21"));
    assert!(overview.contains("no tools found"), "{overview}");
    let counts = &sandbox.json(&line("--now 2026-12-21"))["counts"];
    assert_eq!((&counts["tools"], &counts["untrusted"]), (&json!(0), &json!(0)));
}

/// Bug: whoever waits for an abandoned plan was not told so.
#[test]
fn an_abandoned_plan_comes_with_what_waits_for_it() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("work add plan Parse --id parse"));
    sandbox.ok(&line("work add plan Print --id print --after parse --agent claude-code"));
    sandbox.ok(&line("work add plan Format --id format --after parse --agent codex"));
    sandbox.ok(&line("work claim parse --agent codex --session x"));
    let told = start(&sandbox, "s1", 20);
    let why = "plan `parse` (abandoned within the last day; `print` waits for it)";
    assert!(told.contains(why), "{told}");
    let told = sandbox.ok(&line("resume --agent claude-code --digest --now 2026-11-20T20:00:00Z"));
    assert!(told.contains("abandoned within the last day; print waits for it"), "{told}");
    // Bug: it was not named where one asks for it.
    let impact = &sandbox.json(&["impact", "parse"])["work"];
    assert_eq!((&impact[1]["id"], &impact[1]["how"]), (&json!("print"), &json!("waits for it")));
    assert!(sandbox.ok(&["why", "parse"]).contains("\nprint waits for it\n"));
    assert!(sandbox.ok(&["work", "show", "parse"]).contains("  before     print\n"));
    let shown = sandbox.json(&["work", "show", "parse"]);
    assert_eq!(shown["awaited_by"], json!(["format", "print"]));
}

/// Bug: for an item that is said to be wrong a command was offered that does not clear that, or cannot be run.
#[test]
fn an_item_that_is_said_to_be_wrong_comes_with_what_settles_it() {
    let sandbox = Sandbox::new();
    let add = |options: &str, id: &str| {
        sandbox.ok(&line(&format!("knowledge add {options} --id={id} --body {id}")));
        sandbox.ok(&line(&format!("knowledge contradict --by me --reason moved -- {id}")));
    };
    for command in ["suggested_action", "otherwise"] {
        add("", &format!("{command}1"));
        add("--global", &format!("{command}2"));
        add("--kind preference", &format!("-{command}"));
        let review = sandbox.json(&["review"]);
        let items = review["items"].as_array().unwrap();
        assert_eq!(items.len(), 3, "{review}");
        for item in items {
            let verb = if command == "otherwise" { "verify" } else { "remove" };
            let command = item[command].as_str().unwrap().strip_prefix("staleness ").unwrap();
            assert_eq!(command.split(' ').nth(1), Some(verb), "{command}");
            sandbox.ok(&line(command));
        }
    }
    assert_eq!(sandbox.json(&["review"])["items"], json!([]));
    // What a person said is not for an agent to take back.
    add("", "k");
    let review = sandbox.json(&["review", "--agent", "codex"]);
    assert_eq!(review["items"][0]["otherwise"], json!(null), "{review}");
}

/// Bug: an agent was offered an editor, which it cannot use.
#[test]
fn an_agent_is_told_what_to_correct_and_not_to_open_an_editor() {
    let sandbox = Sandbox::rotted();
    for (agent, offered) in
        [(" --agent codex", "\n    correct line 3 of AGENTS.md"), ("", "EDITOR")]
    {
        let told = sandbox.ok(&line(&format!("review{agent}")));
        assert!(told.contains(offered), "{told}");
    }
}

/// Bug: of the user's and the project's entry of a server, one could not be told from the other.
#[test]
fn entries_of_one_name_in_both_scopes_are_told_apart() {
    let sandbox = Sandbox::with_servers(&["hub"]);
    let servers = json!({ "mcpServers": { "hub": { "command": "x" } } });
    sandbox.write("project/.cursor/mcp.json", servers.to_string());
    sandbox.ok(&["scan"]);
    let scopes = ["project", "global"];
    for scope in scopes {
        sandbox.ok(&["tools", "demote", "hub", "--scope", scope]);
    }
    let (review, shown) = (sandbox.json(&["review"]), sandbox.ok(&["review"]));
    for (item, scope) in review["items"].as_array().unwrap().iter().zip(scopes) {
        assert_eq!((&item["id"], &item["scope"]), (&json!("mcp__hub__*"), &json!(scope)));
        let command = item["suggested_action"].as_str().unwrap();
        assert!(command.contains(&format!("tools history --scope {scope} ")), "{command}");
        assert!(shown.contains(&format!("mcp__hub__*  {scope}\n")), "{shown}");
    }
    sandbox.ok(&["tools", "restore", "hub", "--scope", "project"]);
    assert_eq!(sandbox.json(&["review"])["items"], json!([]), "which lifts both");
}
