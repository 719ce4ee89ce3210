//! Filters and selections.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::store::{
    Access, CursorFilter, DocumentFilter, ItemFilter, JournalFilter, OutcomeCut, OutcomeFilter,
    Pick, ProjectFilter, RouteFilter, Selection, SessionFilter, SourceFilter, SuggestionFilter,
    ToolFilter, VectorFilter, WorkFilter,
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

/// How many rows a filter takes at most; often few.
fn limit() -> BoxedStrategy<u32> {
    prop_oneof![6 => 0..4u32, 1 => Just(u32::MAX)].boxed()
}

/// Which projects.
pub fn project_filter(reach: Reach) -> BoxedStrategy<ProjectFilter> {
    prop_oneof![project_id(reach).prop_map(ProjectFilter::Id), Just(ProjectFilter::All)].boxed()
}

/// Which sources.
pub fn source_filter(reach: Reach) -> BoxedStrategy<SourceFilter> {
    prop_oneof![
        source_id(reach).prop_map(SourceFilter::Id),
        scope(reach).prop_map(SourceFilter::Scope),
        Just(SourceFilter::All),
    ]
    .boxed()
}

/// Which tools.
pub fn tool_filter(reach: Reach) -> BoxedStrategy<ToolFilter> {
    let of_server = || (scope(reach), server_key(reach));
    prop_oneof![
        tool_key(reach).prop_map(ToolFilter::Key),
        scope(reach).prop_map(ToolFilter::Scope),
        scope(reach).prop_map(ToolFilter::Configured),
        of_server().prop_map(|(scope, server)| ToolFilter::Entries(scope, server)),
        of_server().prop_map(|(scope, server)| ToolFilter::Server(scope, server)),
        scope(reach).prop_map(ToolFilter::Demoted),
        scope(reach).prop_map(ToolFilter::Revived),
        Just(ToolFilter::All),
    ]
    .boxed()
}

/// Which items of knowledge.
pub fn item_filter(reach: Reach) -> BoxedStrategy<ItemFilter> {
    prop_oneof![
        item_key(reach).prop_map(ItemFilter::Key),
        scope(reach).prop_map(ItemFilter::Scope),
        Just(ItemFilter::All),
    ]
    .boxed()
}

/// Which documents.
pub fn document_filter(reach: Reach) -> BoxedStrategy<DocumentFilter> {
    prop_oneof![
        document_key(reach).prop_map(DocumentFilter::Key),
        project_id(reach).prop_map(DocumentFilter::Project),
        project_id(reach).prop_map(DocumentFilter::Loaded),
        project_id(reach).prop_map(DocumentFilter::Flagged),
        Just(DocumentFilter::All),
    ]
    .boxed()
}

/// Which work items.
pub fn work_filter(reach: Reach) -> BoxedStrategy<WorkFilter> {
    prop_oneof![
        work_key(reach).prop_map(WorkFilter::Key),
        scope(reach).prop_map(WorkFilter::Scope),
        scope(reach).prop_map(WorkFilter::Open),
        (scope(reach), select(&Aging::ALL[..]), timestamp(reach))
            .prop_map(|(scope, aging, until)| WorkFilter::Aging { scope, aging, until }),
        (scope(reach), referred())
            .prop_map(|(scope, to)| WorkFilter::Referring { scope, to: Arc::new(to) }),
        Just(WorkFilter::All),
    ]
    .boxed()
}

/// Which sessions.
pub fn session_filter(reach: Reach) -> BoxedStrategy<SessionFilter> {
    prop_oneof![
        session_key(reach).prop_map(SessionFilter::Key),
        project_id(reach).prop_map(SessionFilter::Project),
        Just(SessionFilter::All),
    ]
    .boxed()
}

/// Which cursors.
pub fn cursor_filter(reach: Reach) -> BoxedStrategy<CursorFilter> {
    prop_oneof![
        cursor_key(reach).prop_map(CursorFilter::Key),
        project_id(reach).prop_map(CursorFilter::Project),
        Just(CursorFilter::All),
    ]
    .boxed()
}

/// Which routes.
pub fn route_filter(reach: Reach) -> BoxedStrategy<RouteFilter> {
    prop_oneof![
        route_key(reach).prop_map(RouteFilter::Key),
        (project_id(reach), route_id(reach)).prop_map(|(of, id)| RouteFilter::Id(of, id)),
        (project_id(reach), tool_name(reach)).prop_map(|(of, tool)| RouteFilter::Tool(of, tool)),
        project_id(reach).prop_map(RouteFilter::Project),
        Just(RouteFilter::All),
    ]
    .boxed()
}

/// Which vectors.
pub fn vector_filter(reach: Reach) -> BoxedStrategy<VectorFilter> {
    let by = || (project_id(reach), model_id(reach));
    prop_oneof![
        route_key(reach).prop_map(VectorFilter::Key),
        (project_id(reach), tool_name(reach)).prop_map(|(of, tool)| VectorFilter::Tool(of, tool)),
        by().prop_map(|(of, model)| VectorFilter::First(of, model)),
        by().prop_map(|(of, model)| VectorFilter::Model(of, model)),
        project_id(reach).prop_map(VectorFilter::Project),
        Just(VectorFilter::All),
    ]
    .boxed()
}

/// Which suggestions.
pub fn suggestion_filter(reach: Reach) -> BoxedStrategy<SuggestionFilter> {
    prop_oneof![
        session_key(reach).prop_map(SuggestionFilter::Key),
        project_id(reach).prop_map(SuggestionFilter::Project),
        Just(SuggestionFilter::All),
    ]
    .boxed()
}

/// Which outcomes.
pub fn outcome_filter(reach: Reach) -> BoxedStrategy<OutcomeFilter> {
    prop_oneof![
        (tool_key(reach), op_id(reach)).prop_map(|(tool, op)| OutcomeFilter::Op(tool, op)),
        (project_id(reach), limit())
            .prop_map(|(project, limit)| OutcomeFilter::LastOfProject { project, limit }),
        timestamp(reach).prop_map(|since| OutcomeFilter::LastPerServer { since }),
        Just(OutcomeFilter::All),
    ]
    .boxed()
}

/// Which journal entries.
pub fn journal_filter(reach: Reach) -> BoxedStrategy<JournalFilter> {
    prop_oneof![
        op_id(reach).prop_map(JournalFilter::Op),
        (subject(reach), limit())
            .prop_map(|(subject, limit)| JournalFilter::Subject { subject, limit }),
        (revision(), scope(reach)).prop_map(|(after, scope)| JournalFilter::Since { after, scope }),
        Just(JournalFilter::All),
    ]
    .boxed()
}

/// Outcomes that may go.
pub fn outcome_cut(reach: Reach) -> BoxedStrategy<OutcomeCut> {
    (timestamp(reach), number())
        .prop_map(|(until, keep_newest)| OutcomeCut { until, keep_newest })
        .boxed()
}

/// Up to two picks of each collection, to look or to lock, and perhaps counts.
pub fn selection(reach: Reach) -> BoxedStrategy<Selection> {
    fn picks<F: std::fmt::Debug>(
        filter: impl Strategy<Value = F>,
    ) -> impl Strategy<Value = Vec<Pick<F>>> {
        let pick = (select(vec![Access::Peek, Access::Lock]), filter)
            .prop_map(|(access, filter)| Pick { access, filter });
        prop::collection::vec(pick, 0..3)
    }
    let mut all = Just(Selection::new()).boxed();
    macro_rules! add {
        ($({ $rows:ident $row:ident $put:ident $delete:ident $keys:ident $filters:ident })*) => {$(
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
