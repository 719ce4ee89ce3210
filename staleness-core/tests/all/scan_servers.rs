//! A server that goes takes its individual tools with it, and brings back exactly those.

use crate::common::*;
use staleness_core::ids::{AgentId, Level, ToolKey};
use staleness_core::registry::{ByHand, ScopeChoice};
use staleness_core::scan::{Found, ProjectRef};
use staleness_core::store::Change;
use staleness_core::tool::{Hold, Status, ToolKind};
use staleness_core::{Timestamp, Wait};

/// Returns true if the tool of a project is there.
fn is_there(world: &World, project: &ProjectRef, name: &str) -> bool {
    let own = world.find(&ToolKey::project(project.id.clone(), tool_name(name)));
    let tool = own.or_else(|| world.find(&ToolKey::global(tool_name(name)))).unwrap();
    tool.presence.is_present()
}

#[test]
fn the_tools_of_a_removed_server_go_and_return_with_it() {
    let world = World::default();
    let config = |found| vec![read(user("mcp"), found)];
    world.scan(config(vec![server("x"), server("y")]));
    for name in ["mcp__x__a", "mcp__x__b", "mcp__y__c"] {
        world.uses(name, "S");
    }
    world.uses("mcp__x__b", "FFF");
    let report = world.scan(config(vec![server("y")]));
    assert_eq!(names(&report.stale), ["mcp__x__*", "mcp__x__a", "mcp__x__b"], "demoted ones too");
    assert_eq!(world.presence("mcp__x__a"), "server_removed");
    assert_eq!(world.status("mcp__x__b"), Status::Demoted);
    let report = world.scan(config(vec![server("x"), server("y")]));
    assert_eq!(names(&report.restored), ["mcp__x__*", "mcp__x__a", "mcp__x__b"]);
    assert_eq!(world.presence("mcp__x__a"), "server_returned");
    let expected = [
        "added - active used",
        "absent active stale server_removed",
        "present stale active server_returned",
    ];
    assert_eq!(world.history("mcp__x__a"), expected);
}

#[test]
fn a_server_that_is_switched_off_takes_its_tools_as_disabled() {
    let world = World::default();
    let config = |found| vec![read(user("mcp"), found)];
    world.scan(config(vec![server("x")]));
    world.uses("mcp__x__a", "S");
    world.scan(config(vec![off(server("x"))]));
    assert_eq!(world.presence("mcp__x__*"), "disabled");
    assert_eq!(world.presence("mcp__x__a"), "server_disabled");
    let report = world.scan(config(vec![]));
    assert!(report.stale.is_empty(), "they were gone before");
    assert_eq!(world.presence("mcp__x__a"), "server_removed");
    assert_eq!(world.scan(config(vec![server("x")])).restored.len(), 2);
}

#[test]
fn only_tools_that_left_with_the_server_return_with_it() {
    let world = World::default();
    let live = source(None, Level::Live, "tools:x");
    let config = |found| read(user("mcp"), found);
    let both = || vec![server_tool("x", "a"), server_tool("x", "b")];
    world.scan(vec![config(vec![server("x")]), read(live.clone(), both())]);
    world.scan(vec![read(live, vec![server_tool("x", "a")])]);
    assert_eq!(world.presence("mcp__x__b"), "not_listed");
    let report = world.scan(vec![config(vec![])]);
    assert_eq!(names(&report.stale), ["mcp__x__*", "mcp__x__a"], "whatever their source");
    let report = world.scan(vec![config(vec![server("x")])]);
    assert_eq!(names(&report.restored), ["mcp__x__*", "mcp__x__a"]);
    assert_eq!(world.presence("mcp__x__b"), "not_listed");
}

#[test]
fn forgetting_a_gone_server_does_not_bring_its_tools_back() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    world.uses("mcp__x__a", "S");
    world.scan(vec![read(user("mcp"), vec![])]);
    world.registry.tools().forget(world.by_hand("mcp__x__*")).wait().unwrap();
    let report = world.scan(vec![read(user("mcp"), vec![server("y")])]);
    assert!(report.restored.is_empty());
    assert_eq!(world.everything().tools.len(), 1, "its tools are forgotten as well");
}

#[test]
fn forgetting_a_server_forgets_its_tools_and_what_is_still_listed_returns_as_new() {
    let world = World::default();
    let live = source(None, Level::Live, "x");
    let both = || vec![server_tool("x", "a"), server_tool("x", "b")];
    let all = || {
        let mine = read(own(&world.project, "mcp"), vec![server("x"), server("y")]);
        vec![read(user("mcp"), vec![server("x")]), mine, read(live.clone(), both())]
    };
    world.scan(all());
    world.uses("mcp__x__a", "SFS");
    world.uses("mcp__y__a", "S");
    let forget = |scope| {
        let by_hand = ByHand { scope, ..world.by_hand("mcp__x__*") };
        world.registry.tools().forget(by_hand.clone()).wait().unwrap();
        world.registry.tools().forget(by_hand).wait().expect("it may be repeated");
        let left = world.everything();
        let mut names: Vec<String> = left.tools.keys().map(|key| key.name.to_string()).collect();
        names.sort_unstable();
        (names.join(" "), left.outcomes.len())
    };
    let mine = "mcp__x__* mcp__x__a mcp__y__* mcp__y__a".to_owned();
    assert_eq!(forget(ScopeChoice::Global), (mine, 4), "the project's own stay");
    assert_eq!(forget(ScopeChoice::Either), ("mcp__y__* mcp__y__a".to_owned(), 1));
    world.scan(all());
    let outcomes = world.report("mcp__x__a").outcomes;
    assert_eq!((outcomes.as_str(), world.presence("mcp__x__a")), ("", "configured"));
}

#[test]
fn another_entry_that_is_present_provides_the_server() {
    // The entries of `x`: global, the project's, another project's. Then whether the tools stay.
    for (global, mine, theirs, global_tool, my_tool) in [
        (true, true, true, true, true),
        (true, false, false, true, true),
        (false, true, false, false, true),
        (false, false, true, false, false),
        (false, false, false, false, false),
    ] {
        let world = World::default();
        let (p, q) = (world.project.clone(), ProjectRef::of_root("/q"));
        let listed = |on: bool| if on { vec![server("x")] } else { vec![] };
        let scan = |project: &ProjectRef, global, own_entry| {
            let sources = vec![
                read(user("mcp"), listed(global)),
                read(own(project, "mcp"), listed(own_entry)),
            ];
            world.scan_in(project, sources)
        };
        scan(&q, true, false);
        world.uses("mcp__x__shared", "S");
        scan(&p, true, true);
        world.uses("mcp__x__mine", "S");
        scan(&q, true, true);
        scan(&q, global, theirs);
        scan(&p, global, mine);
        let case = format!("global {global}, mine {mine}, theirs {theirs}");
        assert_eq!(is_there(&world, &p, "mcp__x__shared"), global_tool, "{case}: global tool");
        assert_eq!(is_there(&world, &p, "mcp__x__mine"), my_tool, "{case}: my tool");
    }
}

#[test]
fn a_project_catches_up_at_its_next_scan_with_what_another_found() {
    let world = World::default();
    let (p, q) = (world.project.clone(), ProjectRef::of_root("/q"));
    world.uses("mcp__x__mine", "S");
    let config = |found| vec![read(user("mcp"), found)];
    world.scan_in(&p, config(vec![server("x")]));
    world.scan_in(&q, config(vec![server("x")]));
    let report = world.scan_in(&q, config(vec![]));
    assert_eq!(names(&report.stale), ["mcp__x__*"]);
    assert!(is_there(&world, &p, "mcp__x__mine"), "not the business of the other project");
    let report = world.scan_in(&p, config(vec![]));
    assert_eq!(names(&report.stale), ["mcp__x__mine"]);
    world.scan_in(&q, config(vec![server("x")]));
    assert_eq!(names(&world.scan_in(&p, config(vec![server("x")])).restored), ["mcp__x__mine"]);
}

#[test]
fn two_spellings_of_a_server_are_two_entries_of_one() {
    let world = World::default();
    let config = |found| vec![read(user("mcp"), found)];
    world.scan(config(vec![server("my server"), server("my_server")]));
    world.uses("mcp__my_server__go", "S");
    let report = world.scan(config(vec![server("my server")]));
    assert_eq!(names(&report.stale), ["mcp__my_server__*"]);
    assert_eq!(world.report("mcp__my server__*").uses, 1, "the one that is there has the tools");
    assert_eq!(world.report("mcp__my_server__*").uses, 0, "each use counts once");
    assert_eq!(world.scan(config(vec![])).stale.len(), 2);
}

#[test]
fn a_revived_tool_of_a_removed_server_goes_again() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    world.uses("mcp__x__a", "S");
    world.scan(vec![read(user("mcp"), vec![])]);
    world.uses("mcp__x__a", "S");
    assert_eq!(world.presence("mcp__x__a"), "used");
    assert_eq!(world.presence("mcp__x__*"), "removed_from_config", "the server does not return");
    let report = world.scan(vec![read(user("mcp"), vec![])]);
    assert_eq!(names(&report.stale), ["mcp__x__a"]);
    assert_eq!(world.presence("mcp__x__a"), "server_removed");
}

#[test]
fn a_failed_source_says_nothing_of_a_server_or_its_tools() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("x")])]);
    world.uses("mcp__x__a", "S");
    assert!(world.scan(vec![failed(user("mcp"))]).stale.is_empty());
    assert_eq!(world.presence("mcp__x__a"), "used");
}

#[test]
fn a_scan_in_which_nothing_changed_looks_and_writes_by_source() {
    let world = World::default();
    let sources = || {
        let servers: Vec<_> = (0..1_000).map(|at| server(&format!("s{at}"))).collect();
        let skills: Vec<_> = (0..9_000).map(|at| skill(&format!("skill{at}"))).collect();
        vec![read(user("mcp"), servers), read(own(&world.project, "skills"), skills)]
    };
    assert_eq!(world.scan(sources()).added.len(), 10_000);
    let report = world.scan(sources());
    assert_eq!(report.unchanged, 10_000);
    let commit = world.last_commit();
    assert_eq!(commit.changes.rows(), 3, "two sources and the project");
    assert!(commit.changes.journal.is_empty() && commit.view.tools.is_empty());
    assert_eq!(commit.view.looks, 1);
    // The same holds for what a session start tells.
    assert!(is_silent(&world.told(&world.project, "s1")));
    assert!(world.last_commit().view.tools.is_empty());
}

#[test]
fn one_change_among_many_tools_writes_one_tool() {
    let world = World::default();
    let sources = |count: usize| {
        vec![read(user("skills"), (0..count).map(|at| skill(&format!("skill{at}"))).collect())]
    };
    world.scan(sources(10_000));
    assert_eq!(names(&world.scan(sources(9_999)).stale), ["skill9999"]);
    let changes = world.last_commit().changes;
    assert_eq!((changes.tools.len(), changes.journal.len()), (1, 1));
    assert!(matches!(&changes.tools[0], Change::Put(tool) if tool.updated_at == world.now()));
}

#[test]
fn a_list_that_does_not_tell_its_server_is_led_to_it_by_name() {
    let world = World::default();
    let live = source(None, Level::Live, "tools");
    let listed = ["mcp__x__go", "mcp__a__b__go", "mcp__new__go"];
    let tools = listed.map(|name| found(name, ToolKind::McpTool)).to_vec();
    world.scan(vec![read(live, tools), read(user("mcp"), vec![server("x"), server("a__b")])]);
    for (name, server) in listed.iter().zip(["x", "a__b", "new"]) {
        assert_eq!(world.tool(name).server.unwrap().as_str(), server, "{name}");
    }
    let report = world.scan(vec![read(user("mcp"), vec![])]);
    assert_eq!(
        names(&report.stale),
        ["mcp__a__b__*", "mcp__a__b__go", "mcp__x__*", "mcp__x__go"],
        "the tools go with their servers"
    );
}

#[test]
fn an_agent_restores_each_spelling_of_a_server_that_it_demoted_and_none_that_a_person_did() {
    let spelled = ["mcp__my server__*", "mcp__my_server__*"];
    for (name, other) in [(spelled[0], spelled[1]), (spelled[1], spelled[0])] {
        let world = World::default();
        world.scan(vec![read(user("mcp"), vec![server("my server"), server("my_server")])]);
        let by = |actor: Option<&str>, name: &str, hold: Hold| {
            let actor = actor.map(|agent| AgentId::new(agent).unwrap());
            world.pass(Timestamp::SECOND);
            let mut by_hand = world.by_hand(name);
            by_hand.act.actor = actor;
            world.registry.tools().set_hold(by_hand, hold).wait()
        };
        let is_restored = || spelled.map(|name| world.tool(name).hold) == [Hold::None; 2];
        for name in spelled {
            by(Some("codex"), name, Hold::Demoted).unwrap();
        }
        by(Some("codex"), name, Hold::None).unwrap();
        assert!(is_restored(), "{name}");
        by(None, other, Hold::Demoted).unwrap();
        by(Some("codex"), name, Hold::Demoted).unwrap();
        let refused = by(Some("codex"), name, Hold::None).unwrap_err().to_string();
        assert!(refused.contains("a person demoted"), "{name}: {refused}");
        by(None, name, Hold::None).unwrap();
        assert!(is_restored(), "{name}");
    }
}

#[test]
fn nothing_that_a_server_lists_stands_for_the_server() {
    assert!(Found::server_tool("x", "*").is_none());
    assert_eq!(server_tool("x y", "go").name.as_str(), "mcp__x_y__go");
}

#[test]
fn of_two_spellings_the_one_that_is_there_has_the_tools_whichever_comes_first() {
    for kept in ["my server", "my_server"] {
        let world = World::default();
        let config = |found| vec![read(user("mcp"), found)];
        world.scan(config(vec![server("my server"), server("my_server")]));
        world.uses("mcp__my_server__go", "S");
        world.scan(config(vec![server(kept)]));
        assert_eq!(world.report(&format!("mcp__{kept}__*")).uses, 1, "{kept}");
    }
}

#[test]
fn a_server_that_was_told_or_is_known_is_not_guessed_anew() {
    let world = World::default();
    let live = source(None, Level::Live, "tools:a__b");
    world.scan(vec![
        read(live, vec![server_tool("a__b", "told")]),
        read(user("mcp"), vec![server("a")]),
    ]);
    assert_eq!(world.tool("mcp__a__b__told").server.unwrap().as_str(), "a__b");
    world.uses("mcp__a__b__used", "S");
    world.scan(vec![read(user("mcp"), vec![server("a"), server("a__b")])]);
    assert_eq!(world.tool("mcp__a__b__used").server.unwrap().as_str(), "a");
}

#[test]
fn a_tool_first_seen_failing_under_a_server_that_is_gone_is_not_there() {
    for (listing, cause) in
        [(vec![], "server_removed"), (vec![off(server("x"))], "server_disabled")]
    {
        let world = World::default();
        let config = |found| vec![read(own(&world.project, "mcp"), found)];
        world.scan(config(vec![server("x")]));
        world.scan(config(listing));
        assert_eq!(world.uses("mcp__x__go", "F").tool.status, Status::Stale);
        assert_eq!(world.presence("mcp__x__go"), cause);
        assert_eq!(world.uses("mcp__x__go", "S").tool.status, Status::Active);
    }
}
