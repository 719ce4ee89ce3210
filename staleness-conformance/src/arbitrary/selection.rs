//! Strategies for filters and selections.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::store::{
    Access, CursorFilter, DefinitionFilter, DocumentFilter, ItemFilter, JournalFilter, OutcomeCut,
    OutcomeFilter, Pick, ProjectFilter, RouteFilter, Selection, SessionFilter, SourceFilter,
    SuggestionFilter, ToolFilter, VectorFilter, WorkFilter,
};
use staleness_core::work::Aging;

use super::ids::{
    cursor_key, document_key, item_key, op_id, project_id, scope, server_key, session_key,
    source_id, tool_key, tool_name, work_key,
};
use super::routes::{model_id, route_id, route_key};
use super::work::referred;
use super::{Reach, number, revision, subject, timestamp};
use crate::collections::collections;

/// Generates the maximum number of rows of a filter, often small.
fn limit() -> BoxedStrategy<u32> {
    prop_oneof![6 => 0..4u32, 1 => Just(u32::MAX)].boxed()
}

macro_rules! filters {
    ($(
        $(#[$doc:meta])*
        $function:ident: $filter:ident |$reach:ident| {
            $($variant:ident($($from:expr),+)$(,)?)*
            $(; $($other:expr),+ $(,)?)?
        }
    )*) => {$(
        $(#[$doc])*
        pub fn $function($reach: Reach) -> BoxedStrategy<$filter> {
            prop_oneof![
                $(filters!(@of $filter::$variant, $($from),+),)*
                $($($other,)+)?
                Just($filter::All),
            ]
            .boxed()
        }
    )*};
    (@of $filter:ident::$variant:ident, $one:expr) => { $one.prop_map($filter::$variant) };
    (@of $filter:ident::$variant:ident, $one:expr, $two:expr) => {
        ($one, $two).prop_map(|(one, two)| $filter::$variant(one, two))
    };
}

filters! {
    /// Generates a filter for projects.
    project_filter: ProjectFilter |reach| { Id(project_id(reach)) }
    /// Generates a filter for sources.
    source_filter: SourceFilter |reach| { Id(source_id(reach)), Scope(scope(reach)) }
    /// Generates a filter for tools.
    tool_filter: ToolFilter |reach| {
        Key(tool_key(reach)),
        Scope(scope(reach)),
        Configured(scope(reach)),
        Entries(scope(reach), server_key(reach)),
        Server(scope(reach), server_key(reach)),
        Demoted(scope(reach)),
        Revived(scope(reach)),
    }
    /// Generates a filter for definitions.
    definition_filter: DefinitionFilter |reach| {
        Key(tool_key(reach)), Scope(scope(reach)), Pending(scope(reach)),
    }
    /// Generates a filter for knowledge items.
    item_filter: ItemFilter |reach| { Key(item_key(reach)), Scope(scope(reach)) }
    /// Generates a filter for documents.
    document_filter: DocumentFilter |reach| {
        Key(document_key(reach)),
        Project(project_id(reach)),
        Loaded(project_id(reach)),
        Flagged(project_id(reach)),
    }
    /// Generates a filter for work items.
    work_filter: WorkFilter |reach| {
        Key(work_key(reach)), Scope(scope(reach)), Open(scope(reach));
        record!(WorkFilter::Aging {
            scope: scope(reach),
            aging: select(&Aging::ALL[..]),
            until: timestamp(reach),
        }),
        record!(WorkFilter::Referring { scope: scope(reach), to: referred().prop_map(Arc::new) }),
    }
    /// Generates a filter for sessions.
    session_filter: SessionFilter |reach| { Key(session_key(reach)), Project(project_id(reach)) }
    /// Generates a filter for cursors.
    cursor_filter: CursorFilter |reach| { Key(cursor_key(reach)), Project(project_id(reach)) }
    /// Generates a filter for routes.
    route_filter: RouteFilter |reach| {
        Key(route_key(reach)),
        Id(project_id(reach), route_id(reach)),
        Tool(project_id(reach), tool_name(reach)),
        Project(project_id(reach)),
    }
    /// Generates a filter for vectors.
    vector_filter: VectorFilter |reach| {
        Key(route_key(reach)),
        Tool(project_id(reach), tool_name(reach)),
        First(project_id(reach), model_id(reach)),
        Model(project_id(reach), model_id(reach)),
        Project(project_id(reach)),
    }
    /// Generates a filter for suggestions.
    suggestion_filter: SuggestionFilter |reach| {
        Key(session_key(reach)),
        Project(project_id(reach)),
    }
    /// Generates a filter for outcomes.
    outcome_filter: OutcomeFilter |reach| {
        Op(tool_key(reach), op_id(reach));
        record!(OutcomeFilter::LastOfProject { project: project_id(reach), limit: limit() }),
        record!(OutcomeFilter::LastPerServer { since: timestamp(reach) }),
        record!(OutcomeFilter::FirstAndLast { limit: limit() }),
    }
    /// Generates a filter for journal entries.
    journal_filter: JournalFilter |reach| {
        Op(op_id(reach));
        record!(JournalFilter::Subject { subject: subject(reach), limit: limit() }),
        record!(JournalFilter::Since { after: revision(), scope: scope(reach) }),
    }
}

/// Generates a cut, which defines the outcomes that may be removed.
pub fn outcome_cut(reach: Reach) -> BoxedStrategy<OutcomeCut> {
    record!(OutcomeCut { until: timestamp(reach), keep_newest: number() })
}

/// Generates up to two picks per collection, to read or to lock, and sometimes counts.
pub fn selection(reach: Reach) -> BoxedStrategy<Selection> {
    fn picks<F: std::fmt::Debug + 'static>(
        filter: impl Strategy<Value = F> + 'static,
    ) -> impl Strategy<Value = Vec<Pick<F>>> {
        let access = select(vec![Access::Peek, Access::Lock]);
        let pick = record!(Pick { access: access, filter: filter });
        prop::collection::vec(pick, 0..3)
    }
    let mut all = Just(Selection::new()).boxed();
    macro_rules! add {
        ($({ $rows:ident $row:ident $any:ident $keys:ident $filters:ident })*) => {$(
            all = (all, picks($filters(reach)))
                .prop_map(|(mut all, picks)| {
                    all.$rows = picks;
                    all
                })
                .boxed();
        )*};
    }
    collections!(add);
    let outcomes = prop::collection::vec(outcome_filter(reach), 0..3);
    let journal = prop::collection::vec(journal_filter(reach), 0..3);
    let counts = (prop::option::of(outcome_cut(reach)), prop::option::of(project_id(reach)));
    (all, outcomes, journal, counts)
        .prop_map(|(mut all, outcomes, journal, counts)| {
            (all.outcomes, all.journal) = (outcomes, journal);
            (all.count_outcomes, all.count_routes) = counts;
            all
        })
        .boxed()
}
