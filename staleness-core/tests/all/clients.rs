//! For whom: the registry is one for all clients, and an answer is for one of them.

use staleness_core::ids::{ClientId, Level, OpId, SourceId};
use staleness_core::outcome::{Outcome, OutcomeKind};
use staleness_core::registry::{FindTools, ScopeChoice, ToolListing, Use};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::store::ChangeSet;
use staleness_core::tool::{Hold, ListingState};
use staleness_core::{Timestamp, Wait};

use crate::common::{
    World, changes, is_silent, names, off, read, server, server_tool, skill, tool_name,
};

/// Returns a reading of a client's file at the user's level, which lists `found`.
fn of(client: &str, found: Vec<Found>) -> SourceReading {
    let id =
        SourceId { project: None, client: client.into(), level: Level::User, part: "mcp".into() };
    read(id, found)
}

fn client(name: &str) -> ClientId {
    ClientId::new(name).unwrap()
}

fn in_state(found: Found, state: ListingState) -> Found {
    Found { state, ..found }
}

/// Trap W1: another client's new server is announced, and so is that it went and came back.
#[test]
fn w1_servers_of_another_client_are_no_news() {
    let world = World::default();
    let both = |claude: Vec<Found>| vec![of("claude-code", claude), of("codex", vec![server("b")])];
    world.scan(both(vec![server("a")]));
    for asker in ["claude-code", "codex"] {
        world.seen_by(asker).told(&world.project, asker);
    }
    world.scan(both(vec![server("a"), server("new")]));
    let (codex, claude) = (world.seen_by("codex"), world.seen_by("claude-code"));
    let (_, told) = codex.looked(&world.project, &crate::common::session("s1"));
    assert!(is_silent(&told), "{:?}", changes(&told));
    let (_, told) = claude.looked(&world.project, &crate::common::session("s2"));
    assert_eq!(changes(&told), ["mcp__new__* - active configured"]);
    claude.told(&world.project, "s3");
    world.scan(both(vec![server("a")]));
    let (_, told) = codex.looked(&world.project, &crate::common::session("s1"));
    assert!(is_silent(&told), "{:?}", changes(&told));
    world.scan(both(Vec::new()));
    let news = changes(&claude.told(&world.project, "s4"));
    let expected = [
        "mcp__a__* active stale removed_from_config",
        "mcp__new__* active stale removed_from_config",
    ];
    assert_eq!(news, expected);
}

/// Trap W2: a removal is hidden by another client's copy of the server.
#[test]
fn w2_a_server_that_one_client_lost_is_gone_for_it_and_active_for_others() {
    let world = World::default();
    let scan = |claude: Vec<Found>| {
        world.scan(vec![of("claude-code", claude), of("cursor", vec![server("github")])]);
    };
    scan(vec![server("github")]);
    world.uses("mcp__github__search", "S");
    let (claude, cursor) = (world.seen_by("claude-code"), world.seen_by("cursor"));
    claude.told(&world.project, "before");
    scan(Vec::new());
    assert_eq!(world.presence("mcp__github__*"), "configured", "any client");
    let standing = |asked: &World, name: &str| {
        let report = asked.report(name);
        format!("{} {}", report.status.as_str(), report.presence.cause.as_str())
    };
    assert_eq!(standing(&claude, "mcp__github__*"), "stale removed_from_config");
    assert_eq!(standing(&claude, "mcp__github__search"), "stale server_removed");
    assert_eq!(standing(&cursor, "mcp__github__*"), "active configured");
    assert_eq!(standing(&cursor, "mcp__github__search"), "active used");
    let (_, told) = claude.looked(&world.project, &crate::common::session("after"));
    assert_eq!(changes(&told), ["mcp__github__* active stale removed_from_config"]);
    scan(vec![server("github")]);
    assert_eq!(standing(&claude, "mcp__github__search"), "active used");
    let history = world.history("mcp__github__*");
    let expected = [
        "added - active configured",
        "absent active active removed_from_config",
        "present active active configured",
    ];
    assert_eq!(history, expected);
    // What befell the server in one client is told of its tools too.
    let keys = ScopeChoice::Either.keys(&world.project.id, &tool_name("mcp__github__search"));
    let told = world.registry.tools().history(&keys, 10).wait().unwrap().entries;
    let told: Vec<_> = told.iter().map(|each| (each.action.as_str(), each.clients.len())).collect();
    assert_eq!(told, [("present", 1), ("absent", 1), ("added", 0)]);
}

/// Bug M3: tools that only another client has are suggested.
#[test]
fn m3_tools_of_other_clients_are_neither_suggested_nor_found_nor_listed() {
    let world = World::default();
    world.scan(vec![
        of("claude-code", vec![server("slack"), server_tool("slack", "post_message")]),
        of("codex", vec![server("linear"), server_tool("linear", "post_issue")]),
    ]);
    let found = |asker: &str| {
        let asked = world.seen_by(asker);
        let wanted = FindTools::by_words("post", 5);
        let tools = asked.registry.tools();
        let suggested = tools.suggest(&world.project, wanted.clone(), world.now()).wait().unwrap();
        let discovered = tools.discover(&world.project, wanted, world.now()).wait().unwrap();
        let listed = tools.list(&world.project, ToolListing::default(), world.now()).wait();
        let names = |found: staleness_core::registry::FoundTools| -> Vec<String> {
            found.tools.into_iter().map(|each| each.tool.key.name.into()).collect()
        };
        assert_eq!(names(suggested.clone()), names(discovered));
        let listed = listed.unwrap();
        (names(suggested), names_of(&listed))
    };
    fn names_of(listed: &[staleness_core::report::ToolReport]) -> Vec<String> {
        names(listed).into_iter().map(String::from).collect()
    }
    let (suggested, listed) = found("codex");
    assert_eq!(suggested, ["mcp__linear__post_issue"]);
    assert_eq!(listed, ["mcp__linear__*", "mcp__linear__post_issue"]);
    let (suggested, _) = found("claude-code");
    assert_eq!(suggested, ["mcp__slack__post_message"]);
    let report = world.seen_by("codex").report("slack");
    assert_eq!(report.presence.cause.as_str(), "other_client", "asked by name it is explained");
}

/// A tool that a client lists and does not load is absent for it.
#[test]
fn states_of_listings_are_those_of_their_clients() {
    let world = World::default();
    for (state, cause, of_tool) in [
        (ListingState::Off, "disabled", "server_disabled"),
        (ListingState::Pending, "pending", "server_not_loaded"),
        (ListingState::Untrusted, "untrusted", "server_not_loaded"),
        (ListingState::Refused, "refused", "server_not_loaded"),
    ] {
        world.scan(vec![
            of("claude-code", vec![in_state(server("a"), state)]),
            of("codex", vec![server("a")]),
        ]);
        world.uses("mcp__a__x", "S");
        let claude = world.seen_by("claude-code");
        assert_eq!(claude.report("mcp__a__*").presence.cause.as_str(), cause);
        assert_eq!(claude.report("mcp__a__x").presence.cause.as_str(), of_tool);
        assert!(world.seen_by("codex").report("mcp__a__x").presence.cause.is_present());
    }
}

/// Health and what a person decided are shared by all clients.
#[test]
fn a_server_that_fails_fails_for_all_that_have_it() {
    let world = World::default();
    let lists = |name: &str| of(name, vec![server("a")]);
    world.scan(vec![lists("claude-code"), lists("codex"), of("cursor", vec![server("b")])]);
    world.uses("mcp__a__x", "FFF");
    let failing = |asker: &str| {
        let asked = world.seen_by(asker);
        let (_, told) = asked.looked(&world.project, &crate::common::session(asker));
        told.failing.len() + told.tools.len()
    };
    assert_eq!((failing("claude-code"), failing("codex"), failing("cursor")), (1, 1, 0));
    world.hold("mcp__a__x", Hold::Pinned);
    assert_eq!((failing("claude-code"), failing("codex")), (0, 0));
}

/// Bug F2: calls of a client that does not have the server demote its tools for those that have it.
#[test]
fn f2_what_fails_for_a_client_that_lacks_the_tool_counts_for_nothing() {
    let world = World::default();
    let lost = in_state(server("a"), ListingState::Off);
    world.scan(vec![
        of("claude-code", vec![server("a"), skill("ship")]),
        of("cursor", vec![lost]),
        of("codex", vec![server("b")]),
    ]);
    let uses = |asker: &str, name: &str, letters: &str| {
        for letter in letters.chars() {
            let mut used = world.a_use(name, crate::common::outcome(letter));
            used.client = Some(client(asker));
            world.registry.tools().record(used).wait().unwrap();
        }
        world.report(name).outcomes
    };
    for (name, lacking) in [("mcp__a__x", ["codex", "cursor"]), ("ship", ["codex", "gemini"])] {
        for asker in lacking {
            uses(asker, name, "FFFIF");
        }
        assert_eq!(world.report(name).outcomes, "UUUIUUUUIU", "{name}");
        assert_eq!(world.report(name).status.as_str(), "active", "{name}");
        assert!(uses("claude-code", name, "FFF").ends_with("FFF"));
        assert_eq!(world.report(name).status.as_str(), "demoted", "{name}");
        // What works for a client is there for it.
        assert!(uses("codex", name, "SF").ends_with("SF"));
    }
    // What no source lists is judged by whoever uses it.
    assert_eq!(uses("claude-code", "Bash", "F") + &uses("codex", "Bash", "F"), "FFF");
    assert_eq!(uses("codex", "mcp__c__x", "F"), "F");
}

/// A tool that no configuration knows is there for the clients that used it.
#[test]
fn a_tool_known_from_use_is_there_for_the_clients_that_used_it() {
    let world = World::default();
    let mut used = world.a_use("Bash", staleness_core::outcome::OutcomeKind::Success);
    used.client = Some(client("claude-code"));
    world.registry.tools().record(used).wait().unwrap();
    let listed = |asker: &str| {
        let tools = world.seen_by(asker);
        let listed =
            tools.registry.tools().list(&world.project, ToolListing::default(), world.now());
        listed.wait().unwrap().len()
    };
    assert_eq!((listed("claude-code"), listed("codex")), (1, 0));
    let key = world.registry.tools().find_key(&world.project.id, "Bash", ScopeChoice::Either);
    assert_eq!(key.wait().unwrap().name, tool_name("Bash"));
}

/// A client that uses a tool is not affected by another client's state of its entry or listing.
#[test]
fn a_tool_that_a_client_uses_does_not_follow_the_switch_of_another() {
    let world = World::default();
    world.scan(vec![of("cursor", vec![server("a"), skill("ship")])]);
    for name in ["mcp__a__x", "ship"] {
        let mut used = world.a_use(name, staleness_core::outcome::OutcomeKind::Success);
        used.client = Some(client("claude-code"));
        world.registry.tools().record(used).wait().unwrap();
    }
    world.scan(vec![of("cursor", vec![off(server("a")), off(skill("ship"))])]);
    let (claude, cursor) = (world.seen_by("claude-code"), world.seen_by("cursor"));
    for (name, cause) in [("mcp__a__x", "server_disabled"), ("ship", "disabled")] {
        assert_eq!(cursor.report(name).presence.cause.as_str(), cause);
        assert_eq!(claude.report(name).presence.cause.as_str(), "used", "{name}");
    }
    let found = claude.registry.tools();
    let found = found.discover(&world.project, FindTools::by_words("x", 5), world.now()).wait();
    assert_eq!(found.unwrap().tools[0].tool.status.as_str(), "active");
}

/// Bug W9: after a holiday every built-in tool and every tool of a configured server asks for a look.
#[test]
fn w9_idle_time_says_nothing_of_built_in_tools_and_of_tools_whose_server_is_there() {
    let world = World::default();
    let both = vec![of("claude-code", vec![server("a")])];
    world.scan(both.clone());
    world.uses("Bash", "S");
    world.uses("mcp__a__x", "S");
    world.uses("mcp__unknown__x", "S");
    world.pass(55 * staleness_core::Timestamp::DAY);
    world.scan(both.clone());
    let signals = |name: &str| world.report(name).verdict.signals.len();
    let of_all = || (signals("Bash"), signals("mcp__a__x"), signals("mcp__unknown__x"));
    assert_eq!(of_all(), (0, 0, 0), "nothing was used on these days");
    world.work(29);
    assert_eq!(of_all(), (0, 0, 0), "on 29 days");
    world.work(1);
    world.scan(both);
    assert_eq!(of_all(), (0, 0, 1), "on 30 days");
    let idle = &world.report("mcp__unknown__x").verdict.signals[0].reason;
    assert_eq!(idle, "not seen in 30 days of use");
}

/// A server of which nothing ever worked fails for each client that loads it, though one alone called it; a name of
/// no server fails for those that called it.
#[test]
fn what_one_client_saw_fail_is_told_to_all_that_load_the_server() {
    let world = World::default();
    let lists = |name: &str, server_name: &str| of(name, vec![server(server_name)]);
    world.scan(vec![lists("claude-code", "a"), lists("codex", "a"), lists("cursor", "b")]);
    for asker in ["claude-code", "codex", "cursor"] {
        world.seen_by(asker).told(&world.project, asker);
    }
    let uses = |name: &str, letters: &str| {
        for letter in letters.chars() {
            let mut used = world.a_use(name, crate::common::outcome(letter));
            used.client = Some(client("codex"));
            world.registry.tools().record(used).wait().unwrap();
        }
    };
    uses("mcp__a__x", "FFF");
    uses("mcp__a__y", "FFF");
    uses("frobnicate", "FFF");
    let told = |asker: &str, session: &str| {
        let told = world.seen_by(asker).told(&world.project, session);
        let failing = told.failing.iter().map(|each| format!("{} {}", each.name, each.is_news));
        (failing.collect::<Vec<_>>(), changes(&told).len())
    };
    assert_eq!(told("claude-code", "c2"), (vec!["mcp__a__* true".into()], 2));
    assert_eq!(told("cursor", "u2"), (vec![], 0));
    let later = told("claude-code", "c3").0;
    assert!(later.len() == 3 && later.iter().all(|each| each.ends_with(" false")), "{later:?}");
    let server = world.seen_by("claude-code").report("a");
    assert_eq!(server.status.as_str(), "demoted");
    uses("mcp__a__x", "S");
    let told = told("claude-code", "c4");
    assert_eq!(told, (vec![], 0), "the server works, so a name that never did may be invented");
}

/// A client that gets a server which has failed for long was never told that it fails.
#[test]
fn a_failure_is_news_to_a_client_that_is_new_to_the_server() {
    let world = World::default();
    let both = |codex: Vec<Found>| vec![of("claude-code", vec![server("a")]), of("codex", codex)];
    world.scan(both(vec![server("b")]));
    world.uses("mcp__a__x", "SFFF");
    for asker in ["claude-code", "codex"] {
        world.seen_by(asker).told(&world.project, asker);
    }
    world.scan(both(vec![server("a"), server("b")]));
    let is_news = |asker: &str| {
        let told = world.seen_by(asker).told(&world.project, "later");
        told.failing.iter().map(|each| each.is_news).collect::<Vec<_>>()
    };
    assert_eq!((is_news("codex"), is_news("claude-code")), (vec![true], vec![false]));
}

/// The report of a scan says for whom a tool came or went, and that of a tool since when the client that asks has or
/// lacks it.
#[test]
fn a_change_is_dated_and_named_by_client() {
    let world = World::default();
    let day = staleness_core::Timestamp::DAY;
    let scan = |codex: Vec<Found>| {
        world.pass(day);
        world.scan(vec![of("claude-code", vec![server("a")]), of("codex", codex)])
    };
    let first = scan(Vec::new());
    assert_eq!(first.added[0].changed_for, ["claude-code"]);
    let at_first = world.now();
    let added = scan(vec![server("a")]);
    assert_eq!(names(&added.added), ["mcp__a__*"]);
    assert_eq!(added.added[0].changed_for, ["codex"]);
    world.uses("mcp__a__x", "S");
    let gone = scan(Vec::new());
    assert_eq!(names(&gone.stale), ["mcp__a__*"]);
    assert_eq!(gone.stale[0].changed_for, ["codex"]);
    let at_gone = world.now();
    let since = |asker: &str, name: &str| world.seen_by(asker).report(name).presence.since;
    for name in ["a", "mcp__a__x"] {
        assert_eq!(since("codex", name), at_gone, "{name}");
    }
    assert_eq!(since("claude-code", "a"), at_first);
    let known = world.report("mcp__a__x").discovered_at;
    assert_eq!(since("claude-code", "mcp__a__x"), known);
    assert_eq!(world.report("a").presence.since, at_first, "for any client");
}

/// A preview decides on what is stored, and shows the result to the client that asks.
#[test]
fn a_preview_shows_a_client_its_own_tools() {
    let world = World::default();
    let before = vec![
        of("claude-code", vec![server("github"), server("slack")]),
        of("codex", vec![server("github")]),
    ];
    world.scan(before);
    let after = vec![
        of("claude-code", vec![server("github"), server("slack"), server("new")]),
        of("codex", vec![]),
    ];
    let codex = world.seen_by("codex");
    let scan = codex.scan_of(&world.project, after);
    let (report, view) = codex.registry.tools().preview_scan(scan).wait().unwrap();
    assert_eq!((names(&report.restored).len(), names(&report.added)), (0, vec!["mcp__new__*"]));
    let causes: Vec<&str> = view.tools.values().map(|tool| tool.presence.cause.as_str()).collect();
    assert_eq!(causes, ["removed_from_config", "other_client", "other_client"]);
}

/// Asked by name, a client means its own tool, not one of that name that another client has in the project.
#[test]
fn a_tool_of_another_client_in_the_project_hides_no_global_one() {
    let world = World::default();
    let in_project = SourceId {
        project: Some(world.project.id.clone()),
        client: "cursor".into(),
        level: Level::Project,
        part: "mcp".into(),
    };
    let cursor = || read(in_project.clone(), vec![server("github")]);
    world.scan(vec![cursor(), of("codex", vec![server("github")])]);
    let codex = world.seen_by("codex");
    assert_eq!(codex.report("github").status.as_str(), "active");
    world.scan(vec![cursor(), of("codex", vec![])]);
    assert_eq!(codex.report("github").presence.cause.as_str(), "removed_from_config");
    let listed = codex.registry.tools().list(&world.project, ToolListing::default(), world.now());
    let listed = listed.wait().unwrap();
    assert_eq!(names(&listed), ["mcp__github__*"], "the loss is not hidden");
}

/// A server that a client never loaded is not told as gone.
#[test]
fn a_new_server_that_waits_for_approval_is_not_told_as_gone() {
    let world = World::default();
    world.scan(vec![of("claude-code", vec![server("a")])]);
    let claude = world.seen_by("claude-code");
    claude.told(&world.project, "s1");
    let pending = in_state(server("b"), ListingState::Pending);
    world.scan(vec![of("claude-code", vec![server("a"), pending])]);
    let (_, told) = claude.looked(&world.project, &crate::common::session("s2"));
    assert!(is_silent(&told), "{:?}", changes(&told));
    world.scan(vec![of("claude-code", vec![server("a"), server("b")])]);
    let (_, told) = claude.looked(&world.project, &crate::common::session("s3"));
    assert_eq!(changes(&told), ["mcp__b__* - active configured"], "it is new once it is approved");
}

/// Health is shared, and no news to a client for which the tool is switched off.
#[test]
fn a_client_that_switched_a_server_off_is_not_told_how_others_fare_with_it() {
    let world = World::default();
    let off = in_state(server("a"), ListingState::Off);
    world.scan(vec![of("claude-code", vec![server("a")]), of("codex", vec![off])]);
    world.uses("mcp__a__x", "S");
    let codex = world.seen_by("codex");
    codex.told(&world.project, "s1");
    for letters in ["FFF", "S"] {
        world.uses("mcp__a__x", letters);
        let (_, told) = codex.looked(&world.project, &crate::common::session("s2"));
        assert!(is_silent(&told), "{letters}: {:?}", changes(&told));
    }
}

/// A use that names no server is reported as the tool under which it was recorded.
#[test]
fn a_use_without_its_server_is_reported_as_the_tool_of_the_server() {
    let world = World::default();
    world.scan(vec![of("cursor", vec![server("github")])]);
    world.uses("mcp__github__search", "S");
    let used = || {
        let told = Use {
            client: Some(client("cursor")),
            ..world.a_use("MCP:search", OutcomeKind::Failure)
        };
        Use { op: OpId::new("once").unwrap(), ..told }
    };
    for duplicate in [false, true] {
        let report = world.registry.tools().record(used()).wait().unwrap();
        assert_eq!(
            (report.tool.key.name.as_str(), report.duplicate),
            ("mcp__github__search", duplicate)
        );
    }
}

/// A tool may be called as Gemini CLI would spell that of a server.
#[test]
fn a_tool_of_exactly_that_name_is_meant_before_its_spellings() {
    let world = World::default();
    let exact = Found { name: tool_name("mcp_read_file"), ..skill("x") };
    world.scan(vec![of("claude-code", vec![exact])]);
    let report = world.uses("mcp_read_file", "S");
    assert_eq!((report.tool.key.name.as_str(), report.tool.uses), ("mcp_read_file", 1));
    let report = world.uses("mcp_write_file", "S");
    assert_eq!(report.tool.key.name, "mcp__write__file");
}

/// Bug: of a busy client only the first and the last days were seen, so nothing was ever unused.
#[test]
fn all_days_of_a_busy_client_count_as_days_of_use() {
    let world = World::default();
    world.scan(vec![of("claude-code", vec![server("idle")])]);
    world.uses("Bash", "S");
    let first = world.everything().outcomes.into_values().next().unwrap();
    let often = |day| {
        let at = first.at.plus_millis(day * Timestamp::DAY);
        let op = move |n| OpId::new(format!("{day}-{n}")).unwrap();
        let client = Some(client("claude-code"));
        let row = Outcome { at, client, ..first.clone() };
        (0..150).map(move |n| Outcome { op: op(n), ..row.clone() })
    };
    let mut changes = ChangeSet::default();
    changes.outcomes = (1..=60).flat_map(often).collect();
    world.put(changes);
    world.pass(61 * Timestamp::DAY);
    let costs = world.registry.tools().costs(&world.project, None, |_| false, world.now());
    let costs = costs.wait().unwrap();
    assert_eq!((costs[0].idle_days, costs[0].unused), (Some(59), true), "since the first one");
}
