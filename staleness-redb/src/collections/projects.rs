//! Projects.

use redb::TableDefinition;
use staleness_core::ids::ProjectId;
use staleness_core::project::Project;
use staleness_core::store::{Change, ProjectFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::corrupt;
use crate::error::from_storage;
use crate::records::{decode_project, encode_project, id};
use crate::session::Tx;
use crate::tables::PROJECTS;

/// The collection.
#[derive(Debug)]
pub(crate) struct Projects;

impl Collection for Projects {
    type Key = &'static str;
    type Row = Project;
    const TABLE: TableDefinition<'static, &'static str, &'static [u8]> = PROJECTS;

    fn read(key: &str, value: &[u8]) -> Result<Project, StoreError> {
        id(key, ProjectId::new, "id")
            .and_then(|id| decode_project(id, value))
            .map_err(|bad| corrupt("projects", format_args!("{key:?}"), bad))
    }

    fn keep(row: Project, view: &mut View) {
        view.projects.insert(row.id.clone(), row);
    }
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &ProjectFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        ProjectFilter::Id(id) => {
            if let Some(row) = get::<Projects>(&table(tx, PROJECTS)?, id.as_str())? {
                Projects::keep(row, view);
            }
            Ok(())
        }
        ProjectFilter::All => keep_all::<Projects>(tx, view),
        _ => Err(StoreError::Unsupported("this filter of projects")),
    }
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Project, ProjectId>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut projects = table(tx, PROJECTS)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_project(row)?;
                projects.insert(row.id.as_str(), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(id) => {
                projects.remove(id.as_str()).map_err(from_storage)?;
            }
            _ => return Err(StoreError::Unsupported("this change of a project")),
        }
    }
    Ok(())
}
