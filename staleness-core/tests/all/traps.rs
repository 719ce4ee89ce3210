//! The mistakes that registries of this kind make, each as a test that bears its name.

use crate::common::*;
use staleness_core::ids::{Level, ToolKey};
use staleness_core::outcome::OutcomeKind;
use staleness_core::scan::ProjectRef;
use staleness_core::source::SourceState;
use staleness_core::store::Refusal;
use staleness_core::time::Timestamp;
use staleness_core::tool::{Hold, Status};
use staleness_core::{RegistryError, Wait};

#[test]
fn half_written_config_stales_nothing() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("a"), server("b")])]);
    let report = world.scan(vec![failed(user("mcp"))]);
    assert!(report.stale.is_empty());
    assert_eq!(world.status("mcp__a__*"), Status::Active);
    let report = world.scan(vec![read(user("mcp"), vec![server("a")])]);
    assert_eq!(names(&report.stale), ["mcp__b__*"]);
}

#[test]
fn one_malformed_entry_does_not_hide_the_rest_of_its_file() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("a"), server("b")])]);
    let partial = reading(user("mcp"), SourceState::Partial, vec![server("a"), server("c")]);
    let report = world.scan(vec![partial]);
    assert_eq!(names(&report.added), ["mcp__c__*"]);
    assert!(report.stale.is_empty());
    assert_eq!(world.status("mcp__b__*"), Status::Active);
}

#[test]
fn tools_seen_only_in_use_are_not_staled_for_missing_from_config() {
    let world = World::default();
    world.uses("Bash", "S");
    world.uses("mcp__other__go", "S");
    for _ in 0..2 {
        let report = world.scan(vec![read(user("mcp"), vec![server("a")])]);
        assert!(report.stale.is_empty());
    }
    assert_eq!(world.status("Bash"), Status::Active);
    assert_eq!(world.status("mcp__other__go"), Status::Active);
}

#[test]
fn a_live_list_is_not_taken_for_a_config_file() {
    let world = World::default();
    let live = source(Some(&world.project.id), Level::Live, "tools:a");
    let config = || read(user("mcp"), vec![server("a")]);
    world.scan(vec![config()]);
    world.scan(vec![read(live.clone(), vec![server_tool("a", "go"), server_tool("a", "stop")])]);
    let report = world.scan(vec![config()]);
    assert!(report.stale.is_empty());
    assert_eq!(world.status("mcp__a__go"), Status::Active);
    let report = world.scan(vec![read(live, vec![server_tool("a", "go")])]);
    assert_eq!(names(&report.stale), ["mcp__a__stop"]);
    assert_eq!(world.presence("mcp__a__stop"), "not_listed");
}

#[test]
fn per_project_section_is_not_global() {
    let world = World::default();
    let other = ProjectRef::of_root("/q");
    let section = source(Some(&world.project.id), Level::Local, "mcp");
    world.scan(vec![read(section, vec![server("mine")])]);
    world.scan_in(&other, vec![read(user("mcp"), vec![])]);
    let key = ToolKey::project(world.project.id.clone(), tool_name("mcp__mine__*"));
    assert!(world.find(&key).is_some());
    assert!(world.list(&other).is_empty());
}

#[test]
fn same_name_in_two_scopes_is_not_confused() {
    let world = World::default();
    let other = ProjectRef::of_root("/q");
    let everyone = || read(user("commands"), vec![command("/review")]);
    let mine = read(own(&world.project, "commands"), vec![command("/review")]);
    world.scan(vec![everyone(), mine]);
    world.uses("/review", "FFF");
    assert_eq!(world.report("/review").status, Status::Demoted);
    assert_eq!(world.report("/review").key.scope.word(), "project");
    world.scan_in(&other, vec![everyone()]);
    assert_eq!(world.report_in(&other, "/review").status, Status::Active);
    assert_eq!(world.report_in(&other, "/review").uses, 0);
}

#[test]
fn removing_one_of_two_leaves_the_other() {
    let world = World::default();
    let (everyone, mine) = (user("mcp"), own(&world.project, "mcp"));
    let both = |global, local| vec![read(everyone.clone(), global), read(mine.clone(), local)];
    world.scan(both(vec![server("x")], vec![server("x")]));
    world.uses("mcp__x__go", "S");
    let report = world.scan(both(vec![server("x")], vec![]));
    assert_eq!(names(&report.stale), ["mcp__x__*"], "the project's entry alone");
    assert_eq!(report.stale[0].key.scope.word(), "project");
    assert_eq!(world.status("mcp__x__*"), Status::Active, "the global one");
    assert_eq!(world.status("mcp__x__go"), Status::Active, "the global server provides it");
    let ranked = world.registry.tools().rank(&world.project, 10, world.now()).wait().unwrap();
    let shown: Vec<_> = ranked.iter().filter(|each| each.tool.key.name == "mcp__x__*").collect();
    assert_eq!(shown.len(), 1, "one per name, and the one that is there");
    assert_eq!((shown[0].tool.key.scope.word(), shown[0].tool.status), ("global", Status::Active));
    let report = world.scan(both(vec![], vec![server("x")]));
    assert_eq!(report.stale.len(), 1);
    assert_eq!(report.stale[0].key.scope.word(), "global");
    assert_eq!(world.presence("mcp__x__go"), "used", "the project's server provides it");
}

#[test]
fn two_holders_in_one_scope_removing_one_leaves_the_tool() {
    let world = World::default();
    let two = |a, b| vec![read(user("a"), a), read(user("b"), b)];
    world.scan(two(vec![server("x")], vec![server("x")]));
    assert!(world.scan(two(vec![server("x")], vec![])).stale.is_empty());
    assert_eq!(sources(&world.report("x")), ["client/user/a"]);
    assert!(world.scan(two(vec![], vec![server("x")])).stale.is_empty());
    assert_eq!(world.scan(two(vec![], vec![])).stale.len(), 1);
}

#[test]
fn a_global_removal_is_told_in_every_project() {
    let world = World::default();
    let (p, q) = (world.project.clone(), ProjectRef::of_root("/q"));
    let config = |found| vec![read(user("mcp"), found)];
    for project in [&p, &q] {
        world.scan_in(project, config(vec![server("x")]));
        world.told(project, "s1");
    }
    world.scan_in(&p, config(vec![]));
    let line = ["mcp__x__* active stale removed_from_config"];
    assert_eq!(changes(&world.told(&p, "s2")), line);
    world.scan_in(&q, config(vec![]));
    assert_eq!(changes(&world.told(&q, "s2")), line);
    assert!(is_silent(&world.told(&p, "s3")));
    assert!(is_silent(&world.told(&q, "s3")));
}

#[test]
fn underscore_and_percent_are_not_wildcards() {
    let world = World::default();
    for name in ["a_b", "aXb", "a%b", "a*b", "a"] {
        world.uses(name, "S");
    }
    world.uses("a_b", "FFF");
    world.hold("a%b", Hold::Ignored);
    for (name, status, hold) in [
        ("a_b", Status::Demoted, Hold::None),
        ("aXb", Status::Active, Hold::None),
        ("a%b", Status::Active, Hold::Ignored),
        ("a*b", Status::Active, Hold::None),
        ("a", Status::Active, Hold::None),
    ] {
        assert_eq!((world.status(name), world.tool(name).hold), (status, hold), "{name}");
    }
    let report = world.scan(vec![read(user("mcp"), vec![server("a_b"), server("a%c")])]);
    assert_eq!(names(&report.added), ["mcp__a%c__*", "mcp__a_b__*"]);
    let report = world.scan(vec![read(user("mcp"), vec![server("a%c")])]);
    assert_eq!(names(&report.stale), ["mcp__a_b__*"]);
}

#[test]
fn mcp_names_are_split_by_known_servers_first() {
    let world = World::default();
    let config = |servers: &[&str]| {
        vec![read(user("mcp"), servers.iter().map(|name| server(name)).collect())]
    };
    world.scan(config(&["a__b", "c"]));
    world.uses("mcp__a__b__go", "S");
    assert_eq!(world.tool("mcp__a__b__go").server.unwrap().as_str(), "a__b");
    world.scan(config(&["a__b", "a", "c"]));
    world.uses("mcp__a__b__stop", "S");
    assert_eq!(world.tool("mcp__a__b__stop").server.unwrap().as_str(), "a__b", "the longest");
    world.uses("mcp__a__other", "S");
    assert_eq!(world.tool("mcp__a__other").server.unwrap().as_str(), "a");
    let report = world.scan(config(&["a", "c"]));
    assert_eq!(
        names(&report.stale),
        ["mcp__a__b__*", "mcp__a__b__go", "mcp__a__b__stop"],
        "and not the tools of `a`"
    );
}

#[test]
fn a_guessed_server_gives_way_to_one_that_becomes_known() {
    let world = World::default();
    world.uses("mcp__a__b__go", "S");
    assert_eq!(world.tool("mcp__a__b__go").server.unwrap().as_str(), "a");
    world.scan(vec![read(own(&world.project, "mcp"), vec![server("a__b")])]);
    assert_eq!(world.tool("mcp__a__b__go").server.unwrap().as_str(), "a__b");
    let report = world.scan(vec![read(own(&world.project, "mcp"), vec![])]);
    assert_eq!(names(&report.stale), ["mcp__a__b__*", "mcp__a__b__go"]);
}

#[test]
fn rewritten_server_names_compare_equal() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("my server.x")])]);
    world.uses("mcp__my_server_x__go", "S");
    let tool = world.tool("mcp__my_server_x__go");
    assert!(tool.key.scope.project().is_none(), "a tool of a global server is global");
    let report = world.scan(vec![read(user("mcp"), vec![])]);
    assert_eq!(names(&report.stale), ["mcp__my server.x__*", "mcp__my_server_x__go"]);
}

#[test]
fn a_rescan_does_not_clear_demotions() {
    let world = World::default();
    let config = |found| vec![read(user("commands"), found)];
    world.scan(config(vec![command("/review")]));
    world.uses("/review", "FFF");
    for found in [vec![command("/review")], vec![], vec![command("/review")]] {
        world.scan(config(found));
        assert_eq!(world.status("/review"), Status::Demoted);
    }
    world.uses("/review", "S");
    assert_eq!(world.status("/review"), Status::Active);
}

#[test]
fn marking_stale_does_not_count_as_being_seen() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    let seen = world.now();
    world.pass(10 * Timestamp::DAY);
    world.scan(vec![read(user("mcp"), vec![])]);
    world.pass(10 * Timestamp::DAY);
    world.scan(vec![read(user("mcp"), vec![])]);
    let report = world.report("x");
    assert_eq!((report.status, report.last_seen_at), (Status::Stale, seen));
}

#[test]
fn a_session_start_for_a_known_session_still_scans_and_is_told_again() {
    let (world, p) = World::and_project();
    let config = |found| vec![read(user("mcp"), found)];
    world.scan(config(vec![server("x"), server("y")]));
    assert!(is_silent(&world.told(&p, "s1")), "first contact");
    world.scan(config(vec![server("x")]));
    let first = changes(&world.told(&p, "s2"));
    assert_eq!(first, ["mcp__y__* active stale removed_from_config"]);
    let report = world.scan(config(vec![]));
    assert_eq!(names(&report.stale), ["mcp__x__*"], "the same session scans again");
    let again = changes(&world.told(&p, "s2"));
    let expected = [
        "mcp__x__* active stale removed_from_config",
        "mcp__y__* active stale removed_from_config",
    ];
    assert_eq!(again, expected, "what it was told before, and what came since");
    assert!(is_silent(&world.told(&p, "s3")));
}

#[test]
fn two_scans_at_once_do_not_interleave() {
    let world = World::default();
    let config = |found| vec![read(user("mcp"), found)];
    world.scan(config(vec![server("x")]));
    // Both read under the same number; the older one saw the file before `y` was added.
    let older = world.scan_of(&world.project, config(vec![server("x")]));
    let mut newer = older.clone();
    newer.sources = config(vec![server("x"), server("y")]);
    world.registry.tools().apply_scan(newer).wait().unwrap();
    let refused = world.registry.tools().apply_scan(older).wait().unwrap_err();
    assert!(matches!(refused, RegistryError::Rejected(Refusal::Superseded { .. })), "{refused}");
    assert!(refused.is_retryable());
    assert_eq!(world.status("mcp__y__*"), Status::Active);
}

#[test]
fn scans_at_once_that_saw_the_same_both_succeed() {
    let world = World::default();
    let scan = world.scan_of(&world.project, vec![read(user("mcp"), vec![server("x")])]);
    world.registry.tools().apply_scan(scan.clone()).wait().unwrap();
    let report = world.registry.tools().apply_scan(scan).wait().unwrap();
    assert_eq!((report.added.len(), report.unchanged), (0, 1));
}

#[test]
fn an_older_index_does_not_drop_a_plugin_installed_since_nor_bring_one_back() {
    let world = World::default();
    let plugin = || read(user("plugin:x/mcp"), vec![server("x")]);
    let mut without = world.scan_of(&world.project, vec![]);
    without.indexes = vec![plugin_index()];
    world.scan(vec![plugin()]);
    let refused = world.registry.tools().apply_scan(without).wait().unwrap_err();
    assert!(matches!(refused, RegistryError::Rejected(Refusal::Superseded { .. })), "{refused}");
    let with = world.scan_of(&world.project, vec![plugin()]);
    let mut without = world.scan_of(&world.project, vec![]);
    without.indexes = vec![plugin_index()];
    world.registry.tools().apply_scan(without).wait().unwrap();
    assert_eq!(world.status("mcp__x__*"), Status::Stale);
    let refused = world.registry.tools().apply_scan(with).wait().unwrap_err();
    assert!(matches!(refused, RegistryError::Rejected(Refusal::Superseded { .. })), "{refused}");
}

#[test]
fn an_acknowledged_use_recorded_again_counts_once() {
    let world = World::default();
    let used = world.a_use("x", OutcomeKind::Failure);
    for attempt in 0..4 {
        let report = world.registry.tools().record(used.clone()).wait().unwrap();
        assert_eq!(report.duplicate, attempt > 0);
        assert_eq!((report.tool.uses, report.tool.outcomes.as_str()), (1, "F"));
    }
}
