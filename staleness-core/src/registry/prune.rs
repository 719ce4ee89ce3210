//! Pruning of raw outcomes by age and number.

use serde::Serialize;

use crate::policy::OutcomePolicy;
use crate::store::{
    Decision, Draft, Durability, OutcomeCut, OutcomeRange, Refusal, Selection, Step, View,
};
use crate::time::Timestamp;

/// The maximum number of outcomes removed per commit, so that other writers wait only briefly.
pub(crate) const PAGE: u64 = 2_000;

/// The numbers of rows removed (or to be removed) and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PruneReport {
    /// The rows removed.
    pub removed: u64,
    /// The rows kept.
    pub kept: u64,
}

/// Returns the cut of outcomes that the policy no longer keeps at `now`.
#[must_use]
pub(crate) fn cut(policy: &OutcomePolicy, now: Timestamp) -> OutcomeCut {
    OutcomeCut {
        until: now.minus_days(i64::from(policy.keep_days)),
        keep_newest: policy.keep_newest,
    }
}

/// Removes one page of the outcomes within a cut. It does not count them, because that would read every
/// outcome while other writers wait.
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
