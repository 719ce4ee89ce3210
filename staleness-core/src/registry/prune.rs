//! Pruning of raw outcomes by age and number.

use serde::Serialize;

use crate::outcome::Outcome;
use crate::policy::OutcomePolicy;
use crate::store::{Edit, OutcomeCut, OutcomeFilter, OutcomeRange, Selection, Step, View};
use crate::time::Timestamp;

/// The maximum number of outcomes removed per commit, so that other writers wait only briefly.
pub(crate) const PAGE: u64 = 2_000;

/// The number of first and of last outcomes to read. One is not enough: a wrong clock may have dated the first
/// outcome in the future.
const ENDS: u32 = 100;

/// The numbers of rows removed (or to be removed) and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PruneReport {
    /// The rows removed.
    pub removed: u64,
    /// The rows kept.
    pub kept: u64,
}

/// Returns the cut of outcomes past the policy's retention at `now`.
pub(crate) fn cut(policy: &OutcomePolicy, now: Timestamp) -> OutcomeCut {
    OutcomeCut {
        until: now.minus_days(i64::from(policy.keep_days)),
        keep_newest: policy.keep_newest,
    }
}

/// Selects the first and the last outcomes.
pub(crate) fn ends() -> Selection {
    Selection::new().outcomes(OutcomeFilter::FirstAndLast { limit: ENDS })
}

/// Returns the first of the outcomes in the view that a cut may remove, by its sequence number. `None` if
/// their times or numbers show that none is removed.
pub(crate) fn first_within(cut: &OutcomeCut, view: &View) -> Option<u64> {
    let (newest, _) = view.outcomes.last_key_value()?;
    let old = |row: &&Outcome| row.at <= cut.until && newest - row.seq >= cut.keep_newest;
    view.outcomes.values().find(old).map(|row| row.seq)
}

/// Removes one page of the outcomes within a cut. It does not count them, because that would read every
/// outcome while other writers wait.
pub(crate) fn remove_page(cut: OutcomeCut, at: Timestamp) -> impl Step {
    Edit::new(at, Selection::new(), move |draft| {
        draft.delete_outcomes(OutcomeRange::Cut { cut, limit: PAGE });
        Ok(())
    })
}
