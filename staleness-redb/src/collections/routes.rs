//! Routes.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ProjectId, ToolName};
use staleness_core::route::{Route, RouteId, RouteKey};
use staleness_core::store::{RouteFilter, StoreError, View};

use super::rows::{Rows, Stored, Words, range};
use super::table;
use crate::codec::Bad;
use crate::error::from_storage;
use crate::records::{decode_route, encode_route, id};
use crate::tables::{ROUTES, RouteRef, Tx};

impl Stored for Route {
    type Words = RouteRef;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, RouteRef, &'static [u8]> = ROUTES;

    fn words(key: &RouteKey) -> Result<Words<'_, Self>, StoreError> {
        Ok(parts(key))
    }

    fn decode(key: &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        decode_route(route_key(*key)?, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_route(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &RouteFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            RouteFilter::Id(project, id) => {
                let first = project.as_str();
                let mut found = View::default();
                range::<Self>(rows, (first, "", 0), |key| key.0 == first, &mut found)?;
                view.routes.extend(found.routes.into_iter().filter(|(key, _)| key.id == *id));
                Ok(())
            }
            RouteFilter::Tool(project, tool) => {
                let (project, tool) = (project.as_str(), tool.as_str());
                range::<Self>(
                    rows,
                    (project, tool, 0),
                    |key| (key.0, key.1) == (project, tool),
                    view,
                )
            }
            RouteFilter::Project(project) => {
                let first = project.as_str();
                range::<Self>(rows, (first, "", 0), |key| key.0 == first, view)
            }
            RouteFilter::Key(_) | RouteFilter::All => Ok(()),
        }
    }

    fn name(key: &Words<'_, Self>) -> String {
        name(*key)
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
