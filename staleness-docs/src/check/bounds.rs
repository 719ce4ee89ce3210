//! Bounds on the findings that are listed.
//!
//! What is said of a block depends on the sorts of evidence against it, not on how much of a sort there
//! is. So of many blocks with the same sorts the first are listed and the others counted: whatever the
//! rules are that judge them, a document stays as fresh as its worst block.

use staleness_core::knowledge::{Evidence, Fact, SignalKind, SignalSet};

use crate::Unlisted;

/// Blocks with the same sorts of evidence that are listed of one document.
const MAX_ALIKE: usize = 10_000;
/// Blocks with nothing but temporal words that are listed of one document.
pub(super) const MAX_WEAK: usize = 1_000;
/// Evidence of one sort that is told of one block.
const MAX_OF_SORT: usize = 500;
/// Evidence in all documents from which on few blocks are listed of one, and how many these are.
const MAX_ALL: usize = 200_000;
const FEW: usize = 16;

/// Counts of the findings of one document.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Blocks by their sorts of evidence: those that are listed, and those that are not.
    blocks: Vec<(SignalSet, usize, usize)>,
    /// Evidence that is not told of blocks that are listed.
    untold: usize,
}

impl Bounds {
    /// Returns true if a block with this evidence is listed; of that, what is too much is left out. `all` is how
    /// much was told of all documents.
    pub(super) fn admit(&mut self, evidence: &mut Vec<Evidence>, all: &mut usize) -> bool {
        let sorts = SignalSet::of(evidence);
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

    /// Counts blocks with nothing but words of a time that nobody looked at.
    pub(super) fn pass_by(&mut self, blocks: usize) {
        self.of(weak()).2 += blocks;
    }

    /// Leaves out evidence of a block that was made of listed ones.
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

    /// Returns the number of findings that are not listed.
    pub(super) fn left_out(&self) -> usize {
        self.untold + self.blocks.iter().map(|(.., unlisted)| unlisted).sum::<usize>()
    }

    /// The blocks that are not listed.
    pub(super) fn unlisted(self, path: &str) -> impl Iterator<Item = Unlisted> {
        let left = self.blocks.into_iter().filter(|(.., unlisted)| *unlisted > 0);
        left.map(move |(sorts, _, blocks)| Unlisted { path: path.to_owned(), sorts, blocks })
    }
}

/// The sorts of evidence of a block with nothing but words of a time.
fn weak() -> SignalSet {
    SignalSet::of(&[Fact::TemporalMarker { word: String::new() }.into()])
}

/// Leaves out evidence of which there is too much, and says how much.
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
