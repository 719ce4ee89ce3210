//! The model test, as one case.

use std::sync::Arc;

use staleness_core::store::View;

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

/// Change sets over all valid texts and numbers, each in a store of its own.
fn any_record(context: &mut Context) {
    model::each(&arbitrary::change_set(Reach::Wide), |mut changes| {
        changes.outcome_ranges.clear();
        let context = Context::new(Arc::clone(context.backend()));
        let mut step = Write::new();
        step.changes = changes;
        let commit = act(context.store(), step);
        let mut expected = View::default().with(&commit.changes);
        expected.revision = commit.revision;
        let text = differences(&everything(context.store()), &expected);
        assert!(text.is_empty(), "{text}\nafter {:?}", commit.changes);
    });
}
