use std::fs;

use staleness_core::ids::Level;
use staleness_core::scan::SourceReading;
use staleness_core::source::SourceState;
use staleness_core::tool::{ListingState, ToolKind};

use crate::tree::{Tree, lists, names, of};

const CLAUDE: &str = "claude-code";
const INDEX: &str = ".claude/plugins/installed_plugins.json";
const FOLDER: &str = ".claude/plugins/cache/market/kit/1.0.0";

/// A home with one plugin that provides one thing of each sort.
fn with_plugin() -> Tree {
    let tree = Tree::new();
    let folder = tree.home.join(FOLDER);
    tree.user(
        INDEX,
        format!(
            r#"{{"version": 2, "plugins": {{"kit@market": [
                {{"scope": "user", "installPath": {folder:?}, "version": "1.0.0"}}]}}}}"#
        ),
    );
    tree.user(&format!("{FOLDER}/.mcp.json"), r#"{"db": {"command": "x"}}"#);
    tree.user(&format!("{FOLDER}/commands/go.md"), "---\ndescription: Goes\n---");
    tree.user(&format!("{FOLDER}/commands/sub/on.md"), "");
    tree.user(&format!("{FOLDER}/skills/pdf/SKILL.md"), "");
    tree.user(&format!("{FOLDER}/agents/tester.md"), "");
    tree
}

fn part(tree: &Tree, part: &str) -> SourceReading {
    tree.source(CLAUDE, Level::User, &format!("plugin:kit@market/{part}"))
}

#[test]
fn a_plugin_and_everything_it_provides_is_read() {
    let tree = with_plugin();
    let readings = tree.read();
    let plugins = of(&readings, CLAUDE, Level::User, "plugins");
    lists(&plugins, &["kit@market"]);
    assert_eq!(plugins.found[0].kind, ToolKind::Plugin);
    lists(&part(&tree, "mcp"), &["mcp__plugin_kit_db__*"]);
    lists(&part(&tree, "commands"), &["/kit:go", "/kit:sub:on"]);
    lists(&part(&tree, "skills"), &["kit:pdf"]);
    lists(&part(&tree, "agents"), &["agent:kit:tester"]);
    let provided = readings
        .sources
        .iter()
        .filter(|source| source.id.part.starts_with("plugin:"))
        .flat_map(|source| &source.found);
    for found in provided {
        assert_eq!(found.plugin.as_ref().unwrap().as_str(), "kit@market");
        assert_eq!(found.state, ListingState::Configured);
    }
    let levels: Vec<_> = readings.indexes.iter().map(|index| index.level).collect();
    assert_eq!(levels, [Level::User, Level::Project, Level::Local]);
    assert!(readings.indexes.iter().all(|index| index.part_prefix == "plugin:"));
}

#[test]
fn a_plugin_that_is_switched_off_takes_everything_along() {
    let tree = with_plugin();
    tree.user(".claude/settings.json", r#"{"enabledPlugins": {"kit@market": false}}"#);
    lists(&tree.source(CLAUDE, Level::User, "plugins"), &["-kit@market"]);
    lists(&part(&tree, "mcp"), &["-mcp__plugin_kit_db__*"]);
    lists(&part(&tree, "skills"), &["-kit:pdf"]);
    // A project has no say in what all projects share.
    tree.own(".claude/settings.json", r#"{"enabledPlugins": {"kit@market": true}}"#);
    lists(&tree.source(CLAUDE, Level::User, "plugins"), &["-kit@market"]);
}

#[test]
fn the_first_version_of_the_index_is_read() {
    let tree = with_plugin();
    let folder = tree.home.join(FOLDER);
    tree.user(
        INDEX,
        format!(r#"{{"version": 1, "plugins": {{"kit@market": {{"installPath": {folder:?}}}}}}}"#),
    );
    lists(&tree.source(CLAUDE, Level::User, "plugins"), &["kit@market"]);
    lists(&part(&tree, "skills"), &["kit:pdf"]);
}

#[test]
fn plugins_of_a_project_belong_to_it_alone() {
    let tree = with_plugin();
    let folder = tree.home.join(FOLDER);
    let own = &tree.project.folder;
    tree.user(
        INDEX,
        format!(
            r#"{{"version": 2, "plugins": {{
                "kit@market": [
                    {{"scope": "project", "installPath": {folder:?}, "projectPath": {own:?}}},
                    {{"scope": "project", "installPath": {folder:?}, "projectPath": "/elsewhere"}}],
                "mine@market": [{{"scope": "local", "installPath": {folder:?}, "projectPath": {own:?}}}],
                "other@market": [{{"scope": "local", "installPath": {folder:?}, "projectPath": "/elsewhere"}}]
            }}}}"#
        ),
    );
    tree.user(".claude/settings.json", r#"{"enabledPlugins": {"kit@market": false}}"#);
    tree.own(".claude/settings.json", r#"{"enabledPlugins": {"kit@market": true}}"#);
    tree.own(".claude/settings.local.json", r#"{"enabledPlugins": {"mine@market": false}}"#);
    let readings = tree.read();
    lists(&of(&readings, CLAUDE, Level::User, "plugins"), &[]);
    let project = of(&readings, CLAUDE, Level::Project, "plugins");
    lists(&project, &["kit@market"]);
    assert_eq!(project.id.project, Some(tree.project.id()));
    lists(&of(&readings, CLAUDE, Level::Local, "plugins"), &["-mine@market"]);
    lists(&of(&readings, CLAUDE, Level::Project, "plugin:kit@market/skills"), &["kit:pdf"]);
    lists(&of(&readings, CLAUDE, Level::Local, "plugin:mine@market/skills"), &["-mine:pdf"]);
}

#[test]
fn the_manifest_adds_places() {
    let tree = with_plugin();
    tree.user(
        &format!("{FOLDER}/.claude-plugin/plugin.json"),
        r#"{"name": "kit", "version": "1",
            "mcpServers": {"inline": {"command": "${CLAUDE_PLUGIN_ROOT}/x"}},
            "commands": ["./extra/cmd.md", "./more"],
            "skills": "./custom/", "agents": ["${CLAUDE_PLUGIN_ROOT}/extra/agent.md"]}"#,
    );
    for file in ["extra/cmd.md", "more/deep/c.md", "custom/one/SKILL.md", "extra/agent.md"] {
        tree.user(&format!("{FOLDER}/{file}"), "");
    }
    lists(&part(&tree, "mcp"), &["mcp__plugin_kit_db__*", "mcp__plugin_kit_inline__*"]);
    lists(&part(&tree, "commands"), &["/kit:cmd", "/kit:deep:c", "/kit:go", "/kit:sub:on"]);
    lists(&part(&tree, "skills"), &["kit:one", "kit:pdf"]);
    lists(&part(&tree, "agents"), &["agent:kit:agent", "agent:kit:tester"]);
}

#[test]
fn servers_of_a_manifest_may_be_in_a_file_of_any_shape() {
    let tree = with_plugin();
    let manifest = format!("{FOLDER}/.claude-plugin/plugin.json");
    tree.user(&manifest, r#"{"mcpServers": ["./a.json", "./b.json", {"c": {"command": "x"}}]}"#);
    tree.user(&format!("{FOLDER}/a.json"), r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    tree.user(&format!("{FOLDER}/b.json"), r#"{"servers": {"b": {"command": "x"}}}"#);
    let expected = [
        "!mcp__plugin_kit_b__*",
        "mcp__plugin_kit_a__*",
        "mcp__plugin_kit_c__*",
        "mcp__plugin_kit_db__*",
    ];
    assert_eq!(names(&part(&tree, "mcp")), expected);
}

#[test]
fn a_manifest_cannot_lead_out_of_the_plugin() {
    let tree = with_plugin();
    tree.user("private/SECRET.md", "---\ndescription: SECRET\n---");
    let private = tree.home.join("private");
    tree.user(
        &format!("{FOLDER}/.claude-plugin/plugin.json"),
        format!(
            "{{\"mcpServers\": \"../../../../../../.claude.json\",\n\"commands\": {private:?},\n\
             \"skills\": [\"skills/../../..\", 5],\n\"agents\": \"./link\"}}"
        ),
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(&private, tree.home.join(FOLDER).join("link")).unwrap();
    for (name, line) in [("mcp", 1), ("commands", 2), ("skills", 3)] {
        let source = part(&tree, name);
        assert_eq!(source.state, SourceState::Partial, "{source:?}");
        let error = source.error.unwrap();
        assert!(error.contains(&format!("plugin.json:{line}: ")), "{error}");
    }
    #[cfg(unix)]
    assert_eq!(part(&tree, "agents").state, SourceState::Partial);
    assert!(!format!("{:?}", tree.read()).contains("SECRET"));
}

#[test]
fn a_broken_manifest_makes_what_was_found_incomplete() {
    let tree = with_plugin();
    tree.user(&format!("{FOLDER}/.claude-plugin/plugin.json"), "{");
    let source = part(&tree, "skills");
    assert_eq!(source.state, SourceState::Partial);
    assert_eq!(names(&source), ["kit:pdf"]);
}

#[test]
fn an_index_that_was_not_read_whole_proves_nothing() {
    let tree = with_plugin();
    for text in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"plugins": []}"#,
        r#"{"plugins": {"a@b": null}}"#,
        r#"{"plugins": {"a@b": [{"scope": "user"}]}}"#,
        r#"{"plugins": {"a@b": [{"scope": "local", "installPath": "x"}]}}"#,
        r#"{"plugins": {"a\u0007@b": []}}"#,
    ] {
        tree.user(INDEX, text);
        let readings = tree.read();
        assert!(readings.indexes.is_empty(), "{text}");
        assert!(!of(&readings, CLAUDE, Level::User, "plugins").covers(), "{text}");
    }
    // The user has no plugins, or none any more.
    for text in [r#"{"plugins": {}}"#, r#"{"version": 2, "plugins": null}"#] {
        tree.user(INDEX, text);
        let readings = tree.read();
        assert_eq!(readings.indexes.len(), 3, "{text}");
        lists(&of(&readings, CLAUDE, Level::User, "plugins"), &[]);
    }
    fs::remove_file(tree.home.join(INDEX)).unwrap();
    assert_eq!(tree.read().indexes.len(), 3);
}

#[test]
fn a_plugin_whose_folder_is_gone_has_nothing() {
    let tree = with_plugin();
    fs::remove_dir_all(tree.home.join(FOLDER)).unwrap();
    let source = part(&tree, "skills");
    assert_eq!(source.state, SourceState::Missing);
    assert!(source.covers());
}

#[test]
fn a_server_of_a_projects_plugin_can_be_switched_off_alone() {
    let tree = with_plugin();
    let folder = tree.home.join(FOLDER);
    let own = &tree.project.folder;
    tree.user(
        INDEX,
        format!(
            r#"{{"plugins": {{"kit@market": [
                {{"scope": "local", "installPath": {folder:?}, "projectPath": {own:?}}}]}}}}"#
        ),
    );
    tree.user(
        ".claude.json",
        format!(r#"{{"projects": {{{own:?}: {{"disabledMcpServers": ["plugin:kit:db"]}}}}}}"#),
    );
    lists(&tree.source(CLAUDE, Level::Local, "plugin:kit@market/mcp"), &["-mcp__plugin_kit_db__*"]);
}
