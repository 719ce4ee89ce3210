//! Lessons for the tests of routes.

use staleness_core::ids::{ModelId, OpId, ToolName};
use staleness_core::registry::Learn;
use staleness_core::route::Route;
use staleness_core::{Policy, Wait};

use super::World;

pub(crate) const TOOL: &str = "mcp__github__search";
pub(crate) const OTHER: &str = "mcp__jira__find";

pub(crate) fn tool(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

pub(crate) fn model(id: &str) -> ModelId {
    ModelId::new(id).unwrap()
}

/// A world with two tools.
pub(crate) fn world() -> World {
    with(|_| {})
}

pub(crate) fn with(change: impl FnOnce(&mut Policy)) -> World {
    let mut policy = Policy::default();
    change(&mut policy);
    let world = World::with(policy);
    world.uses(TOOL, "S");
    world.uses(OTHER, "S");
    world
}

pub(crate) fn lesson(world: &World, query: &str, signal: f64, op: &str) -> Learn {
    let op = OpId::new(op).unwrap();
    Learn { signal, ..Learn::new(op, query, tool(TOOL), world.now()) }
}

pub(crate) fn learn(world: &World, query: &str, signal: f64, op: &str) -> Option<Route> {
    world.registry.routes().learn(&world.project, lesson(world, query, signal, op)).wait().unwrap()
}

pub(crate) fn embed(world: &World, query: &str, numbers: &[f64], op: &str) -> Route {
    let vector = Some((model("m"), numbers.to_vec()));
    let learn = Learn { vector, ..lesson(world, query, 1.0, op) };
    world.registry.routes().learn(&world.project, learn).wait().unwrap().unwrap()
}

pub(crate) fn routes(world: &World) -> Vec<Route> {
    world.registry.routes().list(&world.project.id).wait().unwrap()
}

pub(crate) fn sure(route: &Route) -> f64 {
    route.confidence.get()
}
