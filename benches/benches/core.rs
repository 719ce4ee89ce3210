//! Measures freshness: score and level of one item compared with the bare formula, and of 10,000 items with
//! the signals of their versions and relations.
//!
//! `cargo bench -p staleness-benches --bench core [-- --quick]`

use std::hint::black_box;

use staleness::ids::Caller;
use staleness::knowledge::{Context, Item};
use staleness::scan::ProjectRef;
use staleness_benches::knowledge::items;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::rounds;
use staleness_core::knowledge::{Evidence, SignalSet};
use staleness_core::policy::KnowledgePolicy;

const MANY: usize = 10_000;

/// Computes the formula for one kind of item, without policy or rounding.
fn formula(days: &[i64]) -> f64 {
    days.iter().map(|days| (1.0 - 0.3 * *days as f64 / 90.0).max(0.0)).sum()
}

/// Scores items one by one.
fn alone(items: &[Item], context: &Context) -> f64 {
    items.iter().map(|item| item.score(&[], context).0).sum()
}

/// Gathers the evidence of all items, and scores each with its own.
fn related(items: &[&Item], context: &Context) -> f64 {
    let mut evidence = vec![Vec::new(); items.len()];
    Evidence::gather(items, &mut evidence, context);
    let pairs = items.iter().zip(&evidence);
    pairs.map(|(item, evidence)| SignalSet::of(evidence).score(item, context).0).sum()
}

fn main() {
    let now = staleness::clock::now();
    let items = items(&ProjectRef::of_root("/bench/project"), MANY, now);
    let all: Vec<&Item> = items.iter().collect();
    let context =
        Context::new(now, &KnowledgePolicy::default(), Caller::default()).at_version(Some("2.6.1"));
    let days: Vec<i64> = items.iter().map(|item| now.days_since(item.anchored_at())).collect();
    let [floor, alone, related] = race(
        rounds(501, 3),
        [
            &mut || timed(|| formula(black_box(&days))),
            &mut || timed(|| alone(black_box(&items), &context)),
            &mut || timed(|| related(black_box(&all), &context)),
        ],
    );
    let rows = [
        Row::of("freshness of an item", &floor, &alone, MANY, Goal::Within(100e-9)),
        Row::new(
            "freshness of 10,000 items with relations",
            f64::NAN,
            related.median(),
            Goal::Within(5e-3),
        ),
    ];
    keep(env!("CARGO_TARGET_TMPDIR"), "core", &rows);
}
