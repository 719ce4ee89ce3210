//! Cursors.

use staleness_core::ids::SessionId;
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::CursorFilter;

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

impl Table for Cursor {
    const TABLE: &'static str = "cursors";
    const COLUMNS: &'static str = "project, agent, revision, session, moved_at";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, agent";

    fn condition(filter: &CursorFilter) -> Where {
        match filter {
            CursorFilter::Project(project) => {
                Where::new("project = $2", vec![Arg::text(project.as_str())])
            }
            CursorFilter::Key(_) | CursorFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        Ok(Self {
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

    fn put(&self, batch: &mut Batch) {
        batch.bits(self.revision.0);
        batch.maybe_text(self.session.as_ref().map(SessionId::as_str));
        batch.time(self.moved_at);
    }
}
