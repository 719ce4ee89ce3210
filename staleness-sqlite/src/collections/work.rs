//! Work items.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use staleness_core::ids::{Scope, WorkId, WorkKey};
use staleness_core::store::{StoreError, View, WorkFilter, pack, unpack_list};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus};

use super::table::{Statements, TEXT_PAGE, Table, Visit, of_first, rows, statements};
use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

statements! {
    work: scope id; kind status ended before text author giver taker note generated created_at
    updated_at expires_at refs steps aging since;
    OPEN " INDEXED BY work_open WHERE scope = ?1 AND ended = 0"
    AGING " INDEXED BY work_open WHERE scope = ?1 AND ended = 0 AND aging = ?2 AND since <= ?3"
    BY_ROW " WHERE rowid = ?1"
}

static REFERRING: &str = "SELECT rowid, refs FROM work INDEXED BY work_referring \
    WHERE scope = ?1 AND ended = 0 AND refs <> '[]'";

impl Table for Work {
    type Columns<'k> = (&'k str, &'k str);

    const PAGE: usize = TEXT_PAGE;

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &WorkKey) -> Self::Columns<'_> {
        (key.scope.as_key(), key.id.as_str())
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let key = WorkKey { scope: cells.scope("scope")?, id: cells.parsed("id", WorkId::new)? };
        let kind = cells.parsed("kind", WorkKind::from_word)?;
        let status = cells.parsed("status", WorkStatus::from_word)?;
        // The filters trust it.
        if cells.flag("ended")? == status.is_open() {
            return Err(Bad("ended"));
        }
        let work = Self {
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

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (scope, id) = Self::columns(&self.key);
        let (aging, since) = aged(self).unzip();
        let params = rusqlite::params![
            scope,
            id,
            self.kind.as_str(),
            self.status.as_str(),
            !self.status.is_open(),
            self.before.map(WorkStatus::as_str),
            self.text,
            self.author,
            self.from,
            self.to,
            self.note.as_str(),
            self.generated,
            self.created_at.as_millis(),
            self.updated_at.as_millis(),
            self.expires_at.map(|at| at.as_millis()),
            pack(&self.refs),
            pack(&self.steps),
            aging,
            since,
        ];
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &WorkFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            WorkFilter::Scope(scope) => of_first(tx, scope.as_key(), visit),
            WorkFilter::Open(scope) => rows(tx, OPEN, (scope.as_key(),), visit),
            WorkFilter::Aging { scope, aging, until } => {
                rows(tx, AGING, (scope.as_key(), aging.as_str(), until.as_millis()), visit)
            }
            WorkFilter::Referring { scope, to } => referring(tx, scope, to, visit),
            WorkFilter::Key(_) | WorkFilter::All => Ok(()),
        }
    }
}

/// What refers to any of `to`. Which rows do is decided on the index alone.
fn referring(
    tx: &Transaction<'_>,
    scope: &Scope,
    to: &BTreeSet<String>,
    visit: Visit<'_, Work>,
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
    found.into_iter().try_for_each(|id| rows(tx, BY_ROW, (id,), visit))
}

/// What the columns `aging` and `since` say of a row.
fn aged(row: &Work) -> Option<(&'static str, i64)> {
    row.aging().map(|(aging, since)| (aging.as_str(), since.as_millis()))
}
