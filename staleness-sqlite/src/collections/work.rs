//! Work items.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{Scope, WorkId, WorkKey};
use staleness_core::store::{Change, StoreError, View, WorkFilter, pack, unpack_list};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! columns {
    () => {
        "scope, id, kind, status, ended, before, text, author, giver, taker, note, generated, \
         created_at, updated_at, expires_at, refs, steps, aging, since"
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
const AGING: &str =
    select!(" INDEXED BY work_open WHERE scope = ?1 AND ended = 0 AND aging = ?2 AND since <= ?3");
const REFERRING: &str = "SELECT rowid, refs FROM work INDEXED BY work_referring \
    WHERE scope = ?1 AND ended = 0 AND refs <> '[]'";
const BY_ROW: &str = select!(" WHERE rowid = ?1");
const ALL: &str = select!(" ORDER BY scope, id");
const PUT: &str = concat!(
    "REPLACE INTO work(",
    columns!(),
    ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
);
const DELETE: &str = "DELETE FROM work WHERE scope = ?1 AND id = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &WorkFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    let keep = |work: Work| {
        found.push((work.key.clone(), work));
        ControlFlow::Continue(())
    };
    match filter {
        WorkFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        WorkFilter::Scope(scope) => rows(tx, BY_SCOPE, (scope.as_key(),), keep),
        WorkFilter::Open(scope) => rows(tx, OPEN, (scope.as_key(),), keep),
        WorkFilter::Aging { scope, aging, until } => {
            rows(tx, AGING, (scope.as_key(), aging.as_str(), until.as_millis()), keep)
        }
        WorkFilter::Referring { scope, to } => referring(tx, scope, to, keep),
        WorkFilter::All => all(tx, keep),
    }?;
    // Indexes give them in another order than that of keys: a map of many is built at once.
    if view.work.is_empty() {
        view.work = found.into_iter().collect();
    } else {
        view.work.extend(found);
    }
    Ok(())
}

/// What refers to any of `to`. Which rows do is decided on the index alone.
fn referring(
    tx: &Transaction<'_>,
    scope: &Scope,
    to: &BTreeSet<String>,
    mut visit: impl FnMut(Work) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    each(tx, REFERRING, (scope.as_key(),), |row| {
        let mut cells = Cells::new(row);
        let (id, refs) = cells
            .int("rowid")
            .and_then(|id| Ok((id, cells.parsed("refs", unpack_list::<Vec<String>>)?)))
            .map_err(|bad| corrupt("work", row.get::<_, i64>(0).unwrap_or_default(), bad))?;
        if refs.iter().any(|other| to.contains(other)) {
            found.push(id);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    found.into_iter().try_for_each(|id| rows(tx, BY_ROW, (id,), &mut visit))
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
    let work = Work {
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
        refs: cells.parsed("refs", unpack_list)?,
        steps: cells.parsed("steps", unpack_list)?,
    };
    let aging = cells.maybe_str("aging")?;
    let since = cells.maybe_int("since")?;
    if (aging, since) == aged(&work).unzip() { Ok(work) } else { Err(Bad("aging")) }
}

/// What the columns `aging` and `since` say of a row.
fn aged(row: &Work) -> Option<(&'static str, i64)> {
    row.aging().map(|(aging, since)| (aging.as_str(), since.as_millis()))
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
        }
    }
    Ok(())
}

fn put(tx: &Transaction<'_>, row: &Work) -> Result<(), StoreError> {
    let (scope, id) = words(&row.key);
    let (aging, since) = aged(row).unzip();
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
        aging,
        since,
    ];
    execute(tx, PUT, params).map(drop)
}

fn words(key: &WorkKey) -> (&str, &str) {
    (key.scope.as_key(), key.id.as_str())
}
