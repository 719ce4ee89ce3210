//! Tables: how the stores that speak SQL keep records. A record is the columns that a key, an index or a filter
//! needs, and behind them one text with all of it; those that are read by the thousand are columns alone. What a
//! column of the first sort says is computed from the record whenever that is read, and compared.

mod cell;
mod item;
mod logs;
mod rows;
mod tool;

use super::{Row, StoreError};

pub use cell::{Bad, Cell, Cells};

/// The most rows of a page of records that may be a megabyte each.
const TEXT_PAGE: usize = 50;

/// A record as a row of a table.
pub trait Record: Sized {
    /// The table.
    const TABLE: &'static str;
    /// Its columns: those of the key, then those of indexes and filters, then the others.
    const COLUMNS: &'static [&'static str];
    /// The number of columns of the key.
    const KEY: usize;
    /// The number of columns of the key, of indexes and of filters.
    const INDEXED: usize;

    /// Returns the values of the columns of the key, of indexes and of filters.
    fn indexed(&self) -> Vec<Cell<'_>>;

    /// Adds the values of the other columns.
    fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>);

    /// Reads the columns in their order. What the columns of indexes repeat need not be looked at.
    ///
    /// # Errors
    /// [`Bad`] names the column that cannot be read.
    fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad>;

    /// Returns the values of all columns.
    fn cells(&self) -> Vec<Cell<'_>> {
        let mut cells = self.indexed();
        self.others(&mut cells);
        cells
    }

    /// Reads a record, and compares what the columns of key and indexes say with it.
    ///
    /// # Errors
    /// [`Bad`] names the column that cannot be read, or contradicts the record.
    fn read(cells: &[Cell<'_>]) -> Result<Self, Bad> {
        let row = Self::parse(&mut Cells::new(Self::COLUMNS, cells))?;
        same::<Self>(&row.indexed(), cells)?;
        Ok(row)
    }

    /// Reads a record, and makes sure that it would be written as it stands there.
    ///
    /// # Errors
    /// As [`Record::read`].
    fn verify(cells: &[Cell<'_>]) -> Result<Self, Bad> {
        let row = Self::parse(&mut Cells::new(Self::COLUMNS, cells))?;
        same::<Self>(&row.cells(), cells)?;
        Ok(row)
    }

    /// Returns the error for a record that cannot be read, by the cells of its key.
    fn damaged(cells: &[Cell<'_>], bad: Bad) -> StoreError {
        bad.in_row(Self::TABLE, Cell::shown(&cells[..Self::KEY.min(cells.len())]))
    }
}

/// A collection as a table.
pub trait Table: Record + Row {
    /// The most rows of a page.
    const PAGE: usize = 1_000;
    /// True if a key may be longer than an index of some databases can hold. The first column of such a key is short,
    /// and [`Cell::digest`] stands for the others.
    const LONG: bool = false;

    /// Returns the values of the columns of a key.
    fn of_key(key: &Self::Key) -> Vec<Cell<'_>>;

    /// Returns the condition on the rows that a filter names, which is not for one key. It may find rows that the
    /// filter does not name.
    fn condition(filter: &Self::Filter) -> Condition<'_>;
}

/// A condition on the rows of a table, in SQL. The parameters are `$2`, `$3` and so on, in this order; `$1` is the
/// store's own.
#[derive(Clone, Debug)]
pub struct Condition<'f> {
    /// The index that serves it, if it is not the key.
    pub index: Option<&'static str>,
    /// The condition; empty for every row.
    pub sql: &'static str,
    /// The values of the parameters.
    pub args: Vec<Cell<'f>>,
}

impl<'f> Condition<'f> {
    /// Every row.
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
mod tests;
