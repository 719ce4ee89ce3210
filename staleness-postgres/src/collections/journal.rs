//! The journal.

use std::collections::BTreeSet;

use staleness_core::ids::{AgentId, OpId, SessionId, stable_hash};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use staleness_core::store::{JournalFilter, StoreError, View};
use tokio_postgres::Row;

use super::outcomes::{clamped, numbered};
use crate::cells::{Bad, Cells, corrupt};
use crate::table::with;
use crate::values::{Arg, Batch, Statement, stored};

pub(super) const COLUMNS: &str = "at, subject_key, kind, scope, subject, action, before, after, \
    cause, note, session, actor, op";

/// The statements that load what filters name. Those that name ops are one statement together.
pub(crate) fn statements(
    workspace: &str,
    filters: &[JournalFilter],
) -> Result<Vec<Statement>, StoreError> {
    let mut ops = BTreeSet::new();
    let mut others = BTreeSet::new();
    for filter in filters {
        match filter {
            JournalFilter::Op(op) => {
                ops.insert(op.as_str());
            }
            other => {
                others.insert(other);
            }
        }
    }
    let mut all = Vec::new();
    if !ops.is_empty() {
        let texts = ops.into_iter().map(|op| Some(stored(op).into_owned())).collect();
        all.push(selecting(workspace, "AND op = ANY($2)", vec![Arg::Texts(texts)]));
    }
    for filter in others {
        all.push(select(workspace, filter)?);
    }
    Ok(all)
}

fn select(workspace: &str, filter: &JournalFilter) -> Result<Statement, StoreError> {
    let (condition, args) = match filter {
        JournalFilter::Subject { subject, limit } => (
            "AND subject_key = $2 ORDER BY revision DESC, idx DESC LIMIT $3",
            vec![Arg::Blob(hashed(subject).to_be_bytes().to_vec()), Arg::Int((*limit).into())],
        ),
        JournalFilter::Since { after, scope } => (
            "AND scope = $2 AND revision > $3",
            vec![Arg::text(scope.as_key()), Arg::Int(clamped(after.0))],
        ),
        JournalFilter::All => ("", Vec::new()),
        _ => return Err(StoreError::Unsupported("this filter of the journal")),
    };
    Ok(selecting(workspace, condition, args))
}

fn selecting(workspace: &str, condition: &str, args: Vec<Arg>) -> Statement {
    let sql = format!(
        "SELECT revision, idx, {COLUMNS} FROM staleness.journal WHERE workspace = $1 {condition}"
    );
    Statement { sql, args: with(workspace, args) }
}

/// Every entry in order.
pub(crate) fn select_all(workspace: &str) -> Statement {
    selecting(workspace, "ORDER BY revision, idx", Vec::new())
}

/// Adds a row to a view.
pub(crate) fn keep(row: &Row, view: &mut View) -> Result<(), StoreError> {
    let entry = read(row)?;
    view.journal.insert((entry.revision, entry.index), entry);
    Ok(())
}

/// Reads a row.
pub(crate) fn read(row: &Row) -> Result<JournalEntry, StoreError> {
    cells(&mut Cells::new(row)).map_err(|bad| corrupt("journal", row, 2, bad))
}

fn cells(cells: &mut Cells<'_>) -> Result<JournalEntry, Bad> {
    let (revision, index) = (Revision(cells.small("revision")?), cells.small("idx")?);
    let at = cells.time("at")?;
    let key = cells.digest("subject_key")?;
    let subject = Subject {
        kind: cells.parsed("kind", SubjectKind::from_word)?,
        scope: cells.scope("scope")?,
        id: cells.string("subject")?,
    };
    if hashed(&subject) != key {
        return Err(Bad("subject_key"));
    }
    Ok(JournalEntry {
        revision,
        index,
        at,
        subject,
        action: cells.parsed("action", Action::from_word)?,
        from: cells.maybe_string("before")?,
        to: cells.maybe_string("after")?,
        cause: cells.string("cause")?,
        note: cells.maybe_string("note")?,
        session: cells.maybe_id("session")?,
        actor: cells.maybe_id("actor")?,
        op: cells.maybe_id("op")?,
    })
}

/// What stands for a subject: neither words nor scopes hold control characters.
fn hashed(subject: &Subject) -> u128 {
    let parts = [subject.kind.as_str(), "\0", subject.scope.as_key(), "\0", &subject.id];
    stable_hash(parts.concat().as_bytes())
}

/// The statement that removes the entries of revisions, if any.
pub(crate) fn remove(workspace: &str, revisions: &[Revision]) -> Option<Statement> {
    let all = revisions.iter().map(|revision| Some(clamped(revision.0))).collect();
    (!revisions.is_empty()).then(|| Statement {
        sql: "DELETE FROM staleness.journal WHERE workspace = $1 AND revision = ANY($2)".into(),
        args: with(workspace, vec![Arg::Ints(all)]),
    })
}

/// The statements that append entries, all of them at the workspace's revision, which the same
/// transaction has raised already.
pub(crate) fn append(workspace: &str, entries: &[JournalEntry]) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut batch = Batch::default();
    for (index, row) in entries.iter().enumerate() {
        batch.time(row.at);
        batch.blob(hashed(&row.subject).to_be_bytes());
        batch.text(row.subject.kind.as_str());
        batch.text(row.subject.scope.as_key());
        batch.text(&row.subject.id);
        batch.text(row.action.as_str());
        batch.maybe_text(row.from.as_deref());
        batch.maybe_text(row.to.as_deref());
        batch.text(&row.cause);
        batch.maybe_text(row.note.as_deref());
        batch.maybe_text(row.session.as_ref().map(SessionId::as_str));
        batch.maybe_text(row.actor.as_ref().map(AgentId::as_str));
        batch.maybe_text(row.op.as_ref().map(OpId::as_str));
        batch.end_row();
        if batch.is_full() || index + 1 == entries.len() {
            let first = clamped((index + 1 - batch.rows()) as u64);
            statements.push(numbered(
                "journal",
                "w.revision, $2 + n - 1",
                workspace,
                first,
                &mut batch,
            ));
        }
    }
    statements
}
