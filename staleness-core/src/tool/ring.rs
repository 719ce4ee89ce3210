//! The ring: the latest outcomes of a tool, stored in the tool's row.

use std::collections::VecDeque;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::outcome::Mark;
use crate::time::Timestamp;

/// The minimum number of counted outcomes to keep, even if the current rule needs fewer, because the rule of another
/// agent or a later policy may need more.
const MIN_KEPT: usize = 5;

/// An outcome in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingEntry {
    /// The result of the use.
    pub mark: Mark,
    /// The time at which the use ended.
    pub at: Timestamp,
    /// The outcome's identity: see [`crate::outcome::Outcome::identity_of`].
    #[serde(with = "crate::text::hex")]
    pub op: u64,
}

/// The latest outcomes of a tool in order of recording, at most [`Ring::CAPACITY`].
///
/// Uncounted outcomes never displace counted ones that the failure window needs. The only success is not displaced,
/// unless the window needs the whole ring. A full ring without a success therefore means that the tool never worked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Ring {
    entries: VecDeque<RingEntry>,
}

impl<'de> Deserialize<'de> for Ring {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let entries = VecDeque::deserialize(from)?;
        let fits = entries.len() <= Self::CAPACITY;
        fits.then_some(Self { entries }).ok_or_else(|| de::Error::custom("too many outcomes"))
    }
}

impl Ring {
    /// The maximum number of outcomes.
    pub const CAPACITY: usize = 32;

    /// Creates a ring from entries, oldest first. Keeps only the last [`Ring::CAPACITY`].
    pub fn from_entries(entries: impl IntoIterator<Item = RingEntry>) -> Self {
        let mut ring = Self { entries: entries.into_iter().collect() };
        while ring.entries.len() > Self::CAPACITY {
            ring.entries.pop_front();
        }
        ring
    }

    /// Returns the entries, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &RingEntry> + '_ {
        self.entries.iter()
    }

    /// Returns the number of outcomes in the ring.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if the ring holds no outcome.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns true if the outcome with this identity is in the ring.
    pub fn remembers(&self, op: u64) -> bool {
        self.entries.iter().any(|entry| entry.op == op)
    }

    /// Appends an outcome. A full ring drops its oldest entry that is uncounted or not among the last `window` counted
    /// ones (at least 5), preferably not its only success.
    pub fn push(&mut self, entry: RingEntry, window: usize) {
        self.entries.push_back(entry);
        if self.entries.len() <= Self::CAPACITY {
            return;
        }
        let counted = self.entries.iter().filter(|kept| kept.mark.is_counted()).count();
        let mut spare = counted.saturating_sub(window.clamp(MIN_KEPT, Self::CAPACITY));
        let mut successes =
            self.entries.iter().enumerate().filter(|(_, kept)| kept.mark == Mark::Success);
        let only = successes.next().map(|(at, _)| at).filter(|_| successes.next().is_none());
        let mut victims = self.entries.iter().enumerate().filter_map(|(at, kept)| {
            if !kept.mark.is_counted() {
                return Some(at);
            }
            let goes = spare > 0;
            spare = spare.saturating_sub(1);
            goes.then_some(at)
        });
        let first = victims.next();
        let victim = first.filter(|at| Some(*at) != only).or_else(|| victims.next()).or(first);
        self.entries.remove(victim.unwrap_or(0));
    }

    /// Returns true if none of all `uses` succeeded and at least one failed, which includes failures while offline.
    pub(crate) fn proves_failure(&self, uses: u64) -> bool {
        self.proves_no_success(uses, Timestamp::MAX)
            && self.entries.iter().any(|entry| entry.mark.is_conclusive())
    }

    /// Returns true if none of all `uses` up to `then` succeeded. False if a later use succeeded and the ring does not
    /// contain all uses.
    pub(crate) fn proves_no_success(&self, uses: u64, then: Timestamp) -> bool {
        let is_whole = self.len() as u64 == uses;
        let mut successes = self.entries.iter().filter(|entry| entry.mark == Mark::Success);
        (is_whole || self.len() >= Self::CAPACITY)
            && successes.all(|entry| is_whole && entry.at > then)
    }

    /// Returns the time of the last counted outcome before a time. `None` if the ring contains none.
    pub(crate) fn counted_before(&self, then: Timestamp) -> Option<Timestamp> {
        let counted = self.entries.iter().filter(|entry| entry.mark.is_counted());
        counted.map(|entry| entry.at).filter(|at| *at < then).max()
    }

    /// Returns the counted outcomes, latest first.
    pub fn counted_latest_first(&self) -> impl Iterator<Item = Mark> + '_ {
        self.entries.iter().rev().map(|entry| entry.mark).filter(|mark| mark.is_counted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(mark: Mark, op: u64) -> RingEntry {
        RingEntry { mark, at: Timestamp::from_millis(0), op }
    }

    #[test]
    fn interruptions_never_push_out_the_window() {
        let mut ring = Ring::default();
        assert!(ring.is_empty());
        for op in 0..5 {
            ring.push(entry(Mark::Failure, op), 5);
        }
        for op in 5..100 {
            ring.push(entry(Mark::Interrupted, op), 5);
        }
        assert_eq!(ring.len(), Ring::CAPACITY);
        assert!(!ring.is_empty());
        assert_eq!(ring.counted_latest_first().count(), 5);
        assert!(ring.remembers(0) && ring.remembers(99) && !ring.remembers(5));
    }

    proptest! {
        /// The ring never exceeds its capacity, keeps the order of recording and the newest entry, and its last counted
        /// entries are those of the whole history. It proves that nothing worked only if nothing did.
        #[test]
        fn the_last_counted_outcomes_survive_any_history(
            marks in proptest::collection::vec(0..Mark::ALL.len(), 0..120),
            window in 1usize..=Ring::CAPACITY,
        ) {
            let marks: Vec<Mark> = marks.into_iter().map(|at| Mark::ALL[at]).collect();
            let mut ring = Ring::default();
            for (op, mark) in marks.iter().enumerate() {
                ring.push(entry(*mark, op as u64), window);
                prop_assert!(ring.len() <= Ring::CAPACITY);
            }
            let ops: Vec<u64> = ring.entries().map(|entry| entry.op).collect();
            prop_assert!(ops.is_sorted());
            let all = marks.iter().rev().copied().filter(|mark| mark.is_counted());
            let kept: Vec<Mark> = ring.counted_latest_first().take(window).collect();
            prop_assert_eq!(kept, all.take(window).collect::<Vec<_>>());
            let worked = marks.contains(&Mark::Success);
            let uses = marks.len() as u64;
            if window < Ring::CAPACITY {
                prop_assert_eq!(ring.proves_no_success(uses, Timestamp::MAX), !worked);
            }
        }
    }
}
