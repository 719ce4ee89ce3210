//! The policy for routes: how they learn, and when they are pruned.

use serde::{Deserialize, Serialize};

use super::Precision;

/// The policy for learning and pruning routes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoutePolicy {
    /// True if routes learn from users' prompts. Prompts are stored redacted and truncated.
    pub learn_from_prompts: bool,
    /// The folder of the sentence transformer that embeds queries, for programs built with one. Empty for none.
    pub model_dir: String,
    /// The precision in which vectors are stored.
    pub precision: Precision,
    /// The minimum signal that creates a route, 0..=1.
    pub min_signal: f64,
    /// The weight of one signal when an existing route learns, 0..=1.
    pub learn_weight: f64,
    /// The signal of a success of a suggested tool, 0..=1.
    pub signal_suggested: f64,
    /// The signal of a success of another tool, 0..=1.
    pub signal_other: f64,
    /// The signal of a failure, 0..=1.
    pub signal_failure: f64,
    /// The minimum cosine at which two queries of one tool count as the same, 0..=1.
    pub same_cosine: f64,
    /// The minimum confidence of a route, 0..=1; below it the route is pruned.
    pub prune_confidence: f64,
    /// Days without use after which a route is pruned.
    pub unused_days: u32,
    /// The maximum number of routes of a project; above it some are pruned.
    pub max_routes: u32,
    /// The share of `max_routes` that remains after pruning over the limit, 0..=1.
    pub keep_share: f64,
    /// The minimum score at which a tool is suggested for a user's prompt, 0..=1.
    pub suggest_from: f64,
    /// The minimum number of tool uses between two suggestions in one session.
    pub cool_down_calls: u32,
    /// The maximum number of unsolicited suggestions in one session.
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
    /// Returns the number of routes that a project keeps when it exceeds `max_routes`.
    #[must_use]
    pub fn kept_over_limit(&self) -> usize {
        (self.keep_share * f64::from(self.max_routes)).floor() as usize
    }

    /// Appends errors in the values to `faults`, as `key: reason`.
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
                faults.push(format!("routes.{name}: must be between 0 and 1"));
            }
        }
    }
}
