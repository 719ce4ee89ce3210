//! `tools unused`: what is loaded and never used, what it costs, and switching a server off in its client's file.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Sandbox, keys, line};

/// A day on which everything was there already.
const LONG_AGO: &str = "2026-09-01T12:00:00Z";

/// A client used something of its own long ago, and on each day of the last month.
fn watched(sandbox: &Sandbox, client: &str) {
    let tool = format!("Own{client}");
    use_of(sandbox, client, &tool, LONG_AGO);
    daily(sandbox, client, &tool, ("10", 21..=31));
    daily(sandbox, client, &tool, ("11", 1..=20));
}

fn daily(sandbox: &Sandbox, client: &str, tool: &str, (month, days): (&str, RangeInclusive<u8>)) {
    for day in days {
        use_of(sandbox, client, tool, &format!("2026-{month}-{day:02}T11:00:00Z"));
    }
}

fn use_of(sandbox: &Sandbox, client: &str, tool: &str, at: &str) {
    sandbox.ok(&line(&format!("record {tool} --success --agent {client} --now {at}")));
}

fn scanned_long_ago(sandbox: &Sandbox) {
    sandbox.ok(&["scan", "--now", LONG_AGO]);
}

/// Pins the tools of a server, as `scan --probe` would.
fn pinned(sandbox: &Sandbox, server: &str, tools: &Value) {
    let list = sandbox.write("list.json", json!({ "tools": tools }).to_string());
    let list = list.to_str().unwrap();
    sandbox.ok(&["scan", "--tools-json", list, "--server", server, "--now", LONG_AGO]);
}

fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

/// The names, the clients and the estimated tokens of what is unused.
fn unused(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, String, Option<u64>)> {
    let told = sandbox.json(&[&["tools", "unused"], args].concat());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |each: &Value| (text(&each["client"]), text(&each["name"]), each["tokens"].as_u64());
    told["unused"].as_array().unwrap().iter().map(of).collect()
}

fn off(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.json(&[&["tools", "unused", "--off"], args].concat())
}

fn refused(sandbox: &Sandbox, args: &[&str], why: &str) {
    let before = sandbox.files();
    let run = sandbox.run(&[&["tools", "unused", "--off"], args].concat());
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains(why), "{why}: {}", run.err);
    assert_eq!(changed_files(sandbox, &before), [""; 0], "nothing is changed");
}

/// The files that were changed since, but for the store.
fn changed_files(
    sandbox: &Sandbox,
    before: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>,
) -> Vec<String> {
    let root = sandbox.root();
    let after = sandbox.files();
    let below = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    let mut changed: Vec<String> = after
        .iter()
        .filter(|(path, text)| before.get(*path) != Some(text))
        .map(|(path, _)| below(path))
        .chain(before.keys().filter(|path| !after.contains_key(*path)).map(|path| below(path)))
        .filter(|path| !path.starts_with("data/"))
        .collect();
    changed.sort();
    changed
}

#[test]
fn what_is_never_used_is_told_by_client_with_its_cost() {
    let sandbox = Sandbox::with_servers(&["hub", "spare"]);
    sandbox.codex(&["hub", "dark"]);
    let skill = "---\nname: tidy\ndescription: Tidies the house.\n---\nA long text.\n";
    sandbox.write("home/.claude/skills/tidy/SKILL.md", skill);
    sandbox.write("project/CLAUDE.md", "Be kind. @more.md\n");
    sandbox.write("project/more.md", "And brief.\n");
    sandbox.write("project/AGENTS.md", "x".repeat(400));
    sandbox.write("project/.claude/rules/a.md", "---\npaths: src/**\n---\nOn demand.\n");
    sandbox.write("project/.claude/rules/b.md", "Always.\n");
    scanned_long_ago(&sandbox);
    let list = json!([tool("find", "Finds things"), tool("drop", "Drops things")]);
    pinned(&sandbox, "hub", &list);
    pinned(&sandbox, "spare", &json!([tool("x", "y")]));
    assert!(unused(&sandbox, &[]).is_empty(), "nobody saw a client work");
    let told = sandbox.ok(&["tools", "unused"]);
    assert!(told.contains("no use by codex is recorded, so nothing"), "{told}");

    watched(&sandbox, "claude-code");
    watched(&sandbox, "codex");
    use_of(&sandbox, "claude-code", "mcp__hub__find", "2026-11-20T10:00:00Z");
    let row = |client: &str, name: &str, tokens| (client.to_owned(), name.to_owned(), tokens);
    // Claude Code begins with names: those of 14, 12 and 4 characters; the last one with a description of 17.
    let claude = [
        row("claude-code", "tidy", Some(6)),
        row("claude-code", "mcp__hub__drop", Some(4)),
        row("claude-code", "mcp__spare__*", Some(4)),
    ];
    let codex = [row("codex", "mcp__hub__*", Some(22)), row("codex", "mcp__dark__*", None)];
    assert_eq!(unused(&sandbox, &[]), [&claude[..], &codex].concat());
    assert!(unused(&sandbox, &["--days", "90"]).is_empty());
    assert_eq!(unused(&sandbox, &["--days", "0"]).len(), 5, "hub with all of its tools");
    sandbox.ok(&["tools", "pin", "spare"]);
    assert_eq!(unused(&sandbox, &[]).len(), 4, "kept by a person");
    sandbox.ok(&["tools", "restore", "spare"]);

    let told = sandbox.json(&["tools", "unused"]);
    assert_eq!(keys(&told), ["for", "method", "unused", "instructions", "clients"]);
    let files: Vec<(&str, u64)> = told["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|each| each["client"] == "claude-code")
        .map(|each| (each["path"].as_str().unwrap(), each["tokens"].as_u64().unwrap()))
        .collect();
    assert_eq!(files, [(".claude/rules/b.md", 2), ("CLAUDE.md", 5), ("more.md", 3)]);
    assert_eq!(
        told["instructions"][3],
        json!({"client": "codex", "path": "AGENTS.md", "tokens": 100})
    );
    let sums = json!({ "is_watched": true, "servers": 2, "skills": 0, "instructions": 1,
                       "tokens": 122, "unused_tokens": 22, "unknown": 1 });
    assert_eq!(told["clients"]["codex"], sums);
    let all = sandbox.json(&["tools", "unused", "--all"]);
    let others = all["others"].as_array().unwrap().iter();
    let others: Vec<_> = others.map(|it| (&it["client"], &it["name"], &it["tokens"])).collect();
    assert_eq!(others, [(&json!("claude-code"), &json!("mcp__hub__*"), &json!(8))]);
    let text = sandbox.ok(&["tools", "unused"]);
    let hint = "`staleness tools unused --all` lists what is used too";
    assert!(text.contains(hint) && !text.contains("mcp__hub__*  mcp_server  used"), "{text}");
    let text = sandbox.ok(&["tools", "unused", "--all"]);
    let row = text.lines().find(|line| line.contains("mcp__hub__*") && line.contains("used "));
    assert!(row.is_some_and(|row| row.contains("about 8 tokens, ")), "{text}");
    assert!(!text.contains(hint) && text.contains("mcp__hub__drop"), "{text}");
    let shown = sandbox.ok(&["tools", "show", "mcp__hub__*"]);
    let cost =
        "  cost          about 22 tokens in codex; about 8 tokens, 22 once loaded in claude-code\n";
    assert!(shown.contains(cost), "{shown}");
    assert_eq!(sandbox.json(&["tools", "show", "mcp__hub__*"])["costs"][1]["tokens"], 8);
    let text = sandbox.ok(&["tools", "unused"]);
    for part in [
        "mcp__dark__*",
        "cost unknown",
        "never used",
        "about 4 tokens, 8 once loaded",
        "about 122 tokens a session: 2 servers, 0 skills and commands, 1 instruction file; unused: \
         about 22 tokens; the cost of mcp__dark__* is not fully known",
        "an estimate: characters / 4",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("only servers can be switched off here; switch off the others in the client")
    );
    let asks = "`staleness scan --probe` finds the unknown costs";
    assert!(text.contains(asks), "{text}");
    pinned(&sandbox, "dark", &json!([tool("known", "")]));
    sandbox.ok(&["record", "mcp__dark__hidden", "--success", "--agent", "codex"]);
    let text = sandbox.ok(&["tools", "unused"]);
    assert!(!text.contains(asks), "it was asked: {text}");
    let told = sandbox.json_under(&[("STALENESS_AGENT", "codex")], &["tools", "unused"]);
    assert_eq!(keys(&told["clients"]), ["codex"], "an answer is for one client");
}

const SECRET: &str = "hunter2-hunter2";

#[test]
fn a_server_is_switched_off_in_the_clients_own_way_and_shown_first() {
    let sandbox = Sandbox::new();
    let project = sandbox.project.display().to_string();
    let state = format!(
        "{{\n  \"mcpServers\": {{\n    \"hub\": {{ \"command\": \"npx\", \"env\": {{ \"K\": \"{SECRET}\" }} }},\n    \
         \"kept\": {{ \"command\": \"npx\" }}\n  }},\n  \"projects\": {{\n    \"{project}\": {{\n      \
         \"mcpServers\": {{ \"hub\": {{ \"command\": \"npx\" }} }}\n    }}\n  }}\n}}\n"
    );
    let state = sandbox.write("home/.claude.json", state);
    let shared = json!({ "mcpServers": { "hub": { "command": "npx" } } }).to_string();
    sandbox.write("project/.mcp.json", &shared);
    sandbox.write("home/.claude/settings.json", r#"{"enabledMcpjsonServers": ["hub"]}"#);
    sandbox.codex(&["hub", "kept"]);
    let gemini = "{\n  // mine\n  \"mcpServers\": { \"hub\": { \"command\": \"npx\" } }\n}\n";
    sandbox.write("home/.gemini/settings.json", gemini);
    sandbox.write("home/.cursor/mcp.json", &shared);
    sandbox.write("home/.codeium/windsurf/mcp_config.json", &shared);
    sandbox.write("home/.copilot/mcp-config.json", &shared);
    sandbox
        .write("home/.config/zed/settings.json", shared.replace("mcpServers", "context_servers"));
    scanned_long_ago(&sandbox);
    let clients = ["claude-code", "codex", "copilot", "cursor", "gemini", "windsurf", "zed"];
    for client in clients {
        watched(&sandbox, client);
    }
    let before = sandbox.files();
    let dry = off(&sandbox, &["hub"]);
    assert_eq!((&dry["dry_run"], &dry["changed"]), (&json!(true), &json!(true)));
    assert_eq!(changed_files(&sandbox, &before), [""; 0]);
    let diff = |path: &str| {
        let files = dry["files"].as_array().unwrap();
        let of = files.iter().find(|each| each["path"].as_str().unwrap().ends_with(path));
        let text = of.unwrap_or_else(|| panic!("{path}: {dry}"))["diff"].as_str().unwrap();
        text.split_once("@@\n").unwrap().1.to_owned()
    };
    let at = format!("    \"{project}\": {{");
    assert_eq!(
        diff("home/.claude.json"),
        format!(
            " {{\n   \"mcpServers\": {{\n-    \"hub\": {{ \"command\": \"…\", \"env\": {{ \"K\": \"…\" }} }},\n     \
             \"kept\": {{ \"command\": \"…\" }}\n   }},\n   \"projects\": {{\n {at}\n-      \"mcpServers\": \
             {{ \"hub\": {{ \"command\": \"…\" }} }}\n+      \"mcpServers\": {{ \"hub\": {{ \"command\": \"…\" }} }},\n\
             +      \"disabledMcpServers\": [\"hub\"]\n     }}\n   }}\n }}\n"
        )
    );
    let created = "+{\n+  \"disabledMcpjsonServers\": [\"hub\"]\n+}\n";
    assert_eq!(diff("project/.claude/settings.local.json"), created);
    assert_eq!(
        diff("config.toml"),
        " # …\n [mcp_servers.hub]\n+enabled = false\n command = \"…\"\n [mcp_servers.kept]\n command = \"…\"\n"
    );
    assert!(diff(".gemini/settings.json").contains("+    \"excluded\": [\"hub\"]\n"));
    assert!(diff("mcp_config.json").contains("\"disabled\":true"));
    assert!(diff(".copilot/settings.json").contains("\"disabledMcpServers\": [\"hub\"]"));
    assert!(diff("zed/settings.json").contains("\"enabled\":false"));
    assert_eq!(dry["files"].as_array().unwrap().len(), 7);
    let cursor = dry["by_hand"][0].as_str().unwrap();
    assert!(
        cursor.starts_with("cursor: mcp__hub__*: its files cannot disable a single server"),
        "{cursor}"
    );
    assert!(!dry.to_string().contains(SECRET));
    let shown = sandbox.ok(&["tools", "unused", "--off", "hub"]);
    assert!(
        shown.contains("+enabled = false\n") && shown.contains("nothing was written"),
        "{shown}"
    );

    let done = off(&sandbox, &["hub", "--yes"]);
    assert_eq!(done["files"], dry["files"], "what was shown is what is done");
    for one in done["files"].as_array().unwrap() {
        if let Some(backup) = one["backup"].as_str() {
            let path = Path::new(one["path"].as_str().unwrap());
            assert_eq!(fs::read(backup).unwrap(), before[path], "as it was");
        }
    }
    sandbox.ok(&["scan"]);
    let matrix = sandbox.json(&["tools", "matrix"]);
    let state_of = |name: &str, scope: &str, client: &str| {
        let servers = matrix["servers"].as_array().unwrap();
        let row = servers.iter().find(|row| row["server"] == name && row["scope"] == scope);
        row.unwrap()["clients"][client].clone()
    };
    for client in clients {
        let expected = match client {
            // In Claude Code the entry went, and the project switches the name off.
            "cursor" => "configured",
            _ => "off",
        };
        assert_eq!(state_of("hub", "global", client), expected, "{client}");
    }
    assert_eq!(state_of("hub", "project", "claude-code"), "off");
    assert_eq!(state_of("kept", "global", "claude-code"), "configured");
    let again = sandbox.json(&["tools", "unused", "--off", "hub", "--yes"]);
    assert_eq!(
        (&again["changed"], &again["files"]),
        (&json!(false), &json!([])),
        "cursor alone is left"
    );
    assert!(!fs::read_to_string(state).unwrap().contains(SECRET));

    // The backups are the person's: neither `init` nor `uninstall` takes them away.
    let backups = || {
        sandbox
            .files()
            .into_keys()
            .filter(|path| path.display().to_string().contains(".before-switch-off-"))
            .count()
    };
    assert_eq!(backups(), 6 - 1);
    for client in ["claude-code", "codex", "gemini"] {
        sandbox.ok(&["init", client]);
        sandbox.ok(&["uninstall", client]);
    }
    assert_eq!(backups(), 6 - 1);
}

/// Tools that both clients use do not hide which of them a client never uses.
#[test]
fn clients_that_share_a_tool_are_told_apart_by_their_outcomes() {
    let sandbox = Sandbox::with_servers(&["linear"]);
    sandbox.codex(&["dark"]);
    scanned_long_ago(&sandbox);
    use_of(&sandbox, "claude-code", "Bash", LONG_AGO);
    daily(&sandbox, "claude-code", "Bash", ("10", 12..=31));
    daily(&sandbox, "codex", "Bash", ("11", 1..=20));
    daily(&sandbox, "claude-code", "Bash", ("11", 1..=10));
    let row = |days: &str| unused(&sandbox, &["--days", days]);
    let of = |client: &str, name: &str| (client.to_owned(), name.to_owned(), None);
    assert_eq!(row("30"), [of("claude-code", "mcp__linear__*")]);
    let both = [of("claude-code", "mcp__linear__*"), of("codex", "mcp__dark__*")];
    assert_eq!(row("19"), both, "codex began later, and went on for longer");
    assert!(!sandbox.ok(&["tools", "unused"]).contains("is recorded"));

    let shown = sandbox.ok(&["tools", "unused", "--off", "linear"]);
    let note = "note: claude-code: mcp__linear__*: removes the entry";
    assert!(shown.contains(note) && !shown.contains("to undo"), "{shown}");
    let done = sandbox.ok(&["tools", "unused", "--off", "linear", "--yes"]);
    let done = done.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["removes the entry", "tools forget NAME --yes", "backup: ", "to undo: "] {
        assert!(done.contains(part), "{part}: {done}");
    }
    sandbox.ok(&["scan"]);
    sandbox.ok(&["tools", "forget", "linear", "--yes"]);
    assert_eq!(sandbox.json(&["board"])["tools"], json!([]));
}

#[test]
fn what_was_never_used_is_told_before_it_counts_as_unused() {
    let sandbox = Sandbox::with_servers(&["dead"]);
    scanned_long_ago(&sandbox);
    use_of(&sandbox, "claude-code", "Own", LONG_AGO);
    daily(&sandbox, "claude-code", "Own", ("10", 1..=9));
    let text = sandbox.ok(&["tools", "unused"]);
    let early =
        "never used so far, in 9 days of use: mcp__dead__* (`staleness tools unused --days 9`)";
    assert!(text.contains(early), "{text}");
    assert_eq!(unused(&sandbox, &["--days", "9"]).len(), 1);
}

#[test]
fn what_is_off_already_is_no_trouble() {
    let sandbox = Sandbox::new();
    let sentry = "[mcp_servers.sentry]\ncommand = 'x'\nenabled = false\n";
    sandbox.write("home/.codex/config.toml", sentry);
    sandbox.ok(&["scan"]);
    assert_eq!(sandbox.json(&["board"])["tools"], json!([]));
    assert_eq!(sandbox.json(&["review"])["items"], json!([]));
    refused(&sandbox, &["sentry"], "\"sentry\" is already switched off");
}

#[test]
fn a_person_is_told_why_nothing_is_switched_off() {
    let sandbox = Sandbox::new();
    let hub =
        |more: &str| format!("{{\"mcpServers\": {{\"hub\": {{\"command\": \"npx\"}}}}{more}}}");
    sandbox.write("home/.claude.json", hub(""));
    sandbox.codex(&["used"]);
    scanned_long_ago(&sandbox);
    refused(&sandbox, &["nothing"], "no client loads a server named \"nothing\"");
    refused(&sandbox, &["hub"], "may be used: no use by claude-code is recorded");
    watched(&sandbox, "claude-code");
    watched(&sandbox, "codex");
    use_of(&sandbox, "codex", "mcp__used__x", "2026-11-20T11:30:00Z");
    refused(&sandbox, &["used"], "\"used\" is in use: ");
    refused(&sandbox, &["hub", "used", "--yes"], "is in use");
    let few = "\"hub\" was never used, but claude-code worked on only 31 days since; lower the limit with `--days N`";
    refused(&sandbox, &["hub", "--days", "99"], few);
    sandbox.ok(&["tools", "pin", "hub"]);
    refused(&sandbox, &["hub"], "\"hub\" is pinned, ignored or this program's own");
    sandbox.ok(&["tools", "restore", "hub"]);
    assert_eq!(sandbox.run(&["tools", "unused", "--yes"]).code, 2);
    assert_eq!(sandbox.run(&["tools", "unused", "--days", "-1"]).code, 3);

    let path = sandbox.write("home/.claude.json", "{\"mcpServers\": {}}");
    refused(&sandbox, &["hub", "--yes"], ".claude.json no longer has mcp__hub__* switched on");
    for (text, why) in [
        (hub(",\n"), "no longer has"),
        ("{".to_owned(), ".claude.json:1: "),
        (hub(", \"a\": 1, \"a\": 2"), "has a duplicate key"),
    ] {
        sandbox.write("home/.claude.json", text);
        refused(&sandbox, &["hub", "--yes"], why);
    }
    fs::remove_file(&path).unwrap();
    refused(&sandbox, &["hub", "--yes"], "no longer has");
}

#[test]
fn a_file_that_its_client_refuses_or_that_is_not_the_projects_own_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude/settings.json", r#"{"enabledMcpjsonServers": ["hub"]}"#);
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"hub": {"command": "npx"}}}"#);
    scanned_long_ago(&sandbox);
    watched(&sandbox, "claude-code");
    let local = sandbox.write("project/.claude/settings.local.json", "{\n  // mine\n}\n");
    refused(&sandbox, &["hub", "--yes"], "settings.local.json:2: Claude Code rejects this file");
    fs::remove_file(&local).unwrap();
    #[cfg(unix)]
    {
        let outside = sandbox.write("elsewhere/settings.json", "{}");
        std::os::unix::fs::symlink(&outside, &local).unwrap();
        refused(&sandbox, &["hub", "--yes"], "is a link that points outside the project");
        fs::remove_file(&local).unwrap();
        let codex = sandbox.write("elsewhere/config.toml", "[mcp_servers.far]\ncommand = 'x'\n");
        fs::create_dir_all(sandbox.home.join(".codex")).unwrap();
        std::os::unix::fs::symlink(codex, sandbox.home.join(".codex/config.toml")).unwrap();
        scanned_long_ago(&sandbox);
        watched(&sandbox, "codex");
        refused(&sandbox, &["far", "--yes"], "is a link that points outside your folder");
        refused(&sandbox, &["hub", "far", "--yes"], "points outside your folder");
    }
    let done = off(&sandbox, &["hub", "--yes"]);
    assert_eq!(
        (&done["files"][0]["change"], &done["files"][0]["backup"]),
        (&json!("create"), &Value::Null)
    );
}

#[test]
fn names_that_look_like_something_else_are_written_as_they_are() {
    let sandbox = Sandbox::new();
    let name = "a\"b].c = \\ \u{202e}*";
    let text = json!({ "mcpServers": { name: { "command": "x" }, "b": {} } });
    sandbox.write("home/.gemini/settings.json", text.to_string());
    sandbox.write("home/.claude.json", text.to_string());
    let toml = format!("[mcp_servers.{}]\ncommand = 'x'\n", json!(name));
    let codex = sandbox.write("home/.codex/config.toml", &toml);
    scanned_long_ago(&sandbox);
    for client in ["claude-code", "codex", "gemini"] {
        watched(&sandbox, client);
    }
    let shown = sandbox.ok(&["tools", "unused", "--off", name]);
    assert!(!shown.contains('\u{202e}') && shown.contains("enabled = false"), "{shown}");
    let done = off(&sandbox, &[name, "--yes"]);
    assert_eq!(done["files"].as_array().map(Vec::len), Some(3), "{done}");
    let gemini = crate::common::read_json(&sandbox.home.join(".gemini/settings.json"));
    assert_eq!(gemini["mcp"], json!({ "excluded": [name] }));
    let claude = crate::common::read_json(&sandbox.home.join(".claude.json"));
    assert_eq!(claude, json!({ "mcpServers": { "b": {} } }));
    assert_eq!(
        fs::read_to_string(codex).unwrap(),
        toml.replace("command", "enabled = false\ncommand")
    );
}

/// Bug: a server in the user's and the project's file of one client counted twice, and so did its tools.
#[test]
fn a_server_in_two_files_of_a_client_costs_once() {
    let sandbox = Sandbox::new();
    sandbox.codex(&["hub"]);
    scanned_long_ago(&sandbox);
    pinned(&sandbox, "hub", &json!([tool("find", "Finds things")]));
    watched(&sandbox, "codex");
    let sums = || sandbox.json(&["tools", "unused"])["clients"]["codex"].clone();
    let once = sums();
    assert_eq!((&once["servers"], &once["unused_tokens"]), (&json!(1), &once["tokens"]));
    let project = sandbox.project.to_str().unwrap();
    let trust = format!(
        "[mcp_servers.hub]\ncommand = 'x'\n[projects.{project:?}]\ntrust_level = 'trusted'\n"
    );
    sandbox.write("home/.codex/config.toml", trust);
    sandbox.write("project/.codex/config.toml", "[mcp_servers.hub]\ncommand = 'y'\n");
    scanned_long_ago(&sandbox);
    assert_eq!(sums()["servers"], 1);
    assert_eq!(unused(&sandbox, &[]).len(), 2, "but both can be switched off");
    let told = sandbox.ok(&["tools", "unused"]);
    assert!(!told.contains("switch off the others in the client"), "{told}");
}
