//! The policy for routes.

use super::Precision;
use crate::thresholds::thresholds;

thresholds! {
    /// The policy for learning and pruning routes.
    RoutePolicy {
        /// True if routes learn from users' prompts. Prompts are stored redacted and truncated.
        learn_from_prompts: bool = false,
        /// The folder of the sentence transformer that embeds queries, for builds that include one. Empty for
        /// none.
        model_dir: String = String::new(),
        /// The precision in which vectors are stored.
        precision: Precision = Precision::F32,
        /// The minimum signal that creates a route, 0..=1.
        min_signal: f64 = 0.1,
        /// The weight of one signal when an existing route learns, 0..=1.
        learn_weight: f64 = 0.2,
        /// The signal of a success of a suggested tool, 0..=1.
        signal_suggested: f64 = 1.0,
        /// The signal of a success of another tool, 0..=1.
        signal_other: f64 = 0.75,
        /// The signal of a failure, 0..=1.
        signal_failure: f64 = 0.0,
        /// The minimum cosine at which two queries of one tool count as the same, 0..=1.
        same_cosine: f64 = 0.97,
        /// The minimum confidence of a route, 0..=1. Routes below it are pruned.
        prune_confidence: f64 = 0.1,
        /// The number of days without use after which a route is pruned.
        unused_days: u32 = 30,
        /// The maximum number of routes of a project. Above it, some are pruned.
        max_routes: u32 = 5_000,
        /// The share of `max_routes` that remains after pruning over the limit, 0..=1.
        keep_share: f64 = 0.9,
        /// The minimum certainty at which tools are suggested for a user's prompt, 0..=1.
        suggest_from: f64 = 0.11,
        /// The minimum number of tool uses between two suggestions in one session.
        cool_down_calls: u32 = 5,
        /// The maximum number of unsolicited suggestions in one session.
        suggestions_per_session: u32 = 2,
    }
}

impl RoutePolicy {
    /// Returns the number of routes that a project keeps when it exceeds `max_routes`.
    pub fn kept_over_limit(&self) -> usize {
        (self.keep_share * f64::from(self.max_routes)).floor() as usize
    }

    /// Appends errors in the values to `faults`, as `key: reason`.
    pub(crate) fn faults(&self, faults: &mut Vec<String>) {
        self.check_shares("routes", faults);
    }
}
