//! One file per collection: its SQL, and how its rows are read and written.

pub(crate) mod briefs;
pub(crate) mod cursors;
pub(crate) mod documents;
mod extent;
pub(crate) mod journal;
pub(crate) mod knowledge;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod projects;
pub(crate) mod routes;
pub(crate) mod sessions;
pub(crate) mod sources;
pub(crate) mod suggestions;
pub(crate) mod tools;
pub(crate) mod vectors;
pub(crate) mod work;

use std::ops::ControlFlow;

use rusqlite::{Params, Row};
use staleness_core::journal::Revision;
use staleness_core::store::{ChangeSet, Selection, StoreError, View};

use crate::error::from_sqlite;
use crate::transaction::Transaction;
use meta::Meta;

/// Everything that `selection` names, from the connection's transaction.
pub(crate) fn load(
    tx: &Transaction<'_>,
    selection: &Selection,
    revision: Revision,
) -> Result<View, StoreError> {
    let mut view = View::default();
    view.revision = revision;
    for pick in &selection.projects {
        projects::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.sources {
        sources::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.tools {
        tools::load(tx, &pick.filter, &mut view)?;
    }
    for scope in &selection.briefs {
        briefs::tools(tx, scope, &mut view)?;
    }
    for pick in &selection.knowledge {
        knowledge::load(tx, &pick.filter, &mut view)?;
    }
    for scope in &selection.item_briefs {
        knowledge::briefs(tx, scope, &mut view)?;
    }
    for pick in &selection.documents {
        documents::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.work {
        work::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.sessions {
        sessions::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.cursors {
        cursors::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.routes {
        routes::load(tx, &pick.filter, &mut view)?;
    }
    for project in &selection.route_briefs {
        briefs::routes(tx, project, &mut view)?;
    }
    for pick in &selection.vectors {
        vectors::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.suggestions {
        suggestions::load(tx, &pick.filter, &mut view)?;
    }
    for filter in &selection.outcomes {
        outcomes::load(tx, filter, &mut view)?;
    }
    for filter in &selection.journal {
        journal::load(tx, filter, &mut view)?;
    }
    if let Some(cut) = &selection.count_outcomes {
        view.counts = Some(outcomes::count(tx, cut)?);
    }
    if let Some(project) = &selection.count_routes {
        view.route_count = Some(routes::count(tx, project)?);
    }
    Ok(view)
}

/// Writes `changes` inside the connection's transaction, and numbers them. `seen` is what the step
/// saw. Returns the revision after the commit.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    meta: Meta,
    seen: &View,
    changes: &mut ChangeSet,
) -> Result<Revision, StoreError> {
    for range in &changes.outcome_ranges {
        outcomes::remove(tx, range)?;
    }
    let revision = changes.number(meta.last_seq, meta.revision);
    if revision != meta.revision || !changes.outcome_ranges.is_empty() {
        // Removing outcomes may remove the newest; the floor keeps their numbers from coming back.
        meta::store(tx, revision, meta.last_seq)?;
    }
    projects::apply(tx, &changes.projects)?;
    sources::apply(tx, &changes.sources)?;
    tools::apply(tx, &changes.tools, seen)?;
    knowledge::apply(tx, &changes.knowledge)?;
    documents::apply(tx, &changes.documents)?;
    work::apply(tx, &changes.work)?;
    sessions::apply(tx, &changes.sessions)?;
    cursors::apply(tx, &changes.cursors)?;
    routes::apply(tx, &changes.routes)?;
    vectors::apply(tx, &changes.vectors)?;
    suggestions::apply(tx, &changes.suggestions)?;
    outcomes::append(tx, &changes.outcomes)?;
    journal::append(tx, &changes.journal)?;
    Ok(revision)
}

/// Runs a statement and hands each row to `visit` until it breaks.
pub(crate) fn each<P: Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    tx.with(sql, |statement| {
        let mut rows = statement.query(params).map_err(from_sqlite)?;
        while let Some(row) = rows.next().map_err(from_sqlite)? {
            if visit(row)?.is_break() {
                break;
            }
        }
        Ok(())
    })
}

/// Runs a statement that returns a row, and reads that.
pub(crate) fn one<P: Params, T>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    tx.with(sql, |statement| statement.query_row(params, read).map_err(from_sqlite))
}

/// Runs a statement that returns no rows. How many rows it changed.
pub(crate) fn execute<P: Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
) -> Result<usize, StoreError> {
    tx.with(sql, |statement| statement.execute(params).map_err(from_sqlite))
}

/// A number that SQLite can compare; what is beyond its range is clamped. For limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
