//! Projects.

use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::project::{Project, Told};
use staleness_core::store::{ProjectFilter, StoreError, View};

use super::execute;
use super::table::{Statements, Table, Visit, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! {
    projects: id; root first_seen_at last_seen_at config_digest told told_session told_from;
}

impl Table for Project {
    type Columns<'k> = (&'k str,);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &ProjectId) -> Self::Columns<'_> {
        (key.as_str(),)
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            id: cells.parsed("id", ProjectId::new)?,
            root: cells.string("root")?,
            first_seen_at: cells.time("first_seen_at")?,
            last_seen_at: cells.time("last_seen_at")?,
            config_digest: cells.digest("config_digest")?,
            told: Told {
                revision: Revision(cells.int("told")?.cast_unsigned()),
                session: cells.maybe_parsed("told_session", SessionId::new)?,
                from: Revision(cells.int("told_from")?.cast_unsigned()),
            },
        })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let params = (
            self.id.as_str(),
            &self.root,
            self.first_seen_at.as_millis(),
            self.last_seen_at.as_millis(),
            self.config_digest.to_be_bytes(),
            self.told.revision.0.cast_signed(),
            self.told.session.as_ref().map(SessionId::as_str),
            self.told.from.0.cast_signed(),
        );
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        _: &Transaction<'_>,
        filter: &ProjectFilter,
        _: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            ProjectFilter::Id(_) | ProjectFilter::All => Ok(()),
        }
    }
}
