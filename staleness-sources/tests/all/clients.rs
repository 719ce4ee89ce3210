use std::collections::BTreeSet;
use std::fs;

use staleness_core::ids::Level;
use staleness_core::source::SourceState;
use staleness_docs::project::ProjectPlace;
use staleness_sources::clients::{self, ScanRequest};

use crate::tree::{Tree, lists, names, of};

/// Client, level, file below home or project, key of the servers.
pub(crate) const JSON_FILES: [(&str, Level, &str, &str); 14] = [
    ("claude-code", Level::User, ".claude.json", "mcpServers"),
    ("claude-code", Level::Project, ".mcp.json", "mcpServers"),
    ("claude-desktop", Level::User, ".config/Claude/claude_desktop_config.json", "mcpServers"),
    ("cursor", Level::User, ".cursor/mcp.json", "mcpServers"),
    ("cursor", Level::Project, ".cursor/mcp.json", "mcpServers"),
    ("vscode", Level::User, ".config/Code/User/mcp.json", "servers"),
    ("vscode", Level::Project, ".vscode/mcp.json", "servers"),
    ("gemini", Level::User, ".gemini/settings.json", "mcpServers"),
    ("gemini", Level::Project, ".gemini/settings.json", "mcpServers"),
    ("windsurf", Level::User, ".codeium/windsurf/mcp_config.json", "mcpServers"),
    ("copilot", Level::User, ".copilot/mcp-config.json", "mcpServers"),
    ("opencode", Level::User, ".config/opencode/opencode.json", "mcp"),
    ("opencode", Level::Project, "opencode.json", "mcp"),
    ("zed", Level::User, ".config/zed/settings.json", "context_servers"),
];

pub(crate) fn put(tree: &Tree, level: Level, file: &str, text: impl AsRef<[u8]>) {
    if level == Level::User {
        tree.user(file, text);
    } else {
        tree.own(file, text);
    }
}

#[test]
fn every_client_is_read_at_every_level() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        let text = format!(
            "{{\"{key}\": {{\r\n  \"a\": {{\"command\": \"x\"}},\r\n  \"my server.x\": {{\"command\": \"x\"}}, \"a\": {{\"command\": \"y\"}}\r\n}}}}"
        );
        put(&tree, level, file, text);
        let source = tree.source(client, level, "mcp");
        lists(&source, &["mcp__a__*", "mcp__my server.x__*"]);
        assert_eq!(source.error, None);
        assert_eq!(source.id.project.is_some(), level == Level::Project);
    }
}

#[test]
fn every_client_that_is_read_has_a_name_and_the_other_way_round() {
    let readings = Tree::new().read();
    let read: BTreeSet<&str> =
        readings.sources.iter().map(|source| source.id.client.as_str()).collect();
    assert_eq!(read, clients::NAMES.iter().copied().collect(), "`NAMES`, on the right");
}

#[test]
fn servers_under_another_clients_key_are_refused() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        let other = if key == "servers" { "mcpServers" } else { "servers" };
        put(&tree, level, file, format!("{{\n\"{other}\": {{\"a\": {{}}}}}}"));
        let source = tree.source(client, level, "mcp");
        assert_eq!(
            (source.state, names(&source)),
            (SourceState::Refused, vec!["!mcp__a__*".into()])
        );
        let error = source.error.unwrap();
        assert!(error.contains(":2: ") && error.contains(other), "{error}");
    }
}

#[test]
fn no_servers_are_no_servers() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        for text in
            ["{}".to_owned(), format!("{{\"{key}\": null}}"), format!("{{\"{key}\": {{}}}}")]
        {
            put(&tree, level, file, text);
            lists(&tree.source(client, level, "mcp"), &[]);
        }
    }
}

#[test]
fn codex_keeps_its_servers_in_toml() {
    let tree = Tree::new();
    let text = "\u{feff}# mine\r\nmodel = \"o\"\r\n[mcp_servers.a]\r\ncommand = \"x\"\r\n\
        description = \"Does a\"\r\n[mcp_servers.b]\r\nurl = \"u\"\r\nenabled = false\r\n\
        [mcp_servers.\"c.d\"]\r\ncommand = \"x\"\r\n[mcp_servers.\"c.d\".env]\r\nK = \"v\"\r\n";
    let trust = format!("[projects.{:?}]\r\ntrust_level = \"trusted\"\r\n", tree.project.folder);
    tree.own(".codex/config.toml", "mcp_servers = {x = {}, y = 5}\n");
    for (trust, state, own) in [
        (&*trust, SourceState::Refused, &["!mcp__a__*", "!mcp__c.d__*", "!mcp__x__*"][..]),
        ("", SourceState::Read, &["mcp__x__*"]),
    ] {
        tree.user(".codex/config.toml", format!("{text}{trust}"));
        let user = tree.source("codex", Level::User, "mcp");
        lists(&user, &["-mcp__b__*", "mcp__a__*", "mcp__c.d__*"]);
        let project = tree.source("codex", Level::Project, "mcp");
        assert_eq!(project.state, state);
        assert_eq!(names(&project), own);
        let is_told = project.error.is_some_and(|error| error.contains("config.toml:1: "));
        assert_eq!(is_told, state == SourceState::Refused, "a file that is not loaded");
    }
}

#[test]
fn broken_toml_says_nothing() {
    let tree = Tree::new();
    for (text, line) in [
        ("[mcp_servers.a]\ncommand = \"SECRET", 2),
        ("[mcp_servers.a\n", 1),
        ("a = 1\na = 2\n", 2),
        ("", 1),
    ] {
        tree.user(".codex/config.toml", text);
        let source = tree.source("codex", Level::User, "mcp");
        assert_eq!(source.state, SourceState::Failed, "{text}");
        let error = source.error.unwrap();
        assert!(error.contains(&format!("config.toml:{line}: ")), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }
    tree.user(".codex/config.toml", "mcp_servers = 5");
    let source = tree.source("codex", Level::User, "mcp");
    assert_eq!(source.state, SourceState::Refused);
}

#[test]
fn a_depth_bomb_fails_and_does_no_harm() {
    let tree = Tree::new();
    let many = 100_000;
    for text in ["[".repeat(many), "{\"mcpServers\":".repeat(many)] {
        tree.user(".claude.json", &text);
        let source = tree.source("claude-code", Level::User, "mcp");
        assert_eq!(source.state, SourceState::Failed);
    }
    for text in [
        format!("a = {}", "[".repeat(many)),
        format!("a = {}", "{a=".repeat(many)),
        format!("{}a = 1", "a.".repeat(many)),
        format!("[{}a]\nb = 1", "a.".repeat(many)),
    ] {
        tree.user(".codex/config.toml", &text);
        let source = tree.source("codex", Level::User, "mcp");
        assert_eq!(source.state, SourceState::Failed);
    }
}

#[test]
fn gemini_lets_in_what_its_lists_allow() {
    let tree = Tree::new();
    tree.user(
        ".gemini/settings.json",
        r#"{"mcpServers": {"a": {}, "b": {}, "c": {}}, "mcp": {"allowed": ["a", "b"], "excluded": ["b"]}}"#,
    );
    tree.own(".gemini/settings.json", r#"{"mcpServers": {"a": {}, "b": {}, "d": {}}}"#);
    lists(&tree.source("gemini", Level::User, "mcp"), &["-mcp__b__*", "-mcp__c__*", "mcp__a__*"]);
    lists(
        &tree.source("gemini", Level::Project, "mcp"),
        &["-mcp__b__*", "-mcp__d__*", "mcp__a__*"],
    );
    tree.own(
        ".gemini/settings.json",
        r#"{"mcpServers": {"a": {}, "b": {}, "d": {}}, "mcp": {"allowed": ["b", "d"]}}"#,
    );
    lists(
        &tree.source("gemini", Level::Project, "mcp"),
        &["-mcp__a__*", "-mcp__b__*", "-mcp__d__*"],
    );
    tree.own(".gemini/settings.json", r#"{"mcpServers": {"a": {}}, "mcp": {"excluded": "a"}}"#);
    assert_eq!(tree.source("gemini", Level::Project, "mcp").state, SourceState::Partial);
}

#[test]
fn user_settings_are_found_on_every_platform() {
    for folder in [".config", "Library/Application Support", "AppData/Roaming"] {
        let tree = Tree::new();
        tree.user(&format!("{folder}/Code/User/mcp.json"), r#"{"servers": {"a": {}}}"#);
        lists(&tree.source("vscode", Level::User, "mcp"), &["mcp__a__*"]);
    }
    let tree = Tree::new();
    tree.user("xdg/Claude/claude_desktop_config.json", r#"{"mcpServers": {"a": {}}}"#);
    tree.user("cx/config.toml", "mcp_servers.b.command = 'x'");
    let (xdg, codex) = (tree.home.join("xdg"), tree.home.join("cx"));
    let mut request = ScanRequest::new(&tree.home, &tree.project);
    request.config_dir = Some(&xdg);
    request.codex_dir = Some(&codex);
    let readings = clients::read(&request);
    lists(&of(&readings, "claude-desktop", Level::User, "mcp"), &["mcp__a__*"]);
    lists(&of(&readings, "codex", Level::User, "mcp"), &["mcp__b__*"]);
}

#[test]
fn an_unmounted_home_or_project_proves_nothing() {
    let tree = Tree::new();
    let missing = |level| {
        let readings = tree.read();
        // The list of a project's plugins stands in a file of the user.
        let all = readings.sources.iter().filter(move |source| {
            let in_project = source.id.level == Level::Project && source.id.part != "plugins";
            in_project == (level == Level::Project)
        });
        all.map(|source| (source.state, source.covers())).collect::<Vec<_>>()
    };
    for level in [Level::User, Level::Project] {
        assert!(missing(level).iter().all(|each| *each == (SourceState::Missing, true)));
    }
    fs::remove_file(tree.home.join(".profile")).unwrap();
    assert!(missing(Level::User).iter().all(|each| !each.1));
    assert!(tree.read().indexes.is_empty());
    assert!(missing(Level::Project).iter().all(|each| each.1));
    fs::remove_file(tree.project.folder.join("README.md")).unwrap();
    assert!(missing(Level::Project).iter().all(|each| !each.1));

    let nowhere = ProjectPlace::of_folder("/nonexistent/project");
    let home = std::path::Path::new("/nonexistent/home");
    let readings = clients::read(&ScanRequest::new(home, &nowhere));
    assert!(readings.sources.iter().all(|source| !source.covers()));
}

#[test]
fn what_a_linked_work_tree_lacks_proves_nothing_for_the_project() {
    let tree = Tree::new();
    let root = tree.project.folder.clone();
    let folder = root.parent().unwrap().join("feature");
    fs::create_dir(&folder).unwrap();
    for (folder, covers) in [(root.clone(), true), (folder, false)] {
        let place = ProjectPlace { folder, root: root.clone() };
        let readings = clients::read(&ScanRequest::new(&tree.home, &place));
        let commands = of(&readings, "claude-code", Level::Project, "commands");
        assert_eq!(commands.state, SourceState::Missing);
        assert_eq!(commands.covers(), covers, "{}", place.folder.display());
    }
}

#[test]
fn every_source_comes_once() {
    let tree = Tree::new();
    let mut ids: Vec<_> = tree.read().sources.into_iter().map(|source| source.id).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
