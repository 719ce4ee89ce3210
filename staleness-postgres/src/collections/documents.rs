//! Documents as they were last checked.

use staleness_core::ids::{DocumentKey, ProjectId, stable_hash};
use staleness_core::knowledge::{Block, Document};
use staleness_core::store::{DocumentFilter, StoreError, View, pack, unpack};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Documents;

impl Table for Documents {
    type Row = Document;
    type Key = DocumentKey;
    type Filter = DocumentFilter;

    const NAME: &'static str = "documents";
    const COLUMNS: &'static str =
        "project, key, path, loaded, checked_at, head, digest, blocks, found";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, path";

    fn key(filter: &DocumentFilter) -> Option<&DocumentKey> {
        match filter {
            DocumentFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &DocumentFilter) -> Result<Where, StoreError> {
        let of = |sql, project: &ProjectId| Ok(Where::new(sql, vec![Arg::text(project.as_str())]));
        match filter {
            DocumentFilter::Project(project) => of("project = $2", project),
            DocumentFilter::Loaded(project) => {
                of("project = $2 AND loaded = 1 AND found IS NOT NULL", project)
            }
            DocumentFilter::Flagged(project) => of("project = $2 AND found IS NOT NULL", project),
            DocumentFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of documents")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Document, Bad> {
        let project = cells.id("project")?;
        let hashed = cells.digest("key")?;
        let key = DocumentKey { project, path: cells.string("path")? };
        if stable_hash(key.path.as_bytes()) != hashed {
            return Err(Bad("key"));
        }
        Ok(Document {
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

    fn key_of(row: &Document) -> &DocumentKey {
        &row.key
    }

    fn put(row: &Document, batch: &mut Batch) {
        batch.text(&row.key.path);
        batch.flag(row.loaded);
        batch.time(row.checked_at);
        batch.maybe_text(row.head.as_deref());
        batch.blob(row.digest.to_be_bytes());
        batch.int(row.blocks);
        batch.maybe_text((!row.found.is_empty()).then(|| pack(&row.found)).as_deref());
    }

    fn keep(row: Document, view: &mut View) {
        view.documents.insert(row.key.clone(), row);
    }
}
