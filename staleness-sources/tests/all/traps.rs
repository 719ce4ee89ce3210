//! Mistakes that programs of this kind make.

use std::fmt::Write as _;
use std::fs;
use std::time::UNIX_EPOCH;

use staleness_core::Timestamp;
use staleness_core::ids::Level;
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState;

use crate::clients::{JSON_FILES, put};
use staleness_sources::clients::{ScanRequest, read};

use crate::tree::{Tree, names, of};

#[test]
fn half_written_config_stales_nothing() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        let whole = format!(
            "{{\"{key}\": {{\"a\": {{\"command\": \"x\", \"args\": [\"y\"]}}, \"b\": {{}}}}}}"
        );
        for end in 0..whole.len() {
            put(&tree, level, file, &whole[..end]);
            let source = tree.source(client, level, "mcp");
            assert_eq!(source.state, SourceState::Failed, "{client}: {}", &whole[..end]);
            assert!(!source.covers());
            assert!(source.found.is_empty());
        }
    }
}

#[test]
fn toml_that_stops_where_a_piece_ends_is_half_written() {
    let tree = Tree::new();
    let whole: String =
        (0..200).map(|at| format!("[mcp_servers.s{at}]\ncommand = \"x\"\n")).collect();
    let mut partial = 0;
    for end in (512..whole.len()).step_by(512) {
        let text = &whole[..end];
        tree.user(".codex/config.toml", text);
        let source = tree.source("codex", Level::User, "mcp");
        // A piece that ends with its line cannot be told from a whole file.
        assert_eq!(source.covers(), text.ends_with('\n'), "{end}: {source:?}");
        partial += usize::from(source.state == SourceState::Partial);
    }
    assert!(partial > 0);
    let hand_written = "[mcp_servers.a]\ncommand = \"x\"";
    tree.user(".codex/config.toml", hand_written);
    assert!(
        tree.source("codex", Level::User, "mcp").covers(),
        "people leave out the last line end"
    );
}

/// `codex mcp remove` leaves an empty file when it removes the last server, and Codex CLI starts with it.
#[test]
fn an_empty_file_of_codex_lists_nothing_once_it_is_not_being_written() {
    let tree = Tree::new();
    let path = tree.user(".codex/config.toml", "");
    let written = fs::metadata(path).unwrap().modified().unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap().as_millis();
    for (seconds, state) in [(1, SourceState::Failed), (4, SourceState::Read)] {
        let at = i64::try_from(written).unwrap() + seconds * Timestamp::SECOND;
        let mut request = ScanRequest::new(&tree.home, &tree.project);
        request.now = Some(Timestamp::from_millis(at));
        let source = of(&read(&request), "codex", Level::User, "mcp");
        assert_eq!((source.state, source.found.len()), (state, 0), "after {seconds} s");
        assert_eq!(source.covers(), state == SourceState::Read);
    }
}

#[test]
fn a_file_that_lists_ever_so_much_is_taken_in_up_to_a_bound() {
    let tree = Tree::new();
    let servers: String = (0..40_000).map(|at| format!("\"s{at}\":{{}},")).collect();
    let servers = servers.trim_end_matches(',');
    tree.own(".mcp.json", format!("{{\"mcpServers\": {{{servers}}}}}"));
    let source = tree.source("claude-code", Level::Project, "mcp");
    assert_eq!((source.state, source.found.len()), (SourceState::Partial, 10_000));
    assert!(source.error.unwrap().contains("30000"));
    let servers: String = (0..500_000).map(|at| format!("\"s{at}\":{{}},")).collect();
    tree.own(".mcp.json", format!("{{\"mcpServers\": {{{servers}}}}}"));
    let source = tree.source("claude-code", Level::Project, "mcp");
    assert_eq!((source.state, source.found.len()), (SourceState::Failed, 0));
    assert!(source.error.unwrap().ends_with(":1: more than 50000 values"));
}

#[test]
fn long_lists_of_what_is_switched_off_are_searched_once() {
    let tree = Tree::new();
    let names = |from: usize| {
        (from..from + 20_000).map(|at| format!("\"s{at}\"")).collect::<Vec<_>>().join(",")
    };
    let servers: String = (0..20_000).map(|at| format!("\"s{at}\":{{}},")).collect();
    let servers = servers.trim_end_matches(',');
    for key in ["excluded", "allowed"] {
        let list = names(if key == "excluded" { 20_000 } else { 1 });
        tree.own(
            ".gemini/settings.json",
            format!("{{\"mcp\": {{\"{key}\": [{list}]}}, \"mcpServers\": {{{servers}}}}}"),
        );
        let begun = std::time::Instant::now();
        let source = tree.source("gemini", Level::Project, "mcp");
        assert_eq!(source.found[0].state == ListingState::Off, key == "allowed");
        assert!(begun.elapsed().as_secs() < 30, "{key}: {:?}", begun.elapsed());
    }
}

#[test]
fn both_sources_of_a_half_written_file_fail() {
    let tree = Tree::new();
    tree.user(".claude.json", "{\"mcpServers\": {");
    for level in [Level::User, Level::Local] {
        let source = tree.source("claude-code", level, "mcp");
        assert_eq!(source.state, SourceState::Failed);
    }
}

#[test]
fn text_that_cannot_be_read_fails() {
    let tree = Tree::new();
    for (client, level, file, _) in JSON_FILES {
        for bytes in [
            &b""[..],
            b" \r\n",
            b"\xef\xbb\xbf",
            b"{\"a\": \"\xff\"}",
            b"\0\0\0\0",
            b"null",
            b"[]",
            b"\"x\"",
            b"{} {}",
            b"// only a comment",
        ] {
            put(&tree, level, file, bytes);
            let source = tree.source(client, level, "mcp");
            assert_eq!(source.state, SourceState::Failed, "{client} {bytes:?}");
            let error = source.error.unwrap();
            assert!(error.contains(&format!("{file}:1: ")), "{error}");
        }
    }
}

#[test]
fn a_file_of_over_16_mib_fails() {
    let tree = Tree::new();
    let mut text = "{}".to_owned();
    text.push_str(&" ".repeat(16 * 1024 * 1024));
    tree.user(".cursor/mcp.json", text);
    let source = tree.source("cursor", Level::User, "mcp");
    assert_eq!(source.state, SourceState::Failed);
}

#[test]
fn a_toml_file_of_over_1_mib_fails() {
    let tree = Tree::new();
    let mut text = "[mcp_servers.a]\nurl = 'u'\n".to_owned();
    text.push_str(&"# a comment\n".repeat(100_000));
    tree.user(".codex/config.toml", &text);
    let source = tree.source("codex", Level::User, "mcp");
    assert_eq!(source.state, SourceState::Failed);
    assert!(source.error.unwrap().ends_with("is larger than 1 MiB"));
    tree.user(".codex/config.toml", &text[..1 << 20]);
    assert_eq!(names(&tree.source("codex", Level::User, "mcp")), ["mcp__a__*"]);
}

#[test]
fn one_null_entry_hides_nothing_of_the_rest() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        let text = format!(
            "{{\"{key}\": {{\n\"a\": {{\"command\": \"x\"}},\n\"b\": null,\n\"c\": 5, \"\": {{\"command\": \"x\"}}, \"x\\u0007\": {{\"command\": \"x\"}},\n\"d\": {{\"command\": \"x\"}}}}}}"
        );
        put(&tree, level, file, text);
        let source = tree.source(client, level, "mcp");
        assert_eq!(source.state, SourceState::Partial);
        assert_eq!(names(&source), ["mcp__a__*", "mcp__d__*"]);
        let error = source.error.unwrap();
        assert!(error.contains(&format!("{file}:3: ")), "{error}");
        assert!(error.ends_with("(and 3 more)"), "{error}");
    }
}

#[test]
fn the_last_of_duplicate_keys_counts() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        let text = format!(
            "{{\"{key}\": {{\"old\": {{}}}}, \"{key}\": {{\"a\": null, \"a\": {{\"command\": \"x\"}}, \"b\": {{}}, \"b\": {{\"command\": \"x\", \"description\": \"Last\"}}}}}}"
        );
        put(&tree, level, file, text);
        let source = tree.source(client, level, "mcp");
        assert_eq!(source.state, SourceState::Read);
        assert_eq!(names(&source), ["mcp__a__*", "mcp__b__*"]);
        let last = source.found.iter().find(|found| found.name.as_str() == "mcp__b__*");
        assert_eq!(last.unwrap().description.as_deref(), Some("Last"));
    }
}

#[test]
fn servers_that_are_no_object_prove_nothing() {
    let tree = Tree::new();
    for (client, level, file, key) in JSON_FILES {
        for value in ["[]", "5", "\"x\"", "true"] {
            put(&tree, level, file, format!("{{\"{key}\": {value}}}"));
            let source = tree.source(client, level, "mcp");
            assert_eq!(source.state, SourceState::Partial);
        }
    }
}

#[test]
fn names_are_kept_as_they_are_written() {
    let tree = Tree::new();
    let odd = ["a_b%c", "a*", "it's", "my server.x", "a__b", "\u{1f680}", "ü"];
    let mut text = String::from("{\"mcpServers\": {");
    for (at, name) in odd.iter().enumerate() {
        write!(text, "{}\"{name}\": {{}}", if at == 0 { "" } else { "," }).unwrap();
    }
    tree.user(".cursor/mcp.json", text + "}}");
    let source = tree.source("cursor", Level::User, "mcp");
    assert_eq!(source.state, SourceState::Read);
    for name in odd {
        assert!(names(&source).contains(&format!("mcp__{name}__*")), "{name}");
    }
}

#[test]
fn a_live_list_is_no_config_file_that_the_next_scan_finds_missing() {
    let tree = Tree::new();
    let text = r#"{"tools": [{"name": "search"}]}"#;
    let live = staleness_sources::live::tools_list(text, Some("github"), "-", None).unwrap();
    assert_eq!(live.id.level, Level::Live);
    let readings = tree.read();
    assert!(readings.sources.iter().all(|source| source.id.level != Level::Live));
    assert!(!readings.indexes.iter().any(|index| index.lists(&live.id)));
}

#[test]
fn the_same_name_in_two_scopes_is_two_tools() {
    let tree = Tree::new();
    tree.user(".config/opencode/opencode.json", r#"{"mcp": {"a": {}}}"#);
    tree.own("opencode.json", r#"{"mcp": {"a": {"enabled": false}}}"#);
    let user = tree.source("opencode", Level::User, "mcp");
    let own = tree.source("opencode", Level::Project, "mcp");
    assert_eq!(user.found[0].name, own.found[0].name);
    assert_ne!(user.id.scope(), own.id.scope());
    assert_eq!(
        (user.found[0].state, own.found[0].state),
        (ListingState::Configured, ListingState::Off)
    );
}

/// Files in which everything that may hold a secret holds `SECRET`.
fn with_secrets(key: &str) -> Vec<String> {
    let server = r#"{"command": "SECRET", "args": ["SECRET"], "env": {"SECRET": "SECRET"},
        "url": "https://SECRET@x/?SECRET", "headers": {"SECRET": "SECRET"}, "SECRET": "SECRET"}"#;
    let wrap = |servers: &str| format!("{{\"SECRET\": \"SECRET\", \"{key}\": {servers}}}");
    vec![
        wrap(&format!("{{\"a\": {server}}}")),
        wrap(&format!(
            "{{\"a\": {server}, \"b\": \"SECRET\", \"c\": [\"SECRET\"], \"d\": {{\"description\": {{\"SECRET\": 1}}, \"disabled\": \"SECRET\"}}}}"
        )),
        wrap("\"SECRET\""),
        wrap("[\"SECRET\"]"),
        wrap("{\"a\": {\"env\": {\"K\": \"SECRET\" \"SECRET\"}}}"),
        wrap("{\"a\": {\"env\": {\"K\": SECRET}}}"),
        wrap("{\"a\": {\"env\": {\"K\": \"SECRET"),
        wrap("{\"a\": {\"env\": {\"K\": \"SECRET\\q\"}}}"),
        wrap("{\"a\": {\"env\": {SECRET: 'SECRET'}}}"),
        wrap("{\"SECRET\\u0000\": {}}"),
        wrap("{\"SECRET\\nSECRET\": \"SECRET\"}"),
        "\"SECRET\"".into(),
        "SECRET".into(),
        "{} SECRET".into(),
        "{/* SECRET".into(),
    ]
}

#[test]
fn no_secret_leaves_a_json_file() {
    for (client, level, file, key) in JSON_FILES {
        let tree = Tree::new();
        for text in with_secrets(key) {
            put(&tree, level, file, &text);
            let shown = format!("{:?}", tree.read());
            assert!(!shown.contains("SECRET"), "{client}: {text}\n{shown}");
        }
    }
}

#[test]
fn no_secret_leaves_a_toml_file() {
    let tree = Tree::new();
    for text in [
        "SECRET = \"SECRET\"\n[mcp_servers.a]\ncommand = \"SECRET\"\nargs = [\"SECRET\"]\nenv = {SECRET = \"SECRET\"}",
        "[mcp_servers.a]\nurl = \"SECRET",
        "[mcp_servers.a]\nurl = SECRET",
        "[mcp_servers.a]\nSECRET = 1\nSECRET = 2",
        "[mcp_servers]\na = \"SECRET\"\n\"SECRET\\u0000\" = {}",
        "mcp_servers = \"SECRET\"",
        "[mcp_servers.a]\nurl = \"SECRET\\q\"",
        "[SECRET",
    ] {
        for level in [Level::User, Level::Project] {
            put(&tree, level, ".codex/config.toml", text);
            let shown = format!("{:?}", tree.read());
            assert!(!shown.contains("SECRET"), "{text}\n{shown}");
        }
    }
}

#[test]
fn no_secret_leaves_settings_sections_or_plugins() {
    let odd = [
        r#"{"env": {"SECRET": "SECRET"}, "enabledPlugins": "SECRET", "disabledMcpjsonServers": "SECRET"}"#,
        r#"{"disabledMcpjsonServers": [{"SECRET": "SECRET"}], "enabledPlugins": {"SECRET": "SECRET"}}"#,
        r#"{"mcp": {"excluded": "SECRET", "allowed": [["SECRET"]]}, "mcpServers": {"a": {"env": "SECRET"}}}"#,
        r#"{"env": SECRET}"#,
        r#"{"plugins": {"a@b": [{"scope": "SECRET", "installPath": 5, "SECRET": "SECRET"}]}}"#,
        r#"{"plugins": {"a@b": "SECRET", "c@d": ["SECRET"], "SECRET\u0007": []}}"#,
        r#"{"projects": "SECRET"}"#,
        r#"{"mcpServers": "../SECRET", "commands": ["/SECRET", {"SECRET": "SECRET"}], "skills": {"SECRET": 1}}"#,
    ];
    let tree = Tree::new();
    tree.own(".mcp.json", r#"{"mcpServers": {"a": {}}}"#);
    let folder = tree.home.join("kit");
    let index = ".claude/plugins/installed_plugins.json";
    let good =
        format!(r#"{{"plugins": {{"kit@m": [{{"scope": "user", "installPath": {folder:?}}}]}}}}"#);
    tree.user(index, &good);
    let section = format!("{{\"projects\": {{\"{}\": ", tree.folder());
    for text in odd {
        for file in [
            ".claude/settings.json",
            ".gemini/settings.json",
            ".claude.json",
            "kit/.claude-plugin/plugin.json",
            "kit/.mcp.json",
        ] {
            // The name of a server or plugin is no secret: only here it would be one.
            if file == "kit/.mcp.json" && text.contains("\"SECRET\": ") {
                continue;
            }
            tree.user(file, text);
            let shown = format!("{:?}", tree.read());
            assert!(!shown.contains("SECRET"), "{file}: {text}\n{shown}");
        }
        tree.user(".claude.json", format!("{section}{text}}}}}"));
        tree.own(".claude/settings.json", text);
        tree.own(".claude/settings.local.json", text);
        tree.user(index, text);
        let shown = format!("{:?}", tree.read());
        assert!(!shown.contains("SECRET"), "{text}\n{shown}");
        tree.user(index, &good);
    }
}
