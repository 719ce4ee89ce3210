//! Projects.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::project::{Project, Told};
use staleness_core::store::{Change, ProjectFilter, StoreError, View};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

// The `+`: see the tools.
macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT +id, +root, +first_seen_at, +last_seen_at, +config_digest, +told, \
             +told_session, +told_from FROM projects",
            $tail
        )
    };
}

const BY_ID: &str = select!(" WHERE id = ?1");
const ALL: &str = select!(" ORDER BY id");
const PUT: &str = "REPLACE INTO projects(id, root, first_seen_at, last_seen_at, config_digest, \
    told, told_session, told_from) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const DELETE: &str = "DELETE FROM projects WHERE id = ?1";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &ProjectFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |project: Project| {
        view.projects.insert(project.id.clone(), project);
        ControlFlow::Continue(())
    };
    match filter {
        ProjectFilter::Id(id) => rows(tx, BY_ID, (id.as_str(),), keep),
        ProjectFilter::All => all(tx, keep),
    }
}

/// Every project in the order of ids.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Project) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Project) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let id: String = row.get(0).unwrap_or_default();
            corrupt("projects", format_args!("{id:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Project, Bad> {
    let mut cells = Cells::new(row);
    Ok(Project {
        id: cells.parsed("id", ProjectId::new)?,
        root: cells.string("root")?,
        first_seen_at: cells.time("first_seen_at")?,
        last_seen_at: cells.time("last_seen_at")?,
        config_digest: cells.digest("config_digest")?,
        told: Told {
            revision: Revision(cells.int("told")?.cast_unsigned()),
            session: cells.maybe_parsed("told_session", SessionId::new)?,
            from: Revision(cells.int("told_from")?.cast_unsigned()),
        },
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Project, ProjectId>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => execute(
                tx,
                PUT,
                (
                    row.id.as_str(),
                    &row.root,
                    row.first_seen_at.as_millis(),
                    row.last_seen_at.as_millis(),
                    row.config_digest.to_be_bytes(),
                    row.told.revision.0.cast_signed(),
                    row.told.session.as_ref().map(SessionId::as_str),
                    row.told.from.0.cast_signed(),
                ),
            )?,
            Change::Delete(id) => execute(tx, DELETE, (id.as_str(),))?,
        };
    }
    Ok(())
}
