//! A file gives back what pruning freed.

use std::fs;
use std::path::Path;

use staleness_core::store::{OutcomeCut, OutcomeRange};

use crate::support::*;

/// Free pages, and all pages, of a store.
fn pages(path: &Path) -> (i64, i64) {
    let conn = rusqlite::Connection::open(path).unwrap();
    let number = |sql: &str| conn.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    (number("PRAGMA freelist_count"), number("PRAGMA page_count"))
}

#[test]
fn b14_a_file_shrinks_in_slices_after_pruning() {
    let (_folder, path) = fresh();
    let store = open(&path);
    for batch in 0..90 {
        transact(
            &store,
            step(move |draft| {
                (0..1_000).for_each(|at| draft.append_outcome(outcome("a", batch * 1_000 + at)));
            }),
        )
        .unwrap();
    }
    store.checkpoint().unwrap();
    let full = fs::metadata(&path).unwrap().len();
    let cut = OutcomeCut { until: at(i64::MAX), keep_newest: 0 };
    let prune = |limit| {
        let range = OutcomeRange::Cut { cut, limit };
        transact(&store, step(move |draft| draft.delete_outcomes(range.clone()))).unwrap();
        pages(&path)
    };
    let (_, before) = pages(&path);
    let (free, after) = prune(90_000);
    assert!(before > 1_500, "{before} pages");
    // Pages of pointers go with those that they tell of.
    assert!((1_024..1_030).contains(&(before - after)), "one slice: {before} to {after}");
    assert!(free > 256, "the rest waits");
    // Another commit that prunes goes on, also when it finds nothing.
    assert_eq!(prune(1).0, 256, "what comes next finds room");
    store.checkpoint().unwrap();
    let small = fs::metadata(&path).unwrap().len();
    assert!(small * 3 < full, "{small} of {full} bytes");
    check(&store).unwrap();
}

#[test]
fn a_store_that_is_pruned_as_it_grows_moves_no_pages() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let mut sizes = Vec::new();
    for day in 0..20_u64 {
        transact(
            &store,
            step(move |draft| {
                (0..100).for_each(|at| draft.append_outcome(outcome("a", day * 100 + at)));
                let cut = OutcomeCut { until: at(i64::MAX), keep_newest: 300 };
                draft.delete_outcomes(OutcomeRange::Cut { cut, limit: 1_000 });
            }),
        )
        .unwrap();
        sizes.push(pages(&path).1);
    }
    assert!(sizes.is_sorted(), "{sizes:?}");
    assert_eq!(sizes[10], sizes[19], "{sizes:?}");
}
