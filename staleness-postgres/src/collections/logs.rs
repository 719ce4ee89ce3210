//! Statements and readers that the two logs share: outcomes and the journal.

use staleness_core::store::StoreError;
use staleness_core::store::table::Record;
use tokio_postgres::Row;

use crate::cells::cells;
use crate::table::with;
use crate::values::{Arg, Batch, Statement};

/// Selects records. The condition begins with `AND`, or is empty; its parameters begin with `$2`.
pub(crate) fn select<R: Record>(workspace: &str, condition: &str, args: Vec<Arg>) -> Statement {
    let (columns, table) = (R::COLUMNS.join(", "), R::TABLE);
    let sql = format!("SELECT {columns} FROM staleness.{table} WHERE workspace = $1 {condition}");
    Statement { sql, args: with(workspace, args) }
}

/// Selects every record in order.
pub(crate) fn select_all<R: Record>(workspace: &str) -> Statement {
    let order = format!("ORDER BY {}", R::COLUMNS[..R::KEY].join(", "));
    select::<R>(workspace, &order, Vec::new())
}

/// Reads a row.
pub(crate) fn read<R: Record>(row: &Row) -> Result<R, StoreError> {
    let cells = cells(row);
    R::read(&cells).map_err(|bad| R::damaged(&cells, bad))
}

/// Reads a row, and makes sure that it would be written as it stands there.
pub(crate) fn verify<R: Record>(row: &Row) -> Result<R, StoreError> {
    let cells = cells(row);
    R::verify(&cells).map_err(|bad| R::damaged(&cells, bad))
}

/// The numbering of new records by the workspace's row `w`, which the same transaction has raised already:
/// an SQL expression of `w`, `$2` and `n`, the place in a batch from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// Numbers that end with the last one of the workspace; `$2` is how many there are from this batch on.
    Last,
    /// The workspace's revision, and places from `$2` on.
    Revision,
}

/// The statements that append records.
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

/// A number that Postgres can compare; what is beyond its range is clamped. For limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
