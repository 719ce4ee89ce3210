//! Limits on the number of listed findings.
//!
//! A verdict depends on the kinds of evidence against a block, not on their number. If many blocks have the same kinds
//! of evidence, the first ones are listed and the others are only counted. This never changes the freshness of a
//! document, which is that of its worst block.

use staleness_core::knowledge::{Evidence, Fact, SignalSet};
use staleness_core::verdict::SignalKind;

use crate::Unlisted;

/// Maximum number of listed blocks per document with the same kinds of evidence.
const MAX_ALIKE: usize = 10_000;
/// Maximum number of listed blocks per document with only temporal words.
pub(super) const MAX_WEAK: usize = 1_000;
/// Maximum amount of evidence of one kind to list per block.
const MAX_OF_SORT: usize = 500;
/// Amount of evidence in all documents above which each document lists at most [`FEW`] blocks with the same kinds of
/// evidence.
const MAX_ALL: usize = 200_000;
const FEW: usize = 16;

/// Numbers of listed and unlisted findings in one document.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// The numbers of listed and unlisted blocks for each set of evidence kinds.
    blocks: Vec<(SignalSet, usize, usize)>,
    /// Amount of evidence omitted from listed blocks.
    untold: usize,
}

impl Bounds {
    /// Returns true if a block with this evidence is listed, and drops its excess evidence. `all` counts the
    /// listed evidence of all documents.
    pub(super) fn admit(&mut self, evidence: &mut Vec<Evidence>, all: &mut usize) -> bool {
        let sorts = SignalSet::of(&*evidence);
        let (_, listed, unlisted) = self.of(sorts);
        let most = match *all < MAX_ALL {
            true if sorts == weak() => MAX_WEAK,
            true => MAX_ALIKE,
            false => FEW,
        };
        if *listed >= most {
            *unlisted += 1;
            return false;
        }
        *listed += 1;
        self.untold += thin(evidence);
        *all += evidence.len();
        true
    }

    /// Counts unlisted blocks with only temporal words.
    pub(super) fn pass_by(&mut self, blocks: usize) {
        self.of(weak()).2 += blocks;
    }

    /// Drops excess evidence of a block that was merged from listed blocks.
    pub(super) fn fit(&mut self, evidence: &mut Vec<Evidence>) {
        self.untold += thin(evidence);
    }

    fn of(&mut self, sorts: SignalSet) -> &mut (SignalSet, usize, usize) {
        let at = self.blocks.iter().position(|(known, ..)| *known == sorts).unwrap_or_else(|| {
            self.blocks.push((sorts, 0, 0));
            self.blocks.len() - 1
        });
        &mut self.blocks[at]
    }

    pub(super) fn left_out(&self) -> usize {
        self.untold + self.blocks.iter().map(|(.., unlisted)| unlisted).sum::<usize>()
    }

    pub(super) fn unlisted(self, path: &str) -> impl Iterator<Item = Unlisted> {
        let left = self.blocks.into_iter().filter(|(.., unlisted)| *unlisted > 0);
        left.map(move |(sorts, _, blocks)| Unlisted { path: path.to_owned(), sorts, blocks })
    }
}

/// Returns the evidence kinds of a block with only temporal words.
fn weak() -> SignalSet {
    SignalSet::of(&[Fact::TemporalMarker { word: String::new() }.into()])
}

/// Drops excess evidence and returns its amount.
fn thin(evidence: &mut Vec<Evidence>) -> usize {
    let (before, mut counts) = (evidence.len(), [0; SignalKind::ALL.len()]);
    evidence.retain(|each| {
        let count = &mut counts[each.fact.kind() as usize];
        *count += 1;
        *count <= MAX_OF_SORT
    });
    before - evidence.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(sorts: &[usize]) -> Vec<Evidence> {
        let fact = |sort: &usize| match sort {
            0 => Fact::TemporalMarker { word: "now".into() },
            1 => Fact::RelatedStale { id: "a".into() },
            _ => Fact::Superseded { by: "b".into() },
        };
        sorts.iter().map(|sort| fact(sort).into()).collect()
    }

    #[test]
    fn of_each_set_of_sorts_the_first_blocks_are_listed_and_all_are_counted() {
        let sets: [&[usize]; 4] = [&[0], &[0, 1], &[1], &[1, 2]];
        let (mut bounds, mut all, mut listed) = (Bounds::default(), 0, [0; 4]);
        for _ in 0..MAX_ALIKE + 7 {
            for (at, set) in sets.iter().enumerate() {
                listed[at] += usize::from(bounds.admit(&mut evidence(set), &mut all));
            }
        }
        assert_eq!(listed, [MAX_WEAK, MAX_ALIKE, MAX_ALIKE, MAX_ALIKE]);
        assert_eq!(bounds.left_out(), 4 * (MAX_ALIKE + 7) - listed.iter().sum::<usize>());
        assert_eq!(all, MAX_WEAK + 5 * MAX_ALIKE);
        let unlisted: Vec<_> = bounds.unlisted("a").map(|it| it.blocks).collect();
        assert_eq!(unlisted, [MAX_ALIKE + 7 - MAX_WEAK, 7, 7, 7]);
    }

    #[test]
    fn where_much_is_told_of_all_documents_a_few_blocks_of_each_set_still_are() {
        let mut all = MAX_ALL;
        for _ in 0..3 {
            let mut bounds = Bounds::default();
            let listed = |set: &[usize]| {
                (0..100).filter(|_| bounds.admit(&mut evidence(set), &mut all)).count()
            };
            assert_eq!([&[0][..], &[2], &[1, 2]].map(listed), [FEW; 3]);
        }
    }
}
