//! Tests that people and other agents are told who did something.

use serde_json::json;

use crate::common::{Run, Sandbox, line};
use crate::told::told_on;

/// Bug: what an agent did was told as done by hand.
#[test]
fn an_agent_is_named_for_what_it_did() {
    let sandbox = Sandbox::new();
    let ok = |text: &str| sandbox.ok(&line(text));
    ok("knowledge add --id k --body Routes");
    ok("knowledge set k --body Routers --agent codex");
    ok("knowledge contradict k --by codex --reason no --agent codex");
    ok("knowledge verify k --agent claude-code");
    ok("work add handoff Review --id h --to codex");
    ok("work set h --status accepted --agent codex");
    for (name, action, ends) in [
        ("k", "added", "by hand"),
        ("k", "edited", "changed body, by codex"),
        ("k", "contradicted", "contradicted by codex: no"),
        ("k", "verified", "by claude-code"),
        ("h", "added", "by hand"),
        ("h", "moved", "by codex"),
    ] {
        let why = ok(&format!("why {name}"));
        let is_it = |line: &&str| line.contains(&format!("  {action}  "));
        let told = why.lines().find(is_it).unwrap_or_else(|| panic!("{action}: {why}"));
        assert!(told.ends_with(&format!(" {ends}")), "{told}");
    }
    assert_eq!(sandbox.json(&["why", "k"])["journal"][0]["actor"], "claude-code");
    assert!(ok("knowledge show k").contains("Z verified by claude-code\n"));
    assert!(ok("work show h").contains("Z moved by codex\n"));
}

/// Bug: what an agent demoted was told as demoted by the user, and an agent restored what the user had demoted.
#[test]
fn an_agent_demotes_in_its_own_name_and_lifts_only_what_an_agent_demoted() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex_github(true);
    told_on(&sandbox, "claude-code", 2);
    let on = |day: u32, text: &str| sandbox.run(&line(&format!("{text} --now 2026-11-{day:02}")));
    let ok = |day: u32, text: &str| {
        let run = on(day, text);
        assert_eq!(run.code, 0, "{text}: {run:?}");
        run.out
    };
    let told = ok(3, "tools demote github --agent codex --reason flaky");
    assert!(told.contains("demoted by codex: \"flaky\"\n") && !told.contains("by hand"), "{told}");
    let told = told_on(&sandbox, "claude-code", 4);
    let by_agent = "- Demoted by an agent, avoid: `mcp__github__*` (demoted by `codex`)";
    assert!(told.ends_with(by_agent), "{told}");
    assert!(told_on(&sandbox, "claude-code", 5).ends_with(by_agent), "it does not fail");
    for command in ["", "tools", "why github", "review"] {
        let told = ok(5, command);
        assert!(
            told.contains("demoted by codex") && !told.contains("by hand"),
            "{command}: {told}"
        );
    }
    ok(6, "tools restore github --agent claude-code");
    assert_eq!(sandbox.status("github"), "active");

    // What a person repeats is the person's.
    ok(7, "tools demote github --agent codex");
    let told = ok(8, "tools demote github --reason 'leaks <keys>'");
    assert!(told.contains("by hand       demoted: \"leaks /keys/\"\n"), "{told}");
    for verb in ["restore", "pin", "ignore"] {
        let refused = on(9, &format!("tools {verb} github --agent codex"));
        let why = "a person demoted mcp__github__*, so only a person can change that, with `staleness \
                   tools restore github`";
        assert!(refused.code == 3 && refused.err.contains(why), "{verb}: {refused:?}");
    }
    assert!(told_on(&sandbox, "claude-code", 10).contains("Demoted by the user; ask before"));
    ok(11, "tools restore github");
    assert_eq!(sandbox.status("github"), "active");
}

/// Bug: any agent ended a rule that a person had written, and others did not hear who had.
#[cfg(unix)]
#[test]
fn an_agent_ends_no_rule_of_a_person_and_is_named_for_what_it_ends() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 2);
    let typed = |text: &str| {
        let text = format!("{text} --now 2026-11-03");
        assert!(sandbox.typed(&line(&text), "NOTHING=1", "").success(), "{text}");
    };
    typed("work add constraint 'Never edit src/gen' --id gen");
    typed("work add constraint 'No releases' --id freeze --expires 2026-11-05");
    let set = |day: u32, id: &str, agent: &str| {
        let set = format!("work set {id} --status resolved {agent} --now 2026-11-{day:02}");
        sandbox.run(&line(&set))
    };
    for id in ["gen", "freeze"] {
        let run = set(4, id, "--agent codex");
        let why = format!("change or end it, as with `staleness work set {id} --status resolved`");
        assert!(run.code == 3 && run.err.contains(&why), "{run:?}");
    }
    let mut command = sandbox.command();
    command.args(line("work set gen --status resolved")).env("CLAUDECODE", "1");
    let run = Run::of(command.output().unwrap());
    assert!(run.code == 2 && run.err.contains("no agent given"), "{run:?}");
    told_on(&sandbox, "claude-code", 4);
    // What has expired is in force no more.
    assert_eq!(set(6, "freeze", "--agent codex").code, 0);
    assert_eq!(set(6, "gen", "").code, 0);
    let told = told_on(&sandbox, "claude-code", 6);
    for part in ["`freeze` (active → resolved, by `codex`)", "`gen` (active → resolved)"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let shown = sandbox.ok(&line("resume --agent gemini --since 2026-11-06 --now 2026-11-07"));
    let row = shown.lines().find(|row| row.contains("freeze")).unwrap();
    assert!(row.contains("active → resolved") && row.contains(" codex "), "{shown}");
}

/// Bug: an agent let a person's rule expire, rewrote, revived or hid it, and named its own in front of it.
#[cfg(unix)]
#[test]
fn an_agent_touches_no_rule_of_a_person_by_another_door() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 2);
    let on = |day: u32, text: &str| sandbox.run(&line(&format!("{text} --now 2026-11-{day:02}")));
    let typed = |text: &str| {
        let text = format!("{text} --now 2026-11-03");
        assert!(sandbox.typed(&line(&text), "NOTHING=1", "").success(), "{text}");
    };
    typed("work add constraint 'Never edit src/gen' --id gen");
    typed("work add trap 'Staging is read-only' --id staging --global");
    for at in 0..14 {
        on(
            4,
            &format!(
                "work add trap Mine --id the-long-name-of-a-trap-of-an-agent-{at} --agent codex"
            ),
        );
    }
    told_on(&sandbox, "claude-code", 5);
    told_on(&sandbox, "claude-code", 6);
    let told = told_on(&sandbox, "claude-code", 7);
    let rules = "- In force: trap `global:staging`: \"Staging is read-only\", constraint `gen`: \"";
    assert!(told.contains(rules), "{told}");

    let refused = |text: &str, why: &str| {
        let run = on(7, &format!("{text} --agent codex"));
        assert!(run.code == 3 && run.err.contains(why), "{text}: {run:?}");
    };
    let end = "change it, as with `staleness work set gen --text TEXT`";
    for edit in ["--expires -1d", "--expires +9d", "--text Edit", "--text Edit --to ana"] {
        refused(&format!("work set gen {edit}"), end);
    }
    assert_eq!(on(7, "work set gen --ref staging --agent codex").code, 0);
    assert_eq!(on(7, "work set gen --status resolved").code, 0);
    let reopen = "only a person can reopen it, with `staleness work reopen gen`";
    for text in ["reopen gen", "set gen --status active", "set gen --expires -1d"] {
        refused(&format!("work {text}"), reopen);
    }
    assert_eq!(on(7, "work reopen gen").code, 0);

    assert_eq!(on(7, "work add trap Mine --id staging --agent codex").code, 0);
    let told = told_on(&sandbox, "claude-code", 8);
    assert!(told.contains("- In force: trap `global:staging`: \"Staging is read-only\""), "{told}");
    on(7, "knowledge add --kind preference --id tabs --body Tabs --global");
    refused("knowledge add --kind preference --id tabs --body Spaces", "\"tabs\" already");
    for edit in ["set tabs --kind knowledge", "set tabs --body 2", "add --body 2 --supersedes tabs"]
    {
        refused(&format!("knowledge {edit}"), "only a person can change it, as with");
    }
    // Whoever added it last is asked.
    on(7, "knowledge add --kind preference --id own --body Own --agent codex");
    for link in ["set own --supersedes tabs", "supersede tabs --by own"] {
        refused(&format!("knowledge {link}"), "only a person can change it, as with");
    }
    on(7, "knowledge remove own --yes --agent codex");
    on(7, "knowledge add --kind preference --id own --body Own");
    refused("knowledge remove own --yes", "there is no record that an agent wrote");
}

/// Bug: a rule that a person typed for all projects was hidden by an item that had its id before.
#[cfg(unix)]
#[test]
fn a_persons_rule_is_told_beside_an_item_that_has_its_id() {
    let sandbox = Sandbox::new();
    for kind in ["constraint", "plan"] {
        sandbox.ok(&line(&format!("work add {kind} Mine --id {kind} --agent codex")));
        let text = format!("work add constraint 'Never push' --id {kind} --global");
        assert!(sandbox.typed(&line(&text), "NOTHING=1", "").success());
    }
    told_on(&sandbox, "claude-code", 21);
    let told = told_on(&sandbox, "claude-code", 22);
    for id in ["constraint", "plan"] {
        assert!(told.contains(&format!("constraint `global:{id}`: \"Never push\"")), "{told}");
    }
    let project = "work add constraint 'Push as you like' --id push --expires 2026-11-22";
    sandbox.ok(&line(&format!("{project} --agent codex --now 2026-11-21")));
    let global = line("work add constraint 'Never push' --id push --global");
    assert!(sandbox.typed(&global, "NOTHING=1", "").success());
    told_on(&sandbox, "claude-code", 21);
    for day in [23, 24] {
        let told = told_on(&sandbox, "claude-code", day);
        assert!(told.contains("constraint `global:push`: \"Never push\""), "{told}");
        assert_eq!(told.matches("constraint `push` (").count(), 1, "{told}");
        sandbox.run(&line("work set push --status resolved --now 2026-11-23"));
    }
}

/// Bug: an agent silenced what others are told of a server, also of those whose client gets it later.
#[test]
fn an_agent_neither_ignores_nor_pins_a_tool() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.ok(&["scan"]);
    for verb in ["ignore", "pin"] {
        for agent in ["codex", "claude-code"] {
            let run = sandbox.run(&line(&format!("tools {verb} github --agent {agent}")));
            let why = format!(
                "only a person can {verb} mcp__github__*, with `staleness tools {verb} github`"
            );
            assert!(run.code == 3 && run.err.contains(&why), "{run:?}");
        }
        // Bug: one without a name did.
        let mut command = sandbox.command();
        command.args(line(&format!("tools {verb} github"))).env("CLAUDECODE", "1");
        let run = Run::of(command.output().unwrap());
        assert!(run.code == 2 && run.err.contains("no agent given"), "{run:?}");
        assert_eq!(sandbox.run(&line(&format!("tools {verb} github"))).code, 0);
        sandbox.ok(&line("tools restore github"));
    }
}

/// Bug: an agent removed a preference that a person had written.
#[test]
fn an_agent_removes_no_preference_of_a_person() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 2);
    for (id, agent) in [("tabs", ""), ("own", "--agent codex")] {
        let add = format!("knowledge add --kind preference --id {id} --body Tabs {agent}");
        sandbox.ok(&line(&format!("{add} --now 2026-11-03")));
    }
    told_on(&sandbox, "claude-code", 3);
    let remove = |id: &str, agent: &str| {
        let remove = format!("knowledge remove {id} --yes {agent} --now 2026-11-04");
        sandbox.run(&line(&remove))
    };
    let run = remove("tabs", "--agent codex");
    let why = "only a person can change it, as with `staleness knowledge set tabs --body TEXT`";
    assert!(run.code == 3 && run.err.contains(why), "{run:?}");
    assert_eq!(remove("own", "--agent codex").code, 0);
    let told = told_on(&sandbox, "claude-code", 4);
    assert!(told.contains("knowledge `own` (removed, by `codex`)"), "{told}");
    assert_eq!(remove("tabs", "").code, 0);
}

/// Bug: an agent ended a person's demotion by a tool of the server, by the server of a tool, and without its name.
#[test]
fn a_persons_demotion_is_ended_by_no_other_door() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex_github(true);
    let ok = |text: &str| sandbox.ok(&line(text));
    for tool in ["get", "delete"] {
        ok(&format!("record mcp__github__{tool} --success --agent claude-code"));
    }
    let refused = |text: &str, by: &str| {
        let run = sandbox.run(&line(&format!("{text} --agent codex")));
        let how = format!("`staleness tools restore {by}`");
        assert!(run.code == 3 && run.err.contains(&how), "{text}: {run:?}");
    };
    ok("tools demote github");
    for verb in ["pin", "ignore"] {
        refused(&format!("tools {verb} mcp__github__get"), "github");
    }
    ok("tools restore github");
    ok("tools demote mcp__github__delete");
    for verb in ["restore", "pin"] {
        let mut command = sandbox.command();
        command.args(line(&format!("tools {verb} mcp__github__delete"))).env("CLAUDECODE", "1");
        let run = Run::of(command.output().unwrap());
        assert!(run.code == 2 && run.err.contains("no agent given"), "{verb}: {run:?}");
    }
    let root = sandbox.project.to_str().unwrap();
    let run = sandbox.run(&["project", "forget", root, "--yes", "--agent", "codex"]);
    assert!(run.code == 3 && run.err.contains("an agent cannot delete"), "{run:?}");
    assert_eq!(sandbox.status("mcp__github__delete"), "demoted");
    // Bug: what an agent without its name demoted counted as a person's demotion.
    let mut command = sandbox.command();
    command.args(line("tools demote mcp__github__get")).env("CLAUDECODE", "1");
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    // What another agent demoted an agent may restore.
    ok("tools demote github --agent codex");
    ok("tools restore github --agent claude-code");
    assert_eq!(sandbox.status("github"), "active");
    // Bug: what is told of a use named the user.
    ok("tools restore mcp__github__delete");
    ok("tools demote mcp__github__delete --agent codex");
    let used = sandbox.json(&line("record mcp__github__delete --failure --agent claude-code"));
    assert_eq!(used["tool"]["health"]["cause"], "demoted by codex", "{used}");
}

/// Bug: an agent that demoted the project's entry too was told instead of the person who had demoted the user's.
#[test]
fn of_two_that_demoted_a_name_the_person_is_told() {
    let sandbox = Sandbox::with_servers(&["db"]);
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"db": {"command": "own"}}}"#);
    sandbox.write("home/.claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#);
    sandbox.write("home/.codex/config.toml", "[mcp_servers.db]\ncommand = \"x\"\n");
    told_on(&sandbox, "claude-code", 2);
    let on = |text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-03")));
    on("tools demote db --scope global --reason leaks");
    on("tools demote db --agent codex --reason slow");
    let told = told_on(&sandbox, "claude-code", 4);
    assert!(told.contains("- Demoted by the user; ask before you call: `mcp__db__*`"), "{told}");
    let shown = on("tools show db");
    assert!(shown.contains("by hand       demoted: \"leaks\""), "{shown}");
}

/// Bug: what an agent demoted was told with the cause of a scan that found it again.
#[test]
fn what_an_agent_demoted_is_told_as_that_after_it_went_and_came_back() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex_github(true);
    told_on(&sandbox, "claude-code", 2);
    sandbox.ok(&line("tools demote github --agent codex --now 2026-11-03"));
    for servers in [&[][..], &["github"]] {
        sandbox.claude(servers);
        sandbox.ok(&line("scan --now 2026-11-03"));
    }
    let told = told_on(&sandbox, "claude-code", 4);
    assert!(told.contains(", avoid: `mcp__github__*` (demoted by `codex`)"), "{told}");
}

/// Bug: a person's demotion was lost when the server's entry went from one file to another.
#[test]
fn a_demotion_of_a_server_holds_wherever_the_project_has_it() {
    let sandbox = Sandbox::with_servers(&["github"]);
    told_on(&sandbox, "claude-code", 2);
    let on = |day: u32, text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-{day:02}")));
    on(3, "tools demote github --reason 'leaks keys'");
    sandbox.write("home/.claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#);
    let own = r#"{"mcpServers": {"github": {"command": "x"}}}"#;
    for (day, user, project) in [(4, &[][..], own), (6, &["github"], own), (8, &["github"], "{}")] {
        sandbox.claude(user);
        sandbox.write("project/.mcp.json", project);
        let told = told_on(&sandbox, "claude-code", day);
        on(day, "record mcp__github__get --success --agent claude-code");
        let demoted = "- Demoted by the user; ask before you call: `mcp__github__*`";
        assert!(told.contains(demoted), "{day}: {told}");
        assert_eq!(["github", "mcp__github__get"].map(|tool| sandbox.status(tool)), ["demoted"; 2]);
        let review = on(day, "review");
        assert_eq!(review.matches("  tool mcp__github__*").count(), 1, "{review}");
        let shown = on(day, "tools show github");
        assert!(shown.contains("demoted: \"leaks keys\""), "{shown}");
        let found = on(day, "tools suggest github");
        assert!(!found.contains("mcp__github__get"), "{found}");
    }
    sandbox.claude(&[]);
    sandbox.write("project/.mcp.json", own);
    let pinned = sandbox.run(&line("tools pin github --scope project --agent codex"));
    assert!(pinned.code == 3 && pinned.err.contains("a person demoted"), "{pinned:?}");
    on(9, "tools restore github");
    assert_eq!(["github", "mcp__github__get"].map(|tool| sandbox.status(tool)), ["active"; 2]);
}

/// Bug: an agent was told that its tool is switched off, because another client switched its own entry off.
#[test]
fn what_waits_for_one_client_is_not_told_as_what_another_switched_off() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex_github(true);
    told_on(&sandbox, "claude-code", 2);
    let on = |day: u32, text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-{day:02}")));
    for client in ["claude-code", "codex"] {
        on(2, &format!("record mcp__github__get --success --agent {client}"));
    }
    sandbox.codex_github(false);
    told_on(&sandbox, "codex", 3);
    sandbox.claude(&[]);
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"github": {"command": "x"}}}"#);
    let told = told_on(&sandbox, "claude-code", 4);
    assert!(told.contains("waits for approval") && !told.contains("switched off"), "{told}");
    for command in ["", "tools", "tools show mcp__github__get", "review"] {
        let told = on(4, &format!("{command} --agent claude-code"));
        assert!(told.contains("approve it in the client"), "{command}: {told}");
        assert!(!told.contains("switched off"), "{command}: {told}");
    }
    let review = on(4, "review --agent claude-code");
    assert_eq!(review.matches("mcp__github__").count(), 1, "the server speaks: {review}");
    assert!(on(4, "--agent codex").contains("all switched off"));
}

/// Bug: the recovery of a tool was told as that of the client for which it had failed.
#[test]
fn a_recovery_names_the_client_that_called_the_tool() {
    let sandbox = Sandbox::new();
    for _ in 0..5 {
        sandbox.ok(&line("record mcp__shared__s --failure --agent claude-code"));
    }
    let used = json!({ "session_id": "b2", "cwd": sandbox.project, "tool_name": "mcp__shared__s",
        "hook_event_name": "PostToolUse", "tool_input": {}, "tool_response": { "content": [] },
        "tool_use_id": "u", "turn_id": "t" });
    let run = sandbox.hook_with(&["--client", "codex"], used.to_string().as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let history = sandbox.ok(&line("tools history mcp__shared__s"));
    assert!(history.contains("succeeded for codex in session b2\n"), "{history}");
    assert!(!history.contains("for claude-code"), "{history}");
}

/// Bug: a contradicted and a superseded item were told as added.
#[test]
fn news_say_what_became_of_what_was_added_and_who_did_it() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 2);
    let on = |day: u32, text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-0{day}")));
    on(3, "knowledge add --id k1 --body K1 --agent codex");
    on(3, "knowledge add --id k2 --body K2 --agent claude-code");
    on(3, "work add plan P --id p");
    on(4, "knowledge contradict k1 --by claude-code --reason no --agent claude-code");
    on(4, "knowledge supersede k2 --by k1");
    on(4, "work step p half");
    let told = told_on(&sandbox, "codex", 5);
    for part in ["): knowledge `k1` by `claude-code`", "knowledge `k2` (added, superseded by `k1`)"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    // The last event comes with its own time.
    let table = on(6, "resume --agent codex --since 2026-11-03");
    let is_p = |row: &&str| row.contains("  plan  ");
    let row = table.lines().find(is_p).unwrap();
    assert!(row.trim_start().starts_with("2d ago") && row.contains("added, stepped"), "{row}");
}

/// Bug: an expired item that is wrong as well was told with what revives it.
#[test]
fn what_is_wrong_is_told_with_who_said_so_and_what_ends_it() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 2);
    let on = |day: u32, text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-0{day}")));
    on(3, "knowledge add --id k --body K --expires 2026-11-05");
    on(3, "knowledge contradict k --by ana --reason no");
    let told = told_on(&sandbox, "codex", 6);
    let wrong = "\n- Marked as wrong (settle: `staleness knowledge add --supersedes ID --body TEXT --agent codex`): \
                 knowledge `k` by `ana`";
    assert!(told.ends_with(wrong) && !told.contains("Expired"), "{told}");
    assert_eq!(told.matches("knowledge `k`").count(), 1, "told twice: {told}");
    let shown = sandbox.ok(&["knowledge", "show", "k"]);
    assert!(shown.contains("Z contradicted by ana: no\n"), "{shown}");
    // Bug: what an agent had said itself was told as another's.
    on(7, "knowledge add --id own --body K");
    on(7, "knowledge contradict own --by codex --reason no");
    for (agent, by) in [("codex", "this agent"), ("gemini", "`codex`")] {
        let told = told_on(&sandbox, agent, 8);
        assert!(told.contains(&format!("knowledge `own` by {by}")), "{told}");
    }
}

/// Bug: a session start offered to show an item that was removed, and nothing told its history.
#[test]
fn what_was_removed_is_explained_and_not_offered() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("knowledge add --id k --body K --now 2026-11-01"));
    told_on(&sandbox, "codex", 2);
    sandbox.ok(&line("knowledge remove k --yes --now 2026-11-03"));
    let told = told_on(&sandbox, "codex", 4);
    let head = "Work and knowledge status from `staleness` (`staleness why ID` for one):\n";
    assert!(told.starts_with(head) && told.contains("knowledge `k` (removed)"), "{told}");
    let why = sandbox.ok(&line("why k"));
    assert!(why.starts_with("k  knowledge  removed\n"), "{why}");
    assert!(why.contains("  added  ") && why.contains("  removed  "), "{why}");
    assert!(!why.contains("impact"), "{why}");
    assert_eq!(sandbox.run(&["why", "other"]).code, 3);
}

/// Bug: a due date changed nothing, and a to-do was to be removed because it is old.
#[test]
fn a_to_do_is_quiet_until_it_is_due_and_never_to_be_removed_for_its_age() {
    let sandbox = Sandbox::new();
    let on = |day: &str, text: &str| sandbox.ok(&line(&format!("{text} --now {day}")));
    on("2026-11-10", "knowledge add --kind todo --id ship --body Ship --due +2d");
    on("2026-11-10", "knowledge add --kind todo --id other --body Other");
    assert!(on("2026-11-11", "review").starts_with("nothing needs attention\n"));
    assert!(!told_on(&sandbox, "codex", 11).contains("Due"));
    let told = told_on(&sandbox, "codex", 14);
    let ways = "\n- Due (done: `staleness knowledge done ID --agent codex`, else ask the user): todo `ship`";
    assert!(told.ends_with(ways), "{told}");
    assert!(!told_on(&sandbox, "codex", 15).contains("Due"));
    let due = on("2026-11-14", "review");
    assert!(due.contains("- due 2 days ago\n"), "{due}");
    for command in ["done ship\n", "set --due +14d ship  # later\n"] {
        assert!(due.contains(&format!("$ staleness knowledge {command}")), "{due}");
    }
    on("2026-11-14", "knowledge set --due +40d ship");
    let later = on("2026-12-23", "review");
    assert!(
        !later.contains("ship") && later.contains("$ staleness knowledge done other"),
        "{later}"
    );
    assert!(!on("2027-11-14", "review").contains("remove"));
}
