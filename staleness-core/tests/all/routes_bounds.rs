//! Limits on routes and suggestions, and the rows that removing them reads and writes.

use crate::common::*;
use staleness_core::ids::{ModelId, OpId, SessionId};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Learn;
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::session::SessionKey;
use staleness_core::store::Change;
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Wait};

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
    world.registry.sessions().note_prompt(key.clone(), prompted).wait().unwrap();
    world.pass(1);
    let mut used = world.a_use(TOOL, OutcomeKind::Success);
    used.session = Some(key.id);
    if quietly {
        assert!(world.registry.tools().record_quietly(used).wait().unwrap().0);
    } else {
        world.registry.tools().record(used).wait().unwrap();
    }
}

fn known(world: &World) -> usize {
    world.registry.routes().list(&world.project.id).wait().unwrap().len()
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
        let routes = world.registry.routes().list(&world.project.id).wait().unwrap();
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
        world.registry.routes().learn(&other, learn).wait().unwrap();
    }
    let mut uses = Vec::new();
    for project in [&world.project, &other] {
        let key = SessionKey { project: project.id.clone(), id: SessionId::new("both").unwrap() };
        let tools = vec![SuggestedTool { tool: tool_name(TOOL), route: None }];
        let query = Some("something new".to_owned());
        let prompted = Prompted { at: world.now(), query, tools, taught: Vec::new() };
        world.registry.sessions().note_prompt(key.clone(), prompted).wait().unwrap();
        let mut used = world.a_use(TOOL, OutcomeKind::Success);
        (used.session, used.project) = (Some(key.id), project.clone());
        uses.push(used);
    }
    world.registry.tools().record_all(uses).wait().unwrap();
    let of_other = world.registry.routes().list(&other.id).wait().unwrap().len();
    assert_eq!((known(&world), of_other), (2, 2));
}

#[test]
fn old_suggestions_go_in_pages() {
    let world = world(20);
    let tools = vec![SuggestedTool { tool: tool_name(TOOL), route: None }];
    for number in 0..2_100 {
        let key = session(&world, &format!("s{number}"));
        let (at, tools) = (world.now(), tools.clone());
        let prompted = Prompted { at, query: None, tools, taught: Vec::new() };
        world.registry.sessions().note_prompt(key, prompted).wait().unwrap();
    }
    world.pass(29 * Timestamp::DAY);
    taught(&world, 9_999, true);
    world.pass(Timestamp::DAY);
    let before = world.commits().len();
    let prune =
        |dry_run| world.registry.routes().prune(&world.project.id, world.now(), dry_run).wait();
    prune(true).unwrap();
    assert_eq!(world.commits().len(), before, "a dry run wrote");
    prune(false).unwrap();
    let commits = world.commits().split_off(before);
    let pages: Vec<usize> = commits.iter().map(|each| each.changes.suggestions.len()).collect();
    assert_eq!(pages, [1_000, 1_000, 100]);
    let left: Vec<SessionKey> = world.everything().suggestions.into_keys().collect();
    assert_eq!(left, [session(&world, "s9999")]);
}

#[test]
fn forgetting_a_project_reads_no_vector() {
    let world = world(5_000);
    for number in 0..4_u32 {
        let op = OpId::new(format!("learn {number}")).unwrap();
        let numbers = [f64::from(number) + 1.0, 1.0, f64::from(number * number)];
        let vector = (number > 0).then(|| (ModelId::new("m").unwrap(), numbers.to_vec()));
        let learn = Learn::new(op, format!("q {number}"), tool_name(TOOL), world.now());
        world.registry.routes().learn(&world.project, Learn { vector, ..learn }).wait().unwrap();
    }
    let vectors = world.everything().vectors.len();
    assert!(vectors > 1);
    let op = OpId::new("forget").unwrap();
    let project = world.project.id.clone();
    world.registry.admin().forget_project(project, op, world.now()).wait().unwrap();
    let commit = world.last_commit();
    assert!(commit.view.vectors.is_empty(), "vectors were read");
    // Only those that there are.
    assert_eq!(commit.changes.vectors.len(), vectors);
    assert!(commit.changes.vectors.iter().all(|each| matches!(each, Change::Delete(_))));
    let left = world.everything();
    assert!(left.routes.is_empty() && left.vectors.is_empty());
}
