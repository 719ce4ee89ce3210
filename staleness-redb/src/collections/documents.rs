//! Documents, and the index of those against which something was found.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{DocumentKey, ProjectId};
use staleness_core::knowledge::Document;
use staleness_core::store::{DocumentFilter, StoreError, View};

use super::rows::{Indexes, Rows, Stored, TEXT_PAGE, Words, keep_indexed, range};
use super::{Once, table};
use crate::codec::Bad;
use crate::error::from_storage;
use crate::records::{decode_document, encode_document, id};
use crate::tables::{DOCUMENTS, DOCUMENTS_FLAGGED, DocumentRef, Tx};

impl Stored for Document {
    type Words = DocumentRef;
    type Indexes<'t> = Flagged<'t>;
    const ROWS: TableDefinition<'static, DocumentRef, &'static [u8]> = DOCUMENTS;
    const PAGE: usize = TEXT_PAGE;

    fn words(key: &DocumentKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.project.as_str(), &key.path))
    }

    fn decode(&(project, path): &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        let project = id(project, ProjectId::new, "project")?;
        decode_document(DocumentKey { project, path: path.to_owned() }, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_document(self)
    }

    fn find(
        tx: &Tx,
        rows: &Rows<'_, Self>,
        filter: &DocumentFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            DocumentFilter::Project(project) => {
                let first = project.as_str();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            DocumentFilter::Loaded(project) => flagged(tx, project, true, rows, view),
            DocumentFilter::Flagged(project) => flagged(tx, project, false, rows, view),
            DocumentFilter::Key(_) | DocumentFilter::All => Ok(()),
        }
    }
}

/// Those with findings; those that a client loads come last.
fn flagged(
    tx: &Tx,
    project: &ProjectId,
    loaded: bool,
    rows: &Rows<'_, Document>,
    view: &mut View,
) -> Result<(), StoreError> {
    let project = project.as_str();
    let index = table(tx, DOCUMENTS_FLAGGED)?;
    for entry in index.range((project, loaded, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        let (its_project, _, path) = key.value();
        if its_project != project {
            break;
        }
        keep_indexed::<Document>(rows, &(project, path), view)?;
    }
    Ok(())
}

/// The index.
pub(crate) struct Flagged<'t>(Once<'t, (&'static str, bool, &'static str), ()>);

impl<'t> Indexes<'t, Document> for Flagged<'t> {
    fn new(tx: &'t Tx) -> Self {
        Self(Once::new(tx, DOCUMENTS_FLAGGED))
    }

    fn change(
        &mut self,
        before: Option<&Document>,
        after: Option<&Document>,
    ) -> Result<(), StoreError> {
        let is_in = |row: Option<&Document>, loaded| {
            row.is_some_and(|row| !row.found.is_empty() && row.loaded == loaded)
        };
        let Some(key) = after.or(before).map(|row| &row.key) else { return Ok(()) };
        for loaded in [false, true] {
            let key = (key.project.as_str(), loaded, key.path.as_str());
            self.0.set(key, is_in(before, loaded), is_in(after, loaded))?;
        }
        Ok(())
    }
}
