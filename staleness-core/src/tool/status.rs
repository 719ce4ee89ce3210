//! The status of a tool, derived from facts by one table.

use serde::{Deserialize, Serialize};

use super::Hold;
use crate::text::wording;

wording! {
    /// The status of a tool, by which an agent decides whether to use it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Status {
        /// The tool may be used and suggested.
        Active = "active",
        /// The tool is absent: see [`crate::tool::PresenceCause`].
        Stale = "stale",
        /// The tool is failing, or was demoted by hand.
        Demoted = "demoted",
    }
}

/// A row of [`STATUS_TABLE`]: hold, failing, present and status. `None` matches any value.
pub(crate) type StatusRow = (Option<Hold>, Option<bool>, Option<bool>, Status);

/// The status for every combination of hold, failing and present. The first matching row applies.
///
/// The status is never set directly: scans change presence, outcomes change health, decisions change the hold, and the
/// status follows. A rescan therefore cannot undo a demotion, and each cause is undone separately.
pub(crate) const STATUS_TABLE: [StatusRow; 5] = [
    //  hold                 failing       present       status
    (Some(Hold::Pinned), None, None, Status::Active),
    (Some(Hold::Demoted), None, None, Status::Demoted),
    (None, Some(true), None, Status::Demoted),
    (None, Some(false), Some(false), Status::Stale),
    (None, Some(false), Some(true), Status::Active),
];

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
