//! The steps that store the results of a check.

use std::collections::BTreeSet;

use crate::ids::ProjectId;
use crate::knowledge::Document;
use crate::store::{DocumentFilter, Edit, Selection, Step};
use crate::time::Timestamp;

/// The number of days after which a row is written again although only the time of its check has changed. The stored
/// time is therefore accurate to a day, and checks of unchanged projects rarely write.
pub(crate) const REFRESH_AFTER_DAYS: i64 = 1;

pub(super) fn put(rows: Vec<Document>) -> impl Step {
    let all = Selection::new().lock_keys::<Document>(rows.iter().map(|row| row.key.clone()));
    Edit::new(Timestamp::default(), all, move |draft| {
        for row in &rows {
            if draft.get::<Document>(&row.key).is_none_or(|known| is_news(known, row)) {
                draft.put(row.clone());
            }
        }
        Ok(())
    })
}

/// Returns true if `row` must replace `known`: it is not older, and differs or refreshes the time of the check.
fn is_news(known: &Document, row: &Document) -> bool {
    if row.checked_at < known.checked_at {
        return false;
    }
    let refreshed = Document { checked_at: row.checked_at, ..known.clone() };
    refreshed != *row || known.checked_at <= row.checked_at.minus_days(REFRESH_AFTER_DAYS)
}

/// Removes the rows of documents whose path is not in `paths`, except rows written by a check after `at`.
pub(super) fn drop_others(project: ProjectId, paths: BTreeSet<String>, at: Timestamp) -> impl Step {
    Edit::new(at, Selection::new().lock(DocumentFilter::Project(project)), move |draft| {
        for (key, row) in &draft.view().documents {
            if !paths.contains(&key.path) && row.checked_at <= at {
                draft.delete::<Document>(key);
            }
        }
        Ok(())
    })
}
