//! The one row of `meta`.

use std::ops::ControlFlow;

use staleness_core::journal::Revision;
use staleness_core::store::StoreError;

use super::{clamped, each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::schema::FORMAT;
use crate::transaction::Transaction;

/// Where the store stands in a transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub(crate) revision: Revision,
    /// The last sequence number that was ever given. 0 where a reader did not ask for it.
    pub(crate) last_seq: u64,
}

/// For readers: the revision.
const READ: &str = "SELECT format, revision, 0 FROM meta";

/// For writers: also the last sequence number, in the same statement because each one costs a
/// one-shot process its preparation.
const WRITE: &str = "SELECT format, revision, \
    max(last_seq, ifnull((SELECT max(seq) FROM outcomes), 0)) FROM meta";

/// Reads the row, and makes sure that no newer program has changed the format meanwhile.
pub(crate) fn load(tx: &Transaction<'_>, writing: bool) -> Result<Meta, StoreError> {
    let sql = if writing { WRITE } else { READ };
    let mut found = None;
    each(tx, sql, (), |row| {
        let mut cells = Cells::new(row);
        let mut read = || -> Result<(i64, u64, u64), Bad> {
            Ok((cells.int("format")?, cells.small("revision")?, cells.small("last_seq")?))
        };
        found = Some(read().map_err(|bad| corrupt("meta", 1, bad))?);
        Ok(ControlFlow::Break(()))
    })?;
    let (format, revision, last_seq) =
        found.ok_or_else(|| StoreError::Corrupt("meta 1: the row is missing".into()))?;
    match format {
        FORMAT => Ok(Meta { revision: Revision(revision), last_seq }),
        newer if newer > FORMAT => Err(too_new(newer)),
        _ => Err(corrupt("meta", 1, Bad("format"))),
    }
}

/// The store was written by a newer program.
pub(crate) fn too_new(found: i64) -> StoreError {
    StoreError::FormatTooNew {
        found: u64::try_from(found).unwrap_or(0),
        supported: FORMAT.unsigned_abs(),
    }
}

/// Writes revision and floor.
pub(crate) fn store(
    tx: &Transaction<'_>,
    revision: Revision,
    last_seq: u64,
) -> Result<(), StoreError> {
    execute(
        tx,
        "UPDATE meta SET revision = ?1, last_seq = ?2",
        (clamped(revision.0), clamped(last_seq)),
    )
    .map(drop)
}
