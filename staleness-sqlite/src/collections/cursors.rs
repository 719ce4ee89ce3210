//! Cursors.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{AgentId, ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::{Change, CursorFilter, StoreError, View};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT project, agent, revision, session, moved_at FROM cursors", $tail)
    };
}

const BY_KEY: &str = select!(" WHERE project = ?1 AND agent = ?2");
const OF_PROJECT: &str = select!(" WHERE project = ?1");
const ALL: &str = select!(" ORDER BY project, agent");
const PUT: &str = "REPLACE INTO cursors(project, agent, revision, session, moved_at) \
    VALUES(?1, ?2, ?3, ?4, ?5)";
const DELETE: &str = "DELETE FROM cursors WHERE project = ?1 AND agent = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &CursorFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |cursor: Cursor| {
        view.cursors.insert(cursor.key.clone(), cursor);
        ControlFlow::Continue(())
    };
    match filter {
        CursorFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        CursorFilter::Project(project) => rows(tx, OF_PROJECT, (project.as_str(),), keep),
        CursorFilter::All => all(tx, keep),
    }
}

/// Every cursor in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Cursor) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Cursor) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let key = (text(0), text(1));
            corrupt("cursors", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Cursor, Bad> {
    let mut cells = Cells::new(row);
    Ok(Cursor {
        key: CursorKey {
            project: cells.parsed("project", ProjectId::new)?,
            agent: cells.parsed("agent", AgentId::new)?,
        },
        revision: Revision(cells.int("revision")?.cast_unsigned()),
        session: cells.maybe_parsed("session", SessionId::new)?,
        moved_at: cells.time("moved_at")?,
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Cursor, CursorKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (project, agent) = words(&row.key);
                execute(
                    tx,
                    PUT,
                    (
                        project,
                        agent,
                        row.revision.0.cast_signed(),
                        row.session.as_ref().map(SessionId::as_str),
                        row.moved_at.as_millis(),
                    ),
                )?
            }
            Change::Delete(key) => execute(tx, DELETE, words(key))?,
        };
    }
    Ok(())
}

fn words(key: &CursorKey) -> (&str, &str) {
    (key.project.as_str(), key.agent.as_str())
}
