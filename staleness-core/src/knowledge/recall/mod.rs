//! Recall: finds the items that a question is about, by words and, if the caller has vectors, by meaning.

mod index;

use std::cmp::Ordering;

pub use index::RecallIndex;

use super::{Context, Item};
use crate::verdict::round;

/// An item that a question recalled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recalled {
    /// The item's index in the given slice.
    pub at: usize,
    /// The closeness to the question, 0..=1, rounded to 1e-9.
    pub score: f64,
    /// The closeness by words, 0..=1.
    pub words: f64,
    /// The closeness by meaning, 0..=1. 0 if the caller supplied none.
    pub meaning: f64,
}

/// Combines the closeness by words and by meaning, 0..=1: the larger value, plus a quarter of the smaller one
/// applied to the gap between the larger value and 1.
///
/// Each value alone can therefore reach any threshold, and both together score higher than either.
pub(crate) fn blend(words: f64, meaning: f64) -> f64 {
    let (words, meaning) = (share(words), share(meaning));
    let (most, least) = (words.max(meaning), words.min(meaning));
    AGREEMENT.mul_add(least * (1.0 - most), most)
}

/// The weight of the smaller value in closing the gap between the larger value and 1.
const AGREEMENT: f64 = 0.25;

/// Clamps a number to 0..=1. NaN becomes 0.
fn share(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

impl RecallIndex {
    /// Returns the items that a question is about, closest first: those that reach the `recall_from` of their kind, at
    /// most `limit`. `items` must be those from which the index was built. `meaning[n]` is the closeness of `items[n]`
    /// by meaning, 0..=1. The slice is empty if there are no vectors.
    ///
    /// A question with only filler words recalls nothing, and to-dos that are done are never recalled. Stale items are
    /// included; the caller should mark them. Equal scores are ordered by key.
    pub fn recall(
        &self,
        items: &[&Item],
        question: &str,
        meaning: &[f64],
        context: &Context,
        limit: usize,
    ) -> Vec<Recalled> {
        let Some(words) = self.closeness(question) else { return Vec::new() };
        let from = crate::knowledge::ItemKind::ALL.map(|kind| context.rules(kind).recall_from);
        let mut found: Vec<Recalled> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let words = words.get(at).copied().unwrap_or(0.0);
            let meaning = meaning.get(at).copied().map_or(0.0, share);
            let close = words.max(meaning);
            if close <= 0.0 {
                continue;
            }
            let score = round(blend(words, meaning));
            if score >= from[item.kind as usize] && !item.is_done() {
                found.push(Recalled { at, score, words: round(words), meaning: round(meaning) });
            }
        }
        let order = |a: &Recalled, b: &Recalled| -> Ordering {
            (b.score.total_cmp(&a.score)).then_with(|| items[a.at].key.cmp(&items[b.at].key))
        };
        if found.len() > limit && limit > 0 {
            found.select_nth_unstable_by(limit - 1, order);
        }
        found.truncate(limit);
        found.sort_unstable_by(order);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::blend;

    #[test]
    fn words_and_meaning_count_for_more_where_they_agree() {
        for (words, meaning, both) in
            [(0.0, 0.0, 0.0), (0.8, 0.0, 0.8), (0.0, 0.8, 0.8), (0.6, 0.6, 0.66), (1.0, 1.0, 1.0)]
        {
            assert!((blend(words, meaning) - both).abs() < 1e-9, "{words} {meaning}");
        }
    }
}
