//! The journal.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{AgentId, OpId, SessionId};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use staleness_core::store::{JournalFilter, StoreError, View};

use super::{clamped, each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT revision, idx, at, kind, scope, subject, action, before, after, cause, note, \
             session, actor, op FROM journal",
            $tail
        )
    };
}

const BY_OP: &str = select!(" INDEXED BY journal_op WHERE op = ?1");
const BY_SUBJECT: &str = select!(
    " INDEXED BY journal_subject WHERE kind = ?1 AND scope = ?2 AND subject = ?3 \
     ORDER BY revision DESC, idx DESC LIMIT ?4"
);
const SINCE: &str = select!(" INDEXED BY journal_scope WHERE scope = ?1 AND revision > ?2");
const ALL: &str = select!(" ORDER BY revision, idx");
const APPEND: &str = "INSERT INTO journal(revision, idx, at, kind, scope, subject, action, before, \
    after, cause, note, session, actor, op) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &JournalFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |entry: JournalEntry| {
        view.journal.insert((entry.revision, entry.index), entry);
        ControlFlow::Continue(())
    };
    match filter {
        JournalFilter::Op(op) => rows(tx, BY_OP, (op.as_str(),), keep),
        JournalFilter::Subject { subject, limit } => {
            let Subject { kind, scope, id } = subject;
            rows(tx, BY_SUBJECT, (kind.as_str(), scope.as_key(), id, *limit), keep)
        }
        JournalFilter::Since { after, scope } => {
            rows(tx, SINCE, (scope.as_key(), clamped(after.0)), keep)
        }
        JournalFilter::All => all(tx, keep),
    }
}

/// Every entry in order.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(JournalEntry) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(JournalEntry) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let number = |column: usize| row.get::<_, i64>(column).unwrap_or_default();
            corrupt("journal", format_args!("{}.{}", number(0), number(1)), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<JournalEntry, Bad> {
    let mut cells = Cells::new(row);
    Ok(JournalEntry {
        revision: Revision(cells.small("revision")?),
        index: cells.small("idx")?,
        at: cells.time("at")?,
        subject: Subject {
            kind: cells.parsed("kind", SubjectKind::from_word)?,
            scope: cells.scope("scope")?,
            id: cells.string("subject")?,
        },
        action: cells.parsed("action", Action::from_word)?,
        from: cells.maybe_string("before")?,
        to: cells.maybe_string("after")?,
        cause: cells.string("cause")?,
        note: cells.maybe_string("note")?,
        session: cells.maybe_parsed("session", SessionId::new)?,
        actor: cells.maybe_parsed("actor", AgentId::new)?,
        op: cells.maybe_parsed("op", OpId::new)?,
    })
}

/// Removes the entries of revisions.
pub(crate) fn remove(tx: &Transaction<'_>, revisions: &[Revision]) -> Result<(), StoreError> {
    for revision in revisions {
        execute(tx, "DELETE FROM journal WHERE revision = ?1", (clamped(revision.0),))?;
    }
    Ok(())
}

/// Appends entries that have their numbers.
pub(crate) fn append(tx: &Transaction<'_>, entries: &[JournalEntry]) -> Result<(), StoreError> {
    for row in entries {
        execute(
            tx,
            APPEND,
            (
                clamped(row.revision.0),
                row.index,
                row.at.as_millis(),
                row.subject.kind.as_str(),
                row.subject.scope.as_key(),
                &row.subject.id,
                row.action.as_str(),
                &row.from,
                &row.to,
                &row.cause,
                &row.note,
                row.session.as_ref().map(SessionId::as_str),
                row.actor.as_ref().map(AgentId::as_str),
                row.op.as_ref().map(OpId::as_str),
            ),
        )?;
    }
    Ok(())
}
