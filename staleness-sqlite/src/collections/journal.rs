//! Statements for the journal.

use std::ops::ControlFlow;

use staleness_core::journal::{JournalEntry, Revision};
use staleness_core::store::table::{Cell, Record as _};
use staleness_core::store::{JournalFilter, StoreError, View};

use super::rows::{all, rows, select};
use super::{clamped, execute};
use crate::transaction::Transaction;

pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &JournalFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut keep = |entry: JournalEntry| {
        view.journal.insert((entry.revision, entry.index), entry);
        ControlFlow::Continue(())
    };
    let (index, condition, args) = match filter {
        JournalFilter::Op(op) => ("journal_op", " WHERE op = ?1", vec![Cell::text(op.as_str())]),
        JournalFilter::Subject { subject, limit } => (
            "journal_subject",
            " WHERE kind = ?1 AND scope = ?2 AND subject = ?3 \
             ORDER BY revision DESC, idx DESC LIMIT ?4",
            vec![
                Cell::text(subject.kind.as_str()),
                Cell::text(subject.scope.as_key()),
                Cell::text(&subject.id),
                Cell::int(*limit),
            ],
        ),
        JournalFilter::Since { after, scope } => (
            "journal_scope",
            " WHERE scope = ?1 AND revision > ?2",
            vec![Cell::text(scope.as_key()), Cell::int(clamped(after.0))],
        ),
        JournalFilter::All => return all(tx, JournalEntry::read, &mut keep),
    };
    let sql = select::<JournalEntry>(Some(index), condition);
    rows(tx, &sql, &args, JournalEntry::read, &mut keep)
}

pub(crate) fn remove(tx: &Transaction<'_>, revisions: &[Revision]) -> Result<(), StoreError> {
    for revision in revisions {
        execute(tx, "DELETE FROM journal WHERE revision = ?1", (clamped(revision.0),))?;
    }
    Ok(())
}
