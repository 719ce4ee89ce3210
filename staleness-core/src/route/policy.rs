//! The policy of routes: how they learn, and which stay.

use serde::{Deserialize, Serialize};

use super::Precision;

/// The policy by which routes learn and are pruned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoutePolicy {
    /// True if what a user asks an agent is learned from. It is kept without secrets, and bounded.
    pub learn_from_prompts: bool,
    /// The folder of the sentence transformer that makes vectors of queries, in programs that were
    /// built with one; empty for none.
    pub model_dir: String,
    /// The precision in which vectors are kept.
    pub precision: Precision,
    /// A weaker signal creates no route, 0..=1.
    pub min_signal: f64,
    /// The weight of one signal in the confidence of a known route, 0..=1.
    pub learn_weight: f64,
    /// The signal of a success of a suggested tool, 0..=1.
    pub signal_suggested: f64,
    /// The signal of a success of another tool, 0..=1.
    pub signal_other: f64,
    /// The signal of a failure, 0..=1.
    pub signal_failure: f64,
    /// Two queries of one tool are the same from this cosine on, 0..=1.
    pub same_cosine: f64,
    /// A route goes when its confidence is lower, 0..=1.
    pub prune_confidence: f64,
    /// A route goes when it was not used for this many days.
    pub unused_days: u32,
    /// The most routes of a project; above it some are pruned.
    pub max_routes: u32,
    /// Of too many, this share of `max_routes` stays, 0..=1.
    pub keep_share: f64,
    /// A tool is suggested for a user's prompt when it fits at least so well, 0..=1.
    pub suggest_from: f64,
    /// The least number of tool uses between two suggestions to one session.
    pub cool_down_calls: u32,
    /// The most unasked suggestions to one session.
    pub suggestions_per_session: u32,
}

impl Default for RoutePolicy {
    fn default() -> Self {
        Self {
            learn_from_prompts: false,
            model_dir: String::new(),
            precision: Precision::F32,
            min_signal: 0.1,
            learn_weight: 0.2,
            signal_suggested: 1.0,
            signal_other: 0.75,
            signal_failure: 0.0,
            same_cosine: 0.97,
            prune_confidence: 0.1,
            unused_days: 30,
            max_routes: 5_000,
            keep_share: 0.9,
            suggest_from: 0.4,
            cool_down_calls: 5,
            suggestions_per_session: 2,
        }
    }
}

impl RoutePolicy {
    /// Returns the number of routes of a project that stay when there are too many.
    #[must_use]
    pub fn kept_over_limit(&self) -> usize {
        (self.keep_share * f64::from(self.max_routes)).floor() as usize
    }

    /// Adds what is wrong with the values to `faults`, as `key: reason`.
    pub(crate) fn faults(&self, faults: &mut Vec<String>) {
        for (name, value) in [
            ("min_signal", self.min_signal),
            ("learn_weight", self.learn_weight),
            ("signal_suggested", self.signal_suggested),
            ("signal_other", self.signal_other),
            ("signal_failure", self.signal_failure),
            ("same_cosine", self.same_cosine),
            ("prune_confidence", self.prune_confidence),
            ("keep_share", self.keep_share),
            ("suggest_from", self.suggest_from),
        ] {
            if !(0.0..=1.0).contains(&value) {
                faults.push(format!("routes.{name}: must lie in 0..=1"));
            }
        }
    }
}
