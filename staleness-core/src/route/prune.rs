//! Pruning of routes, decided on one snapshot without reading vectors.

use std::cmp::Reverse;

use serde::Serialize;

use super::{Route, RoutePolicy};
use crate::text::wording;
use crate::time::Timestamp;

wording! {
    /// The reason for pruning a route.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    pub enum PruneReason {
        /// The confidence is below `routes.prune_confidence`.
        LowConfidence = "low_confidence",
        /// The route was not used for `routes.unused_days`.
        Unused = "unused",
        /// The project has more than `routes.max_routes` routes, and others are better.
        OverLimit = "over_limit",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrunePlan<'r> {
    /// The routes to remove with the reasons, in order of key.
    pub removed: Vec<(&'r Route, PruneReason)>,
    pub kept: u64,
}

/// Decides which routes of one project to prune as of `now`. Routes with low confidence and unused routes go first.
/// If more than `max_routes` are left, only the best `keep_share × max_routes` (rounded down) stay, by confidence,
/// last use and id.
pub(crate) fn plan_prune<'r>(
    routes: impl IntoIterator<Item = &'r Route>,
    policy: &RoutePolicy,
    now: Timestamp,
) -> PrunePlan<'r> {
    let (mut removed, mut left) = (Vec::new(), Vec::new());
    for route in routes {
        if route.confidence.get() < policy.prune_confidence {
            removed.push((route, PruneReason::LowConfidence));
        } else if now.days_since(route.last_used_at) >= i64::from(policy.unused_days) {
            removed.push((route, PruneReason::Unused));
        } else {
            left.push(route);
        }
    }
    let keep = policy.kept_over_limit();
    if left.len() > policy.max_routes as usize && left.len() > keep {
        let best_first =
            |route: &&Route| (Reverse(route.confidence), Reverse(route.last_used_at), route.key.id);
        // A partition is enough: the order among the best does not matter.
        left.select_nth_unstable_by_key(keep, best_first);
        removed.extend(left.drain(keep..).map(|route| (route, PruneReason::OverLimit)));
    }
    removed.sort_unstable_by(|a, b| a.0.key.cmp(&b.0.key));
    PrunePlan { removed, kept: left.len() as u64 }
}
