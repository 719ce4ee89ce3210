//! Verbs over checked documents: a cache of what was found in them.

mod fit;
mod put;

use std::collections::BTreeSet;

use serde::Serialize;

use super::Registry;
use crate::ids::{DocumentKey, ProjectId};
use crate::knowledge::{Context, Document};
use crate::registry::{Documents, RegistryError};
use crate::store::{DocumentFilter, Selection};
use crate::time::Timestamp;

/// Documents that one commit writes at most, so that others wait briefly.
const BATCH: usize = 200;

/// The result of [`Documents::put`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DocumentsReport {
    /// Documents whose row was written.
    pub written: usize,
    /// Documents that are as they were, or of which a later check is kept.
    pub kept: usize,
    /// Rows that went because their document is gone.
    pub removed: usize,
    /// Paths of documents with more findings than are kept ([`Document::MAX_FINDINGS_BYTES`]): the worst of
    /// them are in the cache, and the next check looks at these documents again.
    pub too_large: Vec<String>,
}

impl Documents<'_> {
    /// Keeps what a check of documents of one project found. Only what changed is written, and
    /// nothing over the result of a later check. With `paths`, the paths of every document that the
    /// project has, rows of others go, unless a check after `at` wrote them.
    ///
    /// # Errors
    /// Errors of the store; batches that were written stay.
    pub async fn put(
        self,
        project: &ProjectId,
        documents: Vec<Document>,
        paths: Option<BTreeSet<String>>,
        at: Timestamp,
    ) -> Result<DocumentsReport, RegistryError> {
        let mut report = DocumentsReport::default();
        let context = Context::new(at, &self.0.policy.knowledge, None, None);
        let mut rows = documents.into_iter().filter(|row| row.key.project == *project);
        loop {
            let mut batch: Vec<Document> = rows.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            for row in &mut batch {
                if fit::to_size(row, &context) {
                    report.too_large.push(row.key.path.clone());
                }
            }
            let all = batch.len();
            let changes = self.0.run(put::PutDocuments { rows: batch }).await?.changes;
            report.written += changes.documents.len();
            report.kept += all - changes.documents.len();
        }
        if let Some(paths) = paths {
            let step = put::DropDocuments { project: project.clone(), paths, at };
            report.removed = self.0.run(step).await?.changes.documents.len();
        }
        Ok(report)
    }

    /// Every document of a project as it was last checked, in the order of paths.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Document>, RegistryError> {
        self.0.seen_documents(DocumentFilter::Project(project.clone())).await
    }

    /// The document with this key as it was last checked.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn read(self, key: DocumentKey) -> Result<Option<Document>, RegistryError> {
        Ok(self.0.seen_documents(DocumentFilter::Key(key)).await?.pop())
    }

    /// The documents of a project that a client loads and against which something was found, in the
    /// order of paths. The store reads no other: for hooks.
    pub async fn loaded(self, project: &ProjectId) -> Result<Vec<Document>, RegistryError> {
        Ok(with_findings(self.0.seen_documents(DocumentFilter::Loaded(project.clone())).await?))
    }

    /// The documents of a project against which something was found, in the order of paths.
    pub async fn flagged(self, project: &ProjectId) -> Result<Vec<Document>, RegistryError> {
        Ok(with_findings(self.0.seen_documents(DocumentFilter::Flagged(project.clone())).await?))
    }
}

impl Registry {
    async fn seen_documents(&self, filter: DocumentFilter) -> Result<Vec<Document>, RegistryError> {
        let view = self.ask(Selection::new().peek(filter)).await?;
        Ok(view.documents.into_values().collect())
    }
}

/// Those of which more is kept than when their files came and were edited.
fn with_findings(mut documents: Vec<Document>) -> Vec<Document> {
    documents.retain(|document| document.found.iter().any(|block| !block.evidence.is_empty()));
    documents
}
