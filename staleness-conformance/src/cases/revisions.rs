//! Numbers assigned by the store: revisions, journal indexes, sequence numbers.

use staleness_core::journal::{JournalEntry, Revision, Subject};
use staleness_core::outcome::Outcome;
use staleness_core::store::{OutcomeCut, OutcomeRange, Selection};
use staleness_core::time::Timestamp;
use staleness_core::tool::Tool;

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, act, everything, see};
use crate::rows::{entry, global, outcome, project, tool};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("revisions::a_new_store_is_empty_and_at_zero", new_store),
    Case::new("revisions::an_empty_change_set_commits_nothing", empty_changes),
    Case::new("revisions::only_journal_entries_raise_the_revision", only_journal),
    Case::new("revisions::each_commit_raises_by_one", by_one),
    Case::new("revisions::every_view_carries_the_revision", carried),
    Case::new("revisions::the_store_numbers_journal_entries", numbers_entries),
    Case::new("revisions::the_store_numbers_outcomes", numbers_outcomes),
    Case::new("revisions::sequence_numbers_are_not_used_again", not_again),
];

fn told(tool: &str) -> JournalEntry {
    entry(Subject::tool(&global(tool)))
}

/// Returns a step that removes all outcomes.
pub(super) fn clear() -> Write {
    Write::new().range(OutcomeRange::Cut {
        cut: OutcomeCut { until: Timestamp::MAX, keep_newest: 0 },
        limit: u64::MAX,
    })
}

fn new_store(context: &mut Context) {
    let seen = everything(context.store());
    assert!(seen.is_empty());
    assert_eq!(seen.revision, Revision(0));
}

fn empty_changes(context: &mut Context) {
    let store = context.store();
    act(store, Write::new().put(tool(global("x"))).entry(told("x")));
    let before = everything(store);
    let looking = Write::new().looking(Selection::everything());
    for step in [Write::new(), Write::new().full(), looking] {
        let commit = act(store, step);
        assert_eq!(commit.revision, Revision(1));
        assert!(commit.changes.is_empty());
        assert_same(&everything(store), &before);
    }
}

fn only_journal(context: &mut Context) {
    let store = context.store();
    for step in [
        Write::new().put(tool(global("x"))),
        Write::new().put(project("p")).full(),
        Write::new().outcome(outcome(global("x"), "one")),
        Write::new().delete::<Tool>(global("x")),
        clear(),
    ] {
        assert_eq!(act(store, step).revision, Revision(0));
        assert_eq!(everything(store).revision, Revision(0));
    }
    assert_eq!(act(store, Write::new().entry(told("x"))).revision, Revision(1));
    assert_eq!(everything(store).revision, Revision(1));
    assert_eq!(act(store, Write::new().put(tool(global("x")))).revision, Revision(1));
}

fn by_one(context: &mut Context) {
    let store = context.store();
    for turn in 1..=20 {
        let entries = (0..turn).map(|_| told("x"));
        let commit = act(store, Write::new().entries(entries));
        assert_eq!(commit.revision, Revision(turn));
    }
    assert_eq!(everything(store).revision, Revision(20));
}

fn carried(context: &mut Context) {
    let store = context.store();
    act(store, Write::new().entry(told("x")));
    assert_eq!(see(store, Selection::new()).revision, Revision(1));
    let commit = act(store, Write::new().entry(told("x")));
    assert_eq!(commit.view.revision, Revision(1));
    assert_eq!(commit.revision, Revision(2));
}

fn numbers_entries(context: &mut Context) {
    let store = context.store();
    let wrong = |tool: &str| JournalEntry { revision: Revision(77), index: 77, ..told(tool) };
    act(store, Write::new().entry(wrong("a")));
    let commit = act(store, Write::new().entries(["b", "c", "d"].map(wrong)));
    let places: Vec<_> = everything(store).journal.into_keys().collect();
    assert_eq!(places, [(Revision(1), 0), (Revision(2), 0), (Revision(2), 1), (Revision(2), 2)]);
    let told: Vec<_> = commit.changes.journal.iter().map(|row| (row.revision, row.index)).collect();
    assert_eq!(told, places[1..]);
}

fn numbers_outcomes(context: &mut Context) {
    let store = context.store();
    let wrong = |by: &str| Outcome { seq: 1, ..outcome(global("x"), by) };
    act(store, Write::new().outcomes(["a", "b"].map(wrong)));
    let commit = act(store, Write::new().outcomes(["c", "d"].map(wrong)));
    let seen = everything(store).outcomes;
    assert!(seen.values().map(|row| row.op.as_str()).eq(["a", "b", "c", "d"]));
    assert!(seen.keys().all(|seq| *seq > 0));
    assert!(commit.changes.outcomes.iter().eq(seen.values().skip(2)));
}

fn not_again(context: &mut Context) {
    let store = context.store();
    let mut last = 0;
    let mut record = |by: &str, step: Write| {
        let commit = act(store, step.outcome(outcome(global("x"), by)));
        let seq = commit.changes.outcomes[0].seq;
        assert!(seq > last, "{seq} was given again after {last}");
        last = seq;
    };
    record("a", Write::new());
    record("b", Write::new());
    act(store, Write::new().range(OutcomeRange::OfTool(global("x"))));
    record("c", Write::new());
    record("d", clear());
    act(store, clear());
    record("e", Write::new());
}
