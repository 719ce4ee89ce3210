//! State of a workspace: its row of `workspaces`, with the one row of `meta`.

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

/// Keeps every other commit with a number of its own waiting until the transaction ends.
pub(crate) fn settle(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT revision FROM staleness.workspaces WHERE workspace = $1 FOR UPDATE".into(),
        args: with(workspace, Vec::new()),
    }
}

/// Asks for the revision and the floor of the journal, and whether this program may use the tables.
pub(crate) fn select(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT format, least, revision, floor, floor_at FROM staleness.meta \
              LEFT JOIN staleness.workspaces ON workspace = $1"
            .into(),
        args: with(workspace, Vec::new()),
    }
}

/// Reads the revision and the floor, which [`select`] asks for.
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

/// Asks for the last number that was given to an outcome.
pub(crate) fn select_last(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT last_seq FROM staleness.workspaces WHERE workspace = $1".into(),
        args: with(workspace, Vec::new()),
    }
}

/// Reads what [`select_last`] answers.
pub(crate) fn read_last(rows: &[Row]) -> Result<u64, StoreError> {
    let row = rows.first().ok_or_else(missing)?;
    numbers("workspaces", &["last_seq"], row, |cells| cells.small())
}

/// Asks for the generation of what a search reads.
pub(crate) fn select_generation(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT generation FROM staleness.workspaces WHERE workspace = $1".into(),
        args: with(workspace, Vec::new()),
    }
}

/// Reads what [`select_generation`] answers.
pub(crate) fn read_generation(row: &Row) -> Result<u64, StoreError> {
    numbers("workspaces", &["generation"], row, |cells| cells.small())
}

/// Errors unless this program may use tables of a format; `least` is the oldest program format that may.
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

/// Raises the workspace's numbers for what a change set appends, its floor for what it prunes, and the generation
/// of what a search reads, if it moves; answers the first two. The workspace's row is locked until the commit, so it comes last: nobody sees a number while a
/// smaller one is still uncommitted.
///
/// A step may have decided by the revision that it saw: when another has taken the next one meanwhile, the
/// column becomes NULL, which it may not, and so the transaction fails. It fails too when the row has gone:
/// see [`is_missing`].
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

/// Returns true if [`advance`] failed because the workspace's row has gone: it divides by the number of rows.
pub(crate) fn is_missing(error: &Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

/// Returns the error for a workspace whose row has gone.
pub(crate) fn missing() -> StoreError {
    StoreError::Corrupt("workspaces: the row of the workspace is missing".into())
}

/// Reads what [`advance`] answers: the last number that was given to an outcome.
pub(crate) fn advanced(rows: &[Row]) -> Result<u64, StoreError> {
    let row = rows.first().ok_or_else(missing)?;
    numbers("workspaces", &["revision", "last_seq"], row, |cells| {
        cells.int()?;
        cells.small()
    })
}
