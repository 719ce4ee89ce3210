//! The journal and its three indexes.

use redb::{ReadableTable, Table, TableDefinition};
use staleness_core::journal::{JournalEntry, Revision};
use staleness_core::store::table::Bad;
use staleness_core::store::{JournalFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{decode, encode};
use crate::error::from_storage;
use crate::tables::{EntryRef, JOURNAL, JOURNAL_OP, JOURNAL_SCOPE, JOURNAL_SUBJECT, Tx};

/// The table of journal entries.
#[derive(Debug)]
pub(crate) struct Journal;

impl Collection for Journal {
    type Key = EntryRef;
    type Row = JournalEntry;
    const TABLE: TableDefinition<'static, EntryRef, &'static [u8]> = JOURNAL;
    const PAGE: usize = 1_000;

    fn row(&(revision, index): &EntryRef, value: &[u8]) -> Result<JournalEntry, StoreError> {
        let row: Result<JournalEntry, Bad> = decode(value);
        let row = row.and_then(|row| {
            let same = (row.revision.0, row.index) == (revision, index);
            if same { Ok(row) } else { Err(Bad("key")) }
        });
        row.map_err(|bad| bad.in_row("journal", format_args!("{revision}.{index}")))
    }

    fn keep(row: JournalEntry, view: &mut View) {
        view.journal.insert((row.revision, row.index), row);
    }
}

type Rows<'t> = Table<'t, EntryRef, &'static [u8]>;

const FIRST: EntryRef = (0, 0);
const LAST: EntryRef = (u64::MAX, u32::MAX);

pub(crate) fn load(tx: &Tx, filter: &JournalFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        JournalFilter::Op(op) => {
            let op = op.as_str();
            let (rows, index) = (table(tx, JOURNAL)?, table(tx, JOURNAL_OP)?);
            let found = (op, FIRST.0, FIRST.1)..=(op, LAST.0, LAST.1);
            for entry in index.range(found).map_err(from_storage)? {
                let (_, revision, index) = entry.map_err(from_storage)?.0.value();
                keep_indexed(&rows, (revision, index), view)?;
            }
            Ok(())
        }
        JournalFilter::Subject { subject, limit } => {
            let kind = subject.kind.as_str();
            let (scope, id) = (subject.scope.as_key(), subject.id.as_str());
            let (rows, index) = (table(tx, JOURNAL)?, table(tx, JOURNAL_SUBJECT)?);
            let found = (kind, scope, id, FIRST.0, FIRST.1)..=(kind, scope, id, LAST.0, LAST.1);
            let found = index.range(found).map_err(from_storage)?;
            for entry in found.rev().take(*limit as usize) {
                let (.., revision, index) = entry.map_err(from_storage)?.0.value();
                keep_indexed(&rows, (revision, index), view)?;
            }
            Ok(())
        }
        JournalFilter::Since { after, scope } => {
            let Some(first) = after.0.checked_add(1) else { return Ok(()) };
            let scope = scope.as_key();
            let (rows, index) = (table(tx, JOURNAL)?, table(tx, JOURNAL_SCOPE)?);
            let found = (scope, first, 0)..=(scope, LAST.0, LAST.1);
            for entry in index.range(found).map_err(from_storage)? {
                let (_, revision, index) = entry.map_err(from_storage)?.0.value();
                keep_indexed(&rows, (revision, index), view)?;
            }
            Ok(())
        }
        JournalFilter::All => keep_all::<Journal>(&table(tx, JOURNAL)?, view),
    }
}

fn keep_indexed(rows: &Rows<'_>, key: EntryRef, view: &mut View) -> Result<(), StoreError> {
    match get::<Journal>(rows, &key)? {
        Some(row) => Journal::keep(row, view),
        None => {
            let (revision, index) = key;
            let bad = Bad("the row");
            return Err(bad.in_row("journal", format_args!("{revision}.{index}")));
        }
    }
    Ok(())
}

pub(crate) fn remove(tx: &Tx, revisions: &[Revision]) -> Result<(), StoreError> {
    if revisions.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, JOURNAL)?;
    let mut ops = table(tx, JOURNAL_OP)?;
    let mut subjects = table(tx, JOURNAL_SUBJECT)?;
    let mut scopes = table(tx, JOURNAL_SCOPE)?;
    for Revision(revision) in revisions.iter().copied() {
        let of_commit = (revision, FIRST.1)..=(revision, LAST.1);
        for entry in rows.extract_from_if(of_commit, |_, _| true).map_err(from_storage)? {
            let (key, value) = entry.map_err(from_storage)?;
            let (index, row) = (key.value().1, Journal::row(&key.value(), value.value())?);
            if let Some(op) = &row.op {
                ops.remove((op.as_str(), revision, index)).map_err(from_storage)?;
            }
            let (kind, scope) = (row.subject.kind.as_str(), row.subject.scope.as_key());
            let subject = (kind, scope, row.subject.id.as_str(), revision, index);
            subjects.remove(subject).map_err(from_storage)?;
            scopes.remove((scope, revision, index)).map_err(from_storage)?;
        }
    }
    Ok(())
}

/// Appends entries that are already numbered.
pub(crate) fn append(tx: &Tx, entries: &[JournalEntry]) -> Result<(), StoreError> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, JOURNAL)?;
    let mut ops = table(tx, JOURNAL_OP)?;
    let mut subjects = table(tx, JOURNAL_SUBJECT)?;
    let mut scopes = table(tx, JOURNAL_SCOPE)?;
    for row in entries {
        let value = encode(row)?;
        let (revision, index) = (row.revision.0, row.index);
        let kind = row.subject.kind.as_str();
        let scope = row.subject.scope.as_key();
        rows.insert((revision, index), value.as_slice()).map_err(from_storage)?;
        if let Some(op) = &row.op {
            ops.insert((op.as_str(), revision, index), ()).map_err(from_storage)?;
        }
        let subject = (kind, scope, row.subject.id.as_str(), revision, index);
        subjects.insert(subject, ()).map_err(from_storage)?;
        scopes.insert((scope, revision, index), ()).map_err(from_storage)?;
    }
    Ok(())
}
