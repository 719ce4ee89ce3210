//! Cursors.

use staleness_core::ids::SessionId;
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::{CursorFilter, StoreError, View};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Cursors;

impl Table for Cursors {
    type Row = Cursor;
    type Key = CursorKey;
    type Filter = CursorFilter;

    const NAME: &'static str = "cursors";
    const COLUMNS: &'static str = "project, agent, revision, session, moved_at";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, agent";

    fn key(filter: &CursorFilter) -> Option<&CursorKey> {
        match filter {
            CursorFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &CursorFilter) -> Result<Where, StoreError> {
        match filter {
            CursorFilter::Project(project) => {
                Ok(Where::new("project = $2", vec![Arg::text(project.as_str())]))
            }
            CursorFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of cursors")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Cursor, Bad> {
        Ok(Cursor {
            key: CursorKey { project: cells.id("project")?, agent: cells.id("agent")? },
            revision: Revision(cells.bits("revision")?),
            session: cells.maybe_id("session")?,
            moved_at: cells.time("moved_at")?,
        })
    }

    fn put_key(key: &CursorKey, batch: &mut Batch) {
        batch.text(key.project.as_str());
        batch.text(key.agent.as_str());
    }

    fn key_of(row: &Cursor) -> &CursorKey {
        &row.key
    }

    fn put(row: &Cursor, batch: &mut Batch) {
        batch.bits(row.revision.0);
        batch.maybe_text(row.session.as_ref().map(SessionId::as_str));
        batch.time(row.moved_at);
    }

    fn keep(row: Cursor, view: &mut View) {
        view.cursors.insert(row.key.clone(), row);
    }
}
