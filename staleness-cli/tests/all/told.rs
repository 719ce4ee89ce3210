//! Answers for one client: they name its own files, and their commands work as printed.

use serde_json::json;

use crate::common::{Run, Sandbox, line, names, told};

/// A session of a client starts on a day of November; what its agent is told.
pub(crate) fn told_on(sandbox: &Sandbox, client: &str, day: u32) -> String {
    let id = format!("{client}-{day}");
    let start =
        json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": sandbox.project });
    let options = ["--client", client, "--now", &format!("2026-11-{day:02}T12:00:00Z")];
    told(&sandbox.hook_with(&options, start.to_string().as_bytes()))
}

/// Bug: a command acts on another registry than the answer that printed it.
#[test]
fn a_command_is_printed_with_the_options_that_its_own_needs() {
    let sandbox = Sandbox::new();
    let store = format!("sqlite:{}/my own.db", sandbox.root().display());
    let (elsewhere, project) = (sandbox.second_project(), sandbox.project.to_str().unwrap());
    let add = ["work", "add", "plan", "Ship it", "--id", "ship", "--status", "in_progress"];
    let given = ["--store", &store, "--project", project, "--agent", "codex"];
    sandbox.ok(&[&add[..], &given[..], &["--now", "2026-11-01"]].concat());
    let run = |command: &str| {
        let mut process = sandbox.command();
        process.current_dir(&elsewhere);
        process.args(line(command.strip_prefix("staleness ").unwrap()));
        let done = Run::of(process.output().unwrap());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{command}");
        done.out
    };
    let entry = |list: &str| {
        let answer = sandbox.json(&[&[list][..], &given[..]].concat());
        let list = answer.get("warnings").or(answer.get("items"));
        list.unwrap()[0]["suggested_action"].as_str().unwrap().to_owned()
    };
    let settle = entry("stale");
    let options = format!("--store '{store}' --project {project} --agent codex");
    assert_eq!(settle, format!("staleness {options} stale resolve ship"));
    assert_eq!(entry("review"), settle);
    let settled = run(&settle);
    let back = format!("staleness {options} work reopen ship");
    assert!(settled.contains(&format!("to undo: `{back}`")), "{settled}");
    run(&back);
}

/// Environment variables apply to the next command too.
#[test]
fn a_command_is_printed_without_what_it_has_from_elsewhere() {
    let sandbox = Sandbox::new();
    let store = format!("sqlite:{}/mine.db", sandbox.root().display());
    let variables = [("STALENESS_STORE", store.as_str()), ("STALENESS_AGENT", "codex")];
    let add = ["work", "add", "trap", "It is slow", "--id", "t", "--expires", "2026-11-02"];
    sandbox.json_under(&variables, &[&add[..], &["--now", "2026-11-01"]].concat());
    let stale = sandbox.json_under(&variables, &["stale", "--agent", "codex"]);
    assert_eq!(stale["warnings"][0]["suggested_action"], "staleness stale resolve t");
}

/// Bug: after a server recovered in part, the other client hears neither that nor of the tool that still fails.
#[test]
fn a_server_that_recovers_in_part_is_told_to_both_of_its_clients_alike() {
    let sandbox = Sandbox::with_servers(&["shared"]);
    sandbox.codex(&["shared"]);
    let on = |day: u32, act: &str| {
        let act = format!("record mcp__shared__{act} --agent claude-code --now 2026-11-{day}");
        sandbox.ok(&line(&act));
    };
    let told = |day: u32| {
        let told = ["claude-code", "codex"].map(|client| told_on(&sandbox, client, day));
        assert_eq!(told[0], told[1], "{day}");
        told[1].clone()
    };
    told(10);
    for tool in ["a", "b"] {
        (0..3).for_each(|_| on(10, &format!("{tool} --failure")));
    }
    let fails = "tried again if no other tool fits: `mcp__shared__*` (all 2 of its tools in use are demoted)";
    assert!(told(11).contains(fails));
    on(12, "a --success");
    let still = "tried again if no other tool fits: `mcp__shared__b` (3 of the last 3 uses failed, last used";
    let again = told(13);
    assert!(again.contains(still), "{again}");
    assert!(again.ends_with("- Available again: `mcp__shared__a`"), "{again}");
    assert!(told(14).contains(still));
    on(15, "b --success");
    assert!(told(16).ends_with("\n- Available again: `mcp__shared__b`"));
    assert_eq!(told(17), "");
}

/// Bug: an agent is told that another client no longer lists its server, or lists what that dropped.
#[test]
fn a_removal_names_the_files_of_the_client_that_asks_or_else_of_each() {
    let sandbox = Sandbox::with_servers(&["shared", "own"]);
    sandbox.codex(&["shared", "other"]);
    sandbox.ok(&["scan"]);
    sandbox.claude(&["kept"]);
    sandbox.codex(&["kept"]);
    sandbox.ok(&["scan"]);
    let reason = |name: &str, agent: &str| {
        let agent = if agent.is_empty() { vec![] } else { vec!["--agent", agent] };
        let shown = sandbox.json(&[&["tools", "show", name][..], &agent].concat());
        shown["verdict"]["signals"][0]["reason"].as_str().unwrap().to_owned()
    };
    let (claude, codex) = ("claude-code/user/mcp", "codex/user/mcp");
    let gone = |by: &str| format!("removed from config: {by} no longer lists it");
    assert_eq!(reason("shared", "claude-code"), gone(claude));
    assert_eq!(reason("shared", "codex"), gone(codex));
    let both = format!("removed from config: {claude}, {codex} no longer list it");
    assert_eq!(reason("shared", ""), both);
    assert_eq!(reason("other", ""), gone(codex));
    let foreign = "not one of this client's tools: ";
    let nobody = format!("{foreign}no client lists it any more");
    assert_eq!(reason("other", "claude-code"), nobody);
    assert_eq!(reason("shared", "cursor"), nobody);
    assert_eq!(reason("kept", "cursor"), format!("{foreign}{claude}, {codex} list it"));
}

/// Bug: a server that only its user can approve or repair is called gone, without saying how.
#[test]
fn a_server_that_waits_for_its_user_comes_with_the_request_to_the_user() {
    let sandbox = Sandbox::new();
    let write = |client: &str, text: &str| {
        let project = sandbox.project.to_str().unwrap();
        match client {
            "claude-code" => {
                let approved = json!({ "projects": { project: {
                    "hasTrustDialogAccepted": true, "enabledMcpjsonServers": ["team"] } } });
                sandbox.write("project/.mcp.json", r#"{"mcpServers": {"team": {"command": "x"}}}"#);
                let text = if text.is_empty() { approved.to_string() } else { text.to_owned() };
                sandbox.write("home/.claude.json", text);
            }
            "codex" => {
                let level = if text.is_empty() { "trusted" } else { text };
                let trust = format!("[projects.{project:?}]\ntrust_level = \"{level}\"\n");
                sandbox.write("home/.codex/config.toml", trust);
                sandbox
                    .write("project/.codex/config.toml", "[mcp_servers.mine]\ncommand = \"x\"\n");
            }
            _ => {
                let text =
                    format!("{{\"mcpServers\": {{\"tool\": {{\"command\": \"x\"}}{text}}}}}");
                sandbox.write("home/.gemini/settings.json", text);
            }
        }
        sandbox.start_of(client, &format!("{client}{}", text.len()))
    };
    for (client, broken, name, why, remedy) in [
        (
            "claude-code",
            "{}",
            "mcp__team__*",
            "its client waits for approval",
            "approve it in the client",
        ),
        (
            "codex",
            "untrusted",
            "mcp__mine__*",
            "its client does not trust this folder",
            "trust the folder in the client",
        ),
        (
            "gemini",
            ",",
            "mcp_tool_*",
            "its client refuses its entry or the whole file",
            "run `staleness doctor` and correct the file",
        ),
    ] {
        write(client, "");
        let told = write(client, broken);
        let gone = format!("do not call: `{name}` ({why}: ask the user to {remedy})");
        assert!(told.contains(&gone), "{told}");
        let review = sandbox.json(&["review", "--agent", client]);
        let entry = &review["items"][0];
        assert_eq!(entry["suggested_action"], format!("# {remedy}"), "{review}");
        let reason = entry["verdict"]["signals"][0]["reason"].as_str().unwrap();
        assert!(reason.ends_with(&format!(": {remedy}")), "{reason}");
        let table = sandbox.ok(&["review", "--agent", client]);
        assert!(table.contains(&format!("\n    {remedy}\n")), "{table}");
    }
}

/// Bug: what has expired is told at every start, and never how to settle it.
#[test]
fn knowledge_that_became_stale_is_told_once_and_then_weekly_with_what_settles_it() {
    let sandbox = Sandbox::new();
    let add = "knowledge add --kind knowledge --now 2026-11-01 --agent codex";
    sandbox.ok(&line(&format!("{add} --id port --expires 2026-11-03 --body 'The port is 8080'")));
    sandbox.ok(&line(&format!("{add} --id host --body 'The host is a'")));
    told_on(&sandbox, "codex", 2);
    let contradict = "knowledge contradict host --by me --reason moved --now 2026-11-05";
    let command = |verb: &str| format!("`staleness knowledge {verb} --agent codex`");
    let replace = command("add --supersedes ID --body TEXT");
    let expired = format!(
        "\n- Expired (still true: {}, else {}): knowledge `port`",
        command("set --expires none ID"),
        command("done ID")
    );
    let doubtful = format!("\n- Marked as wrong (settle: {replace}): knowledge `host` by `me`");
    for day in 3..=19 {
        if day == 5 {
            sandbox.ok(&line(contradict));
        }
        let told = told_on(&sandbox, "codex", day);
        assert_eq!(told.contains(&expired), [3, 10, 17].contains(&day), "{day}: {told}");
        assert_eq!(told.contains(&doubtful), [5, 12, 19].contains(&day), "{day}: {told}");
    }
    let settle = |verb: &str, id: &str| {
        let command = format!("knowledge {verb} {id} --agent codex --now 2026-11-19T13:00:00Z");
        sandbox.ok(&line(&command));
    };
    settle("set --expires none", "port");
    let supersede = "knowledge add --id new --supersedes host --body 'It is b' --agent codex";
    sandbox.ok(&line(&format!("{supersede} --now 2026-11-19T13:00:00Z")));
    for day in [20, 24, 26] {
        let told = told_on(&sandbox, "codex", day);
        assert!(!told.contains("Knowledge status"), "{day}: {told}");
    }
}

/// Bug: an answer for one agent lists what its client never reads.
#[test]
fn an_answer_for_an_agent_keeps_to_the_files_that_its_client_loads() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude.json", r#"{"mcpServers": {"a": {"command": "x"},}}"#);
    sandbox.codex(&["b"]);
    for name in ["GEMINI.md", "README.md", "CLAUDE.md"] {
        sandbox.write(&format!("project/{name}"), "See [it](docs/missing.md).\n");
    }
    let review = |agent: &str| {
        let review = sandbox.json(&["review", "--agent", agent]);
        let ids = review["items"].as_array().unwrap().iter();
        let mut ids: Vec<String> = ids
            .map(|each| each["id"].as_str().unwrap().split(':').next().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(review("codex"), ["README.md"]);
    assert_eq!(review("gemini"), ["GEMINI.md", "README.md"]);
    assert_eq!(review("claude-code"), ["CLAUDE.md", "README.md", "mcp__a__*"]);
    let overview = |args: &[&str]| sandbox.ok(args);
    assert!(overview(&[]).contains("refused  claude-code/user/mcp"));
    assert!(overview(&["--agent", "claude-code"]).contains("refused  claude-code/user/mcp"));
    let told = overview(&["--agent", "codex"]);
    assert!(!told.contains("claude"), "{told}");
}

/// Bug: the receiver of a handoff is told twice that it waits, and its sender is told to accept it.
#[test]
fn a_handoff_that_is_due_is_told_to_its_receiver_once_with_the_command_to_take_it() {
    let sandbox = Sandbox::new();
    let add = "work add handoff Notes --id notes --from claude-code --to codex --now 2026-11-01";
    sandbox.ok(&line(add));
    told_on(&sandbox, "codex", 2);
    let take = "staleness work claim notes --agent codex --session codex-20";
    let head = "Work status from `staleness` (`staleness work show ID` for one):\n";
    let due = format!("{head}- For you: handoff `notes` from `claude-code` (take it: `{take}`)");
    assert_eq!(told_on(&sandbox, "codex", 20), due);
    let next = |agent: &str| {
        let review = sandbox.json(&["review", "--agent", agent]);
        review["items"][0]["suggested_action"].as_str().unwrap().to_owned()
    };
    let options = |agent: &str| format!("staleness --agent {agent}");
    assert_eq!(next("claude-code"), format!("{} stale resolve notes", options("claude-code")));
    let command = next("codex");
    assert_eq!(command, format!("{} work claim notes", options("codex")));
    sandbox.ok(&line(command.strip_prefix("staleness ").unwrap()));
    assert_eq!(sandbox.json(&["review", "--agent", "codex"])["total"], 0);
}

/// Bug: a handoff for whoever takes it that is due comes with the command that drops it alone.
#[test]
fn a_handoff_to_nobody_that_is_due_is_told_with_the_command_to_take_it() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 1);
    let add = "work add handoff Notes --id notes --from claude-code --now 2026-11-02";
    sandbox.ok(&line(add));
    let offer = "\n- For whoever takes it: handoff `notes` from `claude-code` (take it: `staleness work claim \
                 notes --agent codex --session codex-";
    let told: Vec<u32> =
        (2..=28).filter(|day| told_on(&sandbox, "codex", *day).contains(offer)).collect();
    assert!(told.len() == 3 && told[0] == 2 && told[2] - told[1] == 7, "{told:?}");
    let own = told_on(&sandbox, "claude-code", 28);
    assert!(own.contains("- Overdue (settle: ") && !own.contains("take it:"), "{own}");
}

/// Bug: the date of expiry of a handoff had no effect; later it disappeared for the one that it is for.
#[test]
fn a_handoff_that_expired_is_told_to_both_once_with_what_keeps_it() {
    let sandbox = Sandbox::new();
    let add = "work add handoff Notes --id notes --from claude-code --to codex --now 2026-11-01";
    sandbox.ok(&line(&format!("{add} --expires 2026-11-05 --agent claude-code")));
    assert!(told_on(&sandbox, "codex", 2).contains("For you: handoff `notes`"));
    told_on(&sandbox, "claude-code", 2);
    told_on(&sandbox, "gemini", 2);
    let ready =
        |day: u32| sandbox.ok(&line(&format!("work ready --agent codex --now 2026-11-0{day}")));
    assert!(ready(4).contains("notes") && !ready(6).contains("notes"), "{}", ready(6));
    for (agent, whose) in [("claude-code", " for `codex`"), ("codex", "")] {
        let expired = format!(
            "(settle: `staleness stale resolve ID --agent {agent}`; still valid: `staleness work set ID --expires \
             +30d --agent {agent}`): handoff `notes` (expired 1 day ago){whose}"
        );
        let told = told_on(&sandbox, agent, 6);
        assert!(told.ends_with(&expired), "{told}");
        assert_eq!(told_on(&sandbox, agent, 7), "", "once");
    }
    assert_eq!(told_on(&sandbox, "gemini", 6), "");
    for (agent, is_told) in [("claude-code", true), ("codex", true), ("gemini", false)] {
        for command in ["stale", "review"] {
            let told = sandbox.ok(&line(&format!("{command} --agent {agent} --now 2026-11-06")));
            assert_eq!(told.contains("notes"), is_told, "{command} of {agent}: {told}");
        }
    }
    let stale = sandbox.ok(&line("stale --now 2026-11-06"));
    assert!(stale.contains("work set notes --expires +30d  # it is still valid"), "{stale}");
    let add = "work add handoff More --id more --from claude-code --to codex --now 2026-11-07";
    sandbox.ok(&line(&format!("{add} --expires 2026-11-08")));
    assert_eq!(told_on(&sandbox, "gemini", 9), "", "nor as news");
    assert_eq!(told_on(&sandbox, "codex", 9).matches("`more`").count(), 1);
    sandbox.ok(&line("work set notes --expires +30d --agent codex --now 2026-11-09"));
    assert!(told_on(&sandbox, "codex", 10).contains("For you: handoff `notes`"));
    // Knowledge of the same id is not hidden with it.
    sandbox.ok(&line("knowledge add --id more --body More --now 2026-11-10"));
    let told = told_on(&sandbox, "codex", 11);
    assert!(told.contains("knowledge `more` (added") && !told.contains("handoff `more`"), "{told}");
}

/// Bug: what was handed to an agent came after many additions, each with the same command, and was cut.
#[test]
fn what_is_handed_to_an_agent_comes_before_additions() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 1);
    let add = |text: &str| sandbox.ok(&line(&format!("work add {text} --now 2026-11-02")));
    for at in 0..24 {
        add(&format!("plan More --id {}-{at}", "added".repeat(8)));
    }
    let handed: Vec<String> = (0..6).map(|at| format!("handoff `handed-{at}`")).collect();
    for at in 0..6 {
        add(&format!("handoff More --id handed-{at} --to codex"));
    }
    let told = told_on(&sandbox, "codex", 3);
    let take =
        "\n- For you (take one: `staleness work claim ID --agent codex --session codex-3`): ";
    assert!(told.contains(&format!("{take}{}\n", handed.join(", "))), "{told}");
    assert!(told.contains("(added, todo), and ") && told.contains(" more\n- All: "), "{told}");
}

/// Bug: new rules were cut because of new plans, and were told to nobody.
#[test]
fn among_many_news_rules_come_before_plans() {
    let sandbox = Sandbox::new();
    let add =
        |text: &str, day: u32| sandbox.ok(&line(&format!("work add {text} --now 2026-11-0{day}")));
    add("constraint Main --id main", 1);
    told_on(&sandbox, "codex", 1);
    for kind in ["constraint", "plan"] {
        (1..=9).for_each(|at| drop(add(&format!("{kind} New --id {kind}-{at}"), 2)));
    }
    let told = told_on(&sandbox, "codex", 3);
    let rules: Vec<String> =
        (1..=9).map(|at| format!("constraint `constraint-{at}` (added)")).collect();
    assert!(told.contains(&format!("session: {}, plan `", rules.join(", "))), "{told}");
    assert!(told.contains("In force: constraint `main`"), "{told}");
}

/// Bug: a plan that waits was offered like any other, also one that was abandoned.
#[test]
fn what_a_plan_waits_for_is_told_with_it() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 1);
    sandbox.ok(&line("work add plan Build --id build --now 2026-11-02"));
    sandbox.ok(&line("work add plan Test --id test --after build --now 2026-11-02"));
    let told = told_on(&sandbox, "codex", 2);
    let both = "plan `build` (added, todo), plan `test` (added, todo, waits for `build`)";
    assert!(told.ends_with(both), "{told}");
    sandbox.ok(&line("work claim test --agent claude-code --session c --now 2026-11-02T13:00:00Z"));
    let told = told_on(&sandbox, "codex", 3);
    assert!(
        told.contains("plan `test` (abandoned within the last day; it waits for `build`)"),
        "{told}"
    );
    let stale = sandbox.ok(&line("stale --now 2026-11-03"));
    assert!(stale.contains("abandoned within the last day; it waits for build"), "{stale}");
    let listed = sandbox.ok(&line("work list --now 2026-11-03"));
    assert!(listed.contains("left by claude-code: waits for build: Test"), "{listed}");
    sandbox.ok(&line("work set build --status done --agent codex --now 2026-11-03"));
    assert!(!sandbox.ok(&line("work list --now 2026-11-03")).contains("waits for"));
    let told = told_on(&sandbox, "codex", 10);
    assert!(told.contains("plan `test` (abandoned 7 days ago)"), "{told}");
}

/// Bug: nobody heard that what a plan waited for had ended.
#[test]
fn what_waits_for_nothing_any_more_is_told_once_to_whom_it_concerns() {
    let sandbox = Sandbox::new();
    let on = |day: u32, text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-{day:02}")));
    for client in ["codex", "claude-code"] {
        told_on(&sandbox, client, 1);
    }
    on(2, "work add plan Build --id build");
    on(2, "work add plan Pack --id pack");
    on(2, "work add plan Test --id test --after build --agent codex");
    on(2, "work add plan Ship --id ship --after build --after pack");
    on(2, "work add plan Tell --id tell --after pack");
    for client in ["codex", "claude-code"] {
        told_on(&sandbox, client, 2);
    }
    on(3, "work set build --status done --agent claude-code");
    let told = told_on(&sandbox, "codex", 3);
    let news = "plan `test` (todo, no longer waits for anything), \
                plan `build` (todo → done, by `claude-code`)";
    assert!(told.ends_with(news), "{told}");
    let told = told_on(&sandbox, "claude-code", 3);
    assert!(told.ends_with("session: plan `build` (todo → done, by this agent)"), "{told}");
    on(4, "work set pack --status done");
    for client in ["codex", "claude-code"] {
        let told = told_on(&sandbox, client, 4);
        for id in ["ship", "tell"] {
            assert!(told.contains(&format!("plan `{id}` (todo, no longer waits for")), "{told}");
        }
        assert!(!told.contains("`test`"), "{told}");
        assert_eq!(told_on(&sandbox, client, 5), "");
    }
    let shown = on(5, "resume --agent codex --since 2026-11-03");
    assert!(shown.contains("todo, no longer waits for anything"), "{shown}");
}

/// Bug: what is asked for one client lists the files of all.
#[test]
fn a_scan_a_tool_and_the_doctor_name_the_files_of_the_client_that_asks() {
    let sandbox = Sandbox::with_servers(&["shared", "own"]);
    sandbox.codex(&["shared"]);
    sandbox.write("home/.gemini/settings.json", "{,");
    let run = |args: &str, agent: &str| sandbox.json(&line(&format!("{args} --agent {agent}")));
    for args in ["scan --dry-run", "scan"] {
        let scan = run(args, "codex");
        assert_eq!(names(&scan["added"]), ["mcp__shared__*"], "{scan}");
        let sources = scan["sources"].as_array().unwrap();
        assert!(sources.iter().all(|each| each["client"] == "codex"), "{scan}");
    }
    assert_eq!(run("scan", "claude-code")["unchanged"], 2, "all were scanned");
    let sources = |agent: &str| run("tools show shared", agent)["sources"].clone();
    assert_eq!(sources("codex"), json!(["codex/user/mcp"]));
    assert_eq!(sources("claude-code"), json!(["claude-code/user/mcp"]));
    assert_eq!(sources("gemini"), sandbox.json(&["tools", "show", "shared"])["sources"]);
    let broken = |agent: &str| run("doctor", agent)["checks"].to_string().contains("gemini/");
    assert!(broken("gemini") && !broken("codex"));
}

/// Bug: what became stale by another item waits for the day on which it would have been told again.
#[test]
fn knowledge_that_became_stale_by_another_item_is_told_at_once() {
    let sandbox = Sandbox::new();
    let add = "knowledge add --kind knowledge --now 2026-06-20 --agent codex --body 8080";
    for day in 2..=8 {
        sandbox.ok(&line(&format!("{add} --id port{day}")));
        sandbox.ok(&line(&format!("{add} --id host{day} --related port{day}")));
    }
    told_on(&sandbox, "codex", 1);
    for day in 2..=8 {
        let now = format!("--now 2026-11-{day:02}");
        sandbox.ok(&line(&format!("knowledge set port{day} --body {day} {now}")));
        let told = told_on(&sandbox, "codex", day);
        let doubted = format!(" --agent codex`): knowledge `host{day}`");
        assert!(told.ends_with(&doubted), "{told}");
    }
}
