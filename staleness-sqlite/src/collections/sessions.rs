//! Sessions.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{AgentId, ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::session::{Session, SessionKey};
use staleness_core::store::{Change, SessionFilter, StoreError, View};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT project, id, agent, started_at, ended_at, from_revision, first_contact \
             FROM sessions",
            $tail
        )
    };
}

const BY_KEY: &str = select!(" WHERE project = ?1 AND id = ?2");
const OF_PROJECT: &str = select!(" WHERE project = ?1");
const ALL: &str = select!(" ORDER BY project, id");
const PUT: &str = "REPLACE INTO sessions(project, id, agent, started_at, ended_at, from_revision, \
    first_contact) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const DELETE: &str = "DELETE FROM sessions WHERE project = ?1 AND id = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &SessionFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |session: Session| {
        view.sessions.insert(session.key.clone(), session);
        ControlFlow::Continue(())
    };
    match filter {
        SessionFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        SessionFilter::Project(project) => rows(tx, OF_PROJECT, (project.as_str(),), keep),
        SessionFilter::All => all(tx, keep),
    }
}

/// Every session in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Session) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Session) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let key = (text(0), text(1));
            corrupt("sessions", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Session, Bad> {
    let mut cells = Cells::new(row);
    Ok(Session {
        key: SessionKey {
            project: cells.parsed("project", ProjectId::new)?,
            id: cells.parsed("id", SessionId::new)?,
        },
        agent: cells.parsed("agent", AgentId::new)?,
        started_at: cells.time("started_at")?,
        ended_at: cells.maybe_time("ended_at")?,
        from_revision: Revision(cells.int("from_revision")?.cast_unsigned()),
        first_contact: cells.flag("first_contact")?,
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Session, SessionKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (project, id) = words(&row.key);
                execute(
                    tx,
                    PUT,
                    (
                        project,
                        id,
                        row.agent.as_str(),
                        row.started_at.as_millis(),
                        row.ended_at.map(|at| at.as_millis()),
                        row.from_revision.0.cast_signed(),
                        row.first_contact,
                    ),
                )?
            }
            Change::Delete(key) => execute(tx, DELETE, words(key))?,
        };
    }
    Ok(())
}

fn words(key: &SessionKey) -> (&str, &str) {
    (key.project.as_str(), key.id.as_str())
}
