//! Converts Postgres columns to core cells.

use staleness_core::store::StoreError;
use staleness_core::store::table::{Bad, Cell, Cells};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::values::told;

/// Reads the columns of a row. An unreadable column becomes a byte sequence with which no valid record begins.
pub(crate) fn cells(row: &Row) -> Vec<Cell<'_>> {
    (0..row.len()).map(|column| cell(row, column).unwrap_or(Cell::Blob((&[0xff]).into()))).collect()
}

fn cell(row: &Row, column: usize) -> Option<Cell<'_>> {
    Some(match *row.columns()[column].type_() {
        Type::TEXT => {
            let text: Option<&str> = row.try_get(column).ok()?;
            Cell::Text(text.map(|text| told(text).ok_or(())).transpose().ok()?)
        }
        Type::BYTEA => Cell::Blob(row.try_get::<_, &[u8]>(column).ok()?.into()),
        _ => Cell::Int(row.try_get(column).ok()?),
    })
}

/// Reads a row of integer columns with these names.
pub(crate) fn numbers<T>(
    table: &'static str,
    names: &'static [&'static str],
    row: &Row,
    read: impl FnOnce(&mut Cells<'_, '_>) -> Result<T, Bad>,
) -> Result<T, StoreError> {
    let cells = cells(row);
    read(&mut Cells::new(names, &cells)).map_err(|bad| bad.in_row(table, "()"))
}
