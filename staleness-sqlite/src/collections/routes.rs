//! Routes.

use std::ops::ControlFlow;

use staleness_core::ids::{ModelId, ProjectId, ToolName};
use staleness_core::route::{Confidence, MAX_OPS, Route, RouteId, RouteKey};
use staleness_core::store::{RouteFilter, StoreError, View};

use super::table::{Statements, Table, Visit, of_first, rows, statements};
use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

statements! {
    routes: project tool id; query confidence uses created_at last_used_at model ops;
    BY_ID " WHERE project = ?1 AND id = ?2"
    OF_TOOL " WHERE project = ?1 AND tool = ?2"
}

static COUNT: &str = "SELECT count(*) FROM routes WHERE project = ?1";

impl Table for Route {
    type Columns<'k> = (&'k str, &'k str, [u8; 16]);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &RouteKey) -> Self::Columns<'_> {
        parts(key)
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            key: key(cells)?,
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

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (project, tool, id) = parts(&self.key);
        let ops: Vec<u8> = self.ops.iter().flat_map(|op| op.to_le_bytes()).collect();
        let params = (
            project,
            tool,
            id,
            &self.query,
            self.confidence.billionths(),
            self.uses.cast_signed(),
            self.created_at.as_millis(),
            self.last_used_at.as_millis(),
            self.model.as_ref().map(ModelId::as_str),
            ops,
        );
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &RouteFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            RouteFilter::Id(project, id) => {
                rows(tx, BY_ID, (project.as_str(), id.to_bytes()), visit)
            }
            RouteFilter::Tool(project, tool) => {
                rows(tx, OF_TOOL, (project.as_str(), tool.as_str()), visit)
            }
            RouteFilter::Project(project) => of_first(tx, project.as_str(), visit),
            RouteFilter::Key(_) | RouteFilter::All => Ok(()),
        }
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

/// The columns that make a key.
pub(super) fn key(cells: &mut Cells<'_, '_>) -> Result<RouteKey, Bad> {
    Ok(RouteKey {
        project: cells.parsed("project", ProjectId::new)?,
        tool: cells.parsed("tool", ToolName::new)?,
        id: RouteId::from_bytes(cells.blob("id")?).ok_or(Bad("id"))?,
    })
}

fn ops(bytes: &[u8]) -> Result<Vec<u64>, Bad> {
    let (ops, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() || ops.len() > MAX_OPS {
        return Err(Bad("ops"));
    }
    Ok(ops.iter().map(|op| u64::from_le_bytes(*op)).collect())
}

pub(super) fn parts(key: &RouteKey) -> (&str, &str, [u8; 16]) {
    (key.project.as_str(), key.tool.as_str(), key.id.to_bytes())
}
