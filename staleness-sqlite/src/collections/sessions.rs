//! Sessions.

use staleness_core::ids::{AgentId, ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::session::{Session, SessionKey};
use staleness_core::store::{SessionFilter, StoreError, View};

use super::execute;
use super::table::{Statements, Table, Visit, of_first, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! { sessions: project id; agent started_at ended_at from_revision first_contact; }

impl Table for Session {
    type Columns<'k> = (&'k str, &'k str);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &SessionKey) -> Self::Columns<'_> {
        (key.project.as_str(), key.id.as_str())
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
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

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (project, id) = Self::columns(&self.key);
        let params = (
            project,
            id,
            self.agent.as_str(),
            self.started_at.as_millis(),
            self.ended_at.map(|at| at.as_millis()),
            self.from_revision.0.cast_signed(),
            self.first_contact,
        );
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &SessionFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            SessionFilter::Project(project) => of_first(tx, project.as_str(), visit),
            SessionFilter::Key(_) | SessionFilter::All => Ok(()),
        }
    }
}
