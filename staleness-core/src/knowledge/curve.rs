//! Curves: how freshness falls with age.

use serde::{Deserialize, Serialize};

/// A curve by which freshness falls with age. It starts at 1, never rises, and stays within 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Curve {
    /// No ageing.
    #[default]
    Constant,
    /// `max(floor, 1 - drop * age / days)`.
    Linear {
        /// The points lost over `days`, 0..=1.
        drop: f64,
        /// The days over which `drop` is lost.
        days: f64,
        /// The lower bound, 0..=1.
        #[serde(default)]
        floor: f64,
    },
    /// `2 ^ (-age / days)`.
    HalfLife {
        /// The half-life, in days.
        days: f64,
    },
    /// The power-law forgetting curve of FSRS-4.5, a model of human memory that schedules flash cards: `(1 + 19/81 *
    /// age / S) ^ -0.5`, which is 0.9 when the age equals the stability `S`.
    ///
    /// Each verification lengthens the stability like a successful review in FSRS:
    /// `S' = S * (1 + e^w8 * (11 - D) * S^-w9 * (e^(w10 * (1 - R)) - 1))`, with the published default
    /// parameters, the middle difficulty `D = 5`, and the retrievability `R = 0.9` of a review that is due.
    /// `R` is fixed because only the number of verifications is stored. Reading an item has no effect.
    ///
    /// Source: open-spaced-repetition, "The Algorithm", section FSRS-4.5,
    /// <https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm>.
    Power {
        /// The age in days at which the freshness is 0.9, without any verification.
        stability: f64,
    },
}

/// FSRS-4.5 `w8`: the base effect of a review on stability.
const W8: f64 = 1.6474;
/// FSRS-4.5 `w9`: the rate at which the effect shrinks as stability grows.
const W9: f64 = 0.1367;
/// FSRS-4.5 `w10`: the rate at which the effect grows as retrievability falls.
const W10: f64 = 1.0461;
/// The middle of the FSRS difficulty scale 1..=10.
const DIFFICULTY: f64 = 5.0;
/// The retrievability at which a review is due.
const RETRIEVABILITY: f64 = 0.9;
/// The maximum stability, in days: the longest interval of FSRS, one hundred years.
const MAX_STABILITY: f64 = 36_500.0;

impl Curve {
    /// Returns the freshness, 0..=1, after `days` whole days and this number of verifications.
    pub fn at(self, days: i64, verifications: u32) -> f64 {
        let age = days.max(0) as f64;
        match self {
            Self::Constant => 1.0,
            Self::Linear { drop, days, floor } => (1.0 - drop * age / days).max(floor),
            Self::HalfLife { days } => (-age / days).exp2(),
            Self::Power { stability } => {
                (1.0 + 19.0 / 81.0 * age / strengthened(stability, verifications)).powf(-0.5)
            }
        }
    }

    /// Returns the maximum freshness that can be lost to age, 0..=1.
    pub const fn reach(self) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Linear { drop: 0.0, .. } => 0.0,
            Self::Linear { floor, .. } => 1.0 - floor,
            Self::HalfLife { .. } | Self::Power { .. } => 1.0,
        }
    }

    /// Returns an error message if the parameters are out of range.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let days = |value: f64| value > 0.0 && value <= MAX_STABILITY;
        match *self {
            Self::Constant => None,
            Self::Linear { drop, floor, .. } if !share(drop) || !share(floor) => {
                Some("drop and floor must be between 0 and 1")
            }
            Self::Linear { days: span, .. }
            | Self::HalfLife { days: span }
            | Self::Power { stability: span } => {
                (!days(span)).then_some("days must be above 0 and at most 36500")
            }
        }
    }
}

/// Returns the stability in days after this number of verifications. Each one multiplies the stability by at least 1.8,
/// so the loop reaches [`MAX_STABILITY`] within 18 turns.
fn strengthened(stability: f64, verifications: u32) -> f64 {
    let gain = W8.exp() * (11.0 - DIFFICULTY) * ((W10 * (1.0 - RETRIEVABILITY)).exp() - 1.0);
    let mut stability = stability;
    for _ in 0..verifications {
        if stability >= MAX_STABILITY {
            return MAX_STABILITY;
        }
        stability *= gain.mul_add(stability.powf(-W9), 1.0);
    }
    stability.min(MAX_STABILITY)
}
