//! Statements for the journal.

use std::collections::BTreeSet;

use staleness_core::journal::{JournalEntry, Revision};
use staleness_core::store::{JournalFilter, StoreError, View};
use tokio_postgres::Row;

use super::logs::{clamped, read, select};
use crate::table::with;
use crate::values::{Arg, Statement, stored};

/// Returns the statements that load the entries matching the filters. All filters by op share one statement.
pub(crate) fn statements(workspace: &str, filters: &[JournalFilter]) -> Vec<Statement> {
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
        all.push(select::<JournalEntry>(workspace, "AND op = ANY($2)", vec![Arg::Texts(texts)]));
    }
    for filter in others {
        all.push(one(workspace, filter));
    }
    all
}

fn one(workspace: &str, filter: &JournalFilter) -> Statement {
    let (condition, args) = match filter {
        JournalFilter::Subject { subject, limit } => (
            "AND kind = $2 AND scope = $3 AND subject = $4 AND hashtextextended(subject, 0) = \
             hashtextextended($4, 0) ORDER BY revision DESC, idx DESC LIMIT $5",
            vec![
                Arg::text(subject.kind.as_str()),
                Arg::text(subject.scope.as_key()),
                Arg::text(&subject.id),
                Arg::Int((*limit).into()),
            ],
        ),
        JournalFilter::Since { after, scope } => (
            "AND scope = $2 AND revision > $3",
            vec![Arg::text(scope.as_key()), Arg::Int(clamped(after.0))],
        ),
        JournalFilter::All | JournalFilter::Op(_) => ("", Vec::new()),
    };
    select::<JournalEntry>(workspace, condition, args)
}

pub(crate) fn keep(row: &Row, view: &mut View) -> Result<(), StoreError> {
    let entry: JournalEntry = read(row)?;
    view.journal.insert((entry.revision, entry.index), entry);
    Ok(())
}

/// Returns the statement that deletes the entries of these revisions, or `None` if there are none.
pub(crate) fn remove(workspace: &str, revisions: &[Revision]) -> Option<Statement> {
    let all = revisions.iter().map(|revision| Some(clamped(revision.0))).collect();
    (!revisions.is_empty()).then(|| Statement {
        sql: "DELETE FROM staleness.journal WHERE workspace = $1 AND revision = ANY($2)".into(),
        args: with(workspace, vec![Arg::Ints(all)]),
    })
}
