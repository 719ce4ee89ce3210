//! The single row of `meta`.

use std::ops::ControlFlow;

use staleness_core::journal::{Floor, Revision};
use staleness_core::store::StoreError;
use staleness_core::store::table::{Bad, Cells};

use super::{clamped, each, execute, one};
use crate::cells::cells;
use crate::schema::FORMAT;
use crate::transaction::Transaction;

/// The counters of the store, as read by one transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub(crate) revision: Revision,
    pub(crate) floor: Floor,
    /// The last sequence number ever assigned.
    pub(crate) last_seq: u64,
}

/// The columns read by the statement below.
const COLUMNS: &[&str] = &["format", "revision", "floor", "floor_at", "last_seq"];

const READ: &str = "SELECT format, revision, floor, floor_at, \
    max(last_seq, ifnull((SELECT max(seq) FROM outcomes), 0)) FROM meta";

/// Raises the generation of search data.
pub(crate) const MOVE: &str = "UPDATE meta SET generation = generation + 1";

/// Reads the generation of search data.
pub(crate) fn generation(tx: &Transaction<'_>) -> Result<u64, StoreError> {
    let found: i64 = one(tx, "SELECT generation FROM meta", (), |row| row.get(0))?;
    u64::try_from(found).map_err(|_| Bad("generation").in_row("meta", 1))
}

/// Reads the row, and checks that no newer program has changed the format in the meantime.
pub(crate) fn load(tx: &Transaction<'_>) -> Result<Meta, StoreError> {
    let mut found = None;
    each(tx, READ, (), |row| {
        let cells = cells(row);
        let mut cells = Cells::new(COLUMNS, &cells);
        let mut read = || -> Result<(i64, Meta), Bad> {
            let (format, revision) = (cells.int()?, Revision(cells.small()?));
            let floor = Floor { revision: Revision(cells.small()?), at: cells.time()? };
            Ok((format, Meta { revision, floor, last_seq: cells.small()? }))
        };
        found = Some(read().map_err(|bad| bad.in_row("meta", 1))?);
        Ok(ControlFlow::Break(()))
    })?;
    let (format, meta) =
        found.ok_or_else(|| StoreError::Corrupt("meta 1: the row is missing".into()))?;
    match format {
        FORMAT => Ok(meta),
        newer if newer > FORMAT => Err(too_new(newer)),
        _ => Err(Bad("format").in_row("meta", 1)),
    }
}

/// Returns the error for a store written by a newer program.
pub(crate) fn too_new(found: i64) -> StoreError {
    StoreError::FormatTooNew {
        found: u64::try_from(found).unwrap_or(0),
        supported: FORMAT.unsigned_abs(),
    }
}

/// Writes the counters. The format is not written.
pub(crate) fn store(tx: &Transaction<'_>, meta: Meta) -> Result<(), StoreError> {
    let Meta { revision, floor, last_seq } = meta;
    execute(
        tx,
        "UPDATE meta SET revision = ?1, floor = ?2, floor_at = ?3, last_seq = ?4",
        (clamped(revision.0), clamped(floor.revision.0), floor.at.as_millis(), clamped(last_seq)),
    )
    .map(drop)
}
