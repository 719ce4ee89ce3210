//! Tests what an agent is told of other agents: their guesses, the servers that they lost, the work that they changed.

use serde_json::json;

use crate::common::{Sandbox, line, told};
use crate::told::told_on;

/// A machine on which two clients have the server `github`.
fn shared() -> Sandbox {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["github"]);
    sandbox.ok(&["scan"]);
    sandbox
}

fn fail_thrice(sandbox: &Sandbox, tool: &str, agent: &str) {
    for _ in 0..3 {
        sandbox.ok(&line(&format!("record {tool} --failure --new --agent {agent}")));
    }
}

/// Bug: a name that only another agent called, and that never worked, was listed, found and reported as a tool.
#[test]
fn a_name_that_only_another_agent_tried_is_no_tool() {
    let sandbox = shared();
    sandbox.ok(&line("record mcp__github__search_issues --success --agent claude-code"));
    let guesses = ["mcp__github__serch_issues", "mcp__nobody__search"];
    guesses.iter().for_each(|name| fail_thrice(&sandbox, name, "codex"));
    sandbox.ok(&line("record mcp__github__list --failure --new --agent codex"));
    let looks = |agent: &str| -> String {
        let looks = ["tools", "tools discover 'search list'", "tools rank", "tools suggest list"];
        looks.map(|args| sandbox.ok(&line(&format!("{args} --agent {agent}")))).concat()
    };
    let (own, theirs) = (looks("claude-code"), looks("codex"));
    for name in guesses.into_iter().chain(["mcp__github__list"]) {
        assert!(!own.contains(name) && theirs.contains(name), "{name}: {own}\n{theirs}");
    }
    let show = |name: &str, agent: &str| sandbox.run(&["tools", "show", name, "--agent", agent]);
    let unknown = show(guesses[0], "claude-code");
    let near =
        "no tool named \"mcp__github__serch_issues\"; did you mean mcp__github__search_issues?";
    assert!(unknown.code == 3 && unknown.err.contains(near), "{unknown:?}");
    assert_eq!(show(guesses[0], "codex").code, 0);
    // Its server may have it, as far as this agent knows.
    let unused = show("mcp__github__list", "claude-code");
    assert!(unused.out.contains("not used yet: its server github is configured"), "{unused:?}");
}

/// Bug: a failure counted for all, though the project switches the server off for the client that called it.
#[test]
fn what_fails_where_the_project_switches_a_server_off_counts_for_nothing() {
    let sandbox = shared();
    sandbox.ok(&line("record mcp__github__q --success --agent codex"));
    let project = sandbox.project.to_str().unwrap();
    let off = json!({ "mcpServers": { "github": { "command": "npx" } },
        "projects": { project: { "disabledMcpServers": ["github"] } } });
    sandbox.write("home/.claude.json", off.to_string());
    sandbox.ok(&["scan"]);
    fail_thrice(&sandbox, "mcp__github__q", "claude-code");
    assert_eq!(sandbox.tool("mcp__github__q")["outcomes"], "SUUU");
}

/// Bug: a tool of a server that waits for approval was told to be replaced.
#[test]
fn a_tool_whose_server_awaits_approval_is_not_replaced() {
    let sandbox = shared();
    sandbox.ok(&line("record mcp__github__q --success --agent codex"));
    sandbox.claude(&[]);
    let servers = json!({ "mcpServers": { "github": { "command": "npx" } } });
    sandbox.write("project/.mcp.json", servers.to_string());
    sandbox.ok(&["scan"]);
    let shown = sandbox.json(&line("tools show mcp__github__q --agent claude-code"));
    assert_eq!(shown["status"], "stale", "{shown:#}");
    let why = "its server github is listed but not loaded: approve it in the client";
    assert_eq!(shown["verdict"]["signals"][0]["reason"], why, "{shown:#}");
    assert_eq!(sandbox.tool("mcp__github__q")["status"], "active", "for codex");
}

/// Bug: a client that loads the project's server was told to approve it, because another client waits for that.
#[test]
fn a_client_that_loads_the_projects_server_is_not_told_to_approve_it() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.ok(&["scan"]);
    sandbox.ok(&line("record mcp__github__q --success --agent claude-code"));
    sandbox.claude(&[]);
    let servers = json!({ "mcpServers": { "github": { "command": "npx" } } }).to_string();
    sandbox.write("project/.mcp.json", &servers);
    sandbox.write("project/.cursor/mcp.json", &servers);
    sandbox.ok(&["scan"]);
    for (agent, waits) in [("claude-code", true), ("cursor", false)] {
        let shown = sandbox.run(&line(&format!("tools show mcp__github__q --agent {agent}")));
        assert_eq!(shown.out.contains("listed but not loaded"), waits, "{shown:?}");
    }
}

/// Bug: what failed before a server came to a client was told to fail since its last session.
#[test]
fn a_tool_that_failed_before_is_not_said_to_fail_since_the_last_session() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["other"]);
    sandbox.ok(&["scan"]);
    sandbox.ok(&line("record mcp__github__q --success --agent claude-code"));
    fail_thrice(&sandbox, "mcp__github__q", "claude-code");
    sandbox.start_of("codex", "x1");
    sandbox.codex(&["github", "other"]);
    let told = sandbox.start_of("codex", "x2");
    assert!(told.contains("- Failing, avoid: `mcp__github__q` ("), "{told}");
    assert!(sandbox.start_of("codex", "x3").contains("- Still failing, avoid: "));
}

/// Bug: in the first session of an agent nothing said what another did to the item that it had claimed.
#[test]
fn who_holds_an_item_is_told_what_another_did_to_it() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("work add plan Move --id p"));
    let claim = ["work", "claim", "p", "--agent", "claude-code", "--session", "s1"];
    for (what, told) in [
        ("work step p looked", "plan `p` (stepped, by `codex`)"),
        ("work set p --status in_progress", "plan `p` (todo → in progress, by `codex`)"),
        ("work set p --text 'Move all'", "plan `p` (edited, by `codex`)"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.ok(&line("work add plan Move --id p"));
        sandbox.start_of("claude-code", "s1");
        sandbox.ok(&claim);
        let said = sandbox.start_of("claude-code", "s1");
        assert!(!said.contains("changed"), "{said}");
        sandbox.ok(&line(&format!("{what} --agent codex")));
        let said = sandbox.start_of("claude-code", "s1");
        assert!(said.contains(told) && said.contains("Claimed by you: plan `p`"), "{said}");
    }
    // Also what was done before it was claimed.
    sandbox.start_of("claude-code", "s1");
    sandbox.start_of("claude-code", "s0");
    sandbox.ok(&line("work step p looked --agent codex"));
    sandbox.ok(&claim);
    let said = sandbox.start_of("claude-code", "s2");
    assert!(said.contains("plan `p` (stepped, by `codex`)"), "{said}");
}

/// Bug: with several sessions the command that takes work over bound it to none of them.
#[test]
fn an_agent_with_several_sessions_is_told_to_name_its_own() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("work add plan Move --id p"));
    let late = |sessions: &[&str]| {
        sessions.iter().for_each(|id| drop(sandbox.start_of("claude-code", id)));
        sandbox.ok(&line("stale --agent claude-code --now 2026-11-20T13:00:00Z"))
    };
    sandbox.ok(&line("work claim p --agent codex --session x"));
    assert!(late(&["s1"]).contains("work claim p  # you take it over"));
    let told = "work claim p  # you take it over; add --session with the id of your session";
    assert!(late(&["s2"]).contains(told), "what is pasted claims for no session of this name");
}

/// Bug: a handoff that was redirected stayed with an agent that could neither accept nor release it.
#[test]
fn a_claim_ends_with_a_new_receiver_and_its_holder_is_told() {
    let sandbox = Sandbox::new();
    let on = |text: &str| sandbox.run(&line(&format!("{text} --now 2026-11-20T12:10:00Z")));
    sandbox.ok(&line("work add handoff Review --id it --from gemini --to claude-code"));
    sandbox.start_of("claude-code", "s1");
    let claim = "work claim it --agent claude-code --session s1";
    assert_eq!(on(claim).code, 0);
    let run = on("work set it --to codex --agent gemini");
    assert!(run.code == 3 && run.err.contains("is claimed by \"claude-code\""), "{run:?}");
    assert_eq!(on("work set it --to claude-code --agent gemini").code, 0, "it is the holder's");
    assert_eq!(on("work set it --to codex").code, 0);
    let prompt = json!({ "session_id": "s1", "hook_event_name": "UserPromptSubmit",
        "cwd": sandbox.project, "prompt": "go on" });
    let options = ["--client", "claude-code", "--now", "2026-11-20T12:11:00Z"];
    let said = told(&sandbox.hook_with(&options, prompt.to_string().as_bytes()));
    assert!(said.starts_with("Your claim was ended: handoff `it` (ended by a person"), "{said}");
    assert!(told_on(&sandbox, "codex", 21).contains("For you: handoff `it` from `gemini`"));
    assert_eq!(on("work claim it --agent codex --session x1").code, 0);
}

/// Bug: the undo that was printed for a person's expired rule was refused.
#[cfg(unix)]
#[test]
fn an_undo_is_printed_to_whom_it_is_allowed() {
    let sandbox = Sandbox::new();
    for agent in ["--agent codex", ""] {
        let id = if agent.is_empty() { "b" } else { "a" };
        let rule = format!("work add constraint 'No releases' --id {id} --expires 2026-11-05");
        let typed = format!("{rule} --now 2026-11-03");
        assert!(sandbox.typed(&line(&typed), "NOTHING=1", "").success());
        let settled = sandbox.ok(&line(&format!("stale resolve {id} {agent}")));
        assert_eq!(settled.contains("to undo"), agent.is_empty(), "{settled}");
    }
}

/// Bug: an agent was told to replace a preference that someone had marked as wrong, which no agent may.
#[test]
fn a_preference_that_is_marked_as_wrong_is_told_as_the_users() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 2);
    let on = |text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-03")));
    on("knowledge add --kind preference --id tabs --body Tabs --global");
    on("knowledge contradict tabs --by ana --reason no");
    let told = told_on(&sandbox, "codex", 6);
    let ask = "\n- Doubted (ask the user whether it is still true): preference `tabs` by `ana`";
    assert!(told.contains(ask) && !told.contains("--supersedes"), "{told}");
}

/// Bug: a person freed what an agent's dead session had claimed, and the agent's next session was told to stop.
#[test]
fn what_a_dead_session_had_claimed_is_for_its_agent_again() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("work add handoff Review --id h --to claude-code --agent codex"));
    sandbox.start_of("claude-code", "s1");
    sandbox.ok(&line("work claim h --agent claude-code --session s1"));
    sandbox.ok(&line("session end s1"));
    sandbox.ok(&line("work release h"));
    let told = sandbox.start_of("claude-code", "s2");
    assert!(told.contains("For you: handoff `h` from `codex` (take it: "), "{told}");
    assert!(!told.contains("ended"), "{told}");
}

/// Bug: of what has expired only its removal was offered.
#[test]
fn an_expired_item_comes_with_the_command_that_keeps_it() {
    let sandbox = Sandbox::new();
    let add = "knowledge add --id port --expires 2026-11-03 --body 8080 --now 2026-11-01";
    sandbox.ok(&line(add));
    let told = sandbox.ok(&line("review --agent codex"));
    let keep = "$ staleness --agent codex knowledge set --expires none port  # it is still true";
    assert!(told.contains("knowledge done port\n") && told.contains(keep), "{told}");
    let run = sandbox.run(&line("knowledge verify port"));
    let way = "it has expired; `staleness knowledge set --expires none port` keeps it";
    assert!(run.code == 0 && run.err.contains(way), "{run:?}");
    // Not of what someone says is wrong.
    sandbox.ok(&line("knowledge add --id host --expires 2026-11-03 --body K --now 2026-11-01"));
    sandbox.ok(&line("knowledge contradict host --by me --reason moved"));
    let review = sandbox.json(&["review"]);
    let of = |id: &str| review["items"].as_array().unwrap().iter().find(|it| it["id"] == id);
    assert_eq!(of("host").unwrap()["otherwise"], json!(null));
    let item = of("port").unwrap();
    let keep = item["otherwise"].as_str().unwrap();
    sandbox.ok(&line(keep.strip_prefix("staleness ").unwrap()));
    sandbox.ok(&line("knowledge remove --yes host"));
    assert_eq!(sandbox.json(&["review"])["items"], json!([]));
}

/// Bug: an agent was told to accept what is for somebody else, and a pasted command claimed for an agent `NAME`.
#[test]
fn overdue_work_is_offered_to_whom_it_is_for() {
    let sandbox = Sandbox::new();
    let on = |day: u32, text: &str| {
        let run = sandbox.run(&line(&format!("{text} --now 2026-11-{day:02}")));
        assert_eq!(run.code, 0, "{run:?}");
        run.out
    };
    on(1, "work add handoff Prices --id price --to ana");
    on(1, "work add candidate Redis --id redis");
    on(1, "work add plan First --id first");
    on(1, "work add plan Move --id p --after first");
    on(1, "work claim p --agent claude-code --session s1");
    let told = told_on(&sandbox, "codex", 25);
    let price = "handoff `price` (open for 24 days, neither accepted nor closed) for `ana`";
    assert!(told.contains(price), "{told}");
    let take = "work claim price";
    let stale = on(25, "stale --agent codex");
    assert!(stale.contains("→ ana: Prices\n") && !stale.contains(take), "{stale}");
    assert!(stale.contains("work set redis --status accepted  # it is wanted"), "{stale}");
    assert!(on(25, "stale --agent ana").contains(&format!("{take}  # you take it")));
    let stale = on(25, "stale");
    let pasted = "staleness work claim p";
    assert!(stale.contains(&format!("$ {pasted}  # an agent adds --agent to take it")), "{stale}");
    assert_eq!(sandbox.run(&line("work claim p")).code, 2);
    let claimed = on(25, "work claim p --agent codex");
    assert!(claimed.ends_with("\n  waits for first\n"), "{claimed}");
    on(25, "work set first --status done");
    // The item of the project is meant, not the global one of its id.
    on(25, "work add plan Other --id first --global");
    assert!(!on(25, "work claim p --agent codex").contains("waits for"));
    assert!(!on(25, "work show first --scope global").contains("before"));
    // Bug: what one other hands to another was told to a third agent, which could end it.
    on(1, "work add handoff Rates --id rates --from ben --to ana");
    assert!(!told_on(&sandbox, "codex", 26).contains("`rates` (open for"));
    assert!(!on(26, "stale --agent codex").contains("rates"));
    let run = sandbox.run(&line("stale resolve rates --agent codex --now 2026-11-26"));
    assert!(
        run.code == 3 && run.err.contains("only \"ben\", \"ana\" or a person can end it"),
        "{run:?}"
    );
    on(26, "stale resolve rates --agent ben");
    // Bug: a third agent gave itself what another was to take.
    on(26, "work add handoff Look --id look --to codex");
    for text in ["work set look --to gemini", "work set look --to gemini --status accepted"] {
        let run = sandbox.run(&line(&format!("{text} --agent claude-code --now 2026-11-26")));
        assert!(run.code == 3 && run.err.contains("is a handoff for \"codex\""), "{run:?}");
    }
    assert!(!told_on(&sandbox, "claude-code", 27).contains("Look"));
    on(27, "work set look --to gemini --agent codex");
}

/// Bug: nothing said who edited an item, reopened it or put another in its place.
#[test]
fn a_change_names_the_agent_that_made_it() {
    let sandbox = Sandbox::new();
    let work = |text: &str| drop(sandbox.ok(&line(text)));
    for id in ["edited", "mine", "reopened", "theirs"] {
        work(&format!("work add plan Move --id {id}"));
    }
    work("work set reopened --status done --agent gemini");
    work("knowledge add --id port --body 8080");
    told_on(&sandbox, "claude-code", 21);
    work("work set edited --text 'Move all' --agent codex");
    work("work set mine --text 'Move all' --agent claude-code");
    work("work set theirs --text 'Move all'");
    work("work reopen reopened --agent codex");
    work("knowledge add --id ports --body 9090 --supersedes port --agent codex");
    let told = told_on(&sandbox, "claude-code", 22);
    for part in [
        "plan `edited` (edited, by `codex`)",
        "plan `mine` (edited, by this agent)",
        "plan `theirs` (edited)",
        "plan `reopened` (done → todo, by `codex`)",
        "knowledge `port` (superseded by `ports`, by `codex`)",
        "knowledge `ports` (added)",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// Bug: a handoff that waits for other work was offered with the command that takes it.
#[test]
fn a_handoff_that_waits_says_for_what_and_is_offered_once_it_is_free() {
    let sandbox = Sandbox::new();
    let work = |text: &str| drop(sandbox.ok(&line(&format!("work {text} --agent codex"))));
    work("add plan First --id first");
    told_on(&sandbox, "claude-code", 21);
    work("add handoff Review --id h --to claude-code --after first");
    work("add handoff Look --id n --after first");
    let waits = " from `codex` (waits for `first`)";
    for day in [22, 23] {
        let told = told_on(&sandbox, "claude-code", day);
        assert!(told.contains(&format!("- For you: handoff `h`{waits}")), "{told}");
        let is_new = told.contains(&format!("- For whoever takes it: handoff `n`{waits}"));
        assert!(is_new == (day == 22) && !told.contains("work claim"), "{told}");
    }
    work("set first --status done");
    let told = told_on(&sandbox, "claude-code", 24);
    for (title, id) in [("For you", "h"), ("For whoever takes it", "n")] {
        let take = format!("(take it: `staleness work claim {id} --agent claude-code ");
        assert!(told.contains(&format!("- {title}: handoff `{id}` from `codex` {take}")), "{told}");
    }
    assert!(!told.contains("waits for"), "{told}");
}

/// Bug: an agent whose claim had run out, and who was told so, was told to stop working on what another took over.
#[test]
fn of_a_claim_that_was_told_as_abandoned_an_agent_hears_what_others_do() {
    for end in
        ["set p --status done --agent codex", "release p --agent codex", "set p --status dropped"]
    {
        let sandbox = Sandbox::new();
        let on = |day: u32, text: &str| {
            let run = sandbox.run(&line(&format!("work {text} --now 2026-11-{day}T11:50:00Z")));
            assert_eq!(run.code, 0, "{run:?}");
        };
        told_on(&sandbox, "claude-code", 20);
        on(21, "add plan Move --id p");
        on(21, "claim p --agent claude-code --session gone");
        let told = told_on(&sandbox, "claude-code", 22);
        assert!(told.contains("- Abandoned (take it over: "), "{told}");
        on(23, "claim p --agent codex --session x1");
        on(23, end);
        let told = told_on(&sandbox, "claude-code", 24);
        assert!(!told.contains("Your claim") && told.contains("plan `p` ("), "{told}");
    }
}

/// Bug: one text said of a handoff that it was abandoned, and that it was claimed and waits for nothing.
#[test]
fn what_was_abandoned_and_waits_for_nothing_any_more_is_told_as_abandoned_alone() {
    let sandbox = Sandbox::new();
    let on = |day: u32, text: &str| {
        let run = sandbox.run(&line(&format!("work {text} --now 2026-11-{day}T11:00:00Z")));
        assert_eq!(run.code, 0, "{run:?}");
    };
    told_on(&sandbox, "codex", 20);
    on(21, "add plan First --id first --agent codex");
    on(21, "add handoff Review --id h --to claude-code --after first --agent codex");
    told_on(&sandbox, "codex", 21);
    on(22, "claim h --agent claude-code --session gone");
    on(22, "set first --status done");
    let told = told_on(&sandbox, "codex", 22);
    assert!(told.contains("- Handed over by you and abandoned (release it: "), "{told}");
    assert_eq!(told.matches("handoff `h`").count(), 1, "{told}");
}

/// Bug: whose claim on a handoff to an unknown agent ran out was not told so.
#[test]
fn whoever_abandoned_a_handoff_is_told_so() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 20);
    let at = "--now 2026-11-22T11:00:00Z";
    sandbox.run(&line("work add handoff Look --id h --agent codex --now 2026-11-21"));
    told_on(&sandbox, "claude-code", 21);
    sandbox.ok(&line(&format!("work claim h --agent claude-code --session gone {at}")));
    let told = told_on(&sandbox, "claude-code", 22);
    assert!(told.contains("- Abandoned (take it over: ") && told.contains("handoff `h`"), "{told}");
}

/// Bug: the command for what a first start left out printed the same and left it out again.
#[test]
fn what_a_first_start_leaves_out_comes_with_the_command_that_lists_it() {
    let sandbox = Sandbox::new();
    for at in 0..17 {
        sandbox.ok(&line(&format!("work add plan Move --id p{at:02}")));
    }
    let told = told_on(&sandbox, "codex", 21);
    assert!(told.contains(", and 5 more\n- All: `staleness work list --open`"), "{told}");
    assert_eq!(sandbox.ok(&line("work list --open")).matches("Move").count(), 17);
}

/// Bug: one text said twice that the agent itself had marked an item as wrong.
#[test]
fn what_an_agent_marked_as_wrong_is_told_to_it_once() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("knowledge add --id port --body 8080"));
    told_on(&sandbox, "claude-code", 21);
    sandbox
        .ok(&line("knowledge contradict port --by claude-code --reason moved --agent claude-code"));
    let told = told_on(&sandbox, "claude-code", 22);
    assert!(told.contains("- Marked as wrong (") && told.contains("by this agent"), "{told}");
    assert_eq!(told.matches("`port`").count(), 1, "{told}");
}

/// Bug: a pinned or ignored server that the project had once switched off was told as removed.
#[test]
fn a_decision_does_not_bring_back_what_the_project_switched_off_before() {
    for verb in ["pin", "ignore"] {
        let sandbox = Sandbox::new();
        let project = sandbox.project.to_str().unwrap();
        let start = |id: &str, off: &[&str]| {
            let config = json!({ "mcpServers": { "github": { "command": "npx" } },
                "projects": { project: { "disabledMcpServers": off } } });
            sandbox.write("home/.claude.json", config.to_string());
            sandbox.start_of("claude-code", id)
        };
        start("c1", &[]);
        sandbox.ok(&line("record mcp__github__q --success --agent claude-code"));
        start("c2", &["github"]);
        start("c3", &[]);
        sandbox.ok(&line(&format!("tools {verb} github")));
        for name in ["github", "mcp__github__q"] {
            let shown = sandbox.json(&line(&format!("tools show {name} --agent claude-code")));
            let is_there = shown["presence"]["state"] == "present";
            assert!(is_there && !shown["verdict"].to_string().contains("no longer"), "{shown:#}");
        }
        let stale = sandbox.json(&line("review --agent claude-code"));
        assert_eq!(stale["items"], json!([]), "{verb}");
        if verb == "pin" {
            assert!(start("c4", &["github"]).contains("`mcp__github__*` (switched off)"));
            assert!(start("c5", &[]).contains("Available again: `mcp__github__*`"));
        }
    }
}

/// Bugs: the skills of another client, and files that another takes the place of.
#[test]
fn what_only_another_client_loads_is_told_to_no_agent() {
    let sandbox = Sandbox::with_history();
    let write = |path: &str, text: &str| sandbox.write(&format!("project/{path}"), text);
    let cites = "Read [the router](/src/router.rs) before.\n";
    write("src/router.rs", "pub fn route() {}\n");
    let paths = [".claude/skills/a/SKILL.md", ".codex/skills/b/SKILL.md", "docs/rules.md"];
    for path in paths {
        write(path, &format!("---\nname: it\ndescription: it\n---\n{cites}"));
    }
    write("CLAUDE.md", "Read @docs/rules.md\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("src/router.rs")).unwrap();
    sandbox.commit("2026-02-10T00:00:00Z");
    let skills = [true, false, true];
    for (agent, expected) in [
        ("claude-code", skills),
        ("codex", [false, true, true]),
        ("cursor", skills),
        ("vscode", skills),
        ("gemini", [false, false, true]),
    ] {
        let review = sandbox.json(&["review", "--agent", agent]).to_string();
        assert_eq!(paths.map(|path| review.contains(path)), expected, "{agent}: {review}");
    }
}
