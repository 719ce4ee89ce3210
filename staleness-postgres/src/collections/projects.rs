//! Projects.

use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::project::{Project, Told};
use staleness_core::store::ProjectFilter;

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::Batch;

impl Table for Project {
    const TABLE: &'static str = "projects";
    const COLUMNS: &'static str = "id, root, first_seen_at, last_seen_at, config_digest, told, \
        told_session, told_from";
    const KEY: usize = 1;
    const ORDER: &'static str = "id";

    fn condition(filter: &ProjectFilter) -> Where {
        match filter {
            ProjectFilter::Id(_) | ProjectFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        Ok(Self {
            id: cells.id("id")?,
            root: cells.string("root")?,
            first_seen_at: cells.time("first_seen_at")?,
            last_seen_at: cells.time("last_seen_at")?,
            config_digest: cells.digest("config_digest")?,
            told: Told {
                revision: Revision(cells.bits("told")?),
                session: cells.maybe_id("told_session")?,
                from: Revision(cells.bits("told_from")?),
            },
        })
    }

    fn put_key(key: &ProjectId, batch: &mut Batch) {
        batch.text(key.as_str());
    }

    fn put(&self, batch: &mut Batch) {
        batch.text(&self.root);
        batch.time(self.first_seen_at);
        batch.time(self.last_seen_at);
        batch.blob(self.config_digest.to_be_bytes());
        batch.bits(self.told.revision.0);
        batch.maybe_text(self.told.session.as_ref().map(SessionId::as_str));
        batch.bits(self.told.from.0);
    }
}
