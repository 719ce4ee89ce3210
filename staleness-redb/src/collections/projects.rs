//! Projects.

use redb::TableDefinition;
use staleness_core::ids::ProjectId;
use staleness_core::project::Project;
use staleness_core::store::{Change, ProjectFilter, StoreError, View};

use super::{Collection, Once, get, keep_all_of, table};
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

/// Adds what the filters name to the view.
pub(crate) fn load<'f>(
    tx: &Tx,
    filters: impl Iterator<Item = &'f ProjectFilter>,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut projects = Once::new(tx, PROJECTS);
    for filter in filters {
        match filter {
            ProjectFilter::Id(id) => {
                if !view.projects.contains_key(id)
                    && let Some(row) = get::<Projects>(projects.open()?, id.as_str())?
                {
                    Projects::keep(row, view);
                }
            }
            ProjectFilter::All => keep_all_of::<Projects>(projects.open()?, view)?,
        }
    }
    Ok(())
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
        }
    }
    Ok(())
}
