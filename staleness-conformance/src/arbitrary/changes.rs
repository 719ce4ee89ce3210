//! Change sets.

use std::collections::BTreeSet;

use proptest::prelude::*;
use staleness_core::store::{Change, ChangeSet, OutcomeRange};

use super::ids::{
    cursor_key, document_key, item_key, project_id, session_key, source_id, tool_key, work_key,
};
use super::{
    Reach, cursor, document, item, journal_entry, number, outcome, outcome_cut, project, route,
    route_key, route_vector, session, source, suggestions, tool, work,
};

/// A range of outcomes.
pub fn outcome_range(reach: Reach) -> BoxedStrategy<OutcomeRange> {
    prop_oneof![
        (outcome_cut(reach), number()).prop_map(|(cut, limit)| OutcomeRange::Cut { cut, limit }),
        tool_key(reach).prop_map(OutcomeRange::OfTool),
        project_id(reach).prop_map(OutcomeRange::OfProject),
    ]
    .boxed()
}

/// A few changes of each collection, as an honest step writes them: no row twice, and no op twice
/// on one tool.
pub fn change_set(reach: Reach) -> BoxedStrategy<ChangeSet> {
    let routes = (
        changes(route(reach), route_key(reach), |row| row.key.clone()),
        changes(route_vector(reach), route_key(reach), |row| row.key.clone()),
        changes(suggestions(reach), session_key(reach), |row| row.key.clone()),
    );
    (
        changes(project(reach), project_id(reach), |row| row.id.clone()),
        changes(source(reach), source_id(reach), |row| row.id.clone()),
        changes(tool(reach), tool_key(reach), |row| row.key.clone()),
        changes(item(reach), item_key(reach), |row| row.key.clone()),
        changes(document(reach), document_key(reach), |row| row.key.clone()),
        changes(work(reach), work_key(reach), |row| row.key.clone()),
        changes(session(reach), session_key(reach), |row| row.key.clone()),
        changes(cursor(reach), cursor_key(reach), |row| row.key.clone()),
        routes,
        few(outcome(reach), 4),
        prop_oneof![3 => Just(Vec::new()), 1 => few(outcome_range(reach), 3)],
        few(journal_entry(reach), 3),
    )
        .prop_map(|all| {
            let (projects, sources, tools, knowledge, documents, work, sessions, cursors, ..) = all;
            let (.., routes, outcomes, ranges, journal) = all;
            let mut all = ChangeSet::default();
            all.projects = projects;
            all.sources = sources;
            all.tools = tools;
            all.knowledge = knowledge;
            all.documents = documents;
            all.work = work;
            all.sessions = sessions;
            all.cursors = cursors;
            (all.routes, all.vectors, all.suggestions) = routes;
            let mut recorded = BTreeSet::new();
            all.outcomes = outcomes;
            all.outcomes.retain(|row| recorded.insert((row.tool.clone(), row.op.clone())));
            all.outcome_ranges = ranges;
            all.journal = journal;
            all
        })
        .boxed()
}

fn few<T: std::fmt::Debug>(
    row: impl Strategy<Value = T>,
    most: usize,
) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(row, 0..most)
}

fn changes<R, K>(
    row: impl Strategy<Value = R> + 'static,
    key: impl Strategy<Value = K> + 'static,
    key_of: impl Fn(&R) -> K + Clone + 'static,
) -> impl Strategy<Value = Vec<Change<R, K>>>
where
    R: std::fmt::Debug + Clone + 'static,
    K: std::fmt::Debug + Clone + Ord + 'static,
{
    let put = row.prop_map(move |row| (key_of(&row), Some(row)));
    let delete = key.prop_map(|key| (key, None));
    few(prop_oneof![3 => put, 1 => delete], 4).prop_map(|all| {
        let mut written = BTreeSet::new();
        all.into_iter()
            .filter(|(key, _)| written.insert(key.clone()))
            .map(|(key, row)| row.map_or(Change::Delete(key), Change::Put))
            .collect()
    })
}
