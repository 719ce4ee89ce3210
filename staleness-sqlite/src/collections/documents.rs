//! Documents as they were last checked.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{DocumentKey, ProjectId};
use staleness_core::knowledge::{Block, Document};
use staleness_core::store::{Change, DocumentFilter, StoreError, View, pack, unpack};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT project, path, loaded, checked_at, head, digest, blocks, found FROM documents",
            $tail
        )
    };
}

const BY_KEY: &str = select!(" WHERE project = ?1 AND path = ?2");
const OF_PROJECT: &str = select!(" WHERE project = ?1");
const LOADED: &str = select!(
    " INDEXED BY documents_flagged WHERE project = ?1 AND loaded = 1 AND found IS NOT NULL"
);
const FLAGGED: &str =
    select!(" INDEXED BY documents_flagged WHERE project = ?1 AND found IS NOT NULL");
const ALL: &str = select!(" ORDER BY project, path");
const PUT: &str = "REPLACE INTO documents(project, path, loaded, checked_at, head, digest, blocks, \
    found) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const DELETE: &str = "DELETE FROM documents WHERE project = ?1 AND path = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &DocumentFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |document: Document| {
        view.documents.insert(document.key.clone(), document);
        ControlFlow::Continue(())
    };
    match filter {
        DocumentFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        DocumentFilter::Project(project) => rows(tx, OF_PROJECT, (project.as_str(),), keep),
        DocumentFilter::Loaded(project) => rows(tx, LOADED, (project.as_str(),), keep),
        DocumentFilter::Flagged(project) => rows(tx, FLAGGED, (project.as_str(),), keep),
        DocumentFilter::All => all(tx, keep),
    }
}

/// Every document in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Document) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Document) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let key = (text(0), text(1));
            corrupt("documents", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Document, Bad> {
    let mut cells = Cells::new(row);
    Ok(Document {
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
            Some(text) => {
                unpack(text).filter(|found: &Vec<Block>| !found.is_empty()).ok_or(Bad("found"))?
            }
        },
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Document, DocumentKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (project, path) = words(&row.key);
                execute(
                    tx,
                    PUT,
                    (
                        project,
                        path,
                        row.loaded,
                        row.checked_at.as_millis(),
                        &row.head,
                        row.digest.to_be_bytes(),
                        row.blocks,
                        (!row.found.is_empty()).then(|| pack(&row.found)),
                    ),
                )?
            }
            Change::Delete(key) => execute(tx, DELETE, words(key))?,
        };
    }
    Ok(())
}

fn words(key: &DocumentKey) -> (&str, &str) {
    (key.project.as_str(), &key.path)
}
