//! Strategies for filters and selections.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::store::{Access, JournalFilter, OutcomeCut, OutcomeFilter, Pick, Selection};

use super::ids::{op_id, project_id, scope, tool_key};
use super::{Reach, Sample, number, revision, subject, timestamp};

/// Generates the maximum number of rows of a filter, often small.
fn limit() -> BoxedStrategy<u32> {
    prop_oneof![6 => 0..4u32, 1 => Just(u32::MAX)].boxed()
}

/// Generates a filter for outcomes.
pub fn outcome_filter(reach: Reach) -> BoxedStrategy<OutcomeFilter> {
    filter!(OutcomeFilter {
        Op(tool_key(reach), op_id(reach));
        record!(OutcomeFilter::LastOfProject { project: project_id(reach), limit: limit() }),
        record!(OutcomeFilter::LastPerServer { since: timestamp(reach) }),
        record!(OutcomeFilter::FirstAndLast { limit: limit() }),
        record!(OutcomeFilter::Spread { limit: limit() }),
    })
}

/// Generates a filter for journal entries.
pub fn journal_filter(reach: Reach) -> BoxedStrategy<JournalFilter> {
    filter!(JournalFilter {
        Op(op_id(reach));
        record!(JournalFilter::Subject { subject: subject(reach), limit: limit() }),
        record!(JournalFilter::Since { after: revision(), scope: scope(reach) }),
    })
}

/// Generates a cut, which defines the outcomes that may be removed.
pub fn outcome_cut(reach: Reach) -> BoxedStrategy<OutcomeCut> {
    record!(OutcomeCut { until: timestamp(reach), keep_newest: number() })
}

/// Generates up to two picks per collection, to read or to lock, and sometimes counts.
pub fn selection(reach: Reach) -> BoxedStrategy<Selection> {
    fn picks<F: std::fmt::Debug + 'static>(
        filter: BoxedStrategy<F>,
    ) -> impl Strategy<Value = Vec<Pick<F>>> {
        let access = select(vec![Access::Peek, Access::Lock]);
        let pick = record!(Pick { access: access, filter: filter });
        prop::collection::vec(pick, 0..3)
    }
    let mut all = Just(Selection::new()).boxed();
    macro_rules! add {
        ($($rows:ident: $row:ty,)*) => {$(
            all = (all, picks(<$row>::filters(reach)))
                .prop_map(|(mut all, picks)| {
                    all.$rows = picks;
                    all
                })
                .boxed();
        )*};
    }
    staleness_core::collections!(add);
    let outcomes = prop::collection::vec(outcome_filter(reach), 0..3);
    let journal = prop::collection::vec(journal_filter(reach), 0..3);
    (all, outcomes, journal, prop::option::of(project_id(reach)))
        .prop_map(|(mut all, outcomes, journal, count_routes)| {
            (all.outcomes, all.journal, all.count_routes) = (outcomes, journal, count_routes);
            all
        })
        .boxed()
}
