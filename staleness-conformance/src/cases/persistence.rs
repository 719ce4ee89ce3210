//! Persistence: acknowledged commits exist after reopening.

use staleness_core::journal::{Revision, Subject};
use staleness_core::outcome::Outcome;

use super::backup::fill;
use super::revisions::clear;
use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, act, check, everything};
use crate::rows::{entry, global, outcome};
use crate::steps::{Use, Write, bump};

pub(super) const CASES: &[Case] = &[
    Case::new("persistence::rows_are_there_again", rows).persistent(),
    Case::new("persistence::an_empty_store_opens_again", empty).persistent(),
    Case::new("persistence::the_revision_goes_on", revision).persistent(),
    Case::new("persistence::sequence_numbers_go_on_after_pruning", sequence).persistent(),
    Case::new("persistence::two_handles_see_each_others_commits", two_handles).persistent(),
    Case::new("persistence::every_step_in_a_store_opened_anew", anew).persistent(),
];

fn rows(context: &mut Context) {
    fill(context.store());
    let before = everything(context.store());
    for _ in 0..3 {
        context.reopen();
        assert_same(&everything(context.store()), &before);
        check(context.store());
    }
}

fn empty(context: &mut Context) {
    context.reopen();
    assert!(everything(context.store()).is_empty());
    assert_eq!(everything(context.store()).revision, Revision(0));
}

fn revision(context: &mut Context) {
    for turn in 1..=4 {
        let told = entry(Subject::tool(&global("x")));
        let commit = act(context.store(), Write::new().entry(told));
        assert_eq!(commit.revision, Revision(turn));
        context.reopen();
        assert_eq!(everything(context.store()).revision, Revision(turn));
    }
}

fn sequence(context: &mut Context) {
    let mut last = 0;
    for turn in 0..4 {
        let row = Outcome { seq: 1, ..outcome(global("x"), turn.to_string()) };
        let commit = act(context.store(), Write::new().outcome(row));
        let seq = commit.changes.outcomes[0].seq;
        assert!(seq > last, "{seq} was given again after {last}");
        last = seq;
        act(context.store(), clear());
        context.reopen();
    }
}

fn two_handles(context: &mut Context) {
    let other = context.another();
    for turn in 1..=5 {
        act(context.store(), bump(global("x")));
        act(&other, bump(global("x")));
        act(&other, Use::new(global("y"), turn.to_string()));
        let seen = everything(context.store());
        assert_eq!(seen.tools[&global("x")].uses, 2 * turn);
        assert_same(&seen, &everything(&other));
    }
}

fn anew(context: &mut Context) {
    for turn in 0..20 {
        act(context.store(), Use::new(global("x"), turn.to_string()));
        context.reopen();
    }
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, 20);
    assert_eq!((seen.outcomes.len(), seen.journal.len()), (20, 20));
}
