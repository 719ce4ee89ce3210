//! Pruning raw outcomes: a cache with stated bounds.

use serde::Serialize;

use crate::policy::OutcomePolicy;
use crate::store::{
    Decision, Draft, Durability, OutcomeCut, OutcomeRange, Refusal, Selection, Step, View,
};
use crate::time::Timestamp;

/// Outcomes removed in one commit at most, so that others wait briefly.
pub(crate) const PAGE: u64 = 2_000;

/// The numbers of raw outcomes that went, or would go, and that stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PruneReport {
    /// Outcomes removed.
    pub removed: u64,
    /// Outcomes kept.
    pub kept: u64,
}

/// The outcomes that the policy lets go at `now`.
#[must_use]
pub(crate) fn cut(policy: &OutcomePolicy, now: Timestamp) -> OutcomeCut {
    OutcomeCut {
        until: now.minus_days(i64::from(policy.keep_days)),
        keep_newest: policy.keep_newest,
    }
}

/// Removes one page of what a cut lets go. It counts nothing: counting reads every outcome, and
/// others wait while it writes.
#[derive(Debug)]
pub(crate) struct PruneOutcomes {
    pub(crate) cut: OutcomeCut,
    pub(crate) at: Timestamp,
}

impl Step for PruneOutcomes {
    fn selection(&self) -> Selection {
        Selection::new()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        draft.delete_outcomes(OutcomeRange::Cut { cut: self.cut, limit: PAGE });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
