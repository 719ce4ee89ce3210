//! Shared statements of the two logs, outcomes and journal.

use staleness_core::store::StoreError;
use staleness_core::store::table::Record;
use tokio_postgres::Row;

use crate::cells::cells;
use crate::table::{parameters, with};
use crate::values::{Arg, Batch, Statement};

/// Selects records. `condition` is empty or begins with `AND`. Its parameters start at `$2`.
pub(crate) fn select<R: Record>(workspace: &str, condition: &str, args: Vec<Arg>) -> Statement {
    let (columns, table) = (R::COLUMNS.join(", "), R::TABLE);
    let sql = format!("SELECT {columns} FROM staleness.{table} WHERE workspace = $1 {condition}");
    Statement { sql, args: with(workspace, args) }
}

/// Selects all records in order.
pub(crate) fn select_all<R: Record>(workspace: &str) -> Statement {
    let order = format!("ORDER BY {}", R::COLUMNS[..R::KEY].join(", "));
    select::<R>(workspace, &order, Vec::new())
}

/// Decodes a row.
pub(crate) fn read<R: Record>(row: &Row) -> Result<R, StoreError> {
    let cells = cells(row);
    R::read(&cells).map_err(|bad| R::damaged(&cells, bad))
}

/// Decodes a row and verifies that encoding it again gives the same row.
pub(crate) fn verify<R: Record>(row: &Row) -> Result<R, StoreError> {
    let cells = cells(row);
    R::verify(&cells).map_err(|bad| R::damaged(&cells, bad))
}

/// Returns the statements that append numbered records.
pub(crate) fn append<R: Record>(workspace: &str, rows: &[R]) -> Vec<Statement> {
    let sql = format!(
        "INSERT INTO staleness.{}(workspace, {}) SELECT $1, * FROM unnest({})",
        R::TABLE,
        R::COLUMNS.join(", "),
        parameters(R::COLUMNS.len())
    );
    let mut statements = Vec::new();
    let mut batch = Batch::default();
    for (index, row) in rows.iter().enumerate() {
        batch.push(row.cells());
        if batch.is_full() || index + 1 == rows.len() {
            let columns = std::mem::take(&mut batch).into_columns();
            statements.push(Statement { sql: sql.clone(), args: with(workspace, columns) });
        }
    }
    statements
}

/// Clamps a number to the range of Postgres integers. Used for limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
