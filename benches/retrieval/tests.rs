//! Checks that learning takes little from tools of which nothing was learned.

mod data;
#[expect(dead_code, reason = "the bench prints more")]
mod figures;
mod ours;

use data::Case;
use figures::Figures;
use ours::{Ours, halves, sets};

/// The loss that is allowed, in points.
const MOST: f64 = 1.0;

#[test]
fn tools_that_learned_nothing_lose_at_most_a_point_when_others_learn() {
    for data in &sets() {
        let cases: Vec<&Case> = data.test.iter().chain(&data.choose).collect();
        for (name, is_seen, cases, before) in halves(data, &cases) {
            for step in [1, 10] {
                let learned = data.learned(step, |tool| is_seen(data, tool));
                assert!(!learned.is_empty());
                let after = Figures::of(&Ours::new(data, &learned), data, &cases);
                for most in [1, 5] {
                    let (was, is) = (before.top(most), after.top(most));
                    let what =
                        format!("{}, half of the {name}, {step} learned, first {most}", data.name);
                    assert!(is >= was - MOST, "{what}: {was:.1} before, {is:.1} after");
                }
            }
        }
    }
}
