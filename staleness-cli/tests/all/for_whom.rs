//! Texts for one agent: the tools of its client, the work that is for it, the words of its person.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, line, told};
use crate::told::told_on;

/// Bug W3: of what a person wrote an agent is told half a slug.
#[cfg(unix)]
#[test]
fn w3_what_a_person_typed_is_quoted_and_what_others_wrote_is_not() {
    let sandbox = Sandbox::new();
    let here = sandbox.project.clone();
    let typed = |args: &[&str], variable: &str, closed: &str| {
        let run = sandbox.typed(args, variable, closed);
        assert!(run.success(), "{args:?}");
    };
    let (rule, none) = ("Never edit files under src/gen", "NOTHING=1");
    let others = [
        ("in-claude", "", "CLAUDECODE=1", ""),
        ("in-vscode", "", "TERM_PROGRAM=vscode", ""),
        ("in-codex", "", "STALENESS_AGENT=codex", ""),
        ("by-codex", "--agent codex", none, ""),
        ("of-claude", "--author claude", none, ""),
        ("from-codex", "--from codex-mcp-client", none, ""),
        ("proposed", "--generated", none, ""),
        ("stdin", "", none, "stdin"),
        ("stdout", "", none, "stdout"),
        ("stderr", "", none, "stderr"),
    ];
    for (id, args, variable, closed) in others {
        let mut add = vec!["work", "add", "trap", rule, "--id", id];
        add.extend(args.split_whitespace());
        typed(&add, variable, closed);
    }
    typed(&["work", "add", "trap", rule, "--id", "typed"], none, "");
    let quoted = |sandbox: &Sandbox, id: &str| {
        let told = sandbox.session_start(&here, id, "startup").unwrap();
        for id in others.map(|other| other.0).into_iter().chain(["typed"]) {
            assert!(told.contains(&format!("trap `{id}`")), "{told}");
        }
        let quotes = told.matches("\"Never edit files under src/gen\"").count();
        assert_eq!(quotes, told.matches("src/gen").count(), "{told}");
        quotes
    };
    assert_eq!(quoted(&sandbox, "s1"), 1, "as changed");
    assert_eq!(quoted(&sandbox, "s2"), 1, "and as what is in force");
    let set = ["work", "set", "typed", "--text"];
    typed(&[&set[..], &["Edit files under src/gen"]].concat(), none, "stdin");
    assert_eq!(quoted(&sandbox, "s3"), 0, "what nobody typed is not the person's");
    typed(&[&set[..], &[rule]].concat(), none, "");
    assert_eq!(quoted(&sandbox, "s4"), 1);
    let later = sandbox
        .ok(&["export"])
        .replace("\"updated_at\":\"2026-11-20T12:", "\"updated_at\":\"2026-11-20T13:");
    let later = sandbox.write("export.jsonl", later);
    let import = || sandbox.ok(&["import", later.to_str().unwrap()]);
    assert!(import().contains("11 work"));
    assert_eq!(quoted(&sandbox, "s5"), 1, "the text is known to be the person's");
    sandbox.ok(&["work", "set", "typed", "--ref", "stdin", "--agent", "codex"]);
    assert_eq!(quoted(&sandbox, "s6"), 1, "an agent set another field");
    std::fs::remove_dir_all(sandbox.root().join("data")).unwrap();
    import();
    assert_eq!(quoted(&sandbox, "s7"), 0, "and a file proves nothing");
}

/// Bug W4: a handoff does not say that it is mine, nor from whom.
#[test]
fn w4_a_handoff_says_for_whom_it_is_and_how_to_answer() {
    let sandbox = Sandbox::new();
    let handoff = ["work", "add", "handoff", "Review the migration", "--id", "m"];
    sandbox.ok(&[&handoff[..], &["--from", "claude-code", "--to", "codex"]].concat());
    let told = sandbox.start_of("codex", "x1");
    assert!(told.contains("For you: handoff `m` from `claude-code` (take it:"), "{told}");
    let told = sandbox.start_of("claude-code", "c1");
    assert!(told.contains("handoff `m` ") && told.contains(" for `codex`"), "{told}");
    assert!(!told.contains("For you"), "{told}");
}

/// A person who hands work over under a name is quoted.
#[cfg(unix)]
#[test]
fn a_handoff_that_a_person_typed_says_from_whom_it_is_and_quotes_it() {
    let sandbox = Sandbox::new();
    let add = line("work add handoff --id m --from ana --to codex");
    let typed = [&add[..], &["Review the migration"]].concat();
    assert!(sandbox.typed(&typed, "NOTHING=1", "").success());
    let told = sandbox.start_of("codex", "x1");
    assert!(told.contains("For you: handoff `m` from `ana`: "), "{told}");
    assert!(told.contains("\\\"Review the migration\\\""), "{told}");
}

/// Bug W1: an agent is told of servers that its own client never had.
#[test]
fn w1_codex_is_not_told_of_servers_of_claude_code() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["context7"]);
    sandbox.start_of("claude-code", "c1");
    sandbox.start_of("codex", "x1");
    sandbox.claude(&["github", "stripe"]);
    assert_eq!(sandbox.start_of("codex", "x2"), "");
    assert!(sandbox.start_of("claude-code", "c2").contains("New: `mcp__stripe__*`"));
    sandbox.claude(&[]);
    assert_eq!(sandbox.start_of("codex", "x3"), "");
    sandbox.claude(&["github"]);
    assert_eq!(sandbox.start_of("codex", "x4"), "", "nor that it came back");
}

#[test]
fn an_answer_says_for_which_client_it_is() {
    let sandbox = Sandbox::scanned();
    for args in [
        &[][..],
        &["tools"],
        &["tools", "suggest"],
        &["tools", "discover", "github"],
        &["tools", "rank"],
        &["tools", "unused"],
        &["tools", "show", "github"],
        &["tools", "show", "mcp__github__unused"],
        &["review"],
        &["why", "github"],
    ] {
        assert_eq!(sandbox.json(args)["for"], "any client", "{args:?}");
        let told = sandbox.ok(args);
        assert!(told.ends_with("\nfor any client (`--agent codex` answers for one)\n"), "{told}");
        let mut command = sandbox.command();
        command.env("STALENESS_AGENT", "claude-code").args(args);
        let told = Run::of(command.output().unwrap()).out;
        assert!(told.ends_with("\nfor claude-code\n"), "{told}");
        assert_eq!(sandbox.ok(&[args, &["--agent", "claude-code"]].concat()), told);
    }
    for name in ["nosuch", "a b"] {
        let run = sandbox.run(&["tools", "--agent", name]);
        let what = "so tools are judged for any client; clients: ";
        let warned = format!("warning: no client is called \"{name}\", {what}");
        assert!(run.code == 0 && run.err.starts_with(&warned), "{run:?}");
        assert!(run.err.contains("claude-code, ") && run.err.lines().count() == 1, "{run:?}");
        assert!(run.out.contains("\nfor any client"), "{run:?}");
    }
}

/// Bug W2: a server is gone for one client, and nobody says so because another one has it.
#[test]
fn w2_claude_code_is_told_of_its_loss_though_cursor_has_the_server() {
    let sandbox = Sandbox::with_servers(&["github"]);
    let servers = json!({ "mcpServers": { "github": { "command": "npx" } } });
    sandbox.write("home/.cursor/mcp.json", servers.to_string());
    sandbox.start_of("claude-code", "c1");
    sandbox.claude(&[]);
    let told = sandbox.start_of("claude-code", "c2");
    assert!(told.contains("do not call: `mcp__github__*` (removed from config)"), "{told}");
    assert_eq!(sandbox.tool("mcp__github__*")["status"], "active", "for any client");
    for shown in ["why github", "tools history github"].map(|words| sandbox.ok(&line(words))) {
        assert!(shown.contains("removed from config for claude-code"), "{shown}");
        assert!(shown.contains("configured for claude-code, cursor"), "{shown}");
    }
}

/// An item that was added and has ended since the agent was there is told as ended, and not quoted.
#[cfg(unix)]
#[test]
fn what_was_added_and_has_ended_is_told_as_ended() {
    let sandbox = Sandbox::new();
    for (client, id) in [("claude-code", "c1"), ("codex", "x1")] {
        sandbox.start_of(client, id);
    }
    sandbox.ok(&line("work add constraint Frozen --id r"));
    sandbox.ok(&line("work set r --status resolved"));
    sandbox.ok(&line(
        "work add handoff Ship --id ship --from claude-code --to codex --agent claude-code",
    ));
    sandbox.ok(&line("work set ship --status accepted --agent codex"));
    let told = sandbox.start_of("claude-code", "c2");
    assert!(told.contains("constraint `r` (added, now resolved)"), "{told}");
    assert!(told.contains("handoff `ship` (open → accepted) for `codex`"), "{told}");
    assert!(!told.contains("Frozen"), "{told}");
    let told = sandbox.start_of("codex", "x2");
    assert!(told.contains("handoff `ship` (added, now accepted"), "{told}");
    let told = sandbox.ok(&line("resume --agent gemini --since 2026-11-19"));
    assert!(told.contains("added, now resolved"), "{told}");
}

/// Bug: a rule that was over was told as a new one after an edit.
#[cfg(unix)]
#[test]
fn an_edited_rule_that_is_over_is_told_as_over() {
    let sandbox = Sandbox::new();
    let add = "work add constraint 'No deploys' --id deploy --now 2026-11-01";
    assert!(sandbox.typed(&line(add), "NOTHING=1", "").success());
    sandbox.ok(&line("work set deploy --status resolved --now 2026-11-02"));
    told_on(&sandbox, "codex", 3);
    let set = "work set deploy --text 'No deploys at all' --now 2026-11-04";
    assert!(sandbox.typed(&line(set), "NOTHING=1", "").success());
    let told = told_on(&sandbox, "codex", 5);
    assert!(told.ends_with(": constraint `deploy` (edited, resolved)"), "{told}");
}

/// Bug W1: a server that is new to a client "came back", since another client lost it, or since it was approved.
#[test]
fn w1_a_server_that_is_new_to_a_client_did_not_come_back() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["context7"]);
    for (client, id) in [("claude-code", "c1"), ("codex", "x1")] {
        sandbox.start_of(client, id);
    }
    sandbox.claude(&[]);
    assert!(sandbox.start_of("claude-code", "c2").contains("do not call: `mcp__github__*`"));
    sandbox.codex(&["context7", "github"]);
    let told = sandbox.start_of("codex", "x2");
    assert!(told.contains("New: `mcp__github__*`") && !told.contains("Available again"), "{told}");
    assert_eq!(sandbox.start_of("claude-code", "c3"), "");
}

/// Bug W6: one server under three headings.
#[test]
fn w6_a_server_that_went_is_told_alone_though_its_tools_failed() {
    let sandbox = Sandbox::with_servers(&["github", "linear"]);
    sandbox.start_of("claude-code", "c1");
    for _ in 0..3 {
        sandbox.ok(&["record", "mcp__github__create", "--failure", "--agent", "claude-code"]);
    }
    sandbox.claude(&["linear"]);
    let told = sandbox.start_of("claude-code", "c2");
    assert!(told.contains("do not call: `mcp__github__*` (removed from config)"), "{told}");
    assert_eq!(told.matches("mcp__github__").count(), told.matches("mcp__github__*").count());
    assert_eq!(sandbox.start_of("claude-code", "c3"), "", "nor at every later start");
}

/// Bug W9: after a holiday each tool asks for a look.
#[test]
fn w9_after_a_holiday_no_tool_needs_attention() {
    let sandbox = Sandbox::scanned();
    for tool in ["Bash", "Edit", "mcp__github__search"] {
        sandbox.ok(&["record", tool, "--success", "--agent", "claude-code"]);
    }
    let overview = sandbox.json(&line("--now 2027-01-14"));
    assert_eq!(overview["tools"], json!([]));
    assert_eq!(
        (&overview["counts"]["tools"], &overview["counts"]["fresh"]),
        (&json!(4), &json!(4))
    );
}

/// Bug F2: a call of a client that does not have the server counts as a failure of the tool for those that have it.
#[test]
fn f2_a_call_of_a_client_that_lacks_the_server_says_nothing_of_the_tool() {
    const TOOL: &str = "mcp__github__search";
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["context7"]);
    sandbox.start_of("claude-code", "c1");
    sandbox.start_of("codex", "x1");
    let uses = |agent: &str, outcome: &str, times: usize| {
        for _ in 0..times {
            sandbox.ok(&["record", TOOL, outcome, "--agent", agent]);
        }
        let tool = sandbox.tool(TOOL);
        let text = |key: &str| tool[key].as_str().unwrap().to_owned();
        (text("status"), text("outcomes"))
    };
    let told = |(status, outcomes): (&str, &str)| (status.to_owned(), outcomes.to_owned());
    assert_eq!(uses("codex", "--failure", 3), told(("active", "UUU")));
    assert_eq!(sandbox.start_of("claude-code", "c2"), "");
    assert_eq!(uses("claude-code", "--failure", 3), told(("demoted", "UUUFFF")));
    assert_eq!(uses("codex", "--failure", 1), told(("demoted", "UUUFFFU")));
    // What works for a client is there for it, and may fail.
    assert_eq!(uses("codex", "--success", 1), told(("active", "UUUFFFUS")));
    assert_eq!(uses("codex", "--failure", 1), told(("demoted", "UUUFFFUSF")));
}

/// Bug F4: a handoff to a client's other name reaches nobody.
#[test]
fn f4_a_handoff_reaches_the_agent_that_is_meant_or_says_that_nobody_is_known() {
    let sandbox = Sandbox::new();
    let add = |name: &str| {
        let id = format!("for-{name}").to_lowercase().replace(' ', "-");
        sandbox.run(&["work", "add", "handoff", "Review it", "--json", "--id", &id, "--to", name])
    };
    for (name, agent) in [
        ("claude", "claude-code"),
        ("Claude-Code", "claude-code"),
        ("Codex", "codex"),
        ("GEMINI-CLI", "gemini"),
        ("Codex-MCP-Client", "codex"),
        ("claude_code", "claude-code"),
        ("Codex  CLI", "codex"),
    ] {
        let run = add(name);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        let added: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(added["item"]["to"], agent, "{name}");
        let set = ["work", "set", added["item"]["id"].as_str().unwrap(), "--to"];
        sandbox.ok(&[&set[..], &["none"]].concat());
        assert_eq!(sandbox.json(&[&set[..], &[name]].concat())["item"]["to"], agent, "{name}");
    }
    let warned = |name: &str| {
        let run = add(name);
        assert_eq!(run.code, 0, "{run:?}");
        sandbox.ok(&["work", "set", &format!("for-{name}"), "--status", "closed"]);
        run.err
    };
    let unknown = "warning: unknown agent";
    assert_eq!(warned("codx"), format!("{unknown} \"codx\"; did you mean codex?\n"));
    assert_eq!(warned("reviewer"), format!("{unknown} \"reviewer\"\n"));
    sandbox.ok(&["session", "start", "--agent", "reviewer"]);
    assert!(warned("reviewers").contains("did you mean reviewer?"));
    let again = sandbox.ok(&["work", "set", "for-reviewers", "--to", "reviewer"]);
    assert!(again.contains("→ reviewer"), "it is an agent with a name of its own: {again}");
    // A name that is no agent's is a person's, who is told.
    let heading = "handed to a person\n";
    assert!(!sandbox.ok(&[""; 0]).contains(heading));
    sandbox.run(&["work", "add", "handoff", "Approve it", "--to", "ana", "--agent", "codex"]);
    let told = sandbox.ok(&[""; 0]);
    assert!(told.contains(heading) && told.contains("codex → ana: Approve it"), "{told}");
    assert!(!sandbox.ok(&["--agent", "codex"]).contains(heading), "an agent is not told");
}

/// Bug F4: a handoff to nobody in particular reaches nobody.
#[test]
fn f4_a_handoff_that_names_nobody_is_offered_to_each_agent_that_starts_next() {
    let sandbox = Sandbox::new();
    sandbox.start_of("claude-code", "c1");
    let add = ["work", "add", "handoff", "Review it", "--id", "m", "--agent", "codex"];
    let said = sandbox.ok(&[&add[..], &["--from", "codex"]].concat());
    assert!(said.ends_with("its id, but not its text, is shown to each agent that starts here\n"));
    let offered =
        "For whoever takes it: handoff `m` from `codex` (take it: `staleness work claim m --agent ";
    for client in ["claude-code", "gemini"] {
        let offered = format!("{offered}{client} --session {client}`)");
        assert!(sandbox.start_of(client, client).contains(&offered), "{client}");
        assert_eq!(sandbox.start_of(client, "again"), "", "{client} was told");
    }
    assert!(!sandbox.start_of("codex", "x1").contains("For whoever"), "it is its own");
    sandbox.ok(&["work", "set", "m", "--status", "accepted", "--agent", "gemini"]);
    assert!(!sandbox.start_of("cursor", "u1").contains("For whoever"), "somebody took it");
    // Bug: one that was for another before is told as edited.
    sandbox.ok(&line("work add handoff Notes --id n --from codex --to gemini --agent codex"));
    sandbox.start_of("claude-code", "s2");
    sandbox.ok(&line("work set n --to none --agent codex"));
    let told = sandbox.start_of("claude-code", "s3");
    assert!(told.contains("For whoever takes it: handoff `n` from `codex` (take it: "), "{told}");
    assert!(!told.contains("edited"), "{told}");
    assert_eq!(sandbox.start_of("claude-code", "s4"), "", "once");
}

/// Bug: a handoff that was accepted counts as settled, so the work was lost with the session that had taken it.
#[test]
fn a_handoff_that_was_taken_as_told_is_abandoned_when_its_session_dies() {
    let sandbox = Sandbox::new();
    let start = |client: &str, id: &str, hour: u8| {
        let start =
            json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": sandbox.project });
        let options = ["--client", client, "--now", &format!("2026-11-20T{hour:02}:00:00Z")];
        told(&sandbox.hook_with(&options, start.to_string().as_bytes()))
    };
    start("gemini", "g1", 1);
    let add = "work add handoff Notes --id m --from codex --agent codex";
    sandbox.ok(&line(&format!("{add} --now 2026-11-20T01:00:00Z")));
    let told = start("claude-code", "c1", 2);
    let claim = told.split('`').find(|part| part.contains(" claim ")).unwrap();
    sandbox.ok(&line(&format!("{claim} --now 2026-11-20T02:00:00Z"))[1..]);
    let told = start("gemini", "g2", 2);
    assert!(told.contains("- Claimed by others; leave these to them: handoff `m` (by "), "{told}");
    assert!(!told.contains("For whoever"), "{told}");
    let told = start("gemini", "g3", 22);
    assert!(told.contains("- Abandoned (take it over: "), "{told}");
    assert!(told.contains("): handoff `m` (abandoned "), "{told}");
}

/// A person at a terminal is told that agents will read it, and a program that they will not.
#[cfg(unix)]
#[test]
fn who_writes_work_down_is_told_whether_agents_read_it() {
    let sandbox = Sandbox::new();
    let add = ["work", "add", "trap", "Never edit files under src/gen", "--id"];
    let typed = |more: &[&str]| sandbox.shown(&[&add[..], more].concat());
    assert!(
        typed(&["a"]).ends_with("  its first words are quoted to each agent that starts here\r\n")
    );
    assert!(typed(&["b", "--agent", "codex"]).contains("  its id, but not its text, is shown to "));
    assert_eq!(typed(&["c", "--quiet"]), "");
    let to_nobody = sandbox.shown(&line("work add handoff Taxes --to bob"));
    assert!(to_nobody.ends_with("each agent that starts here\r\n"), "{to_nobody}");
}

/// A step that an agent takes with the command that it was told is its own.
#[test]
fn an_agent_that_does_as_it_was_told_did_it_itself() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("work add handoff Notes --id m --to claude --from codex --agent codex"));
    sandbox.run(&line("work add trap Read-only --id t --expires 2026-11-19"));
    let told = sandbox.start_of("claude-code", "s1");
    let mut said = String::new();
    for does in [" resolve ", " claim "] {
        let command = told.split('`').find(|part| part.contains(does)).unwrap();
        said = sandbox.ok(&line(&command.replace("ID", "t"))[1..]);
    }
    assert!(said.ends_with("  when it is done, set its status to accepted\n"), "{said}");
    sandbox.ok(&line("work set m --status accepted --agent claude-code"));
    let told = sandbox.start_of("claude-code", "s2");
    let by = "by this agent)";
    for did in ["handoff `m` (open → accepted, ", "trap `t` (active → resolved, "] {
        assert!(told.contains(&format!("{did}{by}")), "{told}");
    }
    let told = sandbox.start_of("codex", "x1");
    assert!(!told.contains("by this agent"), "{told}");
}

/// A handoff is the affair of whom it is for and of whom it is from, as news and while it is overdue.
#[test]
fn a_handoff_is_told_to_its_two_agents_alone() {
    let sandbox = Sandbox::new();
    let clients = [("claude-code", true), ("codex", true), ("gemini", false), ("cursor", false)];
    for (client, _) in &clients[..3] {
        sandbox.start_of(client, "s1");
    }
    let add = "work add handoff Notes --id notes --to claude --from codex --agent codex";
    sandbox.ok(&line(add));
    // To whom nobody is known by that name, each is told.
    assert_eq!(sandbox.run(&line("work add handoff Rest --id rest --to reviewer")).code, 0);
    for (client, is_told) in clients {
        let told = sandbox.start_of(client, "s2");
        assert_eq!(told.contains("`notes`"), is_told, "{client}: {told}");
        assert!(told.contains("handoff `rest`"), "{client}: {told}");
    }
    let day = ["--now", "2026-12-31T12:00:00Z"];
    for (client, is_told) in clients {
        let payload = json!({
            "session_id": client, "hook_event_name": "SessionStart", "cwd": sandbox.project,
        });
        let options = [&["--client", client][..], &day].concat();
        let told = sandbox.hook_with(&options, payload.to_string().as_bytes()).out;
        let notes = match client {
            "claude-code" => "handoff `notes` from `codex` (take it: ",
            _ => "handoff `notes` (open for ",
        };
        assert_eq!(told.contains(notes), is_told, "{client}: {told}");
        assert!(told.matches("handoff `notes`").count() <= 1, "{client}: {told}");
        assert!(told.contains("handoff `rest` (open for "), "{client}: {told}");
    }
    let ids = |list: &Value| -> String {
        list.as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap()).collect()
    };
    for (agent, more, told) in [
        ("gemini", &["--digest"][..], "notesrest"),
        ("gemini", &["--since", "2026-11-20"], "notesrest"),
        ("windsurf", &[], "rest"),
        ("windsurf", &[], ""),
    ] {
        let delta = sandbox.json(&[&day[..], &["resume", "--agent", agent], more].concat());
        let [items, overdue] = ["items", "warnings"].map(|key| ids(&delta[key]));
        assert_eq!([&*items, &*overdue], [told; 2], "{agent} {more:?}");
    }
}
