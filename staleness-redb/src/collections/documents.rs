//! Documents, and the index of those against which something was found.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{DocumentKey, ProjectId};
use staleness_core::knowledge::Document;
use staleness_core::store::{Change, DocumentFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_document, encode_document, flagged, id};
use crate::session::Tx;
use crate::tables::{DOCUMENTS, DOCUMENTS_FLAGGED, DocumentRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct Documents;

impl Collection for Documents {
    type Key = DocumentRef;
    type Row = Document;
    const TABLE: TableDefinition<'static, DocumentRef, &'static [u8]> = DOCUMENTS;

    fn read((project, path): (&str, &str), value: &[u8]) -> Result<Document, StoreError> {
        id(project, ProjectId::new, "project")
            .and_then(|project| {
                decode_document(DocumentKey { project, path: path.to_owned() }, value)
            })
            .map_err(|bad| corrupt("documents", format_args!("{:?}", (project, path)), bad))
    }

    fn keep(row: Document, view: &mut View) {
        view.documents.insert(row.key.clone(), row);
    }
}

fn words(key: &DocumentKey) -> (&str, &str) {
    (key.project.as_str(), &key.path)
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &DocumentFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        DocumentFilter::Key(key) => {
            if let Some(row) = get::<Documents>(&table(tx, DOCUMENTS)?, words(key))? {
                Documents::keep(row, view);
            }
            Ok(())
        }
        DocumentFilter::Project(project) => {
            let project = project.as_str();
            for entry in table(tx, DOCUMENTS)?.range((project, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != project {
                    break;
                }
                Documents::keep(Documents::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        DocumentFilter::Loaded(project) => by_index(tx, project, true, view),
        DocumentFilter::Flagged(project) => by_index(tx, project, false, view),
        DocumentFilter::All => keep_all::<Documents>(tx, view),
    }
}

fn by_index(tx: &Tx, project: &ProjectId, loaded: bool, view: &mut View) -> Result<(), StoreError> {
    let project = project.as_str();
    let (rows, index) = (table(tx, DOCUMENTS)?, table(tx, DOCUMENTS_FLAGGED)?);
    for entry in index.range((project, loaded, "")..).map_err(from_storage)? {
        let (key, ()) = entry.map(|(key, value)| (key, value.value())).map_err(from_storage)?;
        let (its_project, _, path) = key.value();
        if its_project != project {
            break;
        }
        match get::<Documents>(&rows, (project, path))? {
            Some(row) => Documents::keep(row, view),
            None => {
                return Err(corrupt(
                    "documents",
                    format_args!("{:?}", (project, path)),
                    Bad("the row"),
                ));
            }
        }
    }
    Ok(())
}

/// Writes the changes, and of the index what really changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Document, DocumentKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let (mut rows, mut index) = (table(tx, DOCUMENTS)?, table(tx, DOCUMENTS_FLAGGED)?);
    for change in changes {
        let (key, after, old) = match change {
            Change::Put(row) => {
                let value = encode_document(row)?;
                let old = rows.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
                (&row.key, (!row.found.is_empty()).then_some(row.loaded), old)
            }
            Change::Delete(key) => (key, None, rows.remove(words(key)).map_err(from_storage)?),
        };
        let (project, path) = words(key);
        let before = old
            .map_or(Ok(None), |old| flagged(old.value()))
            .map_err(|bad| corrupt("documents", format_args!("{:?}", (project, path)), bad))?;
        if before == after {
            continue;
        }
        if let Some(loaded) = before {
            index.remove((project, loaded, path)).map_err(from_storage)?;
        }
        if let Some(loaded) = after {
            index.insert((project, loaded, path), ()).map_err(from_storage)?;
        }
    }
    Ok(())
}
