//! Sources.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{Scope, SourceId};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::{
    Change, SourceFilter, StoreError, View, level_from_number, level_to_number,
};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT scope, client, level, part, path, state, found, digest, readings, \
             last_read_at, last_scan_at FROM sources",
            $tail
        )
    };
}

const BY_ID: &str = select!(" WHERE scope = ?1 AND client = ?2 AND level = ?3 AND part = ?4");
const BY_SCOPE: &str = select!(" WHERE scope = ?1");
const ALL: &str = select!(" ORDER BY scope, client, level, part");
const PUT: &str = "REPLACE INTO sources(scope, client, level, part, path, state, found, digest, \
    readings, last_read_at, last_scan_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
const DELETE: &str =
    "DELETE FROM sources WHERE scope = ?1 AND client = ?2 AND level = ?3 AND part = ?4";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &SourceFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |source: Source| {
        view.sources.insert(source.id.clone(), source);
        ControlFlow::Continue(())
    };
    match filter {
        SourceFilter::Id(id) => rows(tx, BY_ID, key(id), keep),
        SourceFilter::Scope(scope) => rows(tx, BY_SCOPE, (scope.as_key(),), keep),
        SourceFilter::All => all(tx, keep),
    }
}

/// Every source in the order of identities.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Source) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Source) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let level = row.get::<_, i64>(2).unwrap_or(-1);
            let key = (text(0), text(1), level, text(3));
            corrupt("sources", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Source, Bad> {
    let mut cells = Cells::new(row);
    let scope = cells.scope("scope")?;
    Ok(Source {
        id: SourceId {
            project: match scope {
                Scope::Global => None,
                Scope::Project(id) => Some(id),
            },
            client: cells.string("client")?,
            level: level_from_number(cells.small("level")?).ok_or(Bad("level"))?,
            part: cells.string("part")?,
        },
        path: cells.string("path")?,
        state: cells.parsed("state", SourceState::from_word)?,
        found: cells.small("found")?,
        digest: cells.digest("digest")?,
        readings: cells.int("readings")?.cast_unsigned(),
        last_read_at: cells.maybe_time("last_read_at")?,
        last_scan_at: cells.time("last_scan_at")?,
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Source, SourceId>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (scope, client, level, part) = key(&row.id);
                execute(
                    tx,
                    PUT,
                    (
                        scope,
                        client,
                        level,
                        part,
                        &row.path,
                        row.state.as_str(),
                        row.found,
                        row.digest.to_be_bytes(),
                        row.readings.cast_signed(),
                        row.last_read_at.map(|at| at.as_millis()),
                        row.last_scan_at.as_millis(),
                    ),
                )?
            }
            Change::Delete(id) => execute(tx, DELETE, key(id))?,
        };
    }
    Ok(())
}

fn key(id: &SourceId) -> (&str, &str, u8, &str) {
    let scope = id.project.as_ref().map_or("", |project| project.as_str());
    (scope, &id.client, level_to_number(id.level), &id.part)
}
