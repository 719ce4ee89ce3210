//! Reads and writes the collections, the logs and the counters.

pub(crate) mod journal;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod rows;

use std::ops::ControlFlow;

use rusqlite::{Params, Row, Statement};
use staleness_core::ids::{ProjectId, Scope};
use staleness_core::journal::Revision;
use staleness_core::store::table::Cell;
use staleness_core::store::{ChangeSet, Selection, StoreError, View};
use staleness_core::tool::ToolSummary;

use crate::cells::cells;
use crate::error::from_sqlite;
use crate::transaction::Transaction;
use meta::Meta;

pub(crate) fn load(
    tx: &Transaction<'_>,
    selection: &Selection,
    meta: Meta,
) -> Result<View, StoreError> {
    let mut view = View::default();
    (view.revision, view.floor) = (meta.revision, meta.floor);
    macro_rules! load {
        ($($field:ident: $row:ty,)*) => {
            $(rows::load::<$row>(tx, &selection.$field, &mut view)?;)*
        };
    }
    staleness_core::collections!(load);
    for scope in &selection.summaries {
        summaries(tx, scope, &mut view)?;
    }
    outcomes::load(tx, &selection.outcomes, &mut view)?;
    for filter in &selection.journal {
        journal::load(tx, filter, &mut view)?;
    }
    if let Some(project) = &selection.count_routes {
        view.route_count = Some(routes(tx, project)?);
    }
    if selection.generation {
        view.generation = Some(meta::generation(tx)?);
    }
    Ok(view)
}

fn summaries(tx: &Transaction<'_>, scope: &Scope, view: &mut View) -> Result<(), StoreError> {
    // Scans the table in file order. The `+` prevents use of the index, which would need a lookup per row.
    let sql = format!("SELECT +{} FROM tools WHERE +scope = ?1", ToolSummary::COLUMNS.join(", +"));
    let mut all = Vec::new();
    each(tx, &sql, (scope.as_key(),), |row| {
        let cells = cells(row);
        let read = ToolSummary::read(&cells).map_err(|bad| {
            let name = if let Some(Cell::Text(Some(name))) = cells.first() { name } else { "?" };
            bad.in_row("tools", format_args!("{:?}", (scope.as_key(), name)))
        });
        all.push(read?);
        Ok(ControlFlow::Continue(()))
    })?;
    view.summaries.insert(scope.clone(), all);
    Ok(())
}

/// Counts the routes of a project.
fn routes(tx: &Transaction<'_>, project: &ProjectId) -> Result<u64, StoreError> {
    let sql = "SELECT count(*) FROM routes WHERE project = ?1";
    let found: i64 = one(tx, sql, (project.as_str(),), |row| row.get(0))?;
    Ok(found.unsigned_abs())
}

/// Numbers and writes `changes` in the connection's transaction. `seen` is the view on which the step decided. Returns
/// the new revision.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    mut meta: Meta,
    seen: &View,
    changes: &mut ChangeSet,
) -> Result<Revision, StoreError> {
    let before = (meta.revision, meta.floor);
    for range in &changes.outcome_ranges {
        outcomes::remove(tx, range)?;
    }
    journal::remove(tx, &changes.pruned)?;
    meta.floor.raise(changes.floor);
    meta.revision = changes.number(meta.last_seq, meta.revision);
    if (meta.revision, meta.floor) != before || !changes.outcome_ranges.is_empty() {
        // If the newest outcomes were removed, their numbers must not be reused.
        meta::store(tx, meta)?;
    }
    if changes.moves_generation(seen) {
        execute(tx, meta::MOVE, ())?;
    }
    macro_rules! apply {
        ($($field:ident: $row:ty,)*) => { $(rows::apply::<$row>(tx, changes, seen)?;)* };
    }
    staleness_core::collections!(apply);
    rows::insert("INSERT", tx, changes.outcomes.iter())?;
    rows::insert("INSERT", tx, changes.journal.iter())?;
    Ok(meta.revision)
}

/// Runs a statement and passes each row to `visit` until it breaks.
pub(crate) fn each<P: Params>(
    tx: &Transaction<'_>,
    sql: &str,
    params: P,
    visit: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    tx.with(sql, |statement| query(statement, params, visit))
}

/// Like [`each`], with a prepared statement.
pub(crate) fn query<P: Params>(
    statement: &mut Statement<'_>,
    params: P,
    mut visit: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let mut rows = statement.query(params).map_err(from_sqlite)?;
    while let Some(row) = rows.next().map_err(from_sqlite)? {
        if visit(row)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Runs a statement that returns one row, and reads it.
pub(crate) fn one<P: Params, T>(
    tx: &Transaction<'_>,
    sql: &str,
    params: P,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    tx.with(sql, |statement| statement.query_row(params, read).map_err(from_sqlite))
}

/// Runs a statement that returns no rows. Returns the number of changed rows.
pub(crate) fn execute<P: Params>(
    tx: &Transaction<'_>,
    sql: &str,
    params: P,
) -> Result<usize, StoreError> {
    tx.with(sql, |statement| statement.execute(params).map_err(from_sqlite))
}

/// Clamps a number to the range of SQLite integers. Used for limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
