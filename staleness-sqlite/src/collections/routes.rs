//! Routes.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ModelId, ProjectId, ToolName};
use staleness_core::route::{Confidence, MAX_OPS, Route, RouteId, RouteKey};
use staleness_core::store::{Change, RouteFilter, StoreError, View};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! columns {
    () => {
        "project, tool, id, query, confidence, uses, created_at, last_used_at, model, ops"
    };
}

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT ", columns!(), " FROM routes", $tail)
    };
}

const BY_KEY: &str = select!(" WHERE project = ?1 AND tool = ?2 AND id = ?3");
const BY_ID: &str = select!(" WHERE project = ?1 AND id = ?2");
const OF_TOOL: &str = select!(" WHERE project = ?1 AND tool = ?2");
const OF_PROJECT: &str = select!(" WHERE project = ?1");
const ALL: &str = select!(" ORDER BY project, tool, id");
const COUNT: &str = "SELECT count(*) FROM routes WHERE project = ?1";
const PUT: &str = concat!(
    "REPLACE INTO routes(",
    columns!(),
    ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
);
const DELETE: &str = "DELETE FROM routes WHERE project = ?1 AND tool = ?2 AND id = ?3";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &RouteFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |route: Route| {
        view.routes.insert(route.key.clone(), route);
        ControlFlow::Continue(())
    };
    match filter {
        RouteFilter::Key(key) => rows(tx, BY_KEY, parts(key), keep),
        RouteFilter::Id(project, id) => rows(tx, BY_ID, (project.as_str(), id.to_bytes()), keep),
        RouteFilter::Tool(project, tool) => {
            rows(tx, OF_TOOL, (project.as_str(), tool.as_str()), keep)
        }
        RouteFilter::Project(project) => rows(tx, OF_PROJECT, (project.as_str(),), keep),
        RouteFilter::All => all(tx, keep),
    }
}

/// How many routes a project has.
pub(crate) fn count(tx: &Transaction<'_>, project: &ProjectId) -> Result<u64, StoreError> {
    let mut found = Err(Bad("count"));
    each(tx, COUNT, (project.as_str(),), |row| {
        found = Cells::new(row).small("count");
        Ok(ControlFlow::Break(()))
    })?;
    found.map_err(|bad| corrupt("routes", "*", bad))
}

/// Every route in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Route) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Route) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| corrupt("routes", name(row), bad))
    })
}

/// What an error calls a row.
pub(super) fn name(row: &Row<'_>) -> String {
    let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
    let id = row.get::<_, Vec<u8>>(2).ok().and_then(|bytes| RouteId::from_bytes(&bytes));
    format!("{:?}", (text(0), text(1), id.map(|id| id.to_string()).unwrap_or_default()))
}

/// The columns that make a key.
pub(super) fn key(cells: &mut Cells<'_, '_>) -> Result<RouteKey, Bad> {
    Ok(RouteKey {
        project: cells.parsed("project", ProjectId::new)?,
        tool: cells.parsed("tool", ToolName::new)?,
        id: RouteId::from_bytes(cells.blob("id")?).ok_or(Bad("id"))?,
    })
}

fn read(row: &Row<'_>) -> Result<Route, Bad> {
    let mut cells = Cells::new(row);
    Ok(Route {
        key: key(&mut cells)?,
        query: cells.string("query")?,
        confidence: Confidence::of_billionths(cells.small("confidence")?)
            .ok_or(Bad("confidence"))?,
        uses: cells.int("uses")?.cast_unsigned(),
        created_at: cells.time("created_at")?,
        last_used_at: cells.time("last_used_at")?,
        model: cells.maybe_parsed("model", ModelId::new)?,
        ops: ops(cells.blob("ops")?)?,
    })
}

fn ops(bytes: &[u8]) -> Result<Vec<u64>, Bad> {
    let (ops, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() || ops.len() > MAX_OPS {
        return Err(Bad("ops"));
    }
    Ok(ops.iter().map(|op| u64::from_le_bytes(*op)).collect())
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Route, RouteKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (project, tool, id) = parts(&row.key);
                let ops: Vec<u8> = row.ops.iter().flat_map(|op| op.to_le_bytes()).collect();
                execute(
                    tx,
                    PUT,
                    (
                        project,
                        tool,
                        id,
                        &row.query,
                        row.confidence.billionths(),
                        row.uses.cast_signed(),
                        row.created_at.as_millis(),
                        row.last_used_at.as_millis(),
                        row.model.as_ref().map(ModelId::as_str),
                        ops,
                    ),
                )?
            }
            Change::Delete(key) => execute(tx, DELETE, parts(key))?,
        };
    }
    Ok(())
}

pub(super) fn parts(key: &RouteKey) -> (&str, &str, [u8; 16]) {
    (key.project.as_str(), key.tool.as_str(), key.id.to_bytes())
}
