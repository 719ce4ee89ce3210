use std::fs;

use staleness_core::ids::Level;
use staleness_core::source::SourceState;
use staleness_core::tool::ToolKind;
use staleness_sources::clients::{self, ScanRequest};

use crate::tree::{Tree, lists, names, of};

const CLAUDE: &str = "claude-code";

#[test]
fn servers_are_read_at_three_levels() {
    let tree = Tree::new();
    tree.user(
        ".claude.json",
        format!(
            r#"{{"mcpServers": {{"github": {{"command": "gh", "description": "Code\n host"}}}},
                "projects": {{
                    "{}": {{"mcpServers": {{"mine": {{"command": "x"}}}}}},
                    "/elsewhere": {{"mcpServers": {{"theirs": {{"command": "x"}}}}}}
                }}}}"#,
            tree.folder()
        ),
    );
    tree.own(".mcp.json", r#"{"mcpServers": {"team": {"command": "x"}}}"#);
    let readings = tree.read();
    let user = of(&readings, CLAUDE, Level::User, "mcp");
    lists(&user, &["mcp__github__*"]);
    assert_eq!(user.id.project, None);
    assert_eq!(user.found[0].kind, ToolKind::McpServer);
    assert_eq!(user.found[0].description.as_deref(), Some("Code host"));
    let local = of(&readings, CLAUDE, Level::Local, "mcp");
    lists(&local, &["mcp__mine__*"]);
    assert_eq!(local.id.project, Some(tree.project.id()));
    let project = of(&readings, CLAUDE, Level::Project, "mcp");
    lists(&project, &["mcp__team__*"]);
    assert_eq!(project.id.project, Some(tree.project.id()));
}

#[test]
fn the_per_project_section_of_a_user_level_file_is_not_global() {
    let tree = Tree::new();
    tree.user(
        ".claude.json",
        r#"{"projects": {"/elsewhere": {"mcpServers": {"theirs": {"command": "x"}}}}}"#,
    );
    let readings = tree.read();
    lists(&of(&readings, CLAUDE, Level::User, "mcp"), &[]);
    let local = of(&readings, CLAUDE, Level::Local, "mcp");
    assert_eq!(local.state, SourceState::Missing);
    assert!(local.covers());
}

#[test]
fn a_section_is_found_however_its_path_is_written() {
    let tree = Tree::new();
    tree.user(
        ".claude.json",
        format!(
            r#"{{"projects": {{"{}/": {{"mcpServers": {{"mine": {{"command": "x"}}}}}}}}}}"#,
            tree.folder()
        ),
    );
    lists(&tree.source(CLAUDE, Level::Local, "mcp"), &["mcp__mine__*"]);
}

#[test]
fn every_list_that_switches_servers_off_is_honoured() {
    let tree = Tree::new();
    let section = r#"{"mcpServers": {"l1": {"command": "x"}, "l2": {"command": "x"}, "l3": {"command": "x", "disabled": true}},
        "disabledMcpServers": ["l1", "p1", "global"], "disabledMcpjsonServers": ["p2"],
        "enabledMcpjsonServers": ["p2", "p3"], "hasTrustDialogAccepted": true}"#;
    tree.user(
        ".claude.json",
        format!(
            r#"{{"mcpServers": {{"global": {{"command": "x"}}}}, "projects": {{"{}": {section}}}}}"#,
            tree.folder()
        ),
    );
    tree.user(".claude/settings.json", r#"{"disabledMcpjsonServers": ["p3"]}"#);
    tree.own(".claude/settings.json", r#"{"disabledMcpjsonServers": ["p4"]}"#);
    tree.own(
        ".claude/settings.local.json",
        r#"{"disabledMcpjsonServers": ["p5"], "enableAllProjectMcpServers": true}"#,
    );
    tree.own(
        ".mcp.json",
        r#"{"mcpServers": {"p1": {"command": "x"}, "p2": {"command": "x"}, "p3": {"command": "x"}, "p4": {"command": "x"}, "p5": {"command": "x"}, "p6": {"command": "x"}}}"#,
    );
    let readings = tree.read();
    lists(
        &of(&readings, CLAUDE, Level::Local, "mcp"),
        &["-mcp__global__*", "-mcp__l1__*", "mcp__l2__*", "mcp__l3__*"],
    );
    lists(
        &of(&readings, CLAUDE, Level::Project, "mcp"),
        &["-mcp__p1__*", "-mcp__p2__*", "-mcp__p3__*", "-mcp__p4__*", "-mcp__p5__*", "mcp__p6__*"],
    );
    // One project cannot switch off what all projects share.
    lists(&of(&readings, CLAUDE, Level::User, "mcp"), &["mcp__global__*"]);
}

#[test]
fn settings_that_cannot_be_read_make_what_they_govern_incomplete() {
    let tree = Tree::new();
    let settings = tree.own(".claude/settings.json", "{\n\"disabledMcp");
    tree.own(".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    let source = tree.source(CLAUDE, Level::Project, "mcp");
    assert_eq!(source.state, SourceState::Partial);
    assert_eq!(names(&source), ["mcp__a__*"]);
    let place = format!("{}:2: ", settings.display());
    assert!(source.error.unwrap().starts_with(&place));
}

#[test]
fn commands_skills_and_agents_are_named_as_they_are_called() {
    let tree = Tree::new();
    tree.user(".claude/commands/review.md", "---\ndescription: Use this when: x\n---\n");
    tree.user(".claude/commands/git/deep/commit.md", "do it");
    tree.user(".claude/commands/notes.txt", "no command");
    tree.user(".claude/commands/.hidden.md", "no command");
    tree.user(
        ".claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: >-\n  Reads\n  PDFs\n---",
    );
    tree.user(".claude/skills/empty/README.md", "no skill");
    tree.own(".claude/agents/tester.md", "---\nname: tester\n---");
    tree.own(".claude/agents/sub/other.md", "");
    let readings = tree.read();
    let commands = of(&readings, CLAUDE, Level::User, "commands");
    lists(&commands, &["/git:deep:commit", "/review"]);
    let review = commands.found.iter().find(|found| found.name.as_str() == "/review");
    assert_eq!(review.unwrap().description.as_deref(), Some("Use this when: x"));
    let skills = of(&readings, CLAUDE, Level::User, "skills");
    lists(&skills, &["pdf"]);
    assert_eq!(skills.found[0].kind, ToolKind::Skill);
    assert_eq!(skills.found[0].description.as_deref(), Some("Reads PDFs"));
    let agents = of(&readings, CLAUDE, Level::Project, "agents");
    lists(&agents, &["agent:tester"]);
    assert_eq!(agents.found[0].kind, ToolKind::Agent);
    assert_eq!(of(&readings, CLAUDE, Level::Project, "commands").state, SourceState::Missing);
}

#[test]
fn one_bad_file_in_a_folder_hides_no_other() {
    let tree = Tree::new();
    tree.user(".claude/commands/bad.md", b"---\ndescription: \xff\xfe\n---");
    tree.user(".claude/commands/huge.md", vec![b'x'; 1024 * 1024 + 1]);
    tree.user(".claude/commands/good.md", "");
    let source = tree.source(CLAUDE, Level::User, "commands");
    assert_eq!(source.state, SourceState::Partial);
    assert_eq!(names(&source), ["/bad", "/good", "/huge"]);
    let error = source.error.unwrap();
    assert!(error.contains("bad.md is not UTF-8 (and 1 more)"), "{error}");
}

#[test]
fn a_file_where_a_folder_belongs_says_nothing() {
    let tree = Tree::new();
    tree.user(".claude/commands", "x");
    let source = tree.source(CLAUDE, Level::User, "commands");
    assert_eq!(source.state, SourceState::Failed);
    tree.user(".claude.json/x", "");
    assert_eq!(tree.source(CLAUDE, Level::User, "mcp").state, SourceState::Failed);
}

#[test]
fn the_config_dir_moves_everything_of_the_user() {
    let tree = Tree::new();
    let dir = tree.home.join("moved");
    tree.user(".claude.json", r#"{"mcpServers": {"old": {"command": "x"}}}"#);
    tree.user("moved/.claude.json", r#"{"mcpServers": {"new": {"command": "x"}}}"#);
    tree.user("moved/commands/a.md", "");
    let mut request = ScanRequest::new(&tree.home, &tree.project);
    request.claude_config_dir = Some(&dir);
    let readings = clients::read(&request);
    lists(&of(&readings, CLAUDE, Level::User, "mcp"), &["mcp__new__*"]);
    lists(&of(&readings, CLAUDE, Level::User, "commands"), &["/a"]);

    // An empty folder may be the place of a disk that is not mounted.
    let empty = tree.home.join("empty");
    fs::create_dir(&empty).unwrap();
    request.claude_config_dir = Some(&empty);
    assert!(!of(&clients::read(&request), CLAUDE, Level::User, "mcp").covers());
    // A folder beside others that is gone is gone.
    let gone = tree.home.join("gone");
    request.claude_config_dir = Some(&gone);
    assert!(of(&clients::read(&request), CLAUDE, Level::User, "mcp").covers());
}

#[test]
fn a_home_that_is_a_project_is_read_once() {
    let mut tree = Tree::new();
    tree.project = staleness_docs::project::ProjectPlace::of_folder(&tree.home);
    tree.user(".claude/commands/a.md", "");
    tree.user(".cursor/mcp.json", r#"{"mcpServers": {"c": {}}}"#);
    tree.user(".gemini/settings.json", r#"{"mcpServers": {"g": {}}}"#);
    tree.user(".codex/config.toml", "mcp_servers.x.url = 'u'");
    let readings = tree.read();
    let listed: Vec<_> =
        readings.sources.iter().filter(|source| !source.found.is_empty()).collect();
    assert_eq!(listed.len(), 4);
    assert!(listed.iter().all(|source| source.id.project.is_none()));
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_that_leave_a_project_are_not_followed() {
        let tree = Tree::new();
        let secret = tree.user("private/secret.md", "---\ndescription: PRIVATE\n---");
        tree.own(".claude/commands/good.md", "");
        let commands = tree.project.folder.join(".claude/commands");
        symlink(&secret, commands.join("leak.md")).unwrap();
        symlink(tree.home.join("private"), commands.join("leaks")).unwrap();
        symlink(&commands, commands.join("loop")).unwrap();
        symlink(commands.join("good.md"), commands.join("inside.md")).unwrap();
        tree.own(".claude/skills/a/x", "");
        symlink(&secret, tree.project.folder.join(".claude/skills/a/SKILL.md")).unwrap();
        symlink(tree.home.join("private"), tree.project.folder.join(".claude/agents")).unwrap();
        let state = tree.user(".claude.json", r#"{"mcpServers": {"x": {}}}"#);
        symlink(state, tree.project.folder.join(".mcp.json")).unwrap();

        let readings = tree.read();
        let source = of(&readings, CLAUDE, Level::Project, "commands");
        assert_eq!(source.state, SourceState::Partial);
        assert_eq!(names(&source), ["/good", "/inside"]);
        assert_eq!(names(&of(&readings, CLAUDE, Level::Project, "skills")), [""; 0]);
        for part in ["agents", "mcp"] {
            let source = of(&readings, CLAUDE, Level::Project, part);
            assert_eq!(source.state, SourceState::Failed);
        }
        assert!(!format!("{readings:?}").contains("PRIVATE"));
    }

    #[test]
    fn the_user_may_keep_files_elsewhere() {
        let tree = Tree::new();
        tree.own("skills/pdf/SKILL.md", "---\ndescription: d\n---");
        fs::create_dir(tree.home.join(".claude")).unwrap();
        symlink(tree.project.folder.join("skills"), tree.home.join(".claude/skills")).unwrap();
        lists(&tree.source(CLAUDE, Level::User, "skills"), &["pdf"]);
    }

    #[test]
    fn links_that_lead_in_circles_end() {
        let tree = Tree::new();
        tree.user(".claude/commands/a/b/x.md", "");
        let commands = tree.home.join(".claude/commands");
        symlink(&commands, commands.join("a/b/up")).unwrap();
        symlink(commands.join("a"), commands.join("again")).unwrap();
        let source = tree.source(CLAUDE, Level::User, "commands");
        assert!(names(&source).contains(&"/a:b:x".to_owned()));
        assert!(source.found.len() < 20);
    }

    #[test]
    fn a_link_that_leads_nowhere_proves_nothing() {
        let tree = Tree::new();
        symlink(tree.home.join("unmounted/x.json"), tree.home.join(".claude.json")).unwrap();
        let source = tree.source(CLAUDE, Level::User, "mcp");
        assert_eq!(source.state, SourceState::Failed);
    }

    #[test]
    fn names_with_control_characters_are_malformed() {
        let tree = Tree::new();
        tree.user(".claude/commands/a\u{1b}[31m.md", "");
        tree.user(".claude/commands/b.md", "");
        let source = tree.source(CLAUDE, Level::User, "commands");
        assert_eq!(source.state, SourceState::Partial);
        assert_eq!(names(&source), ["/b"]);
        assert!(!source.error.unwrap().contains('\u{1b}'));
    }
}

#[test]
fn folders_that_are_too_deep_or_too_full_are_cut_off() {
    let tree = Tree::new();
    let deep = "d/".repeat(12);
    tree.user(&format!(".claude/commands/{deep}x.md"), "");
    tree.user(".claude/commands/top.md", "");
    let source = tree.source(CLAUDE, Level::User, "commands");
    assert_eq!(source.state, SourceState::Partial);
    assert_eq!(names(&source), ["/top"]);

    let tree = Tree::new();
    for at in 0..10_001 {
        tree.user(&format!(".claude/agents/{at}.md"), "");
    }
    let source = tree.source(CLAUDE, Level::User, "agents");
    assert_eq!(source.state, SourceState::Partial);
    assert_eq!(source.found.len(), 10_000);
}
