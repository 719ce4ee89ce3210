//! Documents as they were last checked.

use staleness_core::ids::{DocumentKey, ProjectId, stable_hash};
use staleness_core::knowledge::{Block, Document};
use staleness_core::store::{DocumentFilter, pack, unpack};

use crate::cells::{Bad, Cells};
use crate::table::{TEXT_PAGE, Table, Where};
use crate::values::{Arg, Batch};

impl Table for Document {
    const TABLE: &'static str = "documents";
    const COLUMNS: &'static str =
        "project, key, path, loaded, checked_at, head, digest, blocks, found";
    const PAGE: usize = TEXT_PAGE;
    const KEY: usize = 2;
    const ORDER: &'static str = "project, path";

    fn condition(filter: &DocumentFilter) -> Where {
        let of = |sql, project: &ProjectId| Where::new(sql, vec![Arg::text(project.as_str())]);
        match filter {
            DocumentFilter::Project(project) => of("project = $2", project),
            DocumentFilter::Loaded(project) => {
                of("project = $2 AND loaded = 1 AND found IS NOT NULL", project)
            }
            DocumentFilter::Flagged(project) => of("project = $2 AND found IS NOT NULL", project),
            DocumentFilter::Key(_) | DocumentFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        let project = cells.id("project")?;
        let hashed = cells.digest("key")?;
        let key = DocumentKey { project, path: cells.string("path")? };
        if stable_hash(key.path.as_bytes()) != hashed {
            return Err(Bad("key"));
        }
        Ok(Self {
            key,
            loaded: cells.flag("loaded")?,
            checked_at: cells.time("checked_at")?,
            head: cells.maybe_string("head")?,
            digest: cells.digest("digest")?,
            blocks: cells.small("blocks")?,
            found: match cells.maybe_text("found")? {
                None => Vec::new(),
                // The filters trust that a text holds at least one.
                Some(text) => unpack(&text)
                    .filter(|found: &Vec<Block>| !found.is_empty())
                    .ok_or(Bad("found"))?,
            },
        })
    }

    fn put_key(key: &DocumentKey, batch: &mut Batch) {
        batch.text(key.project.as_str());
        batch.blob(stable_hash(key.path.as_bytes()).to_be_bytes());
    }

    fn put(&self, batch: &mut Batch) {
        batch.text(&self.key.path);
        batch.flag(self.loaded);
        batch.time(self.checked_at);
        batch.maybe_text(self.head.as_deref());
        batch.blob(self.digest.to_be_bytes());
        batch.int(self.blocks);
        batch.maybe_text((!self.found.is_empty()).then(|| pack(&self.found)).as_deref());
    }
}
