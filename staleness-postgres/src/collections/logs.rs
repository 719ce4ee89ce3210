//! Shared statements of the two logs, outcomes and journal.

use staleness_core::store::StoreError;
use staleness_core::store::table::Record;
use tokio_postgres::Row;

use crate::cells::cells;
use crate::table::with;
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

pub(crate) fn read<R: Record>(row: &Row) -> Result<R, StoreError> {
    let cells = cells(row);
    R::read(&cells).map_err(|bad| R::damaged(&cells, bad))
}

/// Decodes a row and verifies that encoding it again gives the same row.
pub(crate) fn verify<R: Record>(row: &Row) -> Result<R, StoreError> {
    let cells = cells(row);
    R::verify(&cells).map_err(|bad| R::damaged(&cells, bad))
}

/// The numbering of new records, derived from the workspace's row `w`, which this transaction has already raised. The
/// SQL expressions use `w`, `$2` and `n`, the position in the batch from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// Consecutive numbers up to the workspace's last one. `$2` is the number of records from this batch on.
    Last,
    /// The workspace's revision, with indexes starting at `$2`.
    Revision,
}

/// Returns the statements that append records.
pub(crate) fn append<R: Record>(workspace: &str, rows: &[R], numbers: Numbers) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut batch = Batch::default();
    for (index, row) in rows.iter().enumerate() {
        batch.push(row.cells().into_iter().skip(R::KEY));
        if batch.is_full() || index + 1 == rows.len() {
            let first = index + 1 - batch.rows();
            let (number, second) = match numbers {
                Numbers::Last => ("w.last_seq - $2 + n", rows.len() - first),
                Numbers::Revision => ("w.revision, $2 + n - 1", first),
            };
            let columns = std::mem::take(&mut batch).into_columns();
            statements.push(insert::<R>(workspace, number, clamped(second as u64), columns));
        }
    }
    statements
}

fn insert<R: Record>(workspace: &str, number: &str, second: i64, columns: Vec<Arg>) -> Statement {
    let (all, table, names) = (R::COLUMNS.join(", "), R::TABLE, R::COLUMNS[R::KEY..].join(", "));
    let new: Vec<String> = R::COLUMNS[R::KEY..].iter().map(|name| format!("new.{name}")).collect();
    let parameters: Vec<String> =
        (3..columns.len() + 3).map(|parameter| format!("${parameter}")).collect();
    let sql = format!(
        "INSERT INTO staleness.{table}(workspace, {all}) SELECT $1, {number}, {} \
         FROM staleness.workspaces AS w, unnest({}) WITH ORDINALITY AS new({names}, n) \
         WHERE w.workspace = $1",
        new.join(", "),
        parameters.join(", "),
    );
    let args = std::iter::once(Arg::Int(second)).chain(columns).collect();
    Statement { sql, args: with(workspace, args) }
}

/// Clamps a number to the range of Postgres integers. Used for limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
