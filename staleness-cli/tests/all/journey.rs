//! A machine from the first look to a month later.

use std::fs;

use serde_json::{Value, json};

use crate::common::{NOW, Run, Sandbox, line, names};

/// Three clients side by side, with every sort of tool that they configure.
fn lived_in() -> Sandbox {
    let sandbox = Sandbox::new();
    let project = sandbox.project.to_str().unwrap();
    let claude = json!({
        "numStartups": 7,
        "mcpServers": { "github": { "command": "npx", "args": ["-y", "server-github"] } },
        "projects": { project: { "mcpServers": { "local-db": { "command": "db" } } } },
    });
    sandbox.write("home/.claude.json", claude.to_string());
    sandbox.write("home/.claude/commands/deploy/prod.md", "---\ndescription: Deploys\n---\nGo.");
    sandbox.write("home/.claude/skills/pdf/SKILL.md", "---\ndescription: Reads PDFs\n---\n");
    let kit = sandbox.root().join("home/.claude/plugins/cache/market/kit/1.0.0");
    let index = json!({ "version": 2, "plugins": {
        "kit@market": [{ "scope": "user", "installPath": kit, "version": "1.0.0" }] } });
    sandbox.write("home/.claude/plugins/installed_plugins.json", index.to_string());
    let store = "home/.claude/plugins/cache/market/kit/1.0.0/.mcp.json";
    sandbox.write(store, r#"{"store": {"command": "kit"}}"#);
    sandbox.write("home/.cursor/mcp.json", r#"{"mcpServers": {"figma": {"url": "https://f"}}}"#);
    sandbox.write("home/.codex/config.toml", "[mcp_servers.docs]\ncommand = 'docs'\n");
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"team": {"command": "team"}}}"#);
    sandbox.write("home/.claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#);
    sandbox.write("project/.claude/commands/fix.md", "Fix it.");
    sandbox
}

const EVERYTHING: [&str; 10] = [
    "/deploy:prod",
    "/fix",
    "kit@market",
    "mcp__docs__*",
    "mcp__figma__*",
    "mcp__github__*",
    "mcp__local-db__*",
    "mcp__plugin_kit_store__*",
    "mcp__team__*",
    "pdf",
];

fn sorted(list: &Value) -> Vec<&str> {
    let mut names = names(list);
    names.sort_unstable();
    names
}

#[test]
fn the_overview_of_a_new_machine_writes_nothing() {
    let sandbox = lived_in();
    let before = sandbox.files();
    let overview = sandbox.json(&[]);
    assert_eq!(overview["counts"]["tools"], EVERYTHING.len());
    assert_eq!(overview["tools"], json!([]));
    let looks = "tools,doctor,scan --dry-run,tools rank,tools suggest,tools discover pdf,\
                 project list,prune,config show,tools history github,tools show github";
    for look in looks.split(',') {
        sandbox.run(&line(look));
    }
    assert_eq!(sandbox.files(), before);
    assert!(!sandbox.root().join("data").exists());
}

#[test]
fn the_first_scan_finds_what_every_client_configures_and_the_second_changes_nothing() {
    let sandbox = lived_in();
    let first = sandbox.json(&["scan"]);
    assert_eq!(sorted(&first["added"]), EVERYTHING);
    assert_eq!((&first["stale"], &first["unchanged"]), (&json!([]), &json!(0)));
    let scope = |name: &str| sandbox.tool(name)["scope"].as_str().unwrap().to_owned();
    for own in ["mcp__local-db__*", "mcp__team__*", "/fix"] {
        assert_eq!(scope(own), "project", "{own}");
    }
    for global in ["mcp__github__*", "mcp__figma__*", "mcp__docs__*", "pdf", "kit@market"] {
        assert_eq!(scope(global), "global", "{global}");
    }
    let second = sandbox.json(&["scan"]);
    assert_eq!((&second["added"], &second["unchanged"]), (&json!([]), &json!(EVERYTHING.len())));
    assert_eq!(second["revision"], first["revision"]);
}

#[test]
fn a_subfolder_is_the_same_project() {
    let sandbox = lived_in();
    let scan = sandbox.json(&["scan"]);
    let deep = sandbox.project.join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    let from_below = |args: &[&str]| {
        let run = Run::of(sandbox.command().args(args).current_dir(&deep).output().unwrap());
        serde_json::from_str::<Value>(&run.out).unwrap()
    };
    let again = from_below(&["scan", "--json"]);
    assert_eq!(again["project"], scan["project"]);
    assert_eq!((&again["added"], &again["stale"]), (&json!([]), &json!([])));
    assert_eq!(from_below(&["tools", "--json"]), sandbox.json(&["tools"]));
    let named = sandbox.json(&["--project", deep.to_str().unwrap(), "tools"]);
    assert_eq!(named, sandbox.json(&["tools"]));
    assert_eq!(sandbox.json(&["project", "list"])["projects"].as_array().unwrap().len(), 1);
}

#[test]
fn time_can_be_set_and_a_month_without_a_sight_asks_for_a_review() {
    let sandbox = lived_in();
    sandbox.ok(&["scan"]);
    sandbox.ok(&["record", "mcp__github__search", "--success"]);
    for day in
        (21..=30).map(|day| format!("11-{day}")).chain((1..=20).map(|day| format!("12-{day:02}")))
    {
        sandbox.ok(&["--now", &format!("2026-{day}T12:00:00Z"), "record", "Bash", "--success"]);
    }
    let level = |now: &str, name: &str| {
        let tool = sandbox.json(&["--now", now, "tools", "show", name]);
        assert_eq!(tool["status"], "active", "age alone changes no status");
        tool["verdict"]["level"].as_str().unwrap().to_owned()
    };
    for (name, fine) in [("mcp__github__*", "fresh"), ("pdf", "unknown")] {
        assert_eq!(level("2026-12-20T11:59:59Z", name), fine, "{name}");
        assert_eq!(level("2026-12-20T12:00:00Z", name), "review", "{name}");
        assert_eq!(level("2026-12-21", name), "review", "{name}");
        assert_eq!(level("2020-01-01", name), fine, "{name}");
    }
    let late = sandbox.json(&["--now", "2026-12-21", "tools", "show", "mcp__github__search"]);
    assert_eq!(late["verdict"]["action"], "verify");
    let past = sandbox.json(&["--now", "2026-10-01", "record", "Old", "--failure"]);
    assert_eq!(past["tool"]["last_used_at"], "2026-10-01T00:00:00Z");
    assert_eq!(sandbox.tool("pdf")["discovered_at"], NOW);
}

/// Bug: fewer sources were said to be unread than were listed.
#[test]
fn each_source_that_counts_as_unread_is_listed() {
    let sandbox = Sandbox::scanned();
    sandbox.write("home/.claude.json", "{");
    sandbox.write("home/.cursor/mcp.json", r#"{"mcpServers": {"x": 5}}"#);
    sandbox.write("home/.gemini/settings.json", r#"{"theme": "dark",}"#);
    let told = sandbox.ok::<&str>(&[]);
    assert!(
        told.contains("known problems with 1 tool, but 4 sources could not be read\n"),
        "{told}"
    );
    for (state, count) in [("failed", 2), ("partial", 1), ("refused", 1)] {
        assert_eq!(told.matches(&format!("  {state}  ")).count(), count, "{told}");
    }
    assert_eq!(sandbox.json(&[])["counts"]["unreadable_sources"], 4);
}

#[test]
fn f3_the_home_that_the_readme_shows_is_read() {
    let sandbox = Sandbox::new();
    let home = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/home");
    let seen = sandbox.json(&["--home", home]);
    let counts = &seen["counts"];
    assert_eq!((&counts["tools"], &counts["unreadable_sources"]), (&json!(6), &json!(0)));
    // A person switched it off: that is no trouble.
    assert_eq!(
        (&seen["tools"], &counts["off"], &counts["stale"]),
        (&json!([]), &json!(1), &json!(0))
    );
    assert_eq!(names(&seen["off"]), ["mcp__sentry__*"]);
    assert_eq!(sandbox.run(&["--home", home, "--fail-on", "review"]).code, 0);
    let told = sandbox.ok(&["--home", home]);
    assert!(
        told.contains("switched off\n") && told.contains("switched off in codex/user/mcp"),
        "{told}"
    );
    assert!(!sandbox.store().exists());
}
