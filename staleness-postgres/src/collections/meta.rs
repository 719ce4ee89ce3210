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

/// The state of a workspace, without its generation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub(crate) revision: Revision,
    pub(crate) floor: Floor,
    /// The last sequence number given to an outcome.
    pub(crate) last_seq: u64,
}

/// Selects the state, and the format of the tables.
pub(crate) fn select(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT format, least, revision, floor, floor_at, last_seq FROM staleness.meta \
              LEFT JOIN staleness.workspaces ON workspace = $1"
            .into(),
        args: with(workspace, Vec::new()),
    }
}

/// Decodes the state from [`select`], after checking the format.
pub(crate) fn read(rows: &[Row]) -> Result<Meta, StoreError> {
    let row = rows.first().ok_or_else(|| StoreError::Corrupt("meta: the row is missing".into()))?;
    let cells = cells(row);
    const NAMES: [&str; 6] = ["format", "least", "revision", "floor", "floor_at", "last_seq"];
    let mut cells = Cells::new(&NAMES, &cells);
    let mut read = || Ok((cells.int()?, cells.int()?, cells.maybe_bits()?));
    let (format, least, revision) = read().map_err(|bad: Bad| bad.in_row("meta", "()"))?;
    usable(format, least)?;
    let revision = revision.filter(|revision| i64::try_from(*revision).is_ok());
    let revision = revision.map(Revision).ok_or_else(missing)?;
    let mut rest = || -> Result<_, Bad> {
        let floor = Floor { revision: Revision(cells.small()?), at: cells.time()? };
        Ok(Meta { revision, floor, last_seq: cells.small()? })
    };
    rest().map_err(|bad: Bad| bad.in_row("workspaces", "()"))
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

impl Meta {
    /// Returns the statement that updates the workspace's row for a numbered change set, if anything in it changes. It
    /// fails if the row was deleted: see [`is_missing`].
    pub(crate) fn advance(
        mut self,
        workspace: &str,
        seen: &View,
        changes: &ChangeSet,
        revision: Revision,
    ) -> Option<Statement> {
        let moves = changes.moves_generation(seen);
        let appends = !changes.outcomes.is_empty() || !changes.journal.is_empty();
        if !appends && !moves && changes.floor == Floor::default() {
            return None;
        }
        self.floor.raise(changes.floor);
        let last_seq = changes.outcomes.last().map_or(self.last_seq, |outcome| outcome.seq);
        Some(Statement {
            sql: "WITH advanced AS (UPDATE staleness.workspaces SET last_seq = $2, revision = $3, \
                  floor = $4, floor_at = $5, generation = generation + $6 \
                  WHERE workspace = $1 RETURNING 1) SELECT 1 / count(*) FROM advanced"
                .into(),
            args: with(
                workspace,
                vec![
                    Arg::Int(clamped(last_seq)),
                    Arg::Int(clamped(revision.0)),
                    Arg::Int(clamped(self.floor.revision.0)),
                    Arg::Int(self.floor.at.as_millis()),
                    Arg::Int(moves.into()),
                ],
            ),
        })
    }
}

/// Returns true if [`Meta::advance`] failed because the workspace's row was deleted. It then divides by zero.
pub(crate) fn is_missing(error: &Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

/// Returns the error for a deleted workspace row.
pub(crate) fn missing() -> StoreError {
    StoreError::Corrupt("workspaces: the row of the workspace is missing".into())
}
