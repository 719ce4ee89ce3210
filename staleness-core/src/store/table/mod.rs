//! Tables: how SQL stores represent records.
//!
//! Most records are stored as the columns that a key, an index or a filter needs, followed by one text with the whole
//! record. Records that are read by the thousand have one column per field instead. On every read, the values of key
//! and index columns are computed again from the record and compared.

mod blobs;
mod cell;
#[macro_use]
mod columns;
mod item;
mod logs;
mod rows;
mod tool;

use super::{Row, StoreError};

pub use cell::{Bad, Cell, Cells};

/// The page size, in rows, for records that may have a megabyte each.
const TEXT_PAGE: usize = 50;

/// The kind of value in the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Int,
    /// A number, or NULL.
    MaybeInt,
    /// A text.
    Text,
    /// A text, or NULL.
    MaybeText,
    /// Bytes.
    Blob,
}

/// A record that can be stored as a row of a table.
pub trait Record: Sized {
    /// The name of the table.
    const TABLE: &'static str;
    /// The columns: first the key, then indexes and filters, then the rest.
    const COLUMNS: &'static [&'static str];
    /// The kind of each column.
    const KINDS: &'static [Kind];
    /// The number of key columns.
    const KEY: usize;
    /// The number of columns for key, indexes and filters.
    const INDEXED: usize;

    /// Returns the values of the columns for key, indexes and filters.
    fn indexed(&self) -> Vec<Cell<'_>>;

    /// Appends the values of the other columns.
    fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>);

    /// Reads all columns in order. It may skip index columns that only repeat other data.
    ///
    /// # Errors
    /// [`Bad`] with the name of the unreadable column.
    fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad>;

    /// Returns the values of all columns.
    fn cells(&self) -> Vec<Cell<'_>> {
        let mut cells = self.indexed();
        self.others(&mut cells);
        cells
    }

    /// Reads a record, and checks that the key and index columns agree with it.
    ///
    /// # Errors
    /// [`Bad`] with the name of a column that is unreadable or contradicts the record.
    fn read(cells: &[Cell<'_>]) -> Result<Self, Bad> {
        let row = Self::parse(&mut Cells::new(Self::COLUMNS, cells))?;
        same::<Self>(&row.indexed(), cells)?;
        Ok(row)
    }

    /// Reads a record, and checks that writing it again would produce the same columns.
    ///
    /// # Errors
    /// As [`Record::read`].
    fn verify(cells: &[Cell<'_>]) -> Result<Self, Bad> {
        let row = Self::parse(&mut Cells::new(Self::COLUMNS, cells))?;
        same::<Self>(&row.cells(), cells)?;
        Ok(row)
    }

    /// Returns the error for an unreadable record, including its key.
    fn damaged(cells: &[Cell<'_>], bad: Bad) -> StoreError {
        bad.in_row(Self::TABLE, Cell::shown(&cells[..Self::KEY.min(cells.len())]))
    }
}

/// A collection that is stored as a table.
#[diagnostic::on_unimplemented(note = "a new collection needs its table in `store/table/rows.rs`")]
pub trait Table: Record + Row {
    /// The maximum number of rows per page.
    const PAGE: usize = 1_000;
    /// True if a key may be too long for an index in some databases. The first column of such a key must be short, and
    /// [`Cell::digest`] replaces the others in the index.
    const LONG: bool = false;

    /// Returns the column values of a key.
    fn of_key(key: &Self::Key) -> Vec<Cell<'_>>;

    /// Returns the SQL condition for a filter other than that for one key. It may match more rows than the filter.
    fn condition(filter: &Self::Filter) -> Condition<'_>;
}

/// An SQL condition on the rows of a table. Its parameters are `$2`, `$3` and so on, in order; `$1` is
/// reserved for the store.
#[derive(Clone, Debug)]
pub struct Condition<'f> {
    /// The index that serves the condition. `None` for the primary key.
    pub index: Option<&'static str>,
    /// The condition. Empty for every row.
    pub sql: &'static str,
    /// The values of the parameters. The first one is the scope or project, with which all keys begin.
    pub args: Vec<Cell<'f>>,
}

impl<'f> Condition<'f> {
    /// Matches every row.
    const ALL: Self = Self { index: None, sql: "", args: Vec::new() };

    fn by_key<const N: usize>(sql: &'static str, args: [Cell<'f>; N]) -> Self {
        Self { index: None, sql, args: args.into() }
    }

    fn by_index<const N: usize>(
        index: &'static str,
        sql: &'static str,
        args: [Cell<'f>; N],
    ) -> Self {
        Self { index: Some(index), sql, args: args.into() }
    }
}

fn same<R: Record>(own: &[Cell<'_>], found: &[Cell<'_>]) -> Result<(), Bad> {
    match own.iter().zip(found).position(|(own, found)| own != found) {
        Some(column) => Err(Bad(R::COLUMNS[column])),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "golden_tests.rs"]
pub(crate) mod tests;
