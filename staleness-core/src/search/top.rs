//! The best few of many elements: a bounded heap with a total order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::verdict::round;

/// One unit in the ninth decimal place. Closer scores may be equal after rounding.
const SLACK: f64 = 1e-9;

/// A key with its score. A lower score or a later key compares as greater.
#[derive(Clone, Debug)]
struct Entry<K> {
    score: f64,
    key: K,
}

impl<K: Ord> Ord for Entry<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.key.cmp(&other.key))
    }
}

impl<K: Ord> PartialOrd for Entry<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord> PartialEq for Entry<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: Ord> Eq for Entry<K> {}

/// Keeps the best `limit` of the offered keys. An offer takes `O(log limit)` if it is kept, and one
/// comparison otherwise.
///
/// Scores are compared after rounding to 1e-9, and equal ones by their keys. This order is total, so the
/// result does not depend on the order of the offers.
#[derive(Clone, Debug)]
pub(crate) struct Top<K> {
    limit: usize,
    heap: BinaryHeap<Entry<K>>,
    /// Scores below this cannot be kept.
    bar: f64,
}

impl<K: Ord> Top<K> {
    /// Creates an empty heap for the best `limit` keys.
    #[must_use]
    pub(crate) fn new(limit: usize) -> Self {
        let bar = if limit == 0 { f64::INFINITY } else { f64::NEG_INFINITY };
        Self { limit, heap: BinaryHeap::new(), bar }
    }

    /// Returns true if a score may be kept. Most are not, so the caller can skip making a key.
    #[must_use]
    pub(crate) fn wants(&self, score: f64) -> bool {
        score >= self.bar
    }

    /// Offers a key with its score. NaN is rejected.
    pub(crate) fn offer(&mut self, score: f64, key: K) {
        // Any comparison with NaN is false.
        if !self.wants(score) {
            return;
        }
        let entry = Entry { score: round(score), key };
        if self.heap.len() < self.limit {
            self.heap.push(entry);
        } else if self.heap.peek().is_some_and(|worst| entry < *worst) {
            self.heap.pop();
            self.heap.push(entry);
        }
        if self.heap.len() == self.limit {
            self.bar = self.heap.peek().map_or(f64::NEG_INFINITY, |worst| worst.score - SLACK);
        }
    }

    /// Returns the kept keys, best first, with rounded scores.
    #[must_use]
    pub(crate) fn into_sorted(self) -> Vec<(f64, K)> {
        self.heap.into_sorted_vec().into_iter().map(|entry| (entry.score, entry.key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_room_and_no_number_keep_nothing() {
        let mut none = Top::new(0);
        none.offer(1.0, 'a');
        assert!(none.into_sorted().is_empty());
        let mut some = Top::new(2);
        some.offer(f64::NAN, 'a');
        assert!(some.into_sorted().is_empty());
    }

    #[test]
    fn equal_scores_are_kept_by_their_keys_also_those_that_are_equal_only_once_rounded() {
        let mut top = Top::new(2);
        for (score, key) in [(0.500_000_000_2, 'c'), (0.5, 'b'), (0.499_999_999_9, 'a')] {
            top.offer(score, key);
        }
        assert_eq!(top.into_sorted(), [(0.5, 'a'), (0.5, 'b')]);
    }

    proptest! {
        #[test]
        fn it_keeps_what_sorting_everything_would(
            scores in prop::collection::vec(-4_i32..4, 0..60),
            limit in 0_usize..12,
        ) {
            let all: Vec<(f64, usize)> =
                scores.iter().enumerate().map(|(at, n)| (f64::from(*n) / 4.0, at)).collect();
            let mut sorted = all.clone();
            sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            sorted.truncate(limit);
            let mut top = Top::new(limit);
            all.iter().rev().for_each(|(score, at)| top.offer(round(*score), *at));
            prop_assert_eq!(top.into_sorted(), sorted);
        }
    }
}
