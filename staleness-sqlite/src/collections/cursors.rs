//! Cursors.

use staleness_core::ids::{AgentId, ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::{CursorFilter, StoreError, View};

use super::execute;
use super::table::{Statements, Table, Visit, of_first, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! { cursors: project agent; revision session moved_at; }

impl Table for Cursor {
    type Columns<'k> = (&'k str, &'k str);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &CursorKey) -> Self::Columns<'_> {
        (key.project.as_str(), key.agent.as_str())
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            key: CursorKey {
                project: cells.parsed("project", ProjectId::new)?,
                agent: cells.parsed("agent", AgentId::new)?,
            },
            revision: Revision(cells.int("revision")?.cast_unsigned()),
            session: cells.maybe_parsed("session", SessionId::new)?,
            moved_at: cells.time("moved_at")?,
        })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (project, agent) = Self::columns(&self.key);
        let params = (
            project,
            agent,
            self.revision.0.cast_signed(),
            self.session.as_ref().map(SessionId::as_str),
            self.moved_at.as_millis(),
        );
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &CursorFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            CursorFilter::Project(project) => of_first(tx, project.as_str(), visit),
            CursorFilter::Key(_) | CursorFilter::All => Ok(()),
        }
    }
}
