//! Freshness: the score and level of one item against the bare formula, and those of 10,000 items with the
//! signals of their versions and relations.
//!
//! `cargo bench -p staleness-benches --bench core [-- --quick]`

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use staleness::knowledge::{Context, Item};
use staleness::scan::ProjectRef;
use staleness_benches::knowledge::items;
use staleness_benches::race::{Samples, quick, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_core::knowledge::SignalSet;
use staleness_core::policy::KnowledgePolicy;

const MANY: usize = 10_000;

/// The formula of one kind of item, without a policy or rounding.
fn formula(days: &[i64]) -> f64 {
    days.iter().map(|days| (1.0 - 0.3 * *days as f64 / 90.0).max(0.0)).sum()
}

/// Scores items one by one.
fn alone(items: &[Item], context: &Context) -> f64 {
    items.iter().map(|item| item.score(&[], context).0).sum()
}

/// Gathers the signals of all items, and scores each with its own.
fn related(items: &[&Item], context: &Context) -> f64 {
    let mut signals = vec![SignalSet::default(); items.len()];
    SignalSet::gather(items, &mut signals, context);
    let pairs = items.iter().zip(&signals);
    pairs.map(|(item, signals)| signals.score(item, context).0).sum()
}

/// Lets criterion measure one function, and returns the times for the table.
fn measure<T>(criterion: &mut Criterion, name: &str, mut work: impl FnMut() -> T) -> Samples {
    let samples = RefCell::new(Samples::default());
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|turns| {
            let mut sum = 0.0;
            for _ in 0..turns {
                let time = timed(&mut work);
                samples.borrow_mut().push(time);
                sum += time;
            }
            Duration::from_secs_f64(sum)
        });
    });
    samples.into_inner()
}

fn main() {
    let now = staleness::clock::now();
    let items = items(&ProjectRef::of_root("/bench/project"), MANY, now);
    let all: Vec<&Item> = items.iter().collect();
    let context =
        Context::new(now, &KnowledgePolicy::default(), None, None).at_version(Some("2.6.1"));
    let days: Vec<i64> = items.iter().map(|item| now.days_since(item.anchored_at())).collect();
    let mut criterion = Criterion::default()
        .measurement_time(Duration::from_secs(if quick() { 1 } else { 5 }))
        .sample_size(if quick() { 10 } else { 50 });
    let floor =
        measure(&mut criterion, "the bare formula, 10,000 times", || formula(black_box(&days)));
    let alone =
        measure(&mut criterion, "freshness of 10,000 items", || alone(black_box(&items), &context));
    let related = measure(&mut criterion, "freshness of 10,000 items with relations", || {
        related(black_box(&all), &context)
    });
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
