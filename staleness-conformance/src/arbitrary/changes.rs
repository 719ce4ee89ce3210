//! Strategies for change sets.

use std::collections::BTreeSet;

use proptest::prelude::*;
use staleness_core::store::{Change, ChangeSet, OutcomeRange};

use super::{Reach, Sample, journal_entry, number, outcome, outcome_cut, project_id, tool_key};

/// Generates a range of outcomes.
pub fn outcome_range(reach: Reach) -> BoxedStrategy<OutcomeRange> {
    prop_oneof![
        record!(OutcomeRange::Cut { cut: outcome_cut(reach), limit: number() }),
        tool_key(reach).prop_map(OutcomeRange::OfTool),
        project_id(reach).prop_map(OutcomeRange::OfProject),
    ]
    .boxed()
}

/// Generates a few changes to each collection, as a correct step would make them: no row twice, and no op twice for one
/// tool.
pub fn change_set(reach: Reach) -> BoxedStrategy<ChangeSet> {
    let mut all = Just(ChangeSet::default()).boxed();
    macro_rules! add {
        ($($rows:ident: $row:ty,)*) => {$(
            all = (all, changes::<$row>(reach))
                .prop_map(|(mut all, changes)| {
                    all.$rows = changes;
                    all
                })
                .boxed();
        )*};
    }
    staleness_core::collections!(add);
    let ranges = prop_oneof![3 => Just(Vec::new()), 1 => few(outcome_range(reach), 3)];
    (all, few(outcome(reach), 4), ranges, few(journal_entry(reach), 3))
        .prop_map(|(mut all, outcomes, ranges, journal)| {
            let mut recorded = BTreeSet::new();
            all.outcomes = outcomes;
            all.outcomes.retain(|row| recorded.insert((row.tool.clone(), row.op.clone())));
            all.outcome_ranges = ranges;
            all.journal = journal;
            all
        })
        .boxed()
}

fn few<T: std::fmt::Debug>(
    row: impl Strategy<Value = T>,
    most: usize,
) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(row, 0..most)
}

fn changes<R: Sample>(reach: Reach) -> impl Strategy<Value = Vec<Change<R, R::Key>>> {
    let put = R::arbitrary(reach).prop_map(|row| (row.key().clone(), Some(row)));
    let delete = R::keys(reach).prop_map(|key| (key, None));
    few(prop_oneof![3 => put, 1 => delete], 4).prop_map(|all| {
        let mut written = BTreeSet::new();
        all.into_iter()
            .filter(|(key, _)| written.insert(key.clone()))
            .map(|(key, row)| row.map_or(Change::Delete(key), Change::Put))
            .collect()
    })
}
