//! Servers that a project switches off or replaces: the entry that a client loads there.

use serde_json::json;

use crate::common::{Sandbox, used};

const OFF_HERE: &str = "switched off in claude-code/local/mcp";

fn claude(sandbox: &Sandbox, section: serde_json::Value) {
    let project = sandbox.project.to_str().unwrap();
    let servers = json!({ "github": { "command": "x" }, "linear": { "command": "x" } });
    let config = json!({ "mcpServers": servers, "projects": { project: section } });
    sandbox.write("home/.claude.json", config.to_string());
}

fn matrix(sandbox: &Sandbox) -> String {
    let text = sandbox.ok(&["tools", "matrix"]);
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_users_server_that_a_project_switches_off_is_off_there_for_that_client() {
    let sandbox = Sandbox::new();
    claude(&sandbox, json!({}));
    sandbox.write("home/.cursor/mcp.json", r#"{"mcpServers": {"github": {"command": "x"}}}"#);
    sandbox.start_of("claude-code", "c1");
    for at in 1..=3 {
        sandbox.hook(&used("PostToolUse", "mcp__github__q", &format!("g{at}")));
        sandbox.hook(&used("PostToolUseFailure", "mcp__linear__q", &format!("l{at}")));
    }
    claude(&sandbox, json!({ "disabledMcpServers": ["github", "linear", "nosuch"] }));
    let told = sandbox.start_of("claude-code", "c2");
    for server in ["github", "linear"] {
        assert!(told.contains(&format!("`mcp__{server}__*` (switched off)")), "{told}");
    }
    assert!(!told.contains("Failing"), "{told}");
    assert_eq!(matrix(&sandbox), "server claude-code cursor\ngithub off configured\nlinear off -");
    let of_claude = |args: &str| {
        let args: Vec<&str> = args.split(' ').chain(["--agent", "claude-code"]).collect();
        sandbox.ok(&args)
    };
    assert!(of_claude("tools show github").contains(OFF_HERE));
    assert!(of_claude("tools show mcp__github__q").contains("its server github is switched off"));
    let list = of_claude("tools list");
    assert_eq!(list.matches("  off  ").count(), 2, "{list}");
    assert!(!list.contains("active") && !list.contains("probation"), "{list}");
    assert!(of_claude("review").contains("nothing needs attention"));
    assert!(of_claude("tools suggest q").contains("no active tool fits"));
    let others = sandbox.ok(&["tools", "list", "--agent", "cursor"]);
    assert!(others.contains("mcp__github__q") && !others.contains("  off  "), "{others}");
    assert_eq!(sandbox.status("mcp__github__q"), "active", "for any client");
    assert_eq!(sandbox.status("mcp__linear__q"), "off", "for any client");
    let history = sandbox.ok(&["tools", "history", "github"]);
    let rows = [
        "absent  stale   project  disabled for claude-code in session c2",
        "added   active  global   configured for claude-code, cursor in session c1",
    ];
    for (row, shown) in rows.iter().zip(history.lines()) {
        assert!(shown.ends_with(row), "{history}");
    }
    for name in ["github", "mcp__github__q"] {
        let why = sandbox.ok(&["why", name]);
        assert!(why.contains("project  disabled for claude-code in session c2"), "{why}");
    }
    assert_eq!(sandbox.ok(&["tools", "history", "github", "--scope", "global"]).lines().count(), 1);
    let told = sandbox.start_of("claude-code", "c3");
    assert!(!told.contains("github") && !told.contains("linear"), "{told}");
    claude(&sandbox, json!({}));
    let told = sandbox.start_of("claude-code", "c4");
    assert!(told.contains("Available again: `mcp__linear__*`, `mcp__github__*`"), "{told}");
    assert_eq!(
        matrix(&sandbox),
        "server claude-code cursor\ngithub configured configured\nlinear configured -"
    );
}

#[test]
fn a_users_plugins_server_that_a_project_switches_off_is_off_there() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("home/.claude/plugins/cache/m/pl/1");
    let index = json!({ "version": 2, "plugins": {
        "pl@m": [{ "scope": "user", "installPath": folder, "version": "1" }] } });
    sandbox.write("home/.claude/plugins/installed_plugins.json", index.to_string());
    let servers = r#"{"mcpServers": {"srv": {"command": "x"}, "kept": {"command": "x"}}}"#;
    sandbox.write("home/.claude/plugins/cache/m/pl/1/.mcp.json", servers);
    claude(&sandbox, json!({}));
    sandbox.start_of("claude-code", "c1");
    for (server, event) in [("srv", "PostToolUseFailure"), ("kept", "PostToolUse")] {
        for at in 1..=3 {
            let tool = format!("mcp__plugin_pl_{server}__q");
            sandbox.hook(&used(event, &tool, &format!("{server}{at}")));
        }
    }
    let of_none =
        json!({ "disabledMcpServers": ["srv", "pl:srv", "plugin_pl_srv", "plugin:pl@m:srv"] });
    claude(&sandbox, of_none);
    sandbox.ok(&["scan"]);
    assert_eq!(sandbox.status("mcp__plugin_pl_srv__q"), "demoted");
    claude(&sandbox, json!({ "disabledMcpServers": ["plugin:pl:srv"] }));
    let told = sandbox.start_of("claude-code", "c2");
    assert!(told.contains("`mcp__plugin_pl_srv__*` (switched off)"), "{told}");
    assert_eq!(sandbox.status("mcp__plugin_pl_srv__q"), "off");
    assert_eq!(sandbox.status("mcp__plugin_pl_kept__q"), "active");
    let rows = "server claude-code\ngithub configured\nlinear configured\nplugin_pl_kept configured\n\
        plugin_pl_srv off";
    assert_eq!(matrix(&sandbox), rows);
    assert!(sandbox.ok(&["tools", "show", "plugin_pl_srv"]).contains(OFF_HERE));
    assert!(!sandbox.ok(&["review"]).contains("srv"));
    assert!(!sandbox.start_of("claude-code", "c3").contains("srv"));
}

#[test]
fn a_users_server_that_a_projects_settings_of_gemini_block_is_off_there() {
    let sandbox = Sandbox::new();
    let servers = json!({ "github": { "command": "x" }, "linear": { "command": "x" } });
    let users = json!({ "mcpServers": servers, "mcp": { "allowed": ["GitHub", "linear", "ext"] } });
    sandbox.write("home/.gemini/settings.json", users.to_string());
    let extension = r#"{"name": "e", "version": "1", "mcpServers": {"ext": {"command": "x"}}}"#;
    sandbox.write("home/.gemini/extensions/e/gemini-extension.json", extension);
    let project = |mcp: serde_json::Value| {
        sandbox.write("project/.gemini/settings.json", json!({ "mcp": mcp }).to_string());
        sandbox.ok(&["scan"]);
    };
    let rows = |states: [&str; 3]| {
        let [ext, github, linear] = states;
        let rows = format!("server gemini\next {ext}\ngithub {github}\nlinear {linear}");
        assert_eq!(matrix(&sandbox), rows);
    };
    project(json!({}));
    sandbox.ok(&["record", "mcp__github__q", "--success", "--agent", "gemini"]);
    project(json!({ "excluded": ["github"] }));
    rows(["configured"; 3]);
    let folder = sandbox.project.to_str().unwrap();
    let trust = json!({ folder: "TRUST_FOLDER" }).to_string();
    sandbox.write("home/.gemini/trustedFolders.json", trust);
    sandbox.ok(&["scan"]);
    rows(["configured", "off", "configured"]);
    let shown = sandbox.ok(&["tools", "show", "github"]);
    assert!(shown.contains("switched off in gemini/project/mcp"), "{shown}");
    assert!(!sandbox.ok(&["tools", "suggest", "github"]).contains("mcp__github__q"));
    assert!(sandbox.ok(&["review"]).contains("nothing needs attention"));
    project(json!({ "allowed": ["linear", "zzz"] }));
    rows(["off", "off", "configured"]);
    project(json!({ "allowed": ["zzz"] }));
    rows(["off"; 3]);
    project(json!({}));
    rows(["configured"; 3]);
}

#[test]
fn a_projects_table_of_a_server_that_the_user_has_in_codex_is_no_server_of_its_own() {
    let sandbox = Sandbox::new();
    let folder = json!(sandbox.project.to_str().unwrap());
    let users = |server: &str, trust: &str| {
        let text = format!("{server}\n[projects.{folder}]\ntrust_level = \"{trust}\"\n");
        sandbox.write("home/.codex/config.toml", text);
    };
    let on = "[mcp_servers.github]\ncommand = 'x'";
    users(on, "trusted");
    sandbox.start_of("codex", "c1");
    for at in 1..=3 {
        sandbox.hook(&used("PostToolUse", "mcp__github__q", &format!("g{at}")));
    }
    let project = |members: &str| {
        let text = format!("[mcp_servers.github]\n{members}\n");
        sandbox.write("project/.codex/config.toml", text);
        sandbox.ok(&["scan"]);
        let server = sandbox.tool("github");
        (matrix(&sandbox).replace("server codex\ngithub ", ""), server["scope"].clone())
    };
    let own = |state: &str| (state.to_owned(), json!("project"));
    let of_user = |state: &str| (state.to_owned(), json!("global"));
    for members in ["tool_timeout_sec = 5", "enabled = true", "args = ['b']"] {
        assert_eq!(project(members), of_user("configured"), "{members}");
        assert_eq!(sandbox.tool("mcp__github__q")["outcomes"], "SSS");
    }
    assert_eq!(project("command = 'y'"), own("configured"));
    assert_eq!(project("enabled = false").0, "off");
    assert_eq!(sandbox.status("mcp__github__q"), "off");
    assert!(sandbox.ok(&["tools", "show", "github"]).contains("switched off in codex/project/mcp"));
    users(on, "untrusted");
    assert_eq!(project("enabled = false"), of_user("configured"));
    assert_eq!(project("command = 'y'\nenabled = false"), of_user("configured"));
    assert_eq!(sandbox.status("mcp__github__q"), "active");
    users(&format!("{on}\nenabled = false"), "trusted");
    assert_eq!(project("tool_timeout_sec = 5"), of_user("off"));
    assert_eq!(project("enabled = true"), own("configured"));
    assert_eq!(project("command = 'y'").0, "off");
    users("", "trusted");
    assert_eq!(project("enabled = true"), own("refused"));
    let doctor = sandbox.run(&["doctor"]).out;
    assert!(doctor.contains("has no `command` and no `url`; add one"), "{doctor}");
}

/// The client does not start in such a project, as seen with Codex CLI and Gemini CLI.
#[test]
fn a_project_file_that_keeps_its_client_from_starting_takes_the_users_servers_along() {
    let folder = |sandbox: &Sandbox| json!(sandbox.project.to_str().unwrap()).to_string();
    let server = "[mcp_servers.github]\ncommand = 'x'\n";
    let trust = |trust: &str| format!("{server}[projects.FOLDER]\ntrust_level = '{trust}'\n");
    let (trusted, untrusted) = (trust("trusted"), trust("untrusted"));
    let gemini = r#"{"mcpServers": {"github": {"command": "x"}}}"#;
    let comma = r#"{"mcpServers": {"own": {"command": "x"},}}"#;
    let mended = r#"{"mcpServers": {"own": {"command": "x"}}}"#;
    let [codex, settings] = [".codex/config.toml", ".gemini/settings.json"];
    let no_table = "mcp_servers = 3\n";
    for (client, file, user, own, fixed, is_refused) in [
        ("codex", codex, &*trusted, "[mcp_servers.own]\nargs = ['a']\n", "# None.", true),
        ("codex", codex, &*trusted, no_table, "# None.", true),
        ("codex", codex, &*untrusted, no_table, "# None.", false),
        ("gemini", settings, gemini, comma, mended, true),
    ] {
        let sandbox = Sandbox::new();
        let user = user.replace("FOLDER", &folder(&sandbox));
        sandbox.write(&format!("home/{file}"), user);
        sandbox.write("home/.cursor/mcp.json", gemini);
        sandbox.start_of(client, "c1");
        sandbox.ok(&["record", "mcp__github__q", "--success", "--agent", client]);
        sandbox.write(&format!("project/{file}"), own);
        sandbox.ok(&["scan"]);
        let state = || {
            let shown = matrix(&sandbox);
            let mut rows = shown.lines().map(|line| line.split(' '));
            let at = rows.next().unwrap().position(|each| each == client).unwrap();
            rows.next().unwrap().nth(at).unwrap().to_owned()
        };
        if !is_refused {
            assert_eq!(state(), "configured");
            continue;
        }
        assert_eq!(state(), "refused");
        let of_client = |args: &str| {
            let args: Vec<&str> = args.split(' ').chain(["--agent", client]).collect();
            sandbox.run(&args).out
        };
        let why =
            format!("listed in {client}/project/mcp, but its client refuses the entry or the file");
        assert!(
            of_client("tools show github").contains(&why),
            "{}",
            of_client("tools show github")
        );
        let tool = of_client("tools show mcp__github__q");
        assert!(tool.contains("its server github is listed but not loaded"), "{tool}");
        assert!(of_client("tools suggest q").contains("no active tool fits"));
        assert!(of_client("doctor").contains("rejects this file"));
        let others = sandbox.ok(&["tools", "list", "--agent", "cursor"]);
        assert!(others.contains("mcp__github__q") && !others.contains("stale"), "{others}");
        assert_eq!(sandbox.status("mcp__github__q"), "active", "for any client");
        std::fs::remove_file(sandbox.root().join("home/.cursor/mcp.json")).unwrap();
        sandbox.ok(&["scan"]);
        assert_eq!(sandbox.status("mcp__github__q"), "stale", "no client is left");
        sandbox.write(&format!("project/{file}"), fixed);
        let restored = sandbox.ok(&["scan", "--dry-run"]);
        assert!(restored.contains("restored (1)"), "{restored}");
        assert!(!restored.contains("removed from config"), "{restored}");
        let told = sandbox.start_of(client, "c2");
        assert!(!told.contains("github"), "{told}");
        assert_eq!(sandbox.status("mcp__github__q"), "active");
    }
}

/// Bug S9: Gemini CLI disables all servers in such a folder, and they were active.
#[test]
fn s9_a_folder_that_the_user_distrusts_takes_all_servers_from_gemini() {
    let sandbox = Sandbox::new();
    let server = |name: &str| json!({ "mcpServers": { name: { "command": "x" } } }).to_string();
    sandbox.write("home/.gemini/settings.json", server("github"));
    let folder = sandbox.project.to_str().unwrap();
    for (id, level, state, news) in [
        ("g1", "TRUST_FOLDER", "configured", ""),
        (
            "g2",
            "DO_NOT_TRUST",
            "untrusted",
            "Gone since the last session; do not call: `mcp_github_*`",
        ),
        ("g3", "TRUST_FOLDER", "configured", "Available again: `mcp_github_*`"),
        (
            "g4",
            "DO_NOT_TRUST",
            "untrusted",
            "Gone since the last session; do not call: `mcp_github_*`",
        ),
    ] {
        sandbox.write("home/.gemini/trustedFolders.json", json!({ folder: level }).to_string());
        let told = sandbox.start_of("gemini", id);
        assert!(told.contains(news) && told.is_empty() == news.is_empty(), "{id}: {told}");
        assert_eq!(matrix(&sandbox), format!("server gemini\ngithub {state}"), "{id}");
    }
    let shown = sandbox.ok(&["tools", "show", "github"]);
    assert!(shown.contains("gemini/local/mcp, in a folder that is not trusted"), "{shown}");
    // What was not decided yet is asked before a session starts.
    sandbox.write("home/.gemini/trustedFolders.json", "{}");
    sandbox.ok(&["scan"]);
    assert_eq!(matrix(&sandbox), "server gemini\ngithub configured");
}

/// These clients go on without the file.
#[test]
fn a_project_file_that_its_client_leaves_out_changes_no_server_of_the_user() {
    let one = |key: &str| json!({ key: { "github": { "command": "x" } } }).to_string();
    for (client, user, own, key, wrong) in [
        ("claude-code", ".claude.json", ".mcp.json", "mcpServers", "servers"),
        ("vscode", ".config/Code/User/mcp.json", ".vscode/mcp.json", "servers", "mcpServers"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(&format!("home/{user}"), one(key));
        sandbox.write(&format!("project/{own}"), one(wrong));
        sandbox.ok(&["scan"]);
        assert_eq!(matrix(&sandbox), format!("server {client}\ngithub configured"));
        assert!(sandbox.run(&["doctor"]).out.contains("rejects this file"), "{client}");
    }
}

#[test]
fn a_projects_server_replaces_the_users_of_that_name_while_it_is_approved() {
    let sandbox = Sandbox::new();
    claude(&sandbox, json!({}));
    sandbox.start_of("claude-code", "c1");
    for at in 1..=3 {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__q", &format!("l{at}")));
    }
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"github": {"command": "y"}}}"#);
    let trusted = |key: &str| json!({ "hasTrustDialogAccepted": true, key: ["github"] });
    let scope = || sandbox.tool("github")["scope"].clone();
    for (section, loaded) in [
        (json!({}), "global"),
        (trusted("disabledMcpjsonServers"), "global"),
        (trusted("enabledMcpjsonServers"), "project"),
    ] {
        claude(&sandbox, section);
        sandbox.ok(&["scan"]);
        assert_eq!(scope(), loaded);
        let rows = "server claude-code\ngithub configured\nlinear configured";
        assert_eq!(matrix(&sandbox), rows, "{loaded}");
        let is_alarm = sandbox.ok(&["review"]).contains("mcp__github__q");
        assert_eq!(is_alarm, loaded == "global");
    }
    let told = sandbox.start_of("claude-code", "c2");
    assert!(!told.contains("ailing"), "{told}");
    let shown = sandbox.ok(&["tools", "show", "mcp__github__q"]);
    assert!(shown.contains("the project's own server github is loaded instead"), "{shown}");
    sandbox.hook(&used("PostToolUse", "mcp__github__q", "p1"));
    assert_eq!(sandbox.tool("mcp__github__q")["outcomes"], "S");
    std::fs::remove_file(sandbox.root().join("project/.mcp.json")).unwrap();
    sandbox.ok(&["scan"]);
    assert_eq!(scope(), "global");
    assert!(!sandbox.ok(&["tools", "list"]).contains("removed from config"));
}

/// An agent that had a server, and has one of that name, hears nothing.
#[test]
fn a_server_that_moves_between_the_user_and_a_project_is_neither_new_nor_gone() {
    let sandbox = Sandbox::new();
    claude(&sandbox, json!({}));
    sandbox.start_of("claude-code", "c1");
    sandbox.hook(&used("PostToolUse", "mcp__github__q", "q1"));
    both(&sandbox, "enabledMcpjsonServers");
    assert_eq!(sandbox.start_of("claude-code", "c2"), "");
    let shown = sandbox.tool("mcp__github__q");
    let told = (&shown["status"], &shown["verdict"]["level"], &shown["presence"]["cause"]);
    assert_eq!(told, (&json!("replaced"), &json!("replaced"), &json!("replaced")));
    let shown = sandbox.ok(&["tools", "show", "github", "--scope", "global"]);
    assert!(shown.contains("the project's own server github is loaded instead"), "{shown}");
    let history = sandbox.ok(&["tools", "history", "github"]);
    assert!(history.contains("moved  active  project  configured for claude-code"), "{history}");
    let project = sandbox.project.to_str().unwrap();
    let trusted = json!({ "hasTrustDialogAccepted": true, "enabledMcpjsonServers": ["github"] });
    let linear = json!({ "linear": { "command": "x" } });
    let alone = json!({ "mcpServers": linear, "projects": { project: trusted } });
    sandbox.write("home/.claude.json", alone.to_string());
    assert_eq!(sandbox.start_of("claude-code", "c3"), "");
    std::fs::remove_file(sandbox.root().join("project/.mcp.json")).unwrap();
    claude(&sandbox, json!({}));
    assert_eq!(sandbox.start_of("claude-code", "c4"), "");
    sandbox.claude(&["linear"]);
    let told = sandbox.start_of("claude-code", "c5");
    assert!(told.contains("do not call: `mcp__github__*` (removed from config)"), "{told}");
    both(&sandbox, "enabledMcpjsonServers");
    let told = sandbox.start_of("claude-code", "c6");
    assert!(told.contains(": `mcp__github__*`"), "{told}");
}

/// Nothing is lost by the removal of a server that was off.
#[test]
fn a_server_that_is_off_in_a_project_stays_off_when_the_users_entry_goes() {
    let sandbox = Sandbox::new();
    claude(&sandbox, json!({}));
    sandbox.start_of("claude-code", "c1");
    sandbox.hook(&used("PostToolUse", "mcp__github__q", "q1"));
    claude(&sandbox, json!({ "disabledMcpServers": ["github"] }));
    assert!(sandbox.start_of("claude-code", "c2").contains("`mcp__github__*` (switched off)"));
    let project = sandbox.project.to_str().unwrap();
    let off = json!({ "disabledMcpServers": ["github"] });
    let config = json!({ "mcpServers": {}, "projects": { project: off } });
    sandbox.write("home/.claude.json", config.to_string());
    let told = sandbox.start_of("claude-code", "c3");
    assert!(told.contains("`mcp__linear__*`") && !told.contains("github"), "{told}");
    let review = sandbox.json(&["review"]);
    assert_eq!(review["items"].as_array().unwrap().len(), 1, "only linear went: {review}");
    assert_eq!(matrix(&sandbox), "server claude-code\ngithub off\nlinear gone");
    assert_eq!(sandbox.status("mcp__github__q"), "off");
    claude(&sandbox, json!({}));
    let told = sandbox.start_of("claude-code", "c4");
    assert!(told.contains("Available again: `mcp__"), "{told}");
    assert_eq!(matrix(&sandbox), "server claude-code\ngithub configured\nlinear configured");
}

/// The user's github, and the project's own, approved or switched off.
fn both(sandbox: &Sandbox, key: &str) {
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"github": {"command": "y"}}}"#);
    claude(sandbox, json!({ "hasTrustDialogAccepted": true, key: ["github"] }));
    sandbox.ok(&["scan"]);
}

fn is_listed(sandbox: &Sandbox, agent: &str, words: &[&str]) -> bool {
    let list = sandbox.ok(&["tools", "list", "--agent", agent]);
    list.lines().any(|line| words.iter().all(|word| line.split_whitespace().any(|it| it == *word)))
}

#[test]
fn tools_of_a_projects_server_that_went_are_nobody_elses() {
    let sandbox = Sandbox::new();
    sandbox.codex(&["context7"]);
    both(&sandbox, "enabledMcpjsonServers");
    sandbox.hook(&used("PostToolUse", "mcp__github__q", "q1"));
    for at in 1..=3 {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__bad", &format!("b{at}")));
    }
    std::fs::remove_file(sandbox.root().join("project/.mcp.json")).unwrap();
    sandbox.ok(&["scan"]);
    assert!(is_listed(&sandbox, "claude-code", &["active", "mcp__github__q"]));
    let list = sandbox.ok(&["tools", "list", "--agent", "codex"]);
    assert!(!list.contains("mcp__github"), "{list}");
    let review = sandbox.ok(&["review", "--agent", "codex"]);
    assert!(review.contains("nothing needs attention"), "{review}");
}

#[test]
fn what_a_project_switches_off_takes_its_own_tools_along() {
    let sandbox = Sandbox::new();
    both(&sandbox, "enabledMcpjsonServers");
    sandbox.hook(&used("PostToolUse", "mcp__github__q", "q1"));
    both(&sandbox, "disabledMcpServers");
    let shown = sandbox.ok(&["tools", "show", "mcp__github__q", "--agent", "claude-code"]);
    assert!(shown.contains("its server github is switched off"), "{shown}");
    let list = sandbox.ok(&["tools", "list", "--agent", "claude-code"]);
    assert!(!list.contains("mcp__github__q"), "{list}");
    assert_eq!(list.matches("mcp__github__*").count(), 1, "{list}");
    // The switch went with the servers, which were off before.
    sandbox.write("home/.claude.json", "{}");
    std::fs::remove_file(sandbox.root().join("project/.mcp.json")).unwrap();
    sandbox.ok(&["scan"]);
    let review = sandbox.json(&["review"]);
    let names = |item: &serde_json::Value| item["id"].as_str().unwrap().starts_with("mcp__github");
    assert_eq!(review["items"].as_array().unwrap().iter().filter(|it| names(it)).count(), 0);
}

#[test]
fn failures_of_a_projects_server_say_nothing_of_another_clients_own() {
    let sandbox = Sandbox::new();
    sandbox.codex(&["github"]);
    sandbox.ok(&["scan"]);
    let of_codex = || sandbox.ok(&["record", "mcp__github__q", "--success", "--agent", "codex"]);
    of_codex();
    both(&sandbox, "enabledMcpjsonServers");
    sandbox.start_of("codex", "x1");
    for at in 1..=3 {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__q", &format!("q{at}")));
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__other", &format!("o{at}")));
    }
    of_codex();
    let list = sandbox.ok(&["tools", "list", "--agent", "codex"]);
    assert_eq!(list.matches("mcp__github__q").count(), 1, "{list}");
    assert!(is_listed(&sandbox, "codex", &["active", "mcp__github__q"]), "{list}");
    assert!(!list.contains("mcp__github__other"), "{list}");
    assert_eq!(sandbox.start_of("codex", "x2"), "");
    let suggested = sandbox.ok(&["tools", "suggest", "q", "--agent", "codex"]);
    assert!(suggested.contains("mcp__github__q"), "{suggested}");
}

#[test]
fn uses_of_the_users_server_show_though_a_project_had_it_first() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.cursor/mcp.json", r#"{"mcpServers": {"github": {"command": "y"}}}"#);
    sandbox.ok(&["scan"]);
    let use_it =
        || sandbox.ok(&["record", "mcp__github__q", "--success", "--agent", "claude-code"]);
    use_it();
    claude(&sandbox, json!({}));
    sandbox.ok(&["scan"]);
    use_it();
    use_it();
    let shown = sandbox.json(&["tools", "show", "mcp__github__q", "--agent", "claude-code"]);
    assert_eq!((&shown["scope"], &shown["outcomes"]), (&json!("global"), &json!("SS")), "{shown}");
}
