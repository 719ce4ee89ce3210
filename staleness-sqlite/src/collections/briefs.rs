//! Tools and routes in brief: few columns of many rows, read in place.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ProjectId, Scope};
use staleness_core::route::{Confidence, RouteBrief, RouteId};
use staleness_core::store::{StoreError, View};
use staleness_core::tool::{Hold, PresenceCause, ToolBrief, ToolKind};

use super::each;
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

// In the order in which they lie in the file: the `+` keeps the index out of it, by which each would be looked up.
const TOOLS: &str = "SELECT +name, +kind, +server, +plugin, +description, +hold, +cause, \
    failing_since IS NOT NULL FROM tools WHERE +scope = ?1";
const ROUTES: &str = "SELECT tool, id, query, confidence FROM routes WHERE project = ?1";

/// Adds the tools of a scope in brief.
pub(crate) fn tools(
    tx: &Transaction<'_>,
    scope: &Scope,
    view: &mut View,
) -> Result<(), StoreError> {
    let all = view.briefs.entry(scope.clone()).or_default();
    *all = Default::default();
    let (key, mut words) = (scope.as_key(), Words::default());
    let keep = |row: &Row<'_>| {
        let pushed = tool(row, &mut words).and_then(|brief| all.push(brief).map_err(Bad));
        pushed.map(ControlFlow::Continue).map_err(|bad| {
            let name = row.get::<_, String>(0).unwrap_or_default();
            corrupt("tools", format_args!("{:?}", (key, name)), bad)
        })
    };
    each(tx, TOOLS, (key,), keep)
}

/// The words of the row before: those of the next are nearly always the same.
#[derive(Default)]
struct Words {
    kind: Last<ToolKind>,
    hold: Last<Hold>,
    cause: Last<PresenceCause>,
}

/// A word that was read last, and what it means.
struct Last<T>(Option<(String, T)>);

impl<T> Default for Last<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Copy> Last<T> {
    fn read(
        &mut self,
        cells: &mut Cells<'_, '_>,
        column: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Bad> {
        let word = cells.word(column)?;
        match &self.0 {
            Some((last, meant)) if last.as_bytes() == word => Ok(*meant),
            _ => {
                let word = std::str::from_utf8(word).map_err(|_| Bad(column))?;
                let meant = parse(word).ok_or(Bad(column))?;
                Ok(self.0.insert((word.to_owned(), meant)).1)
            }
        }
    }
}

fn tool<'r>(row: &'r Row<'_>, words: &mut Words) -> Result<ToolBrief<'r>, Bad> {
    let mut cells = Cells::new(row);
    Ok(ToolBrief {
        name: cells.str("name")?,
        kind: words.kind.read(&mut cells, "kind", ToolKind::from_word)?,
        server: cells.maybe_str("server")?,
        plugin: cells.maybe_str("plugin")?,
        description: cells.maybe_str("description")?,
        hold: words.hold.read(&mut cells, "hold", Hold::from_word)?,
        present: words.cause.read(&mut cells, "cause", PresenceCause::from_word)?.is_present(),
        failing: cells.flag("failing_since")?,
    })
}

/// Adds the routes of a project in brief, in the order of their keys.
pub(crate) fn routes(
    tx: &Transaction<'_>,
    project: &ProjectId,
    view: &mut View,
) -> Result<(), StoreError> {
    let all = view.route_briefs.entry(project.clone()).or_default();
    *all = Default::default();
    each(tx, ROUTES, (project.as_str(),), |row| {
        let pushed = route(row).and_then(|brief| all.push(brief).map_err(Bad));
        pushed.map(ControlFlow::Continue).map_err(|bad| {
            let tool = row.get::<_, String>(0).unwrap_or_default();
            let id = row.get_ref(1).ok().and_then(|id| RouteId::from_bytes(id.as_blob().ok()?));
            let id = id.map(|id| id.to_string()).unwrap_or_default();
            corrupt("routes", format_args!("{:?}", (project.as_str(), tool, id)), bad)
        })
    })
}

fn route<'r>(row: &'r Row<'_>) -> Result<RouteBrief<'r>, Bad> {
    let mut cells = Cells::new(row);
    Ok(RouteBrief {
        tool: cells.str("tool")?,
        id: RouteId::from_bytes(cells.blob("id")?).ok_or(Bad("id"))?,
        query: cells.str("query")?,
        confidence: Confidence::of_billionths(cells.small("confidence")?)
            .ok_or(Bad("confidence"))?,
    })
}
