//! The file stays in proportion to what is in it.

use crate::support::*;
use staleness_core::store::{OutcomeCut, OutcomeRange};

#[test]
fn short_lived_stores_keep_the_file_bounded() {
    let (_folder, path) = fresh();
    let mut largest = 0;
    for round in 0..1_200 {
        let store = open(&path);
        transact(&store, use_tool(&format!("t{}", round % 20), round)).unwrap();
        largest = largest.max(path.metadata().unwrap().len());
    }
    let store = open(&path);
    assert_eq!(everything(&store).unwrap().outcomes.len(), 1_200);
    // A store with nothing in it has 1 MiB.
    assert!(largest <= 2 << 20, "{largest}");
    check(&store).unwrap();
}

#[test]
fn what_is_removed_is_used_again_and_given_back() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let append = |from: u64| {
        step(move |draft| {
            for op in from..from + 5_000 {
                draft.append_outcome(outcome("t", op));
            }
        })
    };
    let cut = || {
        step(|draft| {
            let cut = OutcomeCut { until: at(i64::MAX), keep_newest: 100 };
            draft.delete_outcomes(OutcomeRange::Cut { cut, limit: u64::MAX });
        })
    };
    let mut sizes = Vec::new();
    for round in 0..8 {
        transact(&store, append(round * 5_000)).unwrap();
        transact(&store, cut()).unwrap();
        sizes.push(path.metadata().unwrap().len());
    }
    assert_eq!(everything(&store).unwrap().outcomes.len(), 100);
    assert!(sizes[7] <= sizes[1] * 2, "{sizes:?}");
    for op in 0..20 {
        transact(&store, use_tool("t", 100_000 + op)).unwrap();
    }
    // A commit gives back a part of what is free at the end.
    let end = path.metadata().unwrap().len();
    assert!(end <= sizes[7], "{end} after {sizes:?}");
    check(&store).unwrap();
}
