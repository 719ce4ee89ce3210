//! Projects.

use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::project::{Project, Told};
use staleness_core::store::{ProjectFilter, StoreError, View};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::Batch;

#[derive(Debug)]
pub(crate) struct Projects;

impl Table for Projects {
    type Row = Project;
    type Key = ProjectId;
    type Filter = ProjectFilter;

    const NAME: &'static str = "projects";
    const COLUMNS: &'static str = "id, root, first_seen_at, last_seen_at, config_digest, told, \
        told_session, told_from";
    const KEY: usize = 1;
    const ORDER: &'static str = "id";

    fn key(filter: &ProjectFilter) -> Option<&ProjectId> {
        match filter {
            ProjectFilter::Id(id) => Some(id),
            _ => None,
        }
    }

    fn condition(filter: &ProjectFilter) -> Result<Where, StoreError> {
        match filter {
            ProjectFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of projects")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Project, Bad> {
        Ok(Project {
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

    fn key_of(row: &Project) -> &ProjectId {
        &row.id
    }

    fn put(row: &Project, batch: &mut Batch) {
        batch.text(&row.root);
        batch.time(row.first_seen_at);
        batch.time(row.last_seen_at);
        batch.blob(row.config_digest.to_be_bytes());
        batch.bits(row.told.revision.0);
        batch.maybe_text(row.told.session.as_ref().map(SessionId::as_str));
        batch.bits(row.told.from.0);
    }

    fn keep(row: Project, view: &mut View) {
        view.projects.insert(row.id.clone(), row);
    }
}
