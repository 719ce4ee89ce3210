//! Checked documents: a cache of the findings in them.

mod fit;
mod put;

use std::collections::BTreeSet;

use serde::Serialize;

use super::Registry;
use crate::ids::{Caller, DocumentKey, ProjectId};
use crate::knowledge::{Context, Document};
use crate::registry::{Documents, RegistryError};
use crate::store::{DocumentFilter, Selection};
use crate::time::Timestamp;

/// The maximum number of documents per commit, so that other writers wait only briefly.
const BATCH: usize = 200;

/// The result of [`Documents::put`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DocumentsReport {
    /// The number of documents written.
    pub written: usize,
    /// The number of documents that are unchanged or have a later check in the store.
    pub kept: usize,
    /// The number of rows removed because their document no longer exists.
    pub removed: usize,
    /// The paths of documents with too many findings to store ([`Document::MAX_FINDINGS_BYTES`]). Only the worst
    /// findings are in the cache, and the next check reads these documents again.
    pub too_large: Vec<String>,
}

impl Documents<'_> {
    /// Stores the findings of a check of a project's documents. Writes only changes, and never replaces a
    /// later check. If `paths` lists all documents of the project, the rows of other documents are removed,
    /// unless a check after `at` wrote them.
    pub async fn put(
        self,
        project: &ProjectId,
        documents: Vec<Document>,
        paths: Option<BTreeSet<String>>,
        at: Timestamp,
    ) -> Result<DocumentsReport, RegistryError> {
        let mut report = DocumentsReport::default();
        let context = Context::new(at, &self.0.policy.knowledge, Caller::default());
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
            let changes = self.0.run(put::put(batch)).await?.changes;
            report.written += changes.documents.len();
            report.kept += all - changes.documents.len();
        }
        if let Some(paths) = paths {
            let step = put::drop_others(project.clone(), paths, at);
            report.removed = self.0.run(step).await?.changes.documents.len();
        }
        Ok(report)
    }

    /// Returns the results of the last check of every document of a project, by path.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Document>, RegistryError> {
        self.0.seen_documents(DocumentFilter::Project(project.clone())).await
    }

    /// Returns the result of the last check of one document. `None` if it was never checked.
    pub async fn read(self, key: DocumentKey) -> Result<Option<Document>, RegistryError> {
        Ok(self.0.seen_documents(DocumentFilter::Key(key)).await?.pop())
    }
}

impl Registry {
    async fn seen_documents(&self, filter: DocumentFilter) -> Result<Vec<Document>, RegistryError> {
        let view = self.ask(Selection::new().peek(filter)).await?;
        Ok(view.documents.into_values().collect())
    }
}
