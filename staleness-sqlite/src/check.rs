//! Verifies stored data.

use std::ops::ControlFlow;

use staleness_core::journal::{JournalCheck, JournalEntry};
use staleness_core::outcome::Outcome;
use staleness_core::store::StoreError;
use staleness_core::store::table::Record as _;

use crate::collections::meta::Meta;
use crate::collections::{each, meta, rows};
use crate::transaction::Transaction;

/// Verifies file structure, all records and their relations in the connection's transaction.
pub(crate) fn check(tx: &Transaction<'_>) -> Result<(), StoreError> {
    structure(tx)?;
    let meta = meta::load(tx)?;
    meta::generation(tx)?;
    macro_rules! all {
        ($($field:ident: $row:ty,)*) => {
            $(rows::all(tx, <$row>::verify, &mut |_: $row| ControlFlow::Continue(()))?;)*
        };
    }
    staleness_core::collections!(all);
    rows::all(tx, Outcome::verify, &mut |_| ControlFlow::Continue(()))?;
    revisions(tx, meta)
}

/// Verifies pages, indexes and the types in STRICT tables. Messages name tables, indexes and row numbers.
fn structure(tx: &Transaction<'_>) -> Result<(), StoreError> {
    let mut found = Vec::new();
    each(tx, "PRAGMA integrity_check(10)", (), |row| {
        let message: String = row.get(0).map_err(crate::error::from_sqlite)?;
        if message != "ok" {
            found.extend(message.lines().map(str::to_owned));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    // A line of asterisks contains the name of the database.
    if found.len() > 1 {
        found.retain(|line| !line.starts_with("***"));
    }
    match found.split_first() {
        None => Ok(()),
        Some((first, [])) => Err(StoreError::Corrupt(first.clone())),
        Some((first, rest)) => {
            Err(StoreError::Corrupt(format!("{first}, and {} more of this kind", rest.len())))
        }
    }
}

/// Verifies that every commit above the floor still has its journal entries.
fn revisions(tx: &Transaction<'_>, meta: Meta) -> Result<(), StoreError> {
    let mut check = JournalCheck::default();
    let mut followed = Ok(());
    rows::all(tx, JournalEntry::verify, &mut |entry| {
        followed = check.next(entry.revision, entry.index);
        if followed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let whole = followed.and_then(|()| check.finish(meta.revision, meta.floor.revision));
    whole.map_err(StoreError::Corrupt)
}
