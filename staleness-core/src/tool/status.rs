//! The status of a tool, derived by one table.

use serde::{Deserialize, Serialize};

use super::Hold;
use crate::text::wording;

wording! {
    /// The status of a tool: may an agent use it?
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Status {
        /// It may be used and suggested.
        Active = "active",
        /// It is absent: see [`crate::tool::PresenceCause`].
        Stale = "stale",
        /// It is failing, or a person demoted it.
        Demoted = "demoted",
    }
}

/// One row of [`STATUS_TABLE`]: hold, failing, present and the status. `None` matches any value.
pub(crate) type StatusRow = (Option<Hold>, Option<bool>, Option<bool>, Status);

/// The status for every combination of hold, failing and present. The first matching row applies.
///
/// The status is never set directly: scans change presence, outcomes change health, people change the hold, and the
/// status follows. So a rescan cannot undo a demotion, and each cause is undone separately.
pub(crate) const STATUS_TABLE: [StatusRow; 5] = [
    //  hold                 failing       present       status
    (Some(Hold::Pinned), None, None, Status::Active),
    (Some(Hold::Demoted), None, None, Status::Demoted),
    (None, Some(true), None, Status::Demoted),
    (None, Some(false), Some(false), Status::Stale),
    (None, Some(false), Some(true), Status::Active),
];

/// Returns the status by [`STATUS_TABLE`].
pub(crate) fn status_of(hold: Hold, failing: bool, present: bool) -> Status {
    STATUS_TABLE
        .iter()
        .find(|(row_hold, row_failing, row_present, _)| {
            row_hold.is_none_or(|row| row == hold)
                && row_failing.is_none_or(|row| row == failing)
                && row_present.is_none_or(|row| row == present)
        })
        .map_or(Status::Active, |row| row.3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_the_status_that_is_promised() {
        for hold in Hold::ALL {
            for failing in [false, true] {
                for present in [false, true] {
                    let expected = match (hold, failing, present) {
                        (Hold::Pinned, _, _) => Status::Active,
                        (Hold::Demoted, _, _) | (_, true, _) => Status::Demoted,
                        (_, false, false) => Status::Stale,
                        (_, false, true) => Status::Active,
                    };
                    assert_eq!(status_of(hold, failing, present), expected);
                }
            }
        }
    }
}
