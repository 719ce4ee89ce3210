//! Documents as they were last checked.

use staleness_core::ids::{DocumentKey, ProjectId};
use staleness_core::knowledge::{Block, Document};
use staleness_core::store::{DocumentFilter, StoreError, View, pack, unpack};

use super::execute;
use super::table::{Statements, TEXT_PAGE, Table, Visit, of_first, rows, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! {
    documents: project path; loaded checked_at head digest blocks found;
    LOADED " INDEXED BY documents_flagged WHERE project = ?1 AND loaded = 1 AND found IS NOT NULL"
    FLAGGED " INDEXED BY documents_flagged WHERE project = ?1 AND found IS NOT NULL"
}

impl Table for Document {
    type Columns<'k> = (&'k str, &'k str);

    const PAGE: usize = TEXT_PAGE;

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &DocumentKey) -> Self::Columns<'_> {
        (key.project.as_str(), &key.path)
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            key: DocumentKey {
                project: cells.parsed("project", ProjectId::new)?,
                path: cells.string("path")?,
            },
            loaded: cells.flag("loaded")?,
            checked_at: cells.time("checked_at")?,
            head: cells.maybe_string("head")?,
            digest: cells.digest("digest")?,
            blocks: cells.small("blocks")?,
            found: match cells.maybe_str("found")? {
                None => Vec::new(),
                // The filters trust that a text holds at least one.
                Some(text) => unpack(text)
                    .filter(|found: &Vec<Block>| !found.is_empty())
                    .ok_or(Bad("found"))?,
            },
        })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (project, path) = Self::columns(&self.key);
        let params = (
            project,
            path,
            self.loaded,
            self.checked_at.as_millis(),
            &self.head,
            self.digest.to_be_bytes(),
            self.blocks,
            (!self.found.is_empty()).then(|| pack(&self.found)),
        );
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &DocumentFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            DocumentFilter::Project(project) => of_first(tx, project.as_str(), visit),
            DocumentFilter::Loaded(project) => rows(tx, LOADED, (project.as_str(),), visit),
            DocumentFilter::Flagged(project) => rows(tx, FLAGGED, (project.as_str(),), visit),
            DocumentFilter::Key(_) | DocumentFilter::All => Ok(()),
        }
    }
}
