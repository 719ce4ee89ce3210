//! Demotion rules, by which failures demote a tool.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::outcome::Mark;
use crate::tool::Ring;

/// A rule that decides when counted outcomes demote a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DemotionRule {
    /// At least `k` failures among the last `n` counted outcomes, of which there may be fewer than `n`.
    KOfN {
        /// The number of failures, 1..=n.
        k: u8,
        /// The number of outcomes, 1..=32.
        n: u8,
    },
    /// The last `k` counted outcomes are all failures.
    Consecutive {
        /// The number of failures, 1..=32.
        k: u8,
    },
    /// At least `percent` of the counted outcomes in the ring are failures. Applies once there are `min_uses` counted
    /// outcomes.
    Rate {
        /// The percentage of failures, 1..=100.
        percent: u8,
        /// The minimum number of counted outcomes, 1..=32.
        min_uses: u8,
    },
}

impl Default for DemotionRule {
    fn default() -> Self {
        Self::KOfN { k: 3, n: 5 }
    }
}

/// The result of applying a rule to the outcomes in its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The number of failures in the window.
    pub failures: usize,
    /// The number of counted outcomes in the window, including failures.
    pub of: usize,
    /// True if the rule demotes the tool.
    pub demotes: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of the last {} uses failed", self.failures, self.of)
    }
}

impl DemotionRule {
    /// Returns the maximum number of counted outcomes that the rule considers.
    pub fn window(&self) -> usize {
        match *self {
            Self::KOfN { n, .. } => usize::from(n),
            Self::Consecutive { k } => usize::from(k),
            Self::Rate { .. } => Ring::CAPACITY,
        }
    }

    /// Returns an error message if the numbers of the rule are out of range.
    pub fn fault(&self) -> Option<&'static str> {
        let size = 1..=Ring::CAPACITY as u8;
        match *self {
            Self::KOfN { k, n } if !size.contains(&n) || !(1..=n).contains(&k) => {
                Some("k_of_n needs 1 <= k <= n <= 32")
            }
            Self::Consecutive { k } if !size.contains(&k) => Some("consecutive needs 1 <= k <= 32"),
            Self::Rate { percent, min_uses }
                if !(1..=100).contains(&percent) || !size.contains(&min_uses) =>
            {
                Some("rate needs 1 <= percent <= 100 and 1 <= min_uses <= 32")
            }
            _ => None,
        }
    }

    /// Applies the rule to outcomes, which must be latest first. Skips uncounted ones.
    pub fn judge(&self, latest_first: impl Iterator<Item = Mark>) -> Finding {
        let mut failures = 0;
        let mut of = 0;
        for mark in latest_first.filter(|mark| mark.is_counted()).take(self.window()) {
            of += 1;
            failures += usize::from(mark == Mark::Failure);
        }
        let demotes = match *self {
            Self::KOfN { k, .. } => failures >= usize::from(k),
            Self::Consecutive { k } => failures == of && of >= usize::from(k),
            Self::Rate { percent, min_uses } => {
                of >= usize::from(min_uses) && failures * 100 >= usize::from(percent) * of
            }
        };
        Finding { failures, of, demotes: demotes && failures > 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn demotes(rule: DemotionRule, letters: &str) -> bool {
        rule.judge(letters.chars().rev().filter_map(Mark::from_letter)).demotes
    }

    #[test]
    fn three_of_five_is_the_default() {
        let rule = DemotionRule::default();
        for (letters, expected) in [
            ("", false),
            ("FF", false),
            ("FFF", true),
            ("FSFSF", true),
            ("FSSFF", true),
            ("FFSSSF", false),
            ("FFIIIF", true),
            ("FFOOOO", false),
        ] {
            assert_eq!(demotes(rule, letters), expected, "{letters}");
        }
    }

    #[test]
    fn consecutive_and_rate_rules_follow_their_numbers() {
        let run = DemotionRule::Consecutive { k: 3 };
        assert!(demotes(run, "SFFF") && !demotes(run, "FFSF") && !demotes(run, "FF"));
        let rate = DemotionRule::Rate { percent: 50, min_uses: 4 };
        assert!(demotes(rate, "FSFS") && !demotes(rate, "FFF") && !demotes(rate, "FSSSF"));
    }

    #[test]
    fn senseless_numbers_are_named() {
        assert!(DemotionRule::KOfN { k: 6, n: 5 }.fault().is_some());
        assert!(DemotionRule::Consecutive { k: 0 }.fault().is_some());
        assert!(DemotionRule::Rate { percent: 101, min_uses: 5 }.fault().is_some());
        assert!(DemotionRule::default().fault().is_none());
    }

    fn rules() -> impl Strategy<Value = DemotionRule> {
        prop_oneof![
            (1u8..=8, 0u8..=8).prop_map(|(k, more)| DemotionRule::KOfN { k, n: k + more }),
            (1u8..=8).prop_map(|k| DemotionRule::Consecutive { k }),
            (1u8..=100, 1u8..=16)
                .prop_map(|(percent, min_uses)| DemotionRule::Rate { percent, min_uses }),
        ]
    }

    proptest! {
        /// Turning any success into a failure never lifts a demotion.
        #[test]
        fn demotion_is_monotone_in_failures(
            rule in rules(),
            failed in proptest::collection::vec(any::<bool>(), 1..32),
            at in any::<proptest::sample::Index>(),
        ) {
            let mark = |failed: &bool| if *failed { Mark::Failure } else { Mark::Success };
            let before = rule.judge(failed.iter().map(mark)).demotes;
            let mut worse = failed.clone();
            worse[at.index(failed.len())] = true;
            let after = rule.judge(worse.iter().map(mark)).demotes;
            prop_assert!(!before || after);
        }

        /// Uncounted outcomes do not change a verdict.
        #[test]
        fn outcomes_that_are_not_counted_change_nothing(
            rule in rules(),
            marks in proptest::collection::vec(0..Mark::ALL.len(), 0..40),
        ) {
            let marks: Vec<Mark> = marks.into_iter().map(|at| Mark::ALL[at]).collect();
            let counted = marks.iter().copied().filter(|mark| mark.is_counted());
            prop_assert_eq!(rule.judge(marks.iter().copied()), rule.judge(counted));
        }
    }
}
