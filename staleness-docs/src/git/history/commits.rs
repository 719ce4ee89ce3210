//! The list of commits.

use foldhash::HashMap as Map;
use staleness_core::time::Timestamp;

use super::changes::Changes;
use crate::git::objects::{Commit, Oid};

/// The commits from the checked-out one back along first parents, about 48 bytes each.
#[derive(Debug)]
pub(crate) struct Past {
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// True if the list reaches the first commit. False if the history was cut off.
    pub(crate) whole: bool,
    places: Map<Oid, u32>,
    /// The changes of the most recent commits, as far as they have been read.
    pub(crate) changes: Changes,
}

impl Past {
    pub(super) fn new(commits: Vec<Commit>, whole: bool) -> Self {
        Self { commits, whole, places: Map::default(), changes: Changes::default() }
    }

    /// Returns the latest commit at or before a time.
    pub(crate) fn at(&self, at: Timestamp) -> Option<usize> {
        self.commits.iter().position(|commit| commit.at <= at)
    }

    /// Returns the index of a commit in the list.
    pub(crate) fn place(&mut self, id: Oid) -> Option<usize> {
        if self.places.is_empty() {
            self.places = (0..).zip(&self.commits).map(|(at, commit)| (commit.id, at)).collect();
        }
        self.places.get(&id).map(|at| *at as usize)
    }
}

/// Returns the number strictly between two that is divisible by the highest power of two.
pub(crate) fn between(low: usize, high: usize) -> Option<usize> {
    if low + 1 >= high {
        return None;
    }
    // Keep the bits down to the highest one in which `low` and `high - 1` differ.
    let last = high - 1;
    let bit = usize::BITS - 1 - (low ^ last).leading_zeros();
    Some(last >> bit << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_meets_at_round_numbers_and_ends() {
        assert_eq!(between(0, 1), None);
        assert_eq!(between(5, 5), None);
        assert_eq!(between(0, 10_000), Some(8192));
        assert_eq!(between(0, 9_000), Some(8192));
        for low in 0..64 {
            for high in low + 2..66 {
                let middle = between(low, high).unwrap();
                assert!(low < middle && middle < high, "{low} {middle} {high}");
            }
        }
    }
}
