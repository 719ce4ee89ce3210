//! Verdicts: the one answer that every kind of thing gets.

use crate::text::wording;

use serde::{Deserialize, Serialize};

/// The level of trust in a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It can be relied on.
    Fresh,
    /// It wants a look.
    Review,
    /// It must not be relied on.
    Stale,
}

wording! { Level { Fresh = "fresh", Review = "review", Stale = "stale" } }

impl Level {
    /// The level of a freshness: at least 0.7 is fresh, at least 0.4 review, else stale. Compared
    /// after rounding to 1e-9.
    #[must_use]
    pub fn of(freshness: f64) -> Self {
        Self::between(round(freshness), 0.7, 0.4)
    }

    /// The level of a rounded freshness, by the freshness from which it is fresh and the one from
    /// which it is to be reviewed.
    #[must_use]
    pub const fn between(freshness: f64, fresh_from: f64, review_from: f64) -> Self {
        if freshness >= fresh_from {
            Self::Fresh
        } else if freshness >= review_from {
            Self::Review
        } else {
            Self::Stale
        }
    }
}

/// The action to take on a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NextAction {
    /// Nothing.
    Keep,
    /// See whether it still holds.
    Verify,
    /// Bring it up to date.
    Update,
    /// Stop relying on it.
    Drop,
    /// Say that it is done: for a to-do.
    Complete,
    /// Give it another date: for a to-do.
    Reschedule,
}

wording! { NextAction {
    Keep = "keep", Verify = "verify", Update = "update", Drop = "drop", Complete = "complete",
    Reschedule = "reschedule",
} }

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// The kind of evidence, in `snake_case`.
    pub kind: String,
    /// The strength with which it shows, 0..=1.
    pub strength: f64,
    /// The largest share of the freshness that it can take away, 0..=1.
    pub weight: f64,
    /// A sentence that a person can act on: names, paths and our own words, on one line.
    pub reason: String,
    /// The line of the file in which it shows, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// A note that somebody wrote about it. It is of unknown origin: hooks leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Signal {
    /// A piece of evidence that stands on no line, and about which nobody wrote anything.
    #[must_use]
    pub fn new(kind: &str, strength: f64, weight: f64, reason: String) -> Self {
        Self { kind: kind.into(), strength, weight, reason, line: None, note: None }
    }
}

/// Can it still be trusted, why, and what should be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The level of trust in it.
    pub level: Level,
    /// 1 fresh … 0 stale.
    pub freshness: f64,
    /// The evidence, in the order of its effect.
    pub signals: Vec<Signal>,
    /// The action to take.
    pub action: NextAction,
}

impl Verdict {
    /// Nothing speaks against it.
    #[must_use]
    pub const fn fresh() -> Self {
        Self { level: Level::Fresh, freshness: 1.0, signals: Vec::new(), action: NextAction::Keep }
    }
}

/// Rounds to 1e-9, the precision at which scores are compared and printed.
#[must_use]
pub(crate) fn round(score: f64) -> f64 {
    let rounded = (score * 1e9).round() / 1e9;
    if rounded == 0.0 { 0.0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_nine_places_and_no_negative_zero() {
        assert!((round(0.1 + 0.2) - 0.3).abs() < f64::EPSILON);
        assert!(round(-1e-12).is_sign_positive());
    }

    #[test]
    fn reports_use_the_words_that_json_uses() {
        let quoted = |word: &str| format!("\"{word}\"");
        for level in Level::ALL {
            assert_eq!(serde_json::to_string(&level).unwrap(), quoted(level.as_str()));
        }
        for action in [
            NextAction::Keep,
            NextAction::Verify,
            NextAction::Update,
            NextAction::Drop,
            NextAction::Complete,
            NextAction::Reschedule,
        ] {
            assert_eq!(serde_json::to_string(&action).unwrap(), quoted(action.as_str()));
        }
    }
}
