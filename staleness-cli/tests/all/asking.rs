//! Right for the agent that asks: what each client of a machine is told of its own tools.

use serde_json::{Value, json};

use crate::common::{Sandbox, told};

#[test]
fn a_scan_says_for_which_client_a_server_came_or_went() {
    let sandbox = Sandbox::scanned();
    sandbox.codex(&["github", "linear"]);
    let added = sandbox.json(&["scan", "--dry-run"]);
    assert_eq!(added["added"][0]["changed_for"], json!(["codex"]), "{added}");
    let text = sandbox.ok(&["scan"]);
    assert!(text.contains("mcp__github__*  mcp_server  for codex\n"), "{text}");
    sandbox.codex(&["linear"]);
    let gone = sandbox.json(&["--now", "2026-11-22T12:00:00Z", "scan"]);
    assert_eq!(gone["stale"][0]["changed_for"], json!(["codex"]), "{gone}");
    let since = |agent: &str| {
        sandbox.json(&["tools", "show", "github", "--agent", agent])["presence"]["since"].clone()
    };
    assert_eq!(since("codex"), "2026-11-22T12:00:00Z");
    assert_eq!(since("claude-code"), "2026-11-20T12:00:00Z");
}

#[test]
fn what_only_another_agent_called_and_what_it_hands_on_is_not_asked_of_this_one() {
    let sandbox = Sandbox::scanned();
    sandbox.codex(&["github"]);
    sandbox.ok(&["scan"]);
    sandbox.ok(&["record", "mcp__github__search", "--success", "--agent", "claude-code"]);
    for _ in 0..3 {
        sandbox.ok(&["record", "mcp__github__x", "--failure", "--new", "--agent", "claude-code"]);
    }
    let long_ago = ["--now", "2026-01-01T12:00:00Z"];
    let from = &["--from", "claude-code"][..];
    for (id, to, from) in
        [("others", "cursor", from), ("unasked", "zoe", from), ("strangers", "zoe", &[])]
    {
        let add = [&["work", "add", "handoff", "Go on", "--id", id, "--to", to], from].concat();
        assert_eq!(sandbox.run(&[&add[..], &long_ago].concat()).code, 0);
    }
    let asked = |agent: &str| sandbox.ok(&["review", "--agent", agent]);
    let (codex, claude) = (asked("codex"), asked("claude-code"));
    for other in ["mcp__github__x", "others", "unasked"] {
        assert!(!codex.contains(other), "{other}: {codex}");
    }
    assert!(codex.contains("strangers"), "nobody here knows whom it is for: {codex}");
    for own in ["mcp__github__x", "others", "unasked", "strangers"] {
        assert!(claude.contains(own), "{own}: {claude}");
    }
    assert!(!sandbox.ok(&["--agent", "codex"]).contains("mcp__github__x"));
    let stuck = |agent: &str| sandbox.ok(&["stale", "--agent", agent]);
    assert!(!stuck("codex").contains("others") && stuck("cursor").contains("others"));
}

/// Without this, a misspelt name becomes a tool of its own.
#[test]
fn a_misspelt_name_is_not_recorded_as_a_new_tool() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["record", "mcp__github__search", "--success"]);
    for (name, meant) in [
        ("mcp__github__serch", "mcp__github__search"),
        ("mcp__gitub__search", "mcp__github__search"),
        ("Serch", "mcp__github__search"),
        ("githubb", "mcp__github__*"),
    ] {
        let run = sandbox.run(&["record", name, "--success"]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
        let how = format!("did you mean {meant}? If it is another tool, say so with --new");
        assert!(run.err.contains(&how), "{run:?}");
    }
    assert_eq!(sandbox.json(&["tools"])["tools"].as_array().unwrap().len(), 2);
    for name in
        ["mcp__github__list", "mcp__slack__search", "deploy_a", "deploy_b", "tool-1", "tool-2"]
    {
        sandbox.ok(&["record", name, "--success"]);
    }
    sandbox.ok(&["record", "a%_b", "--success"]);
    let odd = sandbox.run(&["record", "A%_B", "--success"]);
    assert!(odd.err.contains("`staleness scan` first. If it is another tool"), "{odd:?}");
    sandbox.ok(&["record", "githubb", "--success", "--new"]);
    sandbox.ok(&["record", "githubb", "--success"]);
    assert_eq!(sandbox.tool("githubb")["uses"], 2);
}

/// A server that fails or went stands for its tools, whatever is asked.
#[test]
fn a_server_in_trouble_is_one_row_for_all_its_tools() {
    let sandbox = Sandbox::with_servers(&["github", "slack"]);
    sandbox.start_of("claude-code", "c1");
    for name in ["create", "list"] {
        for outcome in ["--success", "--failure", "--failure", "--failure"] {
            let name = format!("mcp__github__{name}");
            sandbox.ok(&["record", &name, outcome, "--agent", "claude-code"]);
        }
    }
    let is_one = |args: &[&str], text: &str| {
        let told = sandbox.ok(args);
        assert!(told.contains("mcp__github__*") && told.contains(text), "{args:?}: {told}");
        assert!(!told.contains("mcp__github__create"), "{args:?}: {told}");
    };
    let all_fail = "all 2 of its tools in use are demoted";
    is_one(&[], all_fail);
    is_one(&[], "1 of 4 tools needs attention");
    is_one(&["tools"], all_fail);
    is_one(&["review"], all_fail);
    is_one(&["board"], "");
    let fails = "Failing since the last session, avoid: `mcp__github__*` (all 2 of its tools";
    assert!(sandbox.start_of("claude-code", "c2").contains(fails), "not told before");
    let still = "Still failing, avoid: `mcp__github__*` (all 2 of its tools";
    assert!(sandbox.start_of("claude-code", "c3").contains(still));
    let why = sandbox.ok(&["why", "mcp__github__create"]);
    let of_server = format!("its server mcp__github__* is demoted: {all_fail}");
    assert!(why.contains(&of_server) && !why.contains("became active"), "{why}");
    sandbox.claude(&["slack"]);
    sandbox.start_of("claude-code", "c4");
    is_one(&[], "no longer lists it, and 2 tools with it");
    is_one(&["tools"], "and 2 tools with it");
}

/// More failures than a tool remembers are no hint that it ever worked.
#[test]
fn a_tool_that_fails_for_long_hides_neither_its_sibling_nor_that_it_never_worked() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["github"]);
    sandbox.start_of("claude-code", "c1");
    let fails = |name: &str, times: usize| {
        for _ in 0..times {
            sandbox.ok(&["record", name, "--failure", "--new", "--agent", "codex"]);
        }
    };
    fails("mcp__github__list", 33);
    fails("mcp__github__create", 3);
    let told = sandbox.start_of("claude-code", "c2");
    assert!(told.contains("`mcp__github__*` (all 2 of its tools in use are demoted)"), "{told}");
    fails("mcp__nobody__lists_it", 33);
    let listed = sandbox.json(&["tools"]);
    assert_eq!(listed["invented"][0]["name"], "mcp__nobody__lists_it", "{listed}");
}

/// Commands that a hook suggests work as they are printed.
#[test]
fn a_hook_names_the_store_that_it_was_given() {
    let sandbox = Sandbox::with_servers(&["github"]);
    for (folder, quote) in [("stores", ""), ("my stores", "'")] {
        let store = format!("sqlite:{}", sandbox.root().join(folder).join("a.db").display());
        let start = |id: &str| {
            let payload = json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": sandbox.project });
            let args = ["--client", "claude-code", "--store", &store];
            told(&sandbox.hook_with(&args, payload.to_string().as_bytes()))
        };
        start("c1");
        let handoff = ["work", "add", "handoff", "Review it", "--id", "h", "--to", "claude-code"];
        sandbox.ok(&[&["--store", &store], &handoff[..]].concat());
        let told = start("c2");
        let named = format!("`staleness --store {quote}{store}{quote} work show ID`");
        assert!(told.contains(&named), "{told}");
        assert_eq!(told.matches("`staleness ").count(), told.matches(" --store ").count());
        let take = told.split('`').find(|part| part.contains("work claim")).unwrap();
        let take = take.strip_prefix("staleness ").unwrap();
        let take = take.replace(&format!("{quote}{store}{quote} "), "");
        let args: Vec<&str> = take.split_whitespace().collect();
        sandbox.ok(&[&["--store", &store], &args[1..]].concat());
        let done = ["work", "set", "h", "--status", "accepted", "--agent", "claude-code"];
        sandbox.ok(&[&["--store", &store], &done[..]].concat());
        let another = ["work", "add", "handoff", "And this", "--id", "i", "--to", "claude-code"];
        sandbox.ok(&[&["--store", &store], &another[..]].concat());
        let budget = ["--set", "hooks.session_start_chars=400"];
        let payload = json!({ "session_id": "c3", "hook_event_name": "SessionStart" }).to_string();
        let args = [&["--client", "claude-code", "--store", &store][..], &budget[..]].concat();
        let brief = crate::common::told(&sandbox.hook_with(&args, payload.as_bytes()));
        assert!(brief.contains("handoff `i`") && brief.chars().count() <= 400, "{brief}");
    }
    let told = sandbox.session_start(&sandbox.project, "c4", "startup").unwrap_or_default();
    assert!(!told.contains("--store"), "{told}");
}

/// While the file that switches servers cannot be read, nothing changes: neither an approval nor its absence.
#[test]
fn a_half_written_switch_file_changes_no_state() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/.mcp.json",
        json!({ "mcpServers": { "pr": { "command": "x" } } }).to_string(),
    );
    let folder = sandbox.project.to_str().unwrap();
    let of = |section: Value| json!({ "projects": { folder: section } }).to_string();
    let approved = json!({ "hasTrustDialogAccepted": true, "enabledMcpjsonServers": ["pr"] });
    for (section, state) in [(json!({}), "pending"), (approved, "configured")] {
        for text in [of(section.clone()), r#"{"projects": {"#.to_owned(), of(section)] {
            sandbox.write("home/.claude.json", text);
            sandbox.ok(&["scan"]);
            let shown = sandbox.json(&["tools", "show", "pr"]);
            assert_eq!(shown["clients"]["claude-code"], state, "{shown}");
        }
    }
}

/// A name means one tool, whoever types it and wherever.
#[test]
fn a_name_means_the_same_tool_wherever_it_is_typed() {
    const LIST: &str = "mcp__github__list_prs";
    let sandbox = Sandbox::scanned();
    let servers = json!({ "mcpServers": { "github": { "command": "npx" } } }).to_string();
    for path in ["home/.cursor/mcp.json", "home/.gemini/settings.json"] {
        sandbox.write(path, &servers);
    }
    sandbox.ok(&["scan"]);
    for agent in ["claude-code", "cursor", "gemini"] {
        sandbox.ok(&["record", LIST, "--success", "--agent", agent]);
    }
    let mut uses = 3;
    for agent in ["", "claude-code", "cursor", "gemini"] {
        let asked = |args: &[&str]| {
            let agent = if agent.is_empty() { vec![] } else { vec!["--agent", agent] };
            sandbox.run(&[args, &agent].concat())
        };
        for name in [
            "list_prs",
            "MCP:list_prs",
            "github__list_prs",
            "mcp_github_list_prs",
            "github-list_prs",
        ] {
            for args in
                [&["tools", "show", name][..], &["why", name], &["record", name, "--success"]]
            {
                let run = asked(args);
                assert!(run.code == 0 && run.out.contains("list_prs"), "{args:?} {agent}: {run:?}");
            }
            uses += 1;
            assert_eq!(sandbox.tool(LIST)["uses"], uses, "{name} {agent}");
        }
        for (name, meant) in [
            ("list_pr", LIST),
            ("LIST_PRS", LIST),
            ("github__list_pr", LIST),
            ("mcp__GitHub__list_prs", LIST),
            ("MCP:list_pr", LIST),
            ("mcp__github__list-prs", LIST),
        ] {
            let near = if agent == "gemini" { "mcp_github_list_prs" } else { meant };
            for args in [&["tools", "show", name][..], &["record", name, "--success"]] {
                let run = asked(args);
                let told = format!("no tool named \"{name}\"; did you mean {near}?");
                assert!(run.code == 3 && run.err.contains(&told), "{args:?} {agent}: {run:?}");
            }
        }
    }
    for name in ["mcp__github__", "mcp__github"] {
        assert_eq!(sandbox.tool(name)["name"], "mcp__github__*", "a server may be asked for");
    }
    for name in ["mcp__nosuch__", "mcp__nosuch", "mcp__nosuch__*"] {
        let run = sandbox.run(&["record", name, "--success", "--new"]);
        assert!(run.code == 3 && run.err.contains("is not a valid tool name"), "{run:?}");
    }
    // What nobody has used yet is recorded as the tool of its server, and shown as that.
    for name in ["github__get_me", "MCP:get_me", "mcp_github_get_me"] {
        assert!(sandbox.ok(&["tools", "show", name]).starts_with("mcp__github__get_me  not used"));
    }
    let told = sandbox.json(&["record", "MCP:get_me", "--success", "--agent", "cursor"]);
    assert_eq!(told["tool"]["name"], "mcp__github__get_me");
    // A name that only failed is nothing to suggest, and no name is suggested for itself.
    sandbox.ok(&["record", "mcp__github__get_it", "--failure"]);
    assert!(!sandbox.ok(&["tools", "show", "mcp__github__get_its"]).contains("did you mean"));
    let own = sandbox.run(&["tools", "show", LIST, "--scope", "project"]);
    assert!(own.code == 3 && !own.err.contains(&format!("did you mean {LIST}")), "{own:?}");
}
