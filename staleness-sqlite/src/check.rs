//! Verifying what is stored.

use std::ops::ControlFlow;

use rusqlite::Connection;
use staleness_core::journal::Revision;
use staleness_core::store::StoreError;

use crate::collections::{each, journal, meta, outcomes, projects, sources, tools};

/// Messages of SQLite's own check that are reported at most.
const MESSAGES: usize = 10;

/// Structure, every record, and what holds between them, in the connection's transaction.
pub(crate) fn check(conn: &Connection) -> Result<(), StoreError> {
    structure(conn)?;
    let meta = meta::load(conn, true)?;
    projects::all(conn, |_| ControlFlow::Continue(()))?;
    sources::all(conn, |_| ControlFlow::Continue(()))?;
    tools::all(conn, |_| ControlFlow::Continue(()))?;
    outcomes::all(conn, |_| ControlFlow::Continue(()))?;
    revisions(conn, meta.revision)
}

/// Pages, indexes, and the types of STRICT tables. The messages name tables, indexes and row
/// numbers.
fn structure(conn: &Connection) -> Result<(), StoreError> {
    let mut found = Vec::new();
    each(conn, "PRAGMA integrity_check(10)", (), |row| {
        let message: String = row.get(0).map_err(crate::error::from_sqlite)?;
        if message != "ok" && found.len() < MESSAGES {
            found.push(message);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if found.is_empty() { Ok(()) } else { Err(StoreError::Corrupt(found.join("; "))) }
}

/// The journal ends at the store's revision, and each commit's entries are counted from 0.
fn revisions(conn: &Connection, revision: Revision) -> Result<(), StoreError> {
    let mut last = (Revision(0), 0);
    let mut gap = None;
    journal::all(conn, |entry| {
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
