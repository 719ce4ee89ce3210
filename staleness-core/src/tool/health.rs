//! The health of a tool, judged by its recent outcomes, and a person's decision about the tool.

use serde::{Deserialize, Serialize};

use super::{Ring, ToolPolicy};
use crate::outcome::Mark;
use crate::text::wording;
use crate::time::Timestamp;

wording! {
    /// A decision about a tool, made by hand by a person or an agent. It stays until the tool is restored to
    /// [`Hold::None`].
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub enum Hold {
        /// No decision: presence and health decide.
        #[default]
        None = "none",
        /// Demoted, regardless of its outcomes.
        Demoted = "demoted",
        /// Always active, regardless of its outcomes and its presence.
        Pinned = "pinned",
        /// Never suggested, never reported.
        Ignored = "ignored",
    }
}

/// The failing state of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    /// The time at which the tool was demoted.
    pub since: Timestamp,
    /// The evidence in words: `3 of the last 5 uses failed`.
    pub cause: String,
}

/// The health of a tool: its failures and demotions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The failing state, if recent failures demote the tool.
    pub failing: Option<Failing>,
    /// The number of consecutive demotions, which lengthen the cool-down. Starts again at 1 after
    /// `probation_reset_days` without a demotion.
    pub demotions: u32,
    /// The time at which the tool was last demoted for failures.
    pub last_demoted_at: Option<Timestamp>,
    /// The number of counted outcomes since the failure window began, at most [`Ring::CAPACITY`].
    pub window: u8,
}

/// A change in a tool's health caused by an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HealthChange {
    /// The tool is now failing, for this reason.
    Failed(String),
    Recovered,
}

impl Health {
    /// Returns true if recent failures demote the tool.
    pub const fn is_failing(&self) -> bool {
        self.failing.is_some()
    }

    /// Updates the health after an outcome was pushed onto `ring`. Returns the change, if there is one.
    pub(crate) fn follow(
        &mut self,
        ring: &Ring,
        mark: Mark,
        at: Timestamp,
        policy: &ToolPolicy,
    ) -> Option<HealthChange> {
        if !mark.is_counted() {
            return None;
        }
        self.window = self.window.saturating_add(1).min(Ring::CAPACITY as u8);
        if mark == Mark::Success {
            self.failing.take()?;
            if policy.window_restarts_on_restore {
                self.window = 0;
            }
            return Some(HealthChange::Recovered);
        }
        if self.is_failing() || !policy.demote {
            return None;
        }
        let finding = policy.rule.judge(self.counted(ring));
        if !finding.demotes {
            return None;
        }
        let reset = self
            .last_demoted_at
            .is_none_or(|last| at.days_since(last) >= i64::from(policy.probation_reset_days));
        self.demotions = if reset { 1 } else { self.demotions.saturating_add(1) };
        self.last_demoted_at = Some(at);
        let cause = finding.to_string();
        self.failing = Some(Failing { since: at, cause: cause.clone() });
        Some(HealthChange::Failed(cause))
    }

    /// Returns the time of the first failure since the last success. `None` if failures do not demote the tool.
    pub(crate) fn began(&self, ring: &Ring) -> Option<Timestamp> {
        let demoted = self.failing.as_ref()?.since;
        let counted = ring.entries().rev().filter(|entry| entry.mark.is_counted());
        let run = counted
            .take(usize::from(self.window))
            .take_while(|entry| entry.mark == Mark::Failure)
            .map(|entry| entry.at);
        run.chain([demoted]).min()
    }

    /// Clears the failing state, because a person says that the tool works. Returns true if the tool was failing.
    pub fn lift(&mut self, policy: &ToolPolicy) -> bool {
        if policy.window_restarts_on_restore {
            self.window = 0;
        }
        self.failing.take().is_some()
    }

    /// Returns the counted outcomes of the current window, latest first.
    pub fn counted<'a>(&self, ring: &'a Ring) -> impl Iterator<Item = Mark> + use<'a> {
        ring.counted_latest_first().take(usize::from(self.window))
    }

    /// Returns the number of failures in the current window under `policy`.
    pub fn failures(&self, ring: &Ring, policy: &ToolPolicy) -> usize {
        policy.rule.judge(self.counted(ring)).failures
    }

    /// Returns the time from which a failing tool may be suggested again, ranked last and marked. It is
    /// `probation_minutes` after the demotion or a later failure, doubled for each consecutive demotion, at most
    /// `probation_max_hours`. `None` if the tool is not failing.
    pub fn probation_from(&self, ring: &Ring, policy: &ToolPolicy) -> Option<Timestamp> {
        let demoted_at = self.last_demoted_at.filter(|_| self.is_failing())?;
        let failures = ring.entries().filter(|entry| entry.mark == Mark::Failure);
        let last = failures.map(|entry| entry.at).chain([demoted_at]).max()?;
        let longest = i64::from(policy.probation_max_hours) * 60 * Timestamp::MINUTE;
        let doublings = self.demotions.saturating_sub(1).min(30);
        let wait = (i64::from(policy.probation_minutes) * Timestamp::MINUTE)
            .saturating_mul(1 << doublings);
        Some(last.plus_millis(wait.min(longest).min(365 * Timestamp::DAY)))
    }

    /// Returns true if the tool is failing and its cool-down has passed.
    pub fn is_on_probation(&self, now: Timestamp, ring: &Ring, policy: &ToolPolicy) -> bool {
        self.probation_from(ring, policy).is_some_and(|from| now >= from)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RingEntry;
    use super::*;

    fn run(letters: &str, policy: &ToolPolicy) -> (Health, Vec<HealthChange>) {
        let mut ring = Ring::default();
        let mut health = Health::default();
        let mut changes = Vec::new();
        for (at, letter) in letters.chars().enumerate() {
            let mark = Mark::from_letter(letter).unwrap();
            let at_time = Timestamp::from_millis(at as i64);
            ring.push(RingEntry { mark, at: at_time, op: at as u64 }, policy.rule.window());
            changes.extend(health.follow(&ring, mark, at_time, policy));
        }
        (health, changes)
    }

    #[test]
    fn the_window_spans_a_restore_unless_the_policy_says_otherwise() {
        let mut policy = ToolPolicy::default();
        assert!(run("FFFSF", &policy).0.is_failing());
        assert_eq!(run("FFFSF", &policy).1.len(), 3);
        policy.window_restarts_on_restore = true;
        assert!(!run("FFFSFF", &policy).0.is_failing());
        assert!(run("FFFSFFF", &policy).0.is_failing());
    }

    #[test]
    fn failures_began_with_the_first_one_since_the_last_success() {
        for (letters, began) in [
            ("FF", None),
            ("FFF", Some(0)),
            ("SFOFF", Some(1)),
            ("FSFF", Some(2)),
            ("FFFSF", Some(4)),
        ] {
            let mut ring = Ring::default();
            let mut health = Health::default();
            for (at, mark) in letters.chars().filter_map(Mark::from_letter).enumerate() {
                let at_time = Timestamp::from_millis(at as i64);
                ring.push(RingEntry { mark, at: at_time, op: at as u64 }, 5);
                health.follow(&ring, mark, at_time, &ToolPolicy::default());
            }
            assert_eq!(health.began(&ring), began.map(Timestamp::from_millis), "{letters}");
        }
    }

    #[test]
    fn kinds_that_may_not_be_demoted_never_are() {
        let policy = ToolPolicy { demote: false, ..ToolPolicy::default() };
        assert!(!run("FFFFFFFF", &policy).0.is_failing());
    }

    #[test]
    fn probation_doubles_with_each_demotion_and_is_capped_and_reset() {
        let policy = ToolPolicy::default();
        let (mut health, _) = run("FFF", &policy);
        let demoted_at = health.last_demoted_at.unwrap();
        let mut ring = Ring::default();
        for (demotions, hours) in [(1, 1), (2, 2), (5, 16), (6, 24), (60, 24)] {
            health.demotions = demotions;
            let from = health.probation_from(&ring, &policy).unwrap();
            assert_eq!(from, demoted_at.plus_millis(hours * Timestamp::HOUR));
            assert!(!health.is_on_probation(from.plus_millis(-1), &ring, &policy));
            assert!(health.is_on_probation(from, &ring, &policy));
        }
        health.failing = None;
        for (at, days) in [(6, 61), (7, 1)] {
            let mut later = health.clone();
            let now = demoted_at.plus_millis(at * Timestamp::DAY);
            for op in 0..3 {
                ring.push(RingEntry { mark: Mark::Failure, at: now, op }, 5);
                later.follow(&ring, Mark::Failure, now, &policy);
            }
            assert_eq!(later.demotions, days);
        }
    }
}
