//! Stores full of learned routes.

use std::ops::Range;

use staleness::ids::{ProjectId, ToolName};
use staleness::route::{Confidence, Route, RouteKey, check_query};
use staleness::scan::ProjectRef;
use staleness::{BlockingRegistry, Timestamp};

use crate::START;
use crate::chance::Chance;
use crate::put::put_all;

const TOOLS: usize = 500;

/// The name of a tool, one of 500 of 12 servers.
///
/// # Panics
/// Never: the names are valid.
#[must_use]
pub fn tool(at: usize) -> ToolName {
    let at = at % TOOLS;
    ToolName::new(format!("mcp__server{}__tool{at}", at % 12)).expect("a valid name")
}

/// A route of six words and its number, learned so many milliseconds after the start.
///
/// # Panics
/// For a confidence outside 0..=1.
#[must_use]
pub fn route(project: &ProjectId, at: usize, confidence: f64, chance: &mut Chance) -> Route {
    let query = format!("{} {at}", chance.words(6));
    let folded = check_query(&query).expect("a query");
    let learned = Timestamp::from_millis(START + at as i64);
    Route {
        key: RouteKey::of(project, &tool(at), &folded),
        query,
        confidence: Confidence::new(confidence).expect("a confidence"),
        uses: 1,
        created_at: learned,
        last_used_at: learned,
        model: None,
        ops: vec![at as u64],
    }
}

/// Writes the routes of these numbers, each as sure as `confidence` says.
///
/// # Panics
/// When the store reports an error.
pub fn fill_routes(
    registry: &BlockingRegistry,
    project: &ProjectRef,
    range: Range<usize>,
    confidence: fn(usize) -> f64,
) {
    let mut chance = Chance(range.start as u64 + 1);
    let make = |at| route(&project.id, at, confidence(at), &mut chance);
    put_all(registry, range, make, |draft, row| draft.put_route(row.clone()));
}
