//! Sessions.

use staleness_core::journal::Revision;
use staleness_core::session::{Session, SessionKey};
use staleness_core::store::SessionFilter;

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

impl Table for Session {
    const TABLE: &'static str = "sessions";
    const COLUMNS: &'static str =
        "project, id, agent, started_at, ended_at, from_revision, first_contact";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, id";

    fn condition(filter: &SessionFilter) -> Where {
        match filter {
            SessionFilter::Project(project) => {
                Where::new("project = $2", vec![Arg::text(project.as_str())])
            }
            SessionFilter::Key(_) | SessionFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        Ok(Self {
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

    fn put(&self, batch: &mut Batch) {
        batch.text(self.agent.as_str());
        batch.time(self.started_at);
        batch.maybe_time(self.ended_at);
        batch.bits(self.from_revision.0);
        batch.flag(self.first_contact);
    }
}
