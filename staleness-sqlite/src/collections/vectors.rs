//! Vectors of routes.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ModelId, ProjectId};
use staleness_core::route::{Filling, Precision, RouteId, RouteKey, RouteVector, Vector};
use staleness_core::store::{Change, StoreError, VectorFilter, View};

use super::extent::{Extent, Looks};
use super::routes::{key, name, parts};
use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT project, tool, id, model, form, numbers FROM vectors", $tail)
    };
}

const BY_KEY: &str = select!(" WHERE project = ?1 AND tool = ?2 AND id = ?3");
// The index of the key holds them side by side.
const OF_TOOL: &str = select!(" WHERE project = ?1 AND tool = ?2");
const FIRST: &str = select!(" WHERE project = ?1 AND model = ?2 ORDER BY tool, id LIMIT 1");
// In the order in which they lie in the file, not jumping about in it as by the index.
const SCATTERED: &str = select!(
    " WHERE rowid IN (SELECT rowid FROM vectors WHERE project = ?1) AND model = ifnull(?2, model)"
);
// All of a project that lie between two rows. The `+` keeps the index out of it.
const TOGETHER: &str =
    select!(" WHERE rowid BETWEEN ?3 AND ?4 AND +project = ?1 AND model = ifnull(?2, model)");
const LOOKS: Looks = Looks {
    ends: "SELECT (SELECT min(rowid) FROM vectors), (SELECT max(rowid) FROM vectors)",
    many: "SELECT count(*) = ?2 FROM (SELECT 1 FROM vectors WHERE project = ?1 LIMIT ?2)",
    probe: "SELECT rowid, project = ?1 FROM vectors WHERE rowid >= ?2 ORDER BY rowid LIMIT 1",
    exact: "SELECT count(*), min(rowid), max(rowid) FROM vectors WHERE project = ?1",
};
const ALL: &str = select!(" ORDER BY project, tool, id");
const PUT: &str = "REPLACE INTO vectors(project, tool, id, model, form, numbers) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
const DELETE: &str = "DELETE FROM vectors WHERE project = ?1 AND tool = ?2 AND id = ?3";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &VectorFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    match filter {
        VectorFilter::Key(key) => bulk(tx, BY_KEY, parts(key), 0, view),
        VectorFilter::First(project, model) => {
            bulk(tx, FIRST, (project.as_str(), model.as_str()), 0, view)
        }
        VectorFilter::Tool(project, tool) => {
            bulk(tx, OF_TOOL, (project.as_str(), tool.as_str()), 0, view)
        }
        VectorFilter::Model(project, model) => of_project(tx, project, Some(model), view),
        VectorFilter::Project(project) => of_project(tx, project, None, view),
        VectorFilter::All => bulk(tx, ALL, (), 0, view),
    }
}

/// The vectors of a project. Where they make up at least half of their [`Extent`], all of that is read in one go;
/// else each is looked up.
fn of_project(
    tx: &Transaction<'_>,
    project: &ProjectId,
    model: Option<&ModelId>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (project, model) = (project.as_str(), model.map(ModelId::as_str));
    match Extent::of(tx, &LOOKS, project)? {
        None => Ok(()),
        Some(extent) if extent.is_dense() => {
            let rows = usize::try_from(extent.count).unwrap_or(0);
            bulk(tx, TOGETHER, (project, model, extent.first, extent.last), rows, view)
        }
        Some(_) => bulk(tx, SCATTERED, (project, model), 0, view),
    }
}

/// Rows straight into the pieces of memory where a search wants them.
fn bulk<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    expected: usize,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut filling = Filling::new(std::mem::take(&mut view.vectors)).expecting(expected);
    each(tx, sql, params, |row| {
        let mut push = || -> Result<(), Bad> {
            let mut cells = Cells::new(row);
            let (project, tool) = (cells.str("project")?, cells.str("tool")?);
            let id = RouteId::from_bytes(cells.blob("id")?).ok_or(Bad("id"))?;
            let (model, precision) = (cells.str("model")?, precision(cells.str("form")?)?);
            let pushed = filling.push(project, model, precision, tool, id, cells.blob("numbers")?);
            pushed.map_err(|error| Bad(error.field()))
        };
        push().map_err(|bad| corrupt("vectors", name(row), bad))?;
        Ok(ControlFlow::Continue(()))
    })?;
    view.vectors = filling.finish();
    Ok(())
}

/// Every vector in the order of keys, each checked.
pub(crate) fn all(
    tx: &Transaction<'_>,
    mut visit: impl FnMut(RouteVector) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, ALL, (), |row| {
        read(row).map(&mut visit).map_err(|bad| corrupt("vectors", name(row), bad))
    })
}

fn read(row: &Row<'_>) -> Result<RouteVector, Bad> {
    let mut cells = Cells::new(row);
    let key = key(&mut cells)?;
    let model = cells.parsed("model", ModelId::new)?;
    let precision = precision(cells.str("form")?)?;
    let vector = Vector::from_bytes(cells.blob("numbers")?, precision);
    Ok(RouteVector { key, model, vector: vector.map_err(|_| Bad("numbers"))? })
}

/// What a form is called.
const fn form(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "f32 unit",
        Precision::F64 => "f64 unit",
    }
}

fn precision(word: &str) -> Result<Precision, Bad> {
    Precision::ALL.into_iter().find(|each| form(*each) == word).ok_or(Bad("form"))
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<RouteVector, RouteKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (project, tool, id) = parts(&row.key);
                let form = form(row.vector.precision());
                let numbers = row.vector.to_bytes();
                execute(tx, PUT, (project, tool, id, row.model.as_str(), form, numbers))?
            }
            Change::Delete(key) => execute(tx, DELETE, parts(key))?,
        };
    }
    Ok(())
}
