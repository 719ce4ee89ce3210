//! Files as strict as their clients: each case was seen with the real client, by its list of servers, unless
//! it says otherwise.

use staleness_core::ids::Level;
use staleness_core::scan::SourceReading;
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState::{self, Configured, Off, Pending, Refused, Untrusted};

use crate::clients::put;
use crate::tree::{Tree, lists, names, of};

const CLAUDE: &str = "claude-code";

/// Returns the names of a source's servers with the state of each, sorted.
pub(crate) fn states(source: &SourceReading) -> Vec<(&str, ListingState)> {
    let mut states: Vec<_> =
        source.found.iter().map(|found| (found.name.as_str(), found.state)).collect();
    states.sort_unstable();
    states
}

/// Asserts that the client refuses a file with the one server `a`, and says why.
#[track_caller]
fn refuses(source: &SourceReading, client: &str, line: usize, what: &str) {
    assert_eq!(source.state, SourceState::Refused, "{source:?}");
    assert!(source.covers());
    assert_eq!(states(source), [("mcp__a__*", Refused)]);
    let place = format!(":{line}: {client} rejects this file: {what}");
    let error = source.error.as_deref().unwrap();
    assert!(error.starts_with(&source.path) && error.contains(&place), "{error}");
}

const COMMENT: &str = "{\n// why\n\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";
const COMMA: &str = "{\"mcpServers\":\n{\"a\": {\"command\": \"x\"},}}";
const MARK: &str = "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";

#[test]
fn s1_comments_and_trailing_commas_are_refused_by_claude_code() {
    for (level, file) in [(Level::User, ".claude.json"), (Level::Project, ".mcp.json")] {
        let tree = Tree::new();
        put(&tree, level, file, COMMENT);
        let source = tree.source(CLAUDE, level, "mcp");
        refuses(&source, "Claude Code", 2, "comments are not allowed; remove them");
        put(&tree, level, file, COMMA);
        let source = tree.source(CLAUDE, level, "mcp");
        refuses(&source, "Claude Code", 2, "a trailing comma is not allowed; remove it");
        put(&tree, level, file, MARK);
        lists(&tree.source(CLAUDE, level, "mcp"), &["mcp__a__*"]);
    }
    let tree = Tree::new();
    tree.user(".config/Claude/claude_desktop_config.json", COMMA);
    let source = tree.source("claude-desktop", Level::User, "mcp");
    refuses(&source, "Claude Desktop", 2, "a trailing comma");
}

#[test]
fn s2_trailing_commas_are_refused_by_gemini_and_comments_are_not() {
    let tree = Tree::new();
    tree.user(".gemini/settings.json", COMMENT);
    lists(&tree.source("gemini", Level::User, "mcp"), &["mcp__a__*"]);
    tree.user(".gemini/settings.json", MARK);
    refuses(&tree.source("gemini", Level::User, "mcp"), "Gemini CLI", 1, "a byte-order mark");
    tree.user(".gemini/settings.json", COMMA);
    refuses(&tree.source("gemini", Level::User, "mcp"), "Gemini CLI", 2, "a trailing comma");
}

/// A client that does not start loads nothing, whichever of its files it refuses.
#[test]
fn of_a_client_that_does_not_start_everything_is_refused() {
    const PROJECT: &str = r#"{"mcpServers": {"p": {}}}"#;
    for (client, user, refused, project, text) in [
        (CLAUDE, ".claude.json", COMMA, ".mcp.json", PROJECT),
        (
            "codex",
            ".codex/config.toml",
            "mcp_servers.a = {}\nmcp_servers.b = 5\n",
            ".codex/config.toml",
            "[mcp_servers.p]\n",
        ),
        ("gemini", ".gemini/settings.json", COMMA, ".gemini/settings.json", PROJECT),
        (
            "gemini",
            ".gemini/trustedFolders.json",
            "{\"/\": \"TRUST_FOLDER\",}",
            ".gemini/settings.json",
            PROJECT,
        ),
    ] {
        let tree = Tree::new();
        tree.user(user, refused);
        tree.own(project, text);
        let source = tree.source(client, Level::Project, "mcp");
        assert_eq!(
            (source.state, states(&source)),
            (SourceState::Refused, vec![("mcp__p__*", Refused)])
        );
        assert!(
            source.error.unwrap().contains(&format!("{user}:")),
            "it is told which file to mend"
        );
    }
    let tree = Tree::new();
    tree.user(".claude.json", COMMENT);
    tree.user(".claude/commands/go.md", "Go.");
    assert_eq!(states(&tree.source(CLAUDE, Level::User, "commands")), [("/go", Refused)]);
    // Without trust to ask for it does not read who is trusted.
    tree.user(".gemini/trustedFolders.json", COMMA);
    tree.user(
        ".gemini/settings.json",
        r#"{"mcpServers": {"a": {}}, "security": {"folderTrust": {"enabled": false}}}"#,
    );
    lists(&tree.source("gemini", Level::User, "mcp"), &["mcp__a__*"]);
}

#[test]
fn s3_servers_under_the_wrong_key_are_refused_by_claude_code() {
    let tree = Tree::new();
    tree.own(".mcp.json", "{\"servers\":\n{\"a\": {\"command\": \"x\"}}}");
    let source = tree.source(CLAUDE, Level::Project, "mcp");
    let what = "found `servers` instead of `mcpServers`; rename it";
    refuses(&source, "Claude Code", 2, what);
}

#[test]
fn s4_a_bare_map_is_refused_by_claude_code() {
    let tree = Tree::new();
    tree.own(".mcp.json", "{\"$schema\": {},\n\"a\": {\"command\": \"x\"}, \"inputs\": [1]}");
    let source = tree.source(CLAUDE, Level::Project, "mcp");
    refuses(&source, "Claude Code", 2, "`mcpServers` is missing; put the servers into it");
}

#[test]
fn s5_switches_that_a_client_ignores_are_ignored() {
    const SWITCHES: &str = r#"{"a": {"command": "x"}, "b": {"command": "x", "disabled": true},
        "c": {"command": "x", "enabled": false}}"#;
    let tree = Tree::new();
    let none = [Configured; 3];
    // Cursor, VS Code, Windsurf and Zed by their documentation.
    for (client, file, key, expected) in [
        (CLAUDE, ".claude.json", "mcpServers", none),
        ("cursor", ".cursor/mcp.json", "mcpServers", none),
        ("vscode", ".config/Code/User/mcp.json", "servers", none),
        ("gemini", ".gemini/settings.json", "mcpServers", none),
        ("copilot", ".copilot/mcp-config.json", "mcpServers", none),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            "mcpServers",
            [Configured, Off, Configured],
        ),
        ("opencode", ".config/opencode/opencode.json", "mcp", [Configured, Off, Off]),
        ("zed", ".config/zed/settings.json", "context_servers", [Configured, Configured, Off]),
    ] {
        tree.user(file, format!("{{\"{key}\": {SWITCHES}}}"));
        let source = tree.source(client, Level::User, "mcp");
        let states: Vec<_> = states(&source).into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, expected, "{client}");
    }
    tree.own(".mcp.json", format!("{{\"mcpServers\": {SWITCHES}}}"));
    let own = tree.source(CLAUDE, Level::Project, "mcp");
    assert!(states(&own).iter().all(|(_, state)| *state == Pending), "{own:?}");
    tree.user(
        ".codex/config.toml",
        "mcp_servers.a.url = 'u'\nmcp_servers.b = { url = 'u', disabled = true }\n\
         mcp_servers.c = { url = 'u', enabled = false }\n",
    );
    lists(&tree.source("codex", Level::User, "mcp"), &["-mcp__c__*", "mcp__a__*", "mcp__b__*"]);
}

#[test]
fn s6_servers_of_a_project_wait_for_approval_by_claude_code() {
    let yes = r#"{"enabledMcpjsonServers": ["a"]}"#;
    let all = r#"{"enableAllProjectMcpServers": true}"#;
    let both = [Configured, Configured];
    let first = [Configured, Pending];
    let none = [Pending, Pending];
    for (level, file, text, expected) in [
        (Level::User, "other.json", "{}", none),
        (Level::User, ".claude/settings.json", yes, first),
        (Level::User, ".claude/settings.json", all, both),
        // Nothing in a project that is not trusted approves its servers.
        (Level::Project, ".claude/settings.local.json", all, none),
        (Level::Project, ".claude/settings.json", all, none),
        // The client goes on without settings that it refuses.
        (Level::User, ".claude/settings.json", "{\"enableAllProjectMcpServers\": true,}", none),
    ] {
        let tree = Tree::new();
        tree.own(".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}}"#);
        put(&tree, level, file, text);
        let source = tree.source(CLAUDE, Level::Project, "mcp");
        assert_eq!(source.state, SourceState::Read);
        let found: Vec<_> = states(&source).into_iter().map(|(_, state)| state).collect();
        assert_eq!(found, expected, "{file}: {text}");
        assert_eq!(source.error.is_some(), text.ends_with(",}"), "{:?}", source.error);
    }
    let tree = Tree::new();
    tree.own(".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}}"#);
    let switches = r#""enabledMcpjsonServers": ["a", "b"], "disabledMcpjsonServers": ["b"], "#;
    for (file, text, is_trusted, section, expected) in [
        (".claude/settings.json", yes, true, "", first),
        (".claude/settings.local.json", all, true, "", both),
        (".claude/settings.local.json", all, false, "", none),
        (".claude/settings.local.json", "{}", true, switches, [Configured, Off]),
        (".claude/settings.local.json", "{}", false, switches, [Pending, Off]),
    ] {
        tree.own(file, text);
        let section = format!("{{{section}\"hasTrustDialogAccepted\": {is_trusted}}}");
        let projects = format!("{{\"projects\": {{\"{}\": {section}}}}}", tree.folder());
        tree.user(".claude.json", projects);
        let source = tree.source(CLAUDE, Level::Project, "mcp");
        let found: Vec<_> = states(&source).into_iter().map(|(_, state)| state).collect();
        assert_eq!(found, expected, "{file}: {text} {section}");
    }
    // A half-written file approves nothing. The registry keeps what it knew.
    tree.user(".claude.json", "{\"projects\": {");
    let source = tree.source(CLAUDE, Level::Project, "mcp");
    assert_eq!(source.state, SourceState::Partial);
    assert_eq!(states(&source), [("mcp__a__*", Pending), ("mcp__b__*", Pending)]);
    assert!(source.found.iter().all(|found| found.unsure));
}

#[test]
fn s7_a_project_file_counts_for_codex_where_it_trusts_the_folder() {
    let tree = Tree::new();
    tree.own(".codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\n");
    let state = |user: &str| {
        tree.user(".codex/config.toml", user);
        let source = tree.source("codex", Level::Project, "mcp");
        (source.state, source.found[0].state)
    };
    let section =
        |level: &str| format!("[projects.{:?}]\ntrust_level = \"{level}\"\n", tree.project.folder);
    assert_eq!(state("model = \"o\"\n"), (SourceState::Read, Untrusted));
    assert_eq!(state(&section("untrusted")), (SourceState::Read, Untrusted));
    assert_eq!(state(&section("trusted")), (SourceState::Read, Configured));
    assert_eq!(state("[projects.\n"), (SourceState::Partial, Untrusted));
    let other = section("trusted").replace("project\"", "other\"");
    assert_eq!(state(&other), (SourceState::Read, Untrusted));
}

/// A client that finds no way to a server does not start.
#[test]
fn a_server_that_codex_cannot_reach_makes_its_file_refused() {
    let tree = Tree::new();
    let trust = format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", tree.project.folder);
    let read = |user: &str, own: &str, level| {
        tree.user(".codex/config.toml", format!("{user}\n{trust}"));
        tree.own(".codex/config.toml", own);
        let source = tree.source("codex", level, "mcp");
        (source.state, names(&source).join(" "), source.error.unwrap_or_default())
    };
    let solo = "mcp_servers.a.url = 'u'\n[mcp_servers.solo]\nenabled = true\n";
    let both = "[mcp_servers.solo]\nurl = 'u'\ncommand = 'x'\n";
    for (text, what, found) in [
        (
            solo,
            ":2: Codex CLI rejects this file: a server has no `command` and no `url`; add one",
            2,
        ),
        (
            both,
            ":1: Codex CLI rejects this file: a server has both `command` and `url`; remove one",
            1,
        ),
    ] {
        for (user, own, level) in [(text, "# None.", Level::User), ("", text, Level::Project)] {
            let (state, names, error) = read(user, own, level);
            assert_eq!(state, SourceState::Refused, "{text}");
            assert!(error.ends_with(what), "{error}");
            assert_eq!(names.matches('!').count(), found, "{names}");
        }
    }
    let user = "[mcp_servers.solo]\ncommand = 'x'";
    let (state, names, _) = read(user, "[mcp_servers.solo]\nurl = 'u'\n", Level::Project);
    assert_eq!((state, &*names), (SourceState::Refused, "!mcp__solo__*"));
    let (state, names, _) = read(user, solo, Level::Project);
    assert_eq!((state, &*names), (SourceState::Read, "mcp__a__*"));
    // A file that may still be being written refuses nothing.
    let cut = format!("{}[mcp_servers.solo]", "#".repeat(493) + "\n");
    assert_eq!(cut.len(), 512);
    let (state, names, _) = read("", &cut, Level::Project);
    assert_eq!((state, &*names), (SourceState::Partial, "mcp__solo__*"));
}

#[test]
fn s8_servers_that_gemini_has_switched_off_are_off() {
    let tree = Tree::new();
    tree.user(
        ".gemini/settings.json",
        r#"{"mcpServers": {"a": {}, "B": {}, "c": {}, "d": {}}, "mcp": {"excluded": ["C"]}}"#,
    );
    let switches = ".gemini/mcp-server-enablement.json";
    tree.user(
        switches,
        r#"{"b": {"enabled": false}, "D": {"enabled": false}, "a": {"enabled": true}}"#,
    );
    lists(
        &tree.source("gemini", Level::User, "mcp"),
        &["-mcp__B__*", "-mcp__c__*", "mcp__a__*", "mcp__d__*"],
    );
    // The client goes on without switches that it cannot parse.
    tree.user(switches, "// off\n{\"b\": {\"enabled\": false}}");
    let source = tree.source("gemini", Level::User, "mcp");
    lists(&source, &["-mcp__c__*", "mcp__B__*", "mcp__a__*", "mcp__d__*"]);
    tree.user(switches, "{\"b\": ");
    assert_eq!(tree.source("gemini", Level::User, "mcp").state, SourceState::Partial);
}

#[test]
fn s9_a_project_counts_for_gemini_where_it_trusts_the_folder() {
    let tree = Tree::new();
    tree.own(".gemini/settings.json", r#"{"mcpServers": {"a": {}}}"#);
    let state = || tree.source("gemini", Level::Project, "mcp").found[0].state;
    assert_eq!(state(), Untrusted);
    let folder = tree.folder();
    let parent = folder.strip_suffix("/project").unwrap_or(&folder).to_owned();
    let trusted = ".gemini/trustedFolders.json";
    for (text, expected) in [
        (format!("// mine\n{{\"{folder}\": \"TRUST_FOLDER\"}}"), Configured),
        (format!("{{\"{folder}\": \"DO_NOT_TRUST\", \"{parent}\": \"TRUST_FOLDER\"}}"), Untrusted),
        (format!("{{\"{folder}/sub\": \"TRUST_PARENT\"}}"), Configured),
        (format!("{{\"{folder}/sub\": \"TRUST_FOLDER\"}}"), Untrusted),
        ("{\"/\": 5}".to_owned(), Untrusted),
    ] {
        tree.user(trusted, &text);
        assert_eq!(state(), expected, "{text}");
    }
    tree.user(".gemini/settings.json", r#"{"security": {"folderTrust": {"enabled": false}}}"#);
    assert_eq!(state(), Configured);
}

#[test]
fn s10_servers_of_geminis_extensions_are_read() {
    let tree = Tree::new();
    let manifest = |name: &str, text: &str| {
        tree.user(&format!(".gemini/extensions/{name}/gemini-extension.json"), text)
    };
    manifest("one", r#"{"name": "one", "version": "1", "mcpServers": {"a": {}}}"#);
    manifest("two", r#"{"name": "second", "version": "1", "mcpServers": {"b": {}}}"#);
    tree.user(".gemini/extensions/empty/README.md", "");
    let read = || tree.source("gemini", Level::User, "extensions");
    lists(&read(), &["mcp__a__*", "mcp__b__*"]);
    let home = tree.home.to_str().unwrap().replace('\\', "/");
    tree.user(
        ".gemini/extensions/extension-enablement.json",
        format!(r#"{{"second": {{"overrides": ["{home}/*", "!{home}/*"]}}, "one": {{"overrides": ["!/else/*"]}}}}"#),
    );
    lists(&read(), &["-mcp__b__*", "mcp__a__*"]);
    // One that is refused hides no other.
    manifest(
        "one",
        "{\n\"name\": \"one\", // why\n\"version\": \"1\", \"mcpServers\": {\"a\": {}}}",
    );
    let source = read();
    lists(&source, &["!mcp__a__*", "-mcp__b__*"]);
    assert!(source.error.unwrap().contains(":2: Gemini CLI rejects this file: comments"));
    manifest("one", r#"{"name": "one", "mcpServers": {"a": {}}}"#);
    assert!(read().error.unwrap().contains("`version` is missing"));
}

/// By its documentation.
#[test]
fn s11_servers_under_the_wrong_key_are_refused_by_vs_code() {
    let tree = Tree::new();
    tree.own(".vscode/mcp.json", "// mine\n{\"mcpServers\": {\"a\": {\"command\": \"x\"},},}");
    let source = tree.source("vscode", Level::Project, "mcp");
    refuses(&source, "VS Code", 2, "found `mcpServers` instead of `servers`");
    tree.own(".vscode/mcp.json", "// mine\n{\"servers\": {\"a\": {\"command\": \"x\"},},}");
    lists(&tree.source("vscode", Level::Project, "mcp"), &["mcp__a__*"]);
}

#[test]
fn s12_servers_that_are_a_list_prove_nothing() {
    let tree = Tree::new();
    tree.own(".mcp.json", "{\"servers\": [{\"command\": \"x\"}]}");
    lists(&tree.source(CLAUDE, Level::Project, "mcp"), &[]);
    tree.own(".mcp.json", "{\"mcpServers\": [{\"command\": \"x\"}]}");
    assert_eq!(tree.source(CLAUDE, Level::Project, "mcp").state, SourceState::Partial);
}

#[test]
fn a_plugins_file_is_as_strict_and_may_be_a_bare_map() {
    let tree = Tree::new();
    let folder = tree.home.join("kit");
    tree.user(
        ".claude/plugins/installed_plugins.json",
        format!(r#"{{"plugins": {{"kit@m": [{{"scope": "user", "installPath": {folder:?}}}]}}}}"#),
    );
    for (text, refused) in [
        (r#"{"a": {"command": "x", "disabled": true}}"#, false),
        (r#"{"mcpServers": {"a": {"command": "x"}}}"#, false),
        ("{\"a\": {\"command\": \"x\"},}", true),
        (COMMENT, true),
        (r#"{"servers": {"a": {"command": "x"}}}"#, true),
    ] {
        tree.user("kit/.mcp.json", text);
        let source = tree.source(CLAUDE, Level::User, "plugin:kit@m/mcp");
        let expected = if refused { Refused } else { Configured };
        assert_eq!(states(&source), [("mcp__plugin_kit_a__*", expected)], "{text}");
        assert_eq!(source.state == SourceState::Refused, refused);
    }
}

#[test]
fn more_clients_are_read() {
    let tree = Tree::new();
    tree.user(".copilot/mcp-config.json", "{\"mcpServers\": {\"a\": {}, \"b\": {},},} // mine");
    tree.user(".copilot/settings.json", r#"{"disabledMcpServers": ["b"]}"#);
    tree.user(".config/opencode/opencode.json", r#"{"mcp": {"servers": {"v2": {}}}}"#);
    tree.own("opencode.json", r#"{"mcp": {"servers": {"type": "local"}}}"#);
    tree.own("opencode.jsonc", "{\"mcp\": {\"c\": {}},}");
    tree.user(
        ".config/Code/User/settings.json",
        r#"{"mcp": {"inputs": [], "servers": {"s": {}}}}"#,
    );
    tree.user(".config/zed/settings.json", "// mine\n{\"context_servers\": {\"z\": {}}}");
    let readings = tree.read();
    for (client, level, part, expected) in [
        ("copilot", Level::User, "mcp", vec!["-mcp__b__*", "mcp__a__*"]),
        ("opencode", Level::User, "mcp", vec!["mcp__v2__*"]),
        ("opencode", Level::Project, "mcp", vec!["mcp__servers__*"]),
        ("opencode", Level::Project, "jsonc", vec!["mcp__c__*"]),
        ("vscode", Level::User, "settings", vec!["mcp__s__*"]),
        ("zed", Level::User, "mcp", vec!["mcp__z__*"]),
    ] {
        lists(&of(&readings, client, level, part), &expected);
    }
}

#[test]
fn no_secret_leaves_the_files_of_gemini_and_the_new_clients() {
    let server = r#"{"command": "SECRET", "env": {"SECRET": "SECRET"}, "headers": {"K": "SECRET"}, "SECRET": 1}"#;
    let texts = [
        format!(r#"{{"mcpServers": {{"a": {server}}}, "mcp": {{"servers": {{"a": {server}}}}},
            "context_servers": {{"a": {server}}}, "name": "x", "apiKey": "SECRET", "version": "SECRET"}}"#),
        format!(r#"{{"a": {server}, "disabledMcpServers": "SECRET", "overrides": ["SECRET"] }} // SECRET"#),
        r#"{"mcpServers": "SECRET", "mcp": "SECRET", "context_servers": ["SECRET"], "a": {"enabled": "SECRET"}}"#.to_owned(),
        "{\"mcp\": {\"a\": SECRET".to_owned(),
    ];
    let tree = Tree::new();
    for text in texts {
        for file in [
            ".config/Code/User/settings.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
            ".config/zed/settings.json",
            ".copilot/mcp-config.json",
            ".copilot/settings.json",
            ".gemini/mcp-server-enablement.json",
            ".gemini/trustedFolders.json",
            ".gemini/extensions/extension-enablement.json",
            ".gemini/extensions/kit/gemini-extension.json",
        ] {
            tree.user(file, &text);
        }
        let shown = format!("{:?}", tree.read());
        assert!(!shown.contains("SECRET"), "{text}\n{shown}");
    }
}

#[test]
fn f3_the_example_home_is_refused_by_no_client() {
    let mut tree = Tree::new();
    tree.home = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/home");
    let readings = tree.read();
    let read = readings.sources.iter().filter(|source| source.state != SourceState::Missing);
    let read: Vec<_> = read.collect();
    assert!(read.iter().all(|source| source.state == SourceState::Read), "{read:?}");
    assert_eq!(read.len(), 5);
}
