//! The model tests as cases.

use std::cell::Cell;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

use staleness_core::store::View;

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::compare::differences;
use crate::context::{Context, act, everything};
use crate::model;
use crate::steps::Write;
use crate::workload::{self, BYTES, Pace, Workload};

pub(super) const CASES: &[Case] = &[
    Case::new("model::agrees_with_memory", agrees_with_memory),
    Case::new("model::any_record_round_trips", any_record),
    Case::new("model::any_workload_is_reported_as_on_the_memory_store", any_workload),
];

/// Number of workloads, unless `PROPTEST_CASES` is set.
const WORKLOADS: u32 = 4;
const PACE: Pace = Pace { longest: 80, glances: 4 };

fn agrees_with_memory(context: &mut Context) {
    model::agrees_with_memory(&Arc::clone(context.backend()));
}

/// Tests change sets with any valid texts and numbers, each in a new store.
fn any_record(context: &mut Context) {
    model::each(&arbitrary::change_set(Reach::Wide), |mut changes| {
        changes.outcome_ranges.clear();
        let context = Context::new(Arc::clone(context.backend()));
        let mut step = Write::new();
        step.changes.clone_from(&changes);
        let commit = act(context.store(), step);
        // The store assigns numbers and changes nothing else.
        for (row, given) in changes.outcomes.iter_mut().zip(&commit.changes.outcomes) {
            row.seq = given.seq;
        }
        for (row, given) in changes.journal.iter_mut().zip(&commit.changes.journal) {
            (row.revision, row.index) = (given.revision, given.index);
        }
        let mut expected = View::default().with(&changes);
        expected.revision = commit.revision;
        let text = differences(&everything(context.store()), &expected);
        assert!(text.is_empty(), "{text}\nafter {:?}", commit.changes);
    });
}

fn any_workload(context: &mut Context) {
    let backends = [Arc::clone(context.backend())];
    let (events, lines) = (Cell::new(0), Cell::new(0));
    let bytes = prop::collection::vec(any::<u8>(), BYTES..=BYTES);
    let verdict = TestRunner::new(model::config(WORKLOADS)).run(
        &prop::collection::vec(bytes, 1..=PACE.longest),
        |bytes| {
            let tally =
                workload::compare(&backends, &bytes.concat(), PACE).map_err(TestCaseError::fail)?;
            events.set(events.get() + tally.events);
            lines.set(lines.get() + tally.lines);
            Ok(())
        },
    );
    match verdict {
        Ok(()) => assert!(2 * lines.get() > events.get(), "workloads that leave little behind"),
        Err(TestError::Fail(why, bytes)) => {
            let mut workload = Workload::default();
            let events: Vec<_> = bytes.iter().map(|bytes| workload.next(bytes)).collect();
            panic!("{why}\nAfter shrinking, these were the events:\n{events:#?}");
        }
        Err(error) => panic!("{error}"),
    }
}
