//! Sessions.

use staleness_core::journal::Revision;
use staleness_core::session::{Session, SessionKey};
use staleness_core::store::{SessionFilter, StoreError, View};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Sessions;

impl Table for Sessions {
    type Row = Session;
    type Key = SessionKey;
    type Filter = SessionFilter;

    const NAME: &'static str = "sessions";
    const COLUMNS: &'static str =
        "project, id, agent, started_at, ended_at, from_revision, first_contact";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, id";

    fn key(filter: &SessionFilter) -> Option<&SessionKey> {
        match filter {
            SessionFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &SessionFilter) -> Result<Where, StoreError> {
        match filter {
            SessionFilter::Project(project) => {
                Ok(Where::new("project = $2", vec![Arg::text(project.as_str())]))
            }
            SessionFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of sessions")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Session, Bad> {
        Ok(Session {
            key: SessionKey { project: cells.id("project")?, id: cells.id("id")? },
            agent: cells.id("agent")?,
            started_at: cells.time("started_at")?,
            ended_at: cells.maybe_time("ended_at")?,
            from_revision: Revision(cells.bits("from_revision")?),
            first_contact: cells.flag("first_contact")?,
        })
    }

    fn put_key(key: &SessionKey, batch: &mut Batch) {
        batch.text(key.project.as_str());
        batch.text(key.id.as_str());
    }

    fn key_of(row: &Session) -> &SessionKey {
        &row.key
    }

    fn put(row: &Session, batch: &mut Batch) {
        batch.text(row.agent.as_str());
        batch.time(row.started_at);
        batch.maybe_time(row.ended_at);
        batch.bits(row.from_revision.0);
        batch.flag(row.first_contact);
    }

    fn keep(row: Session, view: &mut View) {
        view.sessions.insert(row.key.clone(), row);
    }
}
