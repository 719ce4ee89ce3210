//! How many routes there are at most.

mod common;

use common::*;
use staleness_core::Policy;
use staleness_core::ids::{OpId, SessionId};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Learn;
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::session::SessionKey;

const TOOL: &str = "mcp__github__search";

fn world(max_routes: u32) -> World {
    let mut policy = Policy::default();
    policy.routes.max_routes = max_routes;
    let world = World::with(policy);
    world.uses(TOOL, "S");
    world
}

fn session(world: &World, id: &str) -> SessionKey {
    SessionKey { project: world.project.id.clone(), id: SessionId::new(id).unwrap() }
}

/// A session is asked something, and the suggested tool answers it.
fn taught(world: &World, number: usize, quietly: bool) {
    let key = session(world, &format!("s{number}"));
    let tools = vec![SuggestedTool { tool: tool_name(TOOL), route: None }];
    let query = Some(format!("question {number}"));
    let prompted = Prompted { at: world.now(), query, tools, taught: Vec::new() };
    world.registry.note_prompt(key.clone(), prompted).unwrap();
    world.pass(1);
    let mut used = world.a_use(TOOL, OutcomeKind::Success);
    used.session = Some(key.id);
    if quietly {
        assert!(world.registry.record_quietly(used).unwrap());
    } else {
        world.registry.record(used).unwrap();
    }
}

fn known(world: &World) -> usize {
    world.registry.routes(&world.project.id).unwrap().len()
}

#[test]
fn routes_that_outcomes_teach_stay_below_the_threshold() {
    for quietly in [false, true] {
        let world = world(20);
        let mut most = 0;
        for number in 0..60 {
            taught(&world, number, quietly);
            most = most.max(known(&world));
        }
        // The 21st leaves floor(0.9 × 20).
        assert_eq!(most, 20, "quietly: {quietly}");
        assert!(known(&world) >= 18, "quietly: {quietly}");
        // What was learned last is as sure as the others, and newer.
        let routes = world.registry.routes(&world.project.id).unwrap();
        assert_eq!(routes[0].query, "question 59");
    }
}

#[test]
fn an_outcome_that_makes_no_route_prunes_none() {
    let world = world(20);
    for number in 0..20 {
        taught(&world, number, true);
    }
    let before = world.commits().len();
    taught(&world, 19, true);
    world.uses(TOOL, "S");
    // Asked, answered and used: a commit each, and no more.
    assert_eq!((world.commits().len() - before, known(&world)), (3, 20));
}

#[test]
fn uses_of_several_projects_prune_each_of_them() {
    let world = world(3);
    for number in 0..3 {
        taught(&world, number, true);
    }
    let other = staleness_core::scan::ProjectRef::of_root("/other");
    world.uses_in(&other, TOOL, "S");
    for number in 0..3 {
        let op = OpId::new(format!("learn {number}")).unwrap();
        let learn = Learn::new(op, format!("q {number}"), tool_name(TOOL), world.now());
        world.registry.learn_route(&other, learn).unwrap();
    }
    let mut uses = Vec::new();
    for project in [&world.project, &other] {
        let key = SessionKey { project: project.id.clone(), id: SessionId::new("both").unwrap() };
        let tools = vec![SuggestedTool { tool: tool_name(TOOL), route: None }];
        let query = Some("something new".to_owned());
        let prompted = Prompted { at: world.now(), query, tools, taught: Vec::new() };
        world.registry.note_prompt(key.clone(), prompted).unwrap();
        let mut used = world.a_use(TOOL, OutcomeKind::Success);
        (used.session, used.project) = (Some(key.id), project.clone());
        uses.push(used);
    }
    world.registry.record_all(uses).unwrap();
    let of_other = world.registry.routes(&other.id).unwrap().len();
    assert_eq!((known(&world), of_other), (2, 2));
}
