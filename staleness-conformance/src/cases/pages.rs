//! Pages: everything in a selection is returned once and in order, in pages of limited size.

use std::ops::ControlFlow;

use pollster::block_on;
use staleness_core::ids::Scope;
use staleness_core::journal::{Revision, Subject};
use staleness_core::store::{
    Change, JournalFilter, OutcomeFilter, Selection, StoreError, ToolFilter, View,
};

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, Handle, act, everything, joined, pages};
use crate::rows::{
    AWKWARD, TABLES, entry, flagged, global, local, outcome, project_id, samples, scope, tool,
};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("pages::of_everything_equal_the_view", of_everything),
    Case::new("pages::hold_at_most_a_thousand_rows", bounded),
    Case::new("pages::come_in_the_order_of_collections_and_keys", ordered),
    Case::new("pages::of_a_part_are_refused", of_parts),
    Case::new("pages::stop_at_a_break", stop),
    Case::new("pages::of_an_empty_store_are_empty", of_nothing),
    Case::new("pages::carry_the_revision", revision),
];

/// Maximum number of rows per page.
const MOST: usize = 1_000;

/// Returns the number of rows of each collection, in their order.
fn counts(view: &View) -> Vec<usize> {
    macro_rules! count {
        ($($rows:ident: $row:ty,)*) => { vec![$(view.$rows.len(),)* view.outcomes.len(), view.journal.len()] };
    }
    staleness_core::collections!(count)
}

fn rows(view: &View) -> usize {
    counts(view).iter().sum()
}

/// Writes `count` rows to each collection, half of them in project `p`.
fn fill(store: &Handle, count: usize) {
    let mut write = Write::new();
    for turn in 0..count {
        let own = format!("{turn} {}", AWKWARD[turn % AWKWARD.len()]);
        write = samples(write, [None, Some("p")][turn % 2], &own)
            .outcome(outcome(global(&own), &own))
            .entry(entry(Subject::tool(&local(["p", "q"][turn / 2 % 2], &own))));
    }
    for change in write.changes.documents.iter_mut().step_by(3) {
        let Change::Put(row) = change else { continue };
        *row = flagged(row.clone(), 1);
    }
    act(store, write);
}

fn of_everything(context: &mut Context) {
    let store = context.store();
    fill(store, 2_500);
    let read = pages(store, &Selection::everything());
    assert_eq!(read.iter().map(rows).sum::<usize>(), TABLES * 2_500);
    assert_same(&joined(read), &everything(store));
}

fn bounded(context: &mut Context) {
    let store = context.store();
    fill(store, 2_500);
    let tools = Selection::new().peek(ToolFilter::All);
    for selection in [Selection::everything(), tools] {
        for page in pages(store, &selection) {
            assert!(rows(&page) <= MOST, "a page of {} rows", rows(&page));
        }
    }
}

#[track_caller]
fn assert_ascending<'a, K: Ord + std::fmt::Debug + 'a>(keys: impl Iterator<Item = &'a K>) {
    let keys: Vec<&K> = keys.collect();
    for pair in keys.windows(2) {
        assert!(pair[0] < pair[1], "{:?} before {:?}", pair[0], pair[1]);
    }
}

fn ordered(context: &mut Context) {
    let store = context.store();
    fill(store, 1_500);
    let read = pages(store, &Selection::everything());
    macro_rules! ascending {
        ($($rows:ident: $row:ty,)*) => {
            $(assert_ascending(read.iter().flat_map(|page| page.$rows.keys()));)*
        };
    }
    staleness_core::collections!(ascending);
    let places = |page| counts(page).into_iter().enumerate().filter(|(_, count)| *count > 0);
    let places: Vec<usize> = read.iter().flat_map(places).map(|(place, _)| place).collect();
    assert!(places.is_sorted(), "collections in another order: {places:?}");
    assert_ascending(read.iter().flat_map(|page| page.outcomes.keys()));
    assert_ascending(read.iter().flat_map(|page| page.journal.keys()));
}

fn of_parts(context: &mut Context) {
    let store = context.store();
    fill(store, 10);
    for part in [
        Selection::new().peek(ToolFilter::Scope(Scope::Global)),
        Selection::new().outcomes(OutcomeFilter::FirstAndLast { limit: 2 }),
        Selection::new().journal(JournalFilter::Since { after: Revision(0), scope: scope("q") }),
        Selection::new().count_routes(project_id("p")),
    ] {
        let mut visits = 0;
        let told = block_on(store.pages(&part, &mut |_| {
            visits += 1;
            ControlFlow::Continue(())
        }));
        assert!(matches!(told, Err(StoreError::Unsupported(_))) && visits == 0, "{told:?}");
    }
    let more = Selection::everything().lock(ToolFilter::Scope(Scope::Global));
    assert_same(&joined(pages(store, &more)), &everything(store));
}

fn stop(context: &mut Context) {
    let store = context.store();
    fill(store, 1_200);
    for most in 1..=3 {
        let mut visits = 0;
        block_on(store.pages(&Selection::everything(), &mut |_| {
            visits += 1;
            if visits == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }))
        .expect("pages");
        assert_eq!(visits, most);
    }
    act(store, Write::new().put(tool(global("after"))));
}

fn of_nothing(context: &mut Context) {
    let read = pages(context.store(), &Selection::everything());
    assert!(joined(read).is_empty());
}

fn revision(context: &mut Context) {
    let store = context.store();
    fill(store, 10);
    act(store, Write::new().entry(entry(Subject::tool(&global("x")))));
    let read = pages(store, &Selection::everything());
    assert!(read.iter().all(|page| page.revision.0 == 2), "{read:?}");
}
