//! The model test, as one case.

use std::sync::Arc;

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::compare::differences;
use crate::context::{Context, act, everything};
use crate::model;
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("model::agrees_with_memory", agrees_with_memory),
    Case::new("model::any_record_round_trips", any_record),
];

fn agrees_with_memory(context: &mut Context) {
    model::agrees_with_memory(&Arc::clone(context.backend()));
}

/// Change sets over all valid texts and numbers, one after the other in one store.
fn any_record(context: &mut Context) {
    let mut expected = everything(context.store());
    model::each(&arbitrary::change_set(Reach::Wide), |mut changes| {
        changes.outcome_ranges.clear();
        // The same op on the same tool may come again; here it would be a second outcome.
        changes.outcomes.retain(|row| {
            !expected.outcomes.values().any(|known| known.tool == row.tool && known.op == row.op)
        });
        let mut step = Write::new();
        step.changes = changes;
        let commit = act(context.store(), step);
        expected = std::mem::take(&mut expected).with(&commit.changes);
        expected.revision = commit.revision;
        let text = differences(&everything(context.store()), &expected);
        assert!(text.is_empty(), "{text}\nafter {:?}", commit.changes);
    });
}
