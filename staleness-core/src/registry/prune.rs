//! Pruning of raw outcomes by age and number.

use serde::Serialize;

use crate::outcome::Outcome;
use crate::policy::OutcomePolicy;
use crate::store::{Edit, OutcomeCut, OutcomeFilter, OutcomeRange, Selection, Step, View};
use crate::time::Timestamp;

/// The maximum number of outcomes removed per commit, so that other writers wait only briefly.
pub(crate) const PAGE: u64 = 2_000;

/// The number of outcomes to read from each end. One is not enough: a wrong clock may have dated the first outcome in
/// the future.
const ENDS: u32 = 100;

/// The result of pruning rows, or of its dry run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PruneReport {
    /// The number of removed rows.
    pub removed: u64,
    /// The number of remaining rows.
    pub kept: u64,
}

/// Returns the range of outcomes that are past the policy's retention at `now`.
pub(crate) fn cut(policy: &OutcomePolicy, now: Timestamp) -> OutcomeCut {
    OutcomeCut {
        until: now.minus_days(i64::from(policy.keep_days)),
        keep_newest: policy.keep_newest,
    }
}

pub(crate) fn ends() -> Selection {
    Selection::new().outcomes(OutcomeFilter::FirstAndLast { limit: ENDS })
}

/// Returns the sequence number of the first outcome in the view that a cut may remove. `None` if the times and numbers
/// in the view show that nothing can be removed.
pub(crate) fn first_within(cut: &OutcomeCut, view: &View) -> Option<u64> {
    let (newest, _) = view.outcomes.last_key_value()?;
    let old = |row: &&Outcome| row.at <= cut.until && newest - row.seq >= cut.keep_newest;
    view.outcomes.values().find(old).map(|row| row.seq)
}

/// Removes one page of the outcomes within a cut. Does not count the removed ones, because that would read every
/// outcome while other writers wait.
pub(crate) fn remove_page(cut: OutcomeCut, at: Timestamp) -> impl Step {
    Edit::new(at, Selection::new(), move |draft| {
        draft.delete_outcomes(OutcomeRange::Cut { cut, limit: PAGE });
        Ok(())
    })
}
