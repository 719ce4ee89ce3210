//! Uses that count for more than the tool that was called: skills, commands, plugins, servers. And
//! failures that are the machine's.

use crate::common::*;
use staleness_core::Wait;
use staleness_core::ids::ToolKey;
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{RecordReport, Use};
use staleness_core::scan::{Found, ProjectRef};
use staleness_core::time::Timestamp;
use staleness_core::tool::{Hold, Status, ToolKind};

fn of_plugin(mut found: Found, plugin: &str) -> Found {
    found.plugin = Some(tool_name(plugin));
    found
}

/// A world with a skill, a plugin, a command and a server of that plugin.
fn equipped() -> World {
    let world = World::default();
    world.scan(vec![
        read(user("skills"), vec![skill("pdf")]),
        read(
            user("plugin:kit@market"),
            vec![
                found("kit@market", ToolKind::Plugin),
                of_plugin(command("/kit:go"), "kit@market"),
                of_plugin(server("plugin_kit_db"), "kit@market"),
            ],
        ),
    ]);
    world
}

fn mentioning(world: &World, name: &str, letter: char, mentions: &[&str]) -> RecordReport {
    let mut used: Use = world.a_use(name, outcome(letter));
    used.mentions = mentions.iter().map(|name| tool_name(name)).collect();
    world.registry.tools().record(used).wait().unwrap()
}

#[test]
fn a_use_of_a_skill_or_command_counts_for_it() {
    let world = equipped();
    for letter in "FFF".chars() {
        mentioning(&world, "Skill", letter, &["pdf", "pdf", "unknown"]);
    }
    assert_eq!((world.tool("pdf").uses, world.status("pdf")), (3, Status::Demoted));
    assert_eq!(world.status("Skill"), Status::Active, "what ran it is not to blame");
    let report = mentioning(&world, "SlashCommand", 'S', &["/kit:go"]);
    assert_eq!(report.tool.key.name, "SlashCommand");
    assert_eq!(world.tool("/kit:go").uses, 1);
    assert_eq!(world.tool("kit@market").uses, 1, "and the plugin that provides the command");
    let all = world.everything();
    assert_eq!(all.outcomes.len(), 4, "one outcome for each use");
    assert!(all.tools.values().all(|tool| tool.key.name.as_str() != "unknown"));
}

#[test]
fn a_use_that_mentions_its_own_tool_or_server_counts_once() {
    let world = equipped();
    assert_eq!(mentioning(&world, "pdf", 'S', &["pdf"]).tool.outcomes, "S");
    assert_eq!(world.tool("pdf").uses, 1);
    let server = "mcp__plugin_kit_db__*";
    mentioning(&world, "mcp__plugin_kit_db__query", 'S', &[server]);
    let ranked = world.registry.tools().rank(&world.project, 20, world.now()).wait().unwrap();
    let each = ranked.iter().find(|each| each.tool.key.name == server).unwrap();
    assert!((each.score - 0.5).abs() < 1e-9, "one of two uses: {}", each.score);
    assert_eq!(each.tool.uses, 1);
}

#[test]
fn a_credited_tool_that_changes_is_told() {
    let world = equipped();
    for letter in "FF".chars() {
        assert!(mentioning(&world, "Skill", letter, &["pdf"]).changed.is_empty());
    }
    let changed = mentioning(&world, "Skill", 'F', &["pdf"]).changed;
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].to, Some(Status::Demoted));
}

#[test]
fn a_use_of_a_plugins_server_counts_for_the_plugin_once() {
    let world = equipped();
    world.uses("mcp__plugin_kit_db__query", "SS");
    mentioning(&world, "mcp__plugin_kit_db__query", 'S', &["kit@market"]);
    assert_eq!(world.tool("kit@market").uses, 3);
    let ranked = world.registry.tools().rank(&world.project, 20, world.now()).wait().unwrap();
    for name in ["kit@market", "mcp__plugin_kit_db__*", "mcp__plugin_kit_db__query"] {
        let each = ranked.iter().find(|each| each.tool.key.name == name).unwrap();
        assert!((each.score - 1.0).abs() < 1e-9, "{name}: three of three uses, {}", each.score);
    }
}

#[test]
fn figures_of_a_server_are_sums_over_its_tools() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    world.uses("mcp__x__a", "SF");
    world.uses("mcp__x__b", "F");
    let report = world.report("x");
    assert_eq!((report.uses, report.failures, report.outcomes.as_str()), (3, 2, "SFF"));
    assert_eq!(report.last_used_at, Some(world.now()));
    assert_eq!(report.server.as_deref(), Some("x"));
    assert_eq!(world.tool("mcp__x__*").uses, 0, "derived on read");
    assert!(world.list(&world.project).contains(&report), "list and show agree");
}

#[test]
fn a_server_is_demoted_when_at_least_two_tools_in_use_all_are() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    world.uses("mcp__x__a", "FFF");
    assert_eq!(world.report("x").status, Status::Active, "one tool says nothing of its server");
    world.uses("mcp__x__never", "I");
    world.uses("mcp__x__b", "FFF");
    let report = world.report("x");
    assert_eq!(report.status, Status::Demoted);
    assert_eq!(report.health.cause.as_deref(), Some("all 2 of its tools in use are demoted"));
    assert_eq!(world.hold("mcp__x__*", Hold::Pinned).status, Status::Active);
    world.hold("mcp__x__*", Hold::None);
    world.uses("mcp__x__c", "S");
    assert_eq!(world.report("x").status, Status::Active);
}

#[test]
fn a_server_counts_tools_that_were_used_before_it_was_known() {
    let world = World::default();
    world.uses("mcp__x__a", "SS");
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    assert_eq!(world.tool("mcp__x__a").key.scope, project_scope(&world.project));
    assert_eq!(world.report("x").uses, 2);
    let ranked = world.registry.tools().rank(&world.project, 5, world.now()).wait().unwrap();
    assert_eq!(ranked[0].tool.key.name, "mcp__x__*");
    assert!((ranked[0].score - 1.0).abs() < 1e-9);
}

/// A world with servers `a` to `e` that each have been used once, with the given outcome.
fn servers(letters: &str) -> World {
    let world = World::default();
    let names: Vec<char> = ('a'..='e').collect();
    world.scan(vec![read(
        user("mcp"),
        names.iter().map(|name| server(&name.to_string())).collect(),
    )]);
    for (name, letter) in names.iter().zip(letters.chars()) {
        world.uses(&format!("mcp__{name}__go"), &letter.to_string());
    }
    world
}

#[test]
fn most_servers_failing_at_once_is_an_outage() {
    // What `a`, `b`, … did last, and whether a failure of `e` is put down to the machine.
    for (letters, offline) in [
        ("", false),
        ("F", false),
        ("FF", true),
        ("FS", true),
        ("SS", false),
        ("FFS", true),
        ("FSS", false),
        ("FFSS", true),
        ("FSSS", false),
        ("FI", false),
    ] {
        let world = servers(letters);
        let report = world.uses("mcp__e__go", "F");
        assert_eq!(report.offline, offline, "{letters}");
        assert_eq!(report.tool.outcomes, if offline { "O" } else { "F" }, "{letters}");
        assert_eq!(report.tool.failures, usize::from(!offline), "{letters}");
    }
}

#[test]
fn offline_failures_never_demote_but_keep_saying_offline() {
    let world = servers("FF");
    for _ in 0..6 {
        let report = world.uses("mcp__e__go", "F");
        assert!(report.offline && report.changed.is_empty());
    }
    assert_eq!(world.report("mcp__e__go").outcomes, "OOOOOO");
    assert_eq!(world.status("mcp__e__go"), Status::Active);
    let ranked = world.registry.tools().rank(&world.project, 20, world.now()).wait().unwrap();
    assert!(ranked.iter().all(|each| each.score == 0.0), "no success yet");
    world.uses("mcp__a__go", "S");
    world.uses("mcp__b__go", "S");
    assert!(!world.uses("mcp__e__go", "F").offline, "most of them work again");
}

#[test]
fn an_outage_looks_back_ten_minutes() {
    let world = servers("FF");
    world.pass(10 * Timestamp::MINUTE);
    assert!(!world.uses("mcp__e__go", "F").offline, "the others failed too long ago");
    let world = servers("FF");
    world.pass(9 * Timestamp::MINUTE);
    assert!(world.uses("mcp__e__go", "F").offline);
}

#[test]
fn the_guard_counts_servers_and_spares_only_their_tools() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("a"), server("b")])]);
    for tool in ["a__1", "a__2", "a__3", "b__1"] {
        world.uses(&format!("mcp__{tool}"), "F");
    }
    assert!(!world.uses("mcp__b__2", "F").offline, "five tools of two servers");
    let world = servers("FFFF");
    assert!(!world.uses("/local", "F").offline, "a command needs no network");
    assert_eq!(world.tool("/local").letters(), "F");
}

#[test]
fn a_name_in_two_scopes_is_two_servers() {
    let world = World::default();
    let q = ProjectRef::of_root("/q");
    for project in [&world.project, &q] {
        world.scan_in(project, vec![read(own(project, "mcp"), vec![server("x")])]);
        world.uses_in(project, "mcp__x__go", "F");
    }
    world.scan(vec![read(user("mcp"), vec![server("y")])]);
    assert!(world.uses("mcp__y__go", "F").offline, "three servers, all failing");
}

#[test]
fn the_uses_of_one_batch_see_each_other() {
    let world = World::default();
    let batch = ["a", "b", "c", "d"]
        .map(|name| world.a_use(&format!("mcp__{name}__go"), OutcomeKind::Failure))
        .to_vec();
    let reports = world.registry.tools().record_all(batch).wait().unwrap();
    let offline: Vec<bool> = reports.iter().map(|report| report.offline).collect();
    assert_eq!(offline, [false, false, true, true]);
}

#[test]
fn in_a_batch_each_failure_looks_back_from_its_own_time() {
    let world = servers("FF");
    world.pass(9 * Timestamp::MINUTE);
    let early = world.a_use("mcp__e__go", OutcomeKind::Failure);
    world.pass(5 * Timestamp::MINUTE);
    let late = world.a_use("mcp__d__go", OutcomeKind::Failure);
    world.pass(20 * Timestamp::MINUTE);
    let alone = world.a_use("mcp__c__go", OutcomeKind::Failure);
    let reports = world.registry.tools().record_all(vec![early, late, alone]).wait().unwrap();
    let offline: Vec<bool> = reports.iter().map(|report| report.offline).collect();
    assert_eq!(offline, [true, false, false]);

    let world = World::default();
    let mut batch: Vec<Use> = ["a", "b"]
        .map(|name| world.a_use(&format!("mcp__{name}__go"), OutcomeKind::Failure))
        .to_vec();
    world.pass(10 * Timestamp::MINUTE + 1);
    batch.push(world.a_use("mcp__c__go", OutcomeKind::Failure));
    assert!(!world.registry.tools().record_all(batch).wait().unwrap()[2].offline);
}

/// A use of a name that is in two scopes counts for the tool that can have been used.
#[test]
fn a_use_counts_for_the_global_tool_where_the_projects_own_is_gone() {
    let (world, p) = World::and_project();
    let both = |mine: Vec<Found>| {
        let all = vec![skill("pdf"), command("/go")];
        vec![read(user("shelf"), all), read(own(&p, "shelf"), mine)]
    };
    let mine = |name: &str| {
        world.find(&ToolKey::project(world.project.id.clone(), tool_name(name))).unwrap()
    };
    world.scan(both(vec![skill("pdf"), command("/go")]));
    world.uses("/go", "S");
    mentioning(&world, "Skill", 'S', &["pdf"]);
    assert_eq!((mine("/go").uses, mine("pdf").uses), (1, 1));
    world.scan(both(Vec::new()));
    let report = world.uses("/go", "S");
    assert_eq!((report.tool.key.scope.word(), report.tool.uses), ("global", 1));
    mentioning(&world, "Skill", 'S', &["pdf"]);
    assert_eq!((mine("/go").uses, mine("pdf").uses), (1, 1));
    assert!(mine("/go").presence.is_absent() && mine("pdf").presence.is_absent());
    assert_eq!((world.tool("/go").uses, world.tool("pdf").uses), (1, 1));
    // Without a global one that is there, the project's own is meant as before.
    world.scan(vec![read(user("shelf"), Vec::new()), read(own(&p, "shelf"), Vec::new())]);
    world.uses("/go", "S");
    assert_eq!((mine("/go").uses, mine("/go").presence.cause.as_str()), (2, "used"));
}
