//! One file per collection: its SQL, and how its rows are read and written.

pub(crate) mod journal;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod projects;
pub(crate) mod sources;
pub(crate) mod tools;

use std::ops::ControlFlow;

use rusqlite::{Connection, Params, Row};
use staleness_core::journal::Revision;
use staleness_core::store::{ChangeSet, Selection, StoreError, View};

use crate::error::from_sqlite;
use meta::Meta;

/// Everything that `selection` names, from the connection's transaction.
pub(crate) fn load(
    conn: &Connection,
    selection: &Selection,
    revision: Revision,
) -> Result<View, StoreError> {
    let mut view = View::default();
    view.revision = revision;
    for pick in &selection.projects {
        projects::load(conn, &pick.filter, &mut view)?;
    }
    for pick in &selection.sources {
        sources::load(conn, &pick.filter, &mut view)?;
    }
    for pick in &selection.tools {
        tools::load(conn, &pick.filter, &mut view)?;
    }
    for filter in &selection.outcomes {
        outcomes::load(conn, filter, &mut view)?;
    }
    for filter in &selection.journal {
        journal::load(conn, filter, &mut view)?;
    }
    if let Some(cut) = &selection.count_outcomes {
        view.counts = Some(outcomes::count(conn, cut)?);
    }
    Ok(view)
}

/// Writes `changes` inside the connection's transaction, and numbers them. `seen` is what the step
/// saw. Returns the revision after the commit.
pub(crate) fn apply(
    conn: &Connection,
    meta: Meta,
    seen: &View,
    changes: &mut ChangeSet,
) -> Result<Revision, StoreError> {
    for range in &changes.outcome_ranges {
        outcomes::remove(conn, range)?;
    }
    let revision = changes.number(meta.last_seq, meta.revision);
    if revision != meta.revision || !changes.outcome_ranges.is_empty() {
        // Removing outcomes may remove the newest; the floor keeps their numbers from coming back.
        meta::store(conn, revision, meta.last_seq)?;
    }
    projects::apply(conn, &changes.projects)?;
    sources::apply(conn, &changes.sources)?;
    tools::apply(conn, &changes.tools, seen)?;
    outcomes::append(conn, &changes.outcomes)?;
    journal::append(conn, &changes.journal)?;
    Ok(revision)
}

/// Runs a cached statement and hands each row to `visit` until it breaks.
pub(crate) fn each<P: Params>(
    conn: &Connection,
    sql: &str,
    params: P,
    mut visit: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(sql).map_err(from_sqlite)?;
    let mut rows = statement.query(params).map_err(from_sqlite)?;
    while let Some(row) = rows.next().map_err(from_sqlite)? {
        if visit(row)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Runs a cached statement that returns no rows. How many rows it changed.
pub(crate) fn execute<P: Params>(
    conn: &Connection,
    sql: &str,
    params: P,
) -> Result<usize, StoreError> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map_err(from_sqlite)
}

/// A number that SQLite can compare; what is beyond its range is clamped. For limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
