//! Pairs: what criterion measures is the ratio itself. Contestant and floor take turns inside each
//! sample, so its confidence intervals and its comparison with the last run hold on a machine that is
//! busy with other things too.

use std::cell::RefCell;

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Criterion, SamplingMode, Throughput};
use staleness_benches::race::{Samples, timed};
use staleness_benches::ratios::{Goal, Row};

/// Our time divided by the floor's, as criterion sees it.
pub(crate) struct Ratio;

impl Measurement for Ratio {
    type Intermediate = ();
    type Value = f64;

    fn start(&self) {}

    fn end(&self, (): ()) -> f64 {
        f64::NAN
    }

    fn add(&self, one: &f64, other: &f64) -> f64 {
        one + other
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Times
    }
}

struct Times;

impl ValueFormatter for Times {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "× floor"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "× floor"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "× floor"
    }
}

/// Lets criterion measure one pair. `per` is how much work is in one turn.
pub(crate) fn pair(
    criterion: &mut Criterion<Ratio>,
    rows: &mut Vec<Row>,
    (work, per, goal): (&str, usize, Goal),
    mut floor: impl FnMut(),
    mut ours: impl FnMut(),
) {
    let samples = RefCell::new((Samples::default(), Samples::default()));
    let mut group = criterion.benchmark_group("core");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.bench_function(work, |bencher| {
        bencher.iter_custom(|turns| {
            let mut sum = (0.0, 0.0);
            for _ in 0..turns {
                let (one, other) = (timed(&mut floor), timed(&mut ours));
                let mut samples = samples.borrow_mut();
                samples.0.push(one);
                samples.1.push(other);
                sum = (sum.0 + one, sum.1 + other);
            }
            sum.1 / sum.0 * turns as f64
        });
    });
    group.finish();
    let (floor, ours) = samples.into_inner();
    rows.push(Row::of(format!("core: {work}"), &floor, &ours, per, goal));
}
