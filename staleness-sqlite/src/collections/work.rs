//! Work items.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{WorkId, WorkKey};
use staleness_core::store::{Change, StoreError, View, WorkFilter, pack, unpack};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! columns {
    () => {
        "scope, id, kind, status, ended, before, text, author, giver, taker, note, generated, \
         created_at, updated_at, expires_at, refs, steps"
    };
}

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT ", columns!(), " FROM work", $tail)
    };
}

const BY_KEY: &str = select!(" WHERE scope = ?1 AND id = ?2");
const BY_SCOPE: &str = select!(" WHERE scope = ?1");
const OPEN: &str = select!(" INDEXED BY work_open WHERE scope = ?1 AND ended = 0");
const ALL: &str = select!(" ORDER BY scope, id");
const PUT: &str = concat!(
    "REPLACE INTO work(",
    columns!(),
    ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
);
const DELETE: &str = "DELETE FROM work WHERE scope = ?1 AND id = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &WorkFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |work: Work| {
        view.work.insert(work.key.clone(), work);
        ControlFlow::Continue(())
    };
    match filter {
        WorkFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        WorkFilter::Scope(scope) => rows(tx, BY_SCOPE, (scope.as_key(),), keep),
        WorkFilter::Open(scope) => rows(tx, OPEN, (scope.as_key(),), keep),
        WorkFilter::All => all(tx, keep),
        _ => Err(StoreError::Unsupported("this filter of work items")),
    }
}

/// Every work item in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Work) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Work) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let key = (text(0), text(1));
            corrupt("work", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Work, Bad> {
    let mut cells = Cells::new(row);
    let key = WorkKey { scope: cells.scope("scope")?, id: cells.parsed("id", WorkId::new)? };
    let kind = cells.parsed("kind", WorkKind::from_word)?;
    let status = cells.parsed("status", WorkStatus::from_word)?;
    // The filters trust it.
    if cells.flag("ended")? == status.is_open() {
        return Err(Bad("ended"));
    }
    Ok(Work {
        key,
        kind,
        status,
        before: cells.maybe_parsed("before", WorkStatus::from_word)?,
        text: cells.string("text")?,
        author: cells.maybe_string("author")?,
        from: cells.maybe_string("giver")?,
        to: cells.maybe_string("taker")?,
        note: cells.parsed("note", NoteType::from_word)?,
        generated: cells.flag("generated")?,
        created_at: cells.time("created_at")?,
        updated_at: cells.time("updated_at")?,
        expires_at: cells.maybe_time("expires_at")?,
        refs: cells.parsed("refs", unpack)?,
        steps: cells.parsed("steps", unpack)?,
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Work, WorkKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => put(tx, row)?,
            Change::Delete(key) => execute(tx, DELETE, words(key)).map(drop)?,
            _ => return Err(StoreError::Unsupported("this change of a work item")),
        }
    }
    Ok(())
}

fn put(tx: &Transaction<'_>, row: &Work) -> Result<(), StoreError> {
    let (scope, id) = words(&row.key);
    let params = rusqlite::params![
        scope,
        id,
        row.kind.as_str(),
        row.status.as_str(),
        !row.status.is_open(),
        row.before.map(WorkStatus::as_str),
        row.text,
        row.author,
        row.from,
        row.to,
        row.note.as_str(),
        row.generated,
        row.created_at.as_millis(),
        row.updated_at.as_millis(),
        row.expires_at.map(|at| at.as_millis()),
        pack(&row.refs),
        pack(&row.steps),
    ];
    execute(tx, PUT, params).map(drop)
}

fn words(key: &WorkKey) -> (&str, &str) {
    (key.scope.as_key(), key.id.as_str())
}
