//! Routes.

use staleness_core::ids::{ModelId, ProjectId};
use staleness_core::route::{Confidence, MAX_OPS, Route, RouteId, RouteKey};
use staleness_core::store::RouteFilter;

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where, with};
use crate::values::{Arg, Batch, Statement};

impl Table for Route {
    const TABLE: &'static str = "routes";
    const COLUMNS: &'static str =
        "project, tool, id, query, confidence, uses, created_at, last_used_at, model, ops";
    const KEY: usize = 3;
    const ORDER: &'static str = "project, tool, id";

    fn condition(filter: &RouteFilter) -> Where {
        match filter {
            RouteFilter::Id(project, id) => Where::new(
                "project = $2 AND id = $3",
                vec![Arg::text(project.as_str()), Arg::Blob(id.to_bytes().to_vec())],
            ),
            RouteFilter::Tool(project, tool) => Where::new(
                "project = $2 AND tool = $3",
                vec![Arg::text(project.as_str()), Arg::text(tool.as_str())],
            ),
            RouteFilter::Project(project) => {
                Where::new("project = $2", vec![Arg::text(project.as_str())])
            }
            RouteFilter::Key(_) | RouteFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        Ok(Self {
            key: key(cells)?,
            query: cells.string("query")?,
            confidence: Confidence::of_billionths(cells.small("confidence")?)
                .ok_or(Bad("confidence"))?,
            uses: cells.bits("uses")?,
            created_at: cells.time("created_at")?,
            last_used_at: cells.time("last_used_at")?,
            model: cells.maybe_id("model")?,
            ops: ops(cells.blob("ops")?)?,
        })
    }

    fn put_key(key: &RouteKey, batch: &mut Batch) {
        batch.text(key.project.as_str());
        batch.text(key.tool.as_str());
        batch.blob(key.id.to_bytes());
    }

    fn put(&self, batch: &mut Batch) {
        batch.text(&self.query);
        batch.int(self.confidence.billionths());
        batch.bits(self.uses);
        batch.time(self.created_at);
        batch.time(self.last_used_at);
        batch.maybe_text(self.model.as_ref().map(ModelId::as_str));
        batch.blob(self.ops.iter().flat_map(|op| op.to_le_bytes()).collect::<Vec<u8>>());
    }
}

/// The columns that make a key.
pub(super) fn key(cells: &mut Cells<'_>) -> Result<RouteKey, Bad> {
    Ok(RouteKey {
        project: cells.id("project")?,
        tool: cells.id("tool")?,
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

/// Counts the routes of a project.
pub(crate) fn count(workspace: &str, project: &ProjectId) -> Statement {
    Statement {
        sql: "SELECT count(*) FROM staleness.routes WHERE workspace = $1 AND project = $2".into(),
        args: with(workspace, vec![Arg::text(project.as_str())]),
    }
}
