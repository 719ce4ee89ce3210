//! The steps that store the results of a check.

use std::collections::BTreeSet;

use crate::ids::ProjectId;
use crate::knowledge::Document;
use crate::store::{Decision, DocumentFilter, Draft, Durability, Refusal, Selection, Step, View};
use crate::time::Timestamp;

/// Days after which a row is written again even if only the time of its check changed. So its age is accurate
/// to a day, while checks of unchanged projects rarely write.
pub(crate) const REFRESH_AFTER_DAYS: i64 = 1;

/// Writes checked documents.
#[derive(Debug)]
pub(super) struct PutDocuments {
    pub(super) rows: Vec<Document>,
}

impl Step for PutDocuments {
    fn selection(&self) -> Selection {
        let keys = self.rows.iter().map(|row| row.key.clone());
        keys.fold(Selection::new(), |all, key| all.lock(DocumentFilter::Key(key)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, Timestamp::default());
        for row in &self.rows {
            if draft.get::<Document>(&row.key).is_none_or(|known| is_news(known, row)) {
                draft.put(row.clone());
            }
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Returns true if `row` must replace `known`.
fn is_news(known: &Document, row: &Document) -> bool {
    if row.checked_at < known.checked_at {
        return false;
    }
    let refreshed = Document { checked_at: row.checked_at, ..known.clone() };
    refreshed != *row || known.checked_at <= row.checked_at.minus_days(REFRESH_AFTER_DAYS)
}

/// Removes the rows of documents that no longer exist, except those written by a later check.
#[derive(Debug)]
pub(super) struct DropDocuments {
    pub(super) project: ProjectId,
    /// The paths of existing documents.
    pub(super) paths: BTreeSet<String>,
    pub(super) at: Timestamp,
}

impl Step for DropDocuments {
    fn selection(&self) -> Selection {
        Selection::new().lock(DocumentFilter::Project(self.project.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        for (key, row) in &view.documents {
            if !self.paths.contains(&key.path) && row.checked_at <= self.at {
                draft.delete::<Document>(key);
            }
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
