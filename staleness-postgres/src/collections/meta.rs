//! The state of a workspace: its row of `workspaces`, and the one row of `meta`.

use staleness_core::journal::{Floor, Revision};
use staleness_core::store::table::{Bad, Cells};
use staleness_core::store::{ChangeSet, StoreError, View};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row};

use super::logs::clamped;
use crate::cells::{cells, numbers};
use crate::schema::FORMAT;
use crate::table::with;
use crate::values::{Arg, Statement};

/// Blocks other numbered commits until the transaction ends.
pub(crate) fn settle(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT revision FROM staleness.workspaces WHERE workspace = $1 FOR UPDATE".into(),
        args: with(workspace, Vec::new()),
    }
}

/// Selects the revision, the journal's floor, and the format of the tables.
pub(crate) fn select(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT format, least, revision, floor, floor_at FROM staleness.meta \
              LEFT JOIN staleness.workspaces ON workspace = $1"
            .into(),
        args: with(workspace, Vec::new()),
    }
}

/// Decodes the revision and the floor from [`select`], after checking the format.
pub(crate) fn read(rows: &[Row]) -> Result<(Revision, Floor), StoreError> {
    let row = rows.first().ok_or_else(|| StoreError::Corrupt("meta: the row is missing".into()))?;
    let cells = cells(row);
    let mut cells = Cells::new(&["format", "least", "revision", "floor", "floor_at"], &cells);
    let mut read = || Ok((cells.int()?, cells.int()?, cells.maybe_bits()?));
    let (format, least, revision) = read().map_err(|bad: Bad| bad.in_row("meta", "()"))?;
    usable(format, least)?;
    let revision = revision.filter(|revision| i64::try_from(*revision).is_ok());
    let revision = revision.map(Revision).ok_or_else(missing)?;
    let mut floor = || -> Result<_, Bad> {
        Ok(Floor { revision: Revision(cells.small()?), at: cells.time()? })
    };
    Ok((revision, floor().map_err(|bad: Bad| bad.in_row("workspaces", "()"))?))
}

/// Selects the last sequence number given to an outcome.
pub(crate) fn select_last(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT last_seq FROM staleness.workspaces WHERE workspace = $1".into(),
        args: with(workspace, Vec::new()),
    }
}

/// Decodes the result of [`select_last`].
pub(crate) fn read_last(rows: &[Row]) -> Result<u64, StoreError> {
    let row = rows.first().ok_or_else(missing)?;
    numbers("workspaces", &["last_seq"], row, |cells| cells.small())
}

/// Selects the generation of the data that searches read.
pub(crate) fn select_generation(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT generation FROM staleness.workspaces WHERE workspace = $1".into(),
        args: with(workspace, Vec::new()),
    }
}

/// Decodes the result of [`select_generation`].
pub(crate) fn read_generation(row: &Row) -> Result<u64, StoreError> {
    numbers("workspaces", &["generation"], row, |cells| cells.small())
}

/// Checks that this program may use tables of this format. `least` is the lowest program format that is allowed.
pub(crate) fn usable(format: i64, least: i64) -> Result<(), StoreError> {
    if format < FORMAT {
        let (found, needed) = (format.unsigned_abs(), FORMAT.unsigned_abs());
        return Err(StoreError::FormatTooOld { found, needed });
    }
    if least > FORMAT {
        return Err(StoreError::FormatTooNew {
            found: u64::try_from(format).unwrap_or(0),
            supported: FORMAT.unsigned_abs(),
        });
    }
    Ok(())
}

/// Updates the workspace's row for a change set: raises the revision and the last sequence number, the floor
/// when entries are pruned, and the generation if search data changes. Returns the first two. The row stays
/// locked until the commit, so numbers become visible in order.
///
/// If another step took the next revision in the meantime, `revision` becomes NULL, which violates a
/// constraint and fails the transaction. It also fails if the row was deleted: see [`is_missing`].
pub(crate) fn advance(workspace: &str, seen: &View, changes: &ChangeSet) -> Option<Statement> {
    let floor = changes.floor;
    let moves = changes.moves_generation(seen);
    let appends = !changes.outcomes.is_empty() || !changes.journal.is_empty();
    if !appends && !moves && floor == Floor::default() {
        return None;
    }
    let outcomes = clamped(changes.outcomes.len() as u64);
    let journals = i64::from(!changes.journal.is_empty());
    Some(Statement {
        sql: "WITH advanced AS (UPDATE staleness.workspaces SET last_seq = last_seq + $2, \
              revision = CASE WHEN $3 = 0 THEN revision \
              WHEN revision = $4 THEN greatest(revision, $5) + 1 END, \
              floor_at = CASE WHEN $5 = 0 THEN floor_at WHEN floor = 0 THEN $6 \
              ELSE greatest(floor_at, $6) END, floor = greatest(floor, $5), \
              generation = generation + $7 \
              WHERE workspace = $1 RETURNING revision, last_seq) \
              SELECT max(revision), max(last_seq), 1 / count(*) FROM advanced"
            .into(),
        args: with(
            workspace,
            vec![
                Arg::Int(outcomes),
                Arg::Int(journals),
                Arg::Int(clamped(seen.revision.0)),
                Arg::Int(clamped(floor.revision.0)),
                Arg::Int(floor.at.as_millis()),
                Arg::Int(moves.into()),
            ],
        ),
    })
}

/// Returns true if [`advance`] failed because the workspace's row was deleted. It then divides by zero.
pub(crate) fn is_missing(error: &Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

pub(crate) fn missing() -> StoreError {
    StoreError::Corrupt("workspaces: the row of the workspace is missing".into())
}

/// Decodes the last sequence number from the result of [`advance`].
pub(crate) fn advanced(rows: &[Row]) -> Result<u64, StoreError> {
    let row = rows.first().ok_or_else(missing)?;
    numbers("workspaces", &["revision", "last_seq"], row, |cells| {
        cells.int()?;
        cells.small()
    })
}
