//! Vectors of routes.

use redb::{ReadableTable, ReadableTableMetadata, TableDefinition};
use staleness_core::ids::{ModelId, ProjectId, ToolName};
use staleness_core::route::{Filling, RouteId, RouteKey, RouteVector};
use staleness_core::store::{Change, StoreError, VectorFilter, View};

use super::routes::{name, parts, route_key};
use super::{Collection, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_vector, encode_vector, vector_parts};
use crate::session::Tx;
use crate::tables::{RouteRef, VECTORS};

/// The collection.
#[derive(Debug)]
pub(crate) struct RouteVectors;

impl Collection for RouteVectors {
    type Key = RouteRef;
    type Row = RouteVector;
    const TABLE: TableDefinition<'static, RouteRef, &'static [u8]> = VECTORS;
    const PAGE: usize = 200;

    fn read(&key: &(&str, &str, u128), value: &[u8]) -> Result<RouteVector, StoreError> {
        route_key(key)
            .and_then(|key| decode_vector(key, value))
            .map_err(|bad| corrupt("vectors", name(key), bad))
    }

    fn keep(row: RouteVector, view: &mut View) {
        view.vectors.insert(&row);
    }
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &VectorFilter, view: &mut View) -> Result<(), StoreError> {
    let rows = table(tx, VECTORS)?;
    let mut filling = Filling::new(std::mem::take(&mut view.vectors));
    if let VectorFilter::Model(..) | VectorFilter::Project(_) | VectorFilter::All = filter {
        // At most; as a rule most of them are the project's.
        let most = rows.len().map_err(from_storage)?;
        filling = filling.expecting(usize::try_from(most).unwrap_or(0));
    }
    let mut bulk = Bulk(filling);
    match filter {
        VectorFilter::Key(key) => {
            if let Some(value) = rows.get(parts(key)).map_err(from_storage)? {
                bulk.push(parts(key), value.value(), None)?;
            }
        }
        VectorFilter::Tool(project, tool) => {
            range(&rows, project, Some(tool), |key, value| bulk.push(key, value, None))?;
        }
        VectorFilter::First(project, model) => range(&rows, project, None, |key, value| {
            bulk.push(key, value, Some(model)).map(|kept| !kept)
        })?,
        VectorFilter::Model(project, model) => range(&rows, project, None, |key, value| {
            bulk.push(key, value, Some(model)).map(|_| true)
        })?,
        VectorFilter::Project(project) => {
            range(&rows, project, None, |key, value| bulk.push(key, value, None))?;
        }
        VectorFilter::All => {
            for entry in rows.iter().map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                bulk.push(key.value(), value.value(), None)?;
            }
        }
    }
    view.vectors = bulk.0.finish();
    Ok(())
}

/// Hands every vector of a project, or of one of its tools, to `visit`, until it says that it has enough.
fn range(
    rows: &impl ReadableTable<RouteRef, &'static [u8]>,
    project: &ProjectId,
    tool: Option<&ToolName>,
    mut visit: impl FnMut((&str, &str, u128), &[u8]) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let (project, first) = (project.as_str(), tool.map_or("", ToolName::as_str));
    for entry in rows.range((project, first, 0)..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        let (its_project, its_tool, _) = key.value();
        if its_project != project || tool.is_some_and(|tool| its_tool != tool.as_str()) {
            break;
        }
        if !visit(key.value(), value.value())? {
            break;
        }
    }
    Ok(())
}

/// Rows on their way straight into the pieces of memory where a search wants them.
struct Bulk(Filling);

impl Bulk {
    /// Keeps a row, if the model made it, where one is wanted. Whether it did.
    fn push(
        &mut self,
        key: (&str, &str, u128),
        value: &[u8],
        wanted: Option<&ModelId>,
    ) -> Result<bool, StoreError> {
        let mut push = || -> Result<bool, Bad> {
            let (model, precision, numbers) = vector_parts(value)?;
            if wanted.is_some_and(|wanted| wanted.as_str() != model) {
                return Ok(false);
            }
            let (project, tool, id) = key;
            let pushed = self.0.push(project, model, precision, tool, RouteId(id), numbers);
            pushed.map(|()| true).map_err(|error| Bad(error.field()))
        };
        push().map_err(|bad| corrupt("vectors", name(key), bad))
    }
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<RouteVector, RouteKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, VECTORS)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_vector(row)?;
                rows.insert(parts(&row.key), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(key) => {
                rows.remove(parts(key)).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
