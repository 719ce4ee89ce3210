//! Tables: the rows of a collection by their key, in columns.

use std::ops::ControlFlow;

use rusqlite::Params;
use staleness_core::store::{Change, ChangeSet, Filter, Pick, Row, StoreError, View};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

/// The most rows of a page of items, documents and work items, which may be a megabyte each.
pub(crate) const TEXT_PAGE: usize = 50;

/// Receives rows until it breaks.
pub(crate) type Visit<'v, R> = &'v mut dyn FnMut(R) -> ControlFlow<()>;

/// The statements that every table has: see [`statements`].
pub(crate) struct Statements {
    pub(crate) table: &'static str,
    /// The number of columns of the key, which come first.
    pub(crate) key: usize,
    pub(crate) by_key: &'static str,
    /// Rows with a value in the first column.
    pub(crate) by_first: &'static str,
    pub(crate) all: &'static str,
    pub(crate) put: &'static str,
    pub(crate) delete: &'static str,
}

/// Makes the [`Statements`] of a table from its columns, those of the key first, as the static `SQL`; and for
/// each name behind them a statement that selects rows by a condition.
macro_rules! statements {
    ($table:ident: $first:ident $($key:ident)*; $($column:ident)*; $($name:ident $tail:literal)*) => {
        // The `+` changes no value: SQLite notes five names for a bare column, and one for anything else.
        macro_rules! select {
            ($end:expr) => {
                concat!(
                    "SELECT +", stringify!($first), $(", +", stringify!($key),)*
                    $(", +", stringify!($column),)* " FROM ", stringify!($table), $end
                )
            };
        }
        macro_rules! of_key {
            () => {
                concat!(
                    " WHERE (", stringify!($first), $(", ", stringify!($key),)* ") = (?",
                    $($crate::collections::table::place!($key),)* ")"
                )
            };
        }
        static SQL: $crate::collections::table::Statements = $crate::collections::table::Statements {
            table: stringify!($table),
            key: [stringify!($first), $(stringify!($key)),*].len(),
            by_key: select!(of_key!()),
            by_first: select!(concat!(" WHERE ", stringify!($first), " = ?1")),
            all: select!(concat!(
                " ORDER BY ", stringify!($first), $(", ", stringify!($key),)*
            )),
            put: concat!(
                "REPLACE INTO ", stringify!($table), "(", stringify!($first),
                $(", ", stringify!($key),)* $(", ", stringify!($column),)* ") VALUES(?",
                $($crate::collections::table::place!($key),)*
                $($crate::collections::table::place!($column),)* ")"
            ),
            delete: concat!("DELETE FROM ", stringify!($table), of_key!()),
        };
        $(static $name: &str = select!($tail);)*
    };
}

macro_rules! place {
    ($column:ident) => {
        ", ?"
    };
}

pub(crate) use {place, statements};

/// A collection as a table.
pub(crate) trait Table: Row {
    /// The values of the columns of a key.
    type Columns<'k>: Params;

    /// The most rows of a page.
    const PAGE: usize = 1_000;

    fn sql() -> &'static Statements;

    fn columns(key: &Self::Key) -> Self::Columns<'_>;

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad>;

    /// Creates or replaces the row. `seen` is what the step saw.
    fn put(&self, tx: &Transaction<'_>, seen: &View) -> Result<(), StoreError>;

    /// Visits the rows that a filter names, which is not for one key, nor for all.
    fn find(
        tx: &Transaction<'_>,
        filter: &Self::Filter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError>;

    /// Visits the row with a key.
    fn get(
        tx: &Transaction<'_>,
        key: &Self::Key,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        rows(tx, Self::sql().by_key, Self::columns(key), visit)
    }
}

/// Adds the rows that any of the picks names.
pub(crate) fn load<R: Table>(
    tx: &Transaction<'_>,
    picks: &[Pick<R::Filter>],
    view: &mut View,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    let mut keep = |row: R| {
        found.push((row.key().clone(), row));
        ControlFlow::Continue(())
    };
    for Pick { filter, .. } in picks {
        match filter.key() {
            Some(key) => R::get(tx, key, &mut keep)?,
            None if *filter == R::Filter::ALL => all(tx, &mut keep)?,
            None => R::find(tx, filter, &mut keep)?,
        }
    }
    // Indexes give them in another order than that of keys: a map of many is built at once.
    let rows = R::rows_mut(view);
    if rows.is_empty() {
        *rows = found.into_iter().collect();
    } else {
        rows.extend(found);
    }
    Ok(())
}

/// Visits every row, in the order of keys.
pub(crate) fn all<R: Table>(tx: &Transaction<'_>, visit: Visit<'_, R>) -> Result<(), StoreError> {
    rows(tx, R::sql().all, (), visit)
}

/// Visits the rows whose key begins with `first`.
pub(crate) fn of_first<R: Table>(
    tx: &Transaction<'_>,
    first: &str,
    visit: Visit<'_, R>,
) -> Result<(), StoreError> {
    rows(tx, R::sql().by_first, (first,), visit)
}

/// Visits the rows that a statement selects.
pub(crate) fn rows<R: Table, P: Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    visit: Visit<'_, R>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        let read = R::read(&mut Cells::new(row));
        read.map(&mut *visit).map_err(|bad| {
            let Statements { table, key, .. } = R::sql();
            corrupt(table, Cells::new(row).names(*key), bad)
        })
    })
}

/// Writes the changes. `seen` is what the step saw.
pub(crate) fn apply<R: Table>(
    tx: &Transaction<'_>,
    changes: &ChangeSet,
    seen: &View,
) -> Result<(), StoreError> {
    for change in R::changes(changes) {
        match change {
            Change::Put(row) => row.put(tx, seen)?,
            Change::Delete(key) => execute(tx, R::sql().delete, R::columns(key)).map(drop)?,
        }
    }
    Ok(())
}
