//! Converts between SQLite columns and core cells.

use std::borrow::Cow;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row, Statement, params_from_iter};
use staleness_core::store::StoreError;
use staleness_core::store::table::{Bad, Cell, Record};

use crate::error::from_sqlite;

/// A placeholder for an invalid value, such as broken UTF-8. No valid record begins with this byte.
const ODD: Cell<'_> = Cell::Blob(Cow::Borrowed(&[0xff]));

pub(crate) fn cells<'r>(row: &'r Row<'_>) -> Vec<Cell<'r>> {
    let columns = row.as_ref().column_count();
    (0..columns).map(|column| row.get_ref(column).map_or(ODD, cell)).collect()
}

fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Integer(number) => Cell::Int(Some(number)),
        ValueRef::Text(text) => std::str::from_utf8(text).map_or(ODD, Cell::text),
        ValueRef::Blob(bytes) => Cell::Blob(Cow::Borrowed(bytes)),
        ValueRef::Null => Cell::Int(None),
        ValueRef::Real(_) => ODD,
    }
}

pub(crate) fn bound<'c>(cells: &'c [Cell<'_>]) -> impl rusqlite::Params + use<'c> {
    params_from_iter(cells.iter().map(|cell| {
        ToSqlOutput::Borrowed(match cell {
            Cell::Int(Some(number)) => ValueRef::Integer(*number),
            Cell::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Cell::Blob(bytes) => ValueRef::Blob(bytes),
            Cell::Int(None) | Cell::Text(None) => ValueRef::Null,
        })
    }))
}

/// Runs a statement without result rows. Returns the number of changed rows.
pub(crate) fn execute(
    statement: &mut Statement<'_>,
    cells: &[Cell<'_>],
) -> Result<usize, StoreError> {
    statement.execute(bound(cells)).map_err(from_sqlite)
}

pub(crate) fn record<R: Record>(
    row: &Row<'_>,
    read: impl FnOnce(&[Cell<'_>]) -> Result<R, Bad>,
) -> Result<R, StoreError> {
    let cells = cells(row);
    read(&cells).map_err(|bad| R::damaged(&cells, bad))
}
