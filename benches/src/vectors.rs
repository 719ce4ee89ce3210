//! Stores full of learned routes with their vectors.

use std::ops::Range;

use staleness::ids::{ModelId, OpId};
use staleness::outcome::OutcomeKind;
use staleness::registry::Use;
use staleness::route::{Precision, Route, RouteVector, Vector};
use staleness::scan::ProjectRef;
use staleness::store::Selection;
use staleness::{BlockingRegistry, Timestamp};

use crate::chance::Chance;
use crate::put::put;
use crate::routes::{route, tool};
use crate::{START, record};

/// How many numbers a vector has.
pub const DIMENSIONS: usize = 384;
/// Who made the vectors.
pub const MODEL: &str = "all-MiniLM-L6-v2";
const TOOLS: usize = 500;
/// Rows that one commit writes.
const BATCH: usize = 10_000;

/// Numbers of a vector.
#[must_use]
pub fn numbers(chance: &mut Chance) -> Vec<f64> {
    (0..DIMENSIONS).map(|_| (chance.next() % 2_001) as f64 / 1_000.0 - 1.0).collect()
}

/// Who made the vectors.
///
/// # Panics
/// Never: the name is valid.
#[must_use]
pub fn model() -> ModelId {
    ModelId::new(MODEL).expect("a valid name")
}

/// A route, learned so many milliseconds after the start; every other one is weak.
fn row(project: &ProjectRef, at: usize, chance: &mut Chance) -> (Route, RouteVector) {
    let confidence = if at.is_multiple_of(2) { 0.9 } else { 0.05 };
    let route = Route { model: Some(model()), ..route(&project.id, at, confidence, chance) };
    let key = route.key.clone();
    let vector = Vector::new(&numbers(chance), Precision::F32).expect("a vector");
    (route, RouteVector { key, model: model(), vector })
}

/// Writes the routes `range` with their vectors, the first time with the tools that they lead to.
///
/// # Panics
/// When the store reports an error.
pub fn fill_vectors(registry: &BlockingRegistry, project: &ProjectRef, range: Range<usize>) {
    let used = |at| {
        let op = OpId::new(format!("seed-{at}")).expect("a valid id");
        let at_time = Timestamp::from_millis(START);
        Use::new(op, tool(at), OutcomeKind::Success, at_time, project.clone())
    };
    if range.start == 0 {
        record(registry, (0..TOOLS).map(used).collect());
    }
    let mut chance = Chance(range.start as u64 + 3);
    for from in range.clone().step_by(BATCH) {
        let to = (from + BATCH).min(range.end);
        let rows: Vec<_> = (from..to).map(|at| row(project, at, &mut chance)).collect();
        put(registry, Selection::new(), move |_, draft| {
            for (route, vector) in &rows {
                draft.put_route(route.clone());
                draft.put_vector(vector.clone());
            }
        });
    }
}
