//! Routes.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ProjectId, ToolName};
use staleness_core::route::{Route, RouteBriefs, RouteId, RouteKey};
use staleness_core::store::{Change, RouteFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_route, encode_route, id, route_brief};
use crate::session::Tx;
use crate::tables::{ROUTES, RouteRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct Routes;

impl Collection for Routes {
    type Key = RouteRef;
    type Row = Route;
    const TABLE: TableDefinition<'static, RouteRef, &'static [u8]> = ROUTES;

    fn read(key: (&str, &str, u128), value: &[u8]) -> Result<Route, StoreError> {
        route_key(key)
            .and_then(|key| decode_route(key, value))
            .map_err(|bad| corrupt("routes", name(key), bad))
    }

    fn keep(row: Route, view: &mut View) {
        view.routes.insert(row.key.clone(), row);
    }
}

pub(super) fn route_key((project, tool, route): (&str, &str, u128)) -> Result<RouteKey, Bad> {
    let project = id(project, ProjectId::new, "project")?;
    Ok(RouteKey { project, tool: id(tool, ToolName::new, "tool")?, id: RouteId(route) })
}

/// What an error calls a row.
pub(super) fn name((project, tool, id): (&str, &str, u128)) -> String {
    format!("{:?}", (project, tool, RouteId(id).to_string()))
}

pub(super) fn parts(key: &RouteKey) -> (&str, &str, u128) {
    (key.project.as_str(), key.tool.as_str(), key.id.0)
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &RouteFilter, view: &mut View) -> Result<(), StoreError> {
    let any = |_: (&str, &str, u128)| true;
    match filter {
        RouteFilter::Key(key) => {
            if let Some(row) = get::<Routes>(&table(tx, ROUTES)?, parts(key))? {
                Routes::keep(row, view);
            }
            Ok(())
        }
        RouteFilter::Id(project, id) => {
            range(tx, project, None, |key| key.2 == id.0, |row| Routes::keep(row, view))
        }
        RouteFilter::Tool(project, tool) => {
            range(tx, project, Some(tool), any, |row| Routes::keep(row, view))
        }
        RouteFilter::Project(project) => {
            range(tx, project, None, any, |row| Routes::keep(row, view))
        }
        RouteFilter::All => keep_all::<Routes>(tx, view),
    }
}

/// The routes of a project, or of one of its tools, whose keys are wanted.
fn range(
    tx: &Tx,
    project: &ProjectId,
    tool: Option<&ToolName>,
    wanted: impl Fn((&str, &str, u128)) -> bool,
    mut keep: impl FnMut(Route),
) -> Result<(), StoreError> {
    let (project, first) = (project.as_str(), tool.map_or("", ToolName::as_str));
    for entry in table(tx, ROUTES)?.range((project, first, 0)..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        let (its_project, its_tool, _) = key.value();
        if its_project != project || tool.is_some_and(|tool| its_tool != tool.as_str()) {
            break;
        }
        if wanted(key.value()) {
            keep(Routes::read(key.value(), value.value())?);
        }
    }
    Ok(())
}

/// Adds the routes of a project in brief.
pub(crate) fn briefs(tx: &Tx, project: &ProjectId, view: &mut View) -> Result<(), StoreError> {
    let all = view.route_briefs.entry(project.clone()).or_default();
    *all = RouteBriefs::default();
    let project = project.as_str();
    for entry in table(tx, ROUTES)?.range((project, "", 0)..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        let (its_project, tool, id) = key.value();
        if its_project != project {
            break;
        }
        route_brief(tool, RouteId(id), value.value())
            .and_then(|brief| all.push(brief).map_err(Bad))
            .map_err(|bad| corrupt("routes", name(key.value()), bad))?;
    }
    Ok(())
}

/// How many routes a project has.
pub(crate) fn count(tx: &Tx, project: &ProjectId) -> Result<u64, StoreError> {
    let project = project.as_str();
    let mut found = 0;
    for entry in table(tx, ROUTES)?.range((project, "", 0)..).map_err(from_storage)? {
        if entry.map_err(from_storage)?.0.value().0 != project {
            break;
        }
        found += 1;
    }
    Ok(found)
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Route, RouteKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, ROUTES)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_route(row)?;
                rows.insert(parts(&row.key), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(key) => {
                rows.remove(parts(key)).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
