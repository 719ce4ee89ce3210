//! Lessons of several outcomes of one session, one after the other and in one commit.

use crate::common::*;
use staleness_core::ids::{OpId, SessionId};
use staleness_core::outcome::OutcomeKind;
use staleness_core::outcome::OutcomeKind::{Failure, Success};
use staleness_core::registry::{Learn, Use};
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::session::SessionKey;
use staleness_core::{Policy, Wait};

const TOOL: &str = "mcp__github__search";

fn world() -> World {
    let world = World::with(Policy::default());
    world.uses(TOOL, "S");
    world
}

fn session(world: &World) -> SessionKey {
    SessionKey { project: world.project.id.clone(), id: SessionId::new("s").unwrap() }
}

fn prompted(world: &World, query: &str, suggested: bool) -> Prompted {
    let tools = suggested.then(|| SuggestedTool { tool: tool_name(TOOL), route: None });
    let tools = tools.into_iter().collect();
    Prompted { at: world.now(), query: Some(query.into()), tools, taught: Vec::new() }
}

fn prompt(world: &World, query: &str, suggested: bool) {
    let prompted = prompted(world, query, suggested);
    world.registry.sessions().note_prompt(session(world), prompted).wait().unwrap();
    world.pass(1);
}

fn used(world: &World, name: &str, outcome: OutcomeKind, op: &str) -> Use {
    let op = OpId::new(op).unwrap();
    let mut used = Use::new(op, tool_name(name), outcome, world.now(), world.project.clone());
    used.session = Some(session(world).id);
    used
}

/// The routes as query, confidence and uses.
fn routes(world: &World) -> Vec<(String, f64, u64)> {
    let routes = world.registry.routes().list(&world.project.id).wait().unwrap().into_iter();
    let mut all: Vec<_> =
        routes.map(|route| (route.query.clone(), route.confidence.get(), route.uses)).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn uses_in_one_commit_teach_what_they_teach_one_by_one_and_write_over_nothing() {
    for layout in 0..8_u32 {
        let several = world();
        let single = world();
        for world in [&several, &single] {
            // What was learned before must survive.
            for at in 0..3 {
                let learn = Learn {
                    signal: 0.5,
                    ..Learn::new(
                        OpId::new(format!("before {at}")).unwrap(),
                        format!("question {at}"),
                        tool_name(TOOL),
                        world.now(),
                    )
                };
                world.registry.routes().learn(&world.project, learn).wait().unwrap();
                prompt(world, &format!("question {at}"), layout >> at & 1 == 1);
            }
        }
        let uses = |world: &World| {
            (0..4).map(|at| used(world, TOOL, Success, &format!("use {at}"))).collect::<Vec<_>>()
        };
        several.registry.tools().record_all(uses(&several)).wait().unwrap();
        uses(&single)
            .into_iter()
            .for_each(|used| drop(single.registry.tools().record(used).wait().unwrap()));
        assert_eq!(routes(&several), routes(&single), "{layout:b}");
        assert!(routes(&several).iter().all(|(_, sure, uses)| *sure >= 0.5 && *uses >= 1));
    }
}

#[test]
fn a_try_that_failed_leaves_the_prompt_to_the_next_one() {
    let world = world();
    prompt(&world, "open issues", true);
    world.registry.tools().record(used(&world, TOOL, Failure, "a")).wait().unwrap();
    world.registry.tools().record(used(&world, TOOL, Success, "b")).wait().unwrap();
    assert_eq!(routes(&world), [("open issues".to_owned(), 1.0, 1)]);
}

#[test]
fn this_programs_own_tools_are_not_taught() {
    let world = world();
    prompt(&world, "what is stale here", false);
    for (name, op) in [
        ("mcp__staleness__resume_session", "a"),
        ("mcp__plugin_staleness_staleness__list_stale", "b"),
    ] {
        world.registry.tools().record(used(&world, name, Success, op)).wait().unwrap();
    }
    assert_eq!(routes(&world), []);
}

#[test]
fn a_prompt_that_is_noted_again_is_one() {
    let world = world();
    let noted = prompted(&world, "open issues", true);
    world.registry.sessions().note_prompt(session(&world), noted.clone()).wait().unwrap();
    world.registry.tools().record(used(&world, TOOL, Success, "a")).wait().unwrap();
    world.registry.sessions().note_prompt(session(&world), noted).wait().unwrap();
    let suggestions = world.everything().suggestions;
    let made: Vec<(u32, usize)> =
        suggestions.values().map(|each| (each.made, each.prompts.len())).collect();
    assert_eq!(made, [(1, 1)]);
}
