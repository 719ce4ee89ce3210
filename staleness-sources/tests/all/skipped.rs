//! Servers that Claude Code skips in a file that it reads: each case was seen in `claude mcp list`.

use staleness_core::ids::Level;
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState::{self, Configured, Off, Pending, Refused};
use staleness_sources::clients::{self, ScanRequest};

use crate::strict::states;
use crate::tree::{Tree, names};

const CLAUDE: &str = "claude-code";

/// Writes the entry `odd` beside a good one and returns its state, with the reason if the client skips it.
fn skipped(odd: &str, good: &str) -> (ListingState, Option<String>) {
    let tree = Tree::new();
    tree.user(".claude.json", format!("{{\"mcpServers\": {{\n\"odd\": {odd},\n\"a\": {good}}}}}"));
    let source = tree.source(CLAUDE, Level::User, "mcp");
    assert_eq!(source.state, SourceState::Read);
    let [("mcp__a__*", Configured), (_, state)] = states(&source)[..] else { panic!("{source:?}") };
    let error = source.error.clone().inspect(|error| {
        let place = format!("{}:2: Claude Code skips `odd`: ", source.path);
        assert!(error.starts_with(&place) && !error.contains("SECRET"), "{error}");
    });
    assert_eq!(state == Refused, error.is_some());
    (state, error)
}

#[test]
fn claude_code_skips_an_entry_by_the_kinds_of_its_members_and_reads_the_rest_of_the_file() {
    let good = r#"{"command": "x"}"#;
    for odd in [
        r#"{"command": " ", "args": [], "env": {}}"#,
        r#"{"command": "x", "url": 5, "headers": 5, "disabled": "x", "description": 5, "cwd": 4}"#,
        r#"{"command": 5, "command": "x", "args": ["y"], "env": {"A": 1, "A": "b"}, "timeout": 5}"#,
        r#"{"type": "stdio", "command": "x", "alwaysLoad": false}"#,
        r#"{"type": "http", "url": "", "args": 5, "env": 5, "command": 5}"#,
        r#"{"type": "streamable-http", "url": "u", "headers": {"A": "b"}}"#,
        r#"{"type": "sse", "url": "u", "headersHelper": "x"}"#,
        r#"{"type": "ws", "url": "u"}"#,
    ] {
        assert_eq!(skipped(odd, good), (Configured, None), "{odd}");
    }
    let kind = "`type` is not `stdio`, `http`, `sse` or `ws`; correct it";
    for (odd, what) in [
        ("{}", "`command` is missing; add it"),
        (r#"{"comand": "SECRET"}"#, "`command` is missing; add it"),
        (r#"{"type": "stdio", "url": "u"}"#, "`command` is missing; add it"),
        (r#"{"command": ["SECRET"]}"#, "`command` is not a string; correct it"),
        (r#"{"command": null}"#, "`command` is not a string; correct it"),
        (r#"{"url": "SECRET"}"#, "`url` needs a `type`; add `\"type\": \"http\"`"),
        (r#"{"type": "http", "command": "x"}"#, "`url` is missing; add it"),
        (r#"{"type": "sse", "url": 5}"#, "`url` is not a string; correct it"),
        (r#"{"type": "SECRET", "url": "u"}"#, kind),
        (r#"{"type": "HTTP", "url": "u"}"#, kind),
        (r#"{"type": "sdk", "command": "x", "name": "x"}"#, kind),
        (r#"{"type": null, "command": "x"}"#, kind),
        (r#"{"type": 5, "command": "x"}"#, kind),
        (r#"{"command": "x", "args": "SECRET"}"#, "`args` is not a list of strings; correct it"),
        (r#"{"command": "x", "args": ["y", 1]}"#, "`args` is not a list of strings; correct it"),
        (r#"{"command": "x", "args": null}"#, "`args` is not a list of strings; correct it"),
        (r#"{"command": "x", "env": {"A": 1}}"#, "`env` is not an object of strings; correct it"),
        (r#"{"command": "x", "env": ["A=1"]}"#, "`env` is not an object of strings; correct it"),
        (
            r#"{"type": "ws", "url": "u", "headers": {"SECRET": null}}"#,
            "`headers` is not an object of strings; correct it",
        ),
        (
            r#"{"type": "http", "url": "u", "headersHelper": []}"#,
            "`headersHelper` is not a string; correct it",
        ),
        (r#"{"command": "x", "timeout": "5"}"#, "`timeout` is not a number; correct it"),
        (r#"{"command": "x", "alwaysLoad": 1}"#, "`alwaysLoad` is not true or false; correct it"),
    ] {
        let (state, error) = skipped(odd, good);
        assert_eq!(state, Refused, "{odd}");
        assert!(error.unwrap().ends_with(what), "{odd}");
    }
}

/// The client goes on to the next entry of the name: the project's own is first, the user's last.
#[test]
fn an_entry_that_claude_code_skips_replaces_no_other() {
    let good = r#"{"command": "x"}"#;
    let odd = r#"{"comand": "x"}"#;
    for (user, local, project, expected) in [
        (good, "", odd, ["mcp__s__*", "", ""]),
        (good, odd, "", ["mcp__s__*", "", ""]),
        (odd, "", good, ["!mcp__s__*", "", "mcp__s__*"]),
        (odd, good, "", ["!mcp__s__*", "mcp__s__*", ""]),
        ("", odd, good, ["", "!mcp__s__*", "mcp__s__*"]),
        ("", good, odd, ["", "mcp__s__*", "!mcp__s__*"]),
    ] {
        let servers = |entry: &str| match entry {
            "" => r#""mcpServers": {}"#.to_owned(),
            entry => format!(r#""mcpServers": {{"s": {entry}}}"#),
        };
        let tree = Tree::new();
        let trust = r#""hasTrustDialogAccepted": true"#;
        let section = format!(r#""{}": {{{trust}, {}}}"#, tree.folder(), servers(local));
        tree.user(".claude.json", format!(r#"{{{}, "projects": {{{section}}}}}"#, servers(user)));
        tree.user(".claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#);
        tree.own(".mcp.json", format!("{{{}}}", servers(project)));
        let of = |level| names(&tree.source(CLAUDE, level, "mcp")).join(" ");
        assert_eq!([Level::User, Level::Local, Level::Project].map(of), expected);
        let started = clients::startable(&ScanRequest::new(&tree.home, &tree.project));
        assert!(started.iter().any(|each| each.launch.is_ok()), "{started:?}");
    }
}

#[test]
fn a_skipped_entry_is_neither_pending_nor_started_and_stays_off_where_it_is_off() {
    let tree = Tree::new();
    let yes = r#"{"enabledMcpjsonServers": ["a", "odd"], "disabledMcpjsonServers": ["off"]}"#;
    tree.user(".claude/settings.json", yes);
    let trust = format!(r#"{{"{}": {{"hasTrustDialogAccepted": true}}}}"#, tree.folder());
    tree.user(".claude.json", format!(r#"{{"projects": {trust}}}"#));
    let servers = r#"{"mcpServers": {"a": {"command": "x"}, "odd": {}, "off": {}, "b": {"url": "u"},
        "c": {"command": "x"}}}"#;
    tree.own(".mcp.json", servers);
    let source = tree.source(CLAUDE, Level::Project, "mcp");
    let states = states(&source).into_iter().map(|(_, state)| state);
    let expected = [Configured, Refused, Pending, Refused, Off];
    assert_eq!(states.collect::<Vec<_>>(), expected, "{source:?}");
    assert!(source.error.unwrap().ends_with("(and 1 more)"));
    let started = clients::startable(&ScanRequest::new(&tree.home, &tree.project));
    let started = started.iter().filter(|each| each.launch.is_ok());
    assert_eq!(started.map(|each| &*each.server).collect::<Vec<_>>(), ["a"]);
}
