//! Verifying what is stored.

use std::ops::ControlFlow;

use staleness_core::journal::Revision;
use staleness_core::store::StoreError;

use crate::collections::{each, journal, meta, outcomes, table};
use crate::transaction::Transaction;

/// Messages of SQLite's own check that are reported at most.
const MESSAGES: usize = 10;

/// Structure, every record, and what holds between them, in the connection's transaction.
pub(crate) fn check(tx: &Transaction<'_>) -> Result<(), StoreError> {
    structure(tx)?;
    let meta = meta::load(tx, true)?;
    macro_rules! all {
        ($($field:ident: $row:ty,)*) => {
            $(table::all(tx, &mut |_: $row| ControlFlow::Continue(()))?;)*
        };
    }
    staleness_core::collections!(all);
    outcomes::all(tx, |_| ControlFlow::Continue(()))?;
    revisions(tx, meta.revision)
}

/// Pages, indexes, and the types of STRICT tables. The messages name tables, indexes and row
/// numbers.
fn structure(tx: &Transaction<'_>) -> Result<(), StoreError> {
    let mut found = Vec::new();
    each(tx, "PRAGMA integrity_check(10)", (), |row| {
        let message: String = row.get(0).map_err(crate::error::from_sqlite)?;
        if message != "ok" && found.len() < MESSAGES {
            found.push(message);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if found.is_empty() { Ok(()) } else { Err(StoreError::Corrupt(found.join("; "))) }
}

/// The journal ends at the store's revision, and each commit's entries are counted from 0.
fn revisions(tx: &Transaction<'_>, revision: Revision) -> Result<(), StoreError> {
    let mut last = (Revision(0), 0);
    let mut gap = None;
    journal::all(tx, |entry| {
        let (before, index) = last;
        let follows =
            if entry.revision == before { entry.index == index + 1 } else { entry.index == 0 };
        last = (entry.revision, entry.index);
        if follows {
            ControlFlow::Continue(())
        } else {
            gap = Some(last);
            ControlFlow::Break(())
        }
    })?;
    if let Some((at, index)) = gap {
        return Err(StoreError::Corrupt(format!(
            "journal {at}.{index}: an entry before it is missing"
        )));
    }
    if last.0 > revision {
        return Err(StoreError::Corrupt(format!(
            "the journal holds revision {} beyond {revision}",
            last.0
        )));
    }
    Ok(())
}
