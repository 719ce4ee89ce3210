//! Servers that the settings of Claude Code keep from loading: each case was seen with the real client.

use staleness_core::ids::Level;
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState;
use staleness_sources::clients::{self, Readings, ScanRequest};

use crate::tree::{Tree, lists, names, of};

const CLAUDE: &str = "claude-code";

/// A user with two programs and an address.
const USERS: &str = r#"{"mcpServers": {
    "a": {"command": "true", "args": ["x"]}, "b": {"command": "true", "args": ["y"]},
    "r": {"type": "http", "url": "http://127.0.0.1:1/x"}}"#;

/// Writes the user's servers, and whether the user trusts the project.
fn users(tree: &Tree, is_trusted: bool) {
    let section = format!("{{\"hasTrustDialogAccepted\": {is_trusted}}}");
    tree.user(
        ".claude.json",
        format!("{USERS}, \"projects\": {{\"{}\": {section}}}}}", tree.folder()),
    );
}

fn request(tree: &Tree) -> ScanRequest<'_> {
    let mut request = ScanRequest::new(&tree.home, &tree.project);
    request.managed_dir = Some(tree.home.parent().unwrap());
    request
}

/// Asserts that the client loads just these of the user's servers in the project, and would start no others.
#[track_caller]
fn loads(tree: &Tree, expected: &str) -> Readings {
    let request = request(tree);
    let readings = clients::read(&request);
    let state = |level, name: &str| {
        let source = of(&readings, CLAUDE, level, "mcp");
        source.found.iter().find(|found| found.name.as_str() == name).map(|found| found.state)
    };
    let mut loaded = Vec::new();
    for server in ["a", "b", "r"] {
        let name = format!("mcp__{server}__*");
        let states = [state(Level::User, &name), state(Level::Local, &name)];
        if states == [Some(ListingState::Configured), None] {
            loaded.push(server);
        } else {
            assert!(states.contains(&Some(ListingState::Off)), "{server}: {states:?}");
        }
    }
    assert_eq!(loaded.join(" "), expected);
    let state = std::fs::read_to_string(tree.home.join(".claude.json")).unwrap();
    let is_trusted = state.contains("\"hasTrustDialogAccepted\": true");
    for each in clients::startable(&request) {
        let is_loaded = loaded.contains(&&*each.server);
        assert_eq!(each.launch.is_ok(), is_trusted && is_loaded, "{each:?}");
    }
    readings
}

#[test]
fn denied_servers_are_off_and_an_allowed_list_shuts_out_all_others() {
    let deny = |rule: &str| format!(r#"{{"deniedMcpServers": [{rule}]}}"#);
    let allow = |rules: &str| format!(r#"{{"allowedMcpServers": [{rules}]}}"#);
    let name = |name: &str| format!(r#"{{"serverName": "{name}"}}"#);
    let command = |word: &str| format!(r#"{{"serverCommand": ["true", "{word}"]}}"#);
    let tools = |rules: &str| {
        let rules: Vec<&str> = rules.split(' ').collect();
        format!(r#"{{"permissions": {{"deny": {rules:?}}}}}"#)
    };
    let url = |url: &str| format!(r#"{{"serverUrl": "{url}"}}"#);
    for (user, project, expected) in [
        ("{}".into(), "{}".into(), "a b r"),
        (deny(&name("a")), "{}".into(), "b r"),
        ("{}".into(), deny(&name("a")), "b r"),
        (deny(&command("x")), "{}".into(), "b r"),
        (deny(r#"{"serverCommand": ["true"]}"#), "{}".into(), "a b r"),
        (deny(&url("http://127.0.0.1:*/*")), "{}".into(), "a b"),
        (deny(&url("http://127.0.0.1")), "{}".into(), "a b r"),
        (allow(""), "{}".into(), ""),
        (allow(&name("b")), "{}".into(), "b"),
        // Each settings file may allow more, but none allows what another denies.
        (allow(&name("b")), allow(&name("a")), "a b"),
        (allow(&name("b")), deny(&name("b")), ""),
        // Names do not count for programs where commands are listed, nor for addresses where addresses are.
        (allow(&[command("x"), name("b"), name("r")].join(",")), "{}".into(), "a r"),
        (allow(&[url("http://other/*"), name("b"), name("r")].join(",")), "{}".into(), "b"),
        // Rules for tools that leave none of a server's.
        (tools("mcp__a mcp__b__* mcp__r__one"), "{}".into(), "r"),
        ("{}".into(), tools("mcp__a__**"), "b r"),
        (tools("mcp__a* *b_*"), "{}".into(), "r"),
        (tools("mcp_*"), "{}".into(), ""),
        (tools("*"), "{}".into(), ""),
        // Rules that leave some tools, or that the client skips.
        (tools("mcp__a__*e mcp__a__*__* mcp__a__ mcp__*a mcp__A mcp__b(*)"), "{}".into(), "a b r"),
        (tools("m* mcp* a*"), "{}".into(), "a b r"),
    ] {
        let tree = Tree::new();
        users(&tree, true);
        tree.user(".claude/settings.json", &user);
        tree.own(".claude/settings.json", &project);
        loads(&tree, expected);
    }
}

#[test]
fn a_rule_for_tools_names_a_server_as_its_tools_do() {
    for (rule, off) in [("mcp__a.b c", &[][..]), ("mcp__a_b_c", &["-mcp__a.b c__*"])] {
        let tree = Tree::new();
        tree.user(".claude.json", r#"{"mcpServers": {"a.b c": {"command": "true"}}}"#);
        tree.user(".claude/settings.json", format!(r#"{{"permissions": {{"deny": ["{rule}"]}}}}"#));
        assert_eq!(names(&tree.source(CLAUDE, Level::Local, "mcp")), off);
    }
}

/// Bug: a cloned repository lifted what the user's list shuts out, and `scan --probe` started it.
#[test]
fn a_project_that_is_not_trusted_denies_servers_and_allows_none() {
    let tree = Tree::new();
    users(&tree, false);
    let allow = |name| format!(r#"{{"allowedMcpServers": [{{"serverName": "{name}"}}]"#);
    tree.user(".claude/settings.json", format!("{}}}", allow("b")));
    tree.own(".claude/settings.json", format!("{}}}", allow("a")));
    loads(&tree, "b");
    let deny = r#", "deniedMcpServers": [{"serverName": "b"}]}"#;
    tree.own(".claude/settings.json", format!("{}{deny}", allow("a")));
    loads(&tree, "");
}

#[test]
fn an_organization_decides_for_its_users() {
    let sealed =
        r#"{"allowManagedMcpServersOnly": true, "allowedMcpServers": [{"serverName": "a"}]}"#;
    let tree = Tree::new();
    users(&tree, true);
    tree.user(".claude/settings.json", r#"{"allowedMcpServers": [{"serverName": "b"}]}"#);
    tree.user("../managed-settings.json", sealed);
    let readings = loads(&tree, "a");
    let why = of(&readings, CLAUDE, Level::User, "mcp").error.unwrap();
    assert!(why.starts_with("`b` is switched off by `allowedMcpServers` in /"), "{why}");
    assert!(why.ends_with("/managed-settings.json"), "{why}");
    let denied = r#"{"deniedMcpServers": [{"serverName": "a"}]}"#;
    tree.user("../managed-settings.d/10.json", denied);
    loads(&tree, "");

    let tree = Tree::new();
    users(&tree, true);
    tree.user("../managed-mcp.json", r#"{"mcpServers": {"z": {"command": "true"}}}"#);
    let readings = clients::read(&request(&tree));
    lists(&of(&readings, CLAUDE, Level::User, "managed"), &["mcp__z__*"]);
    lists(&of(&readings, CLAUDE, Level::User, "mcp"), &["-mcp__a__*", "-mcp__b__*", "-mcp__r__*"]);
    let started = clients::startable(&request(&tree));
    let started: Vec<_> = started.iter().filter(|each| each.launch.is_ok()).collect();
    assert!(started.len() == 1 && started[0].server == "z", "{started:?}");
    let why = clients::startable(&request(&tree)).into_iter().find(|each| each.server == "a");
    let why = why.unwrap().launch.unwrap_err();
    assert!(
        why.starts_with("switched off by /") && why.ends_with(", which allows no others"),
        "{why}"
    );
    // Bug: an entry of the project that the client skips stood for the organization's.
    tree.own(".mcp.json", r#"{"mcpServers": {"z": {"url": "u"}}}"#);
    lists(&of(&clients::read(&request(&tree)), CLAUDE, Level::Project, "mcp"), &[]);
    // No user's server is loaded while the file is there, even if it is broken.
    tree.user("../managed-mcp.json", "{bad");
    loads(&tree, "");
    // With broken settings of the organization, the client does not start.
    tree.user("../managed-settings.json", "{bad");
    let source = of(&clients::read(&request(&tree)), CLAUDE, Level::User, "mcp");
    assert_eq!(source.state, SourceState::Refused);
}
