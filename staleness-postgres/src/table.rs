//! Statements shared by all collections, each of which is one table.
//!
//! The columns are those of core, after `workspace`. If a key may be too long for an index, its digest is
//! stored after the first column and used to find rows.

use std::collections::BTreeSet;

use staleness_core::store::table::{Bad, Cell, Condition, Table};
use staleness_core::store::{Change, ChangeSet, Filter, Pick, Row, StoreError};
use tokio_postgres::Row as Found;

use crate::cells::cells;
use crate::values::{Arg, Batch, Statement};

/// The name of the digest column.
pub(crate) const DIGEST: &str = "key";

fn columns<T: Table>() -> Vec<&'static str> {
    let mut columns = T::COLUMNS.to_vec();
    if T::LONG {
        columns.insert(1, DIGEST);
    }
    columns
}

/// Returns the columns by which a row is found.
fn key_columns<T: Table>() -> Vec<&'static str> {
    let mut columns = columns::<T>();
    columns.truncate(if T::LONG { 2 } else { T::KEY });
    columns
}

/// Inserts the digest into cells that begin with a key.
fn with_digest<T: Table>(mut cells: Vec<Cell<'_>>) -> Vec<Cell<'_>> {
    if T::LONG {
        cells.insert(1, Cell::blob(Cell::digest(&cells[1..T::KEY]).to_be_bytes()));
    }
    cells
}

/// Returns the values of the columns by which a key's row is found.
fn key_cells<T: Table>(key: &T::Key) -> impl Iterator<Item = Cell<'_>> {
    with_digest::<T>(T::of_key(key)).into_iter().take(if T::LONG { 2 } else { T::KEY })
}

/// A statement, with the filter that it loads, or `None` if it loads keys.
pub(crate) type Asked<'p, T> = (Statement, Option<&'p <T as Row>::Filter>);

/// Returns the statements that load the picks. All picks by key share one statement; every other filter has
/// its own.
pub(crate) fn select<'p, T: Table>(
    workspace: &str,
    picks: &'p [Pick<T::Filter>],
) -> Vec<Asked<'p, T>> {
    let mut keys = BTreeSet::new();
    let mut filters: Vec<&T::Filter> = Vec::new();
    for pick in picks {
        match pick.filter.key() {
            Some(key) => {
                keys.insert(key);
            }
            None if filters.contains(&&pick.filter) => {}
            None => filters.push(&pick.filter),
        }
    }
    let mut statements = Vec::new();
    if !keys.is_empty() {
        statements.push((by_keys::<T>(workspace, &keys), None));
    }
    for filter in filters {
        let Condition { sql, args, .. } = T::condition(filter);
        let args = args.into_iter().map(Arg::of).collect();
        let sql = format!(
            "SELECT {} FROM staleness.{} WHERE workspace = $1{}{sql}",
            columns::<T>().join(", "),
            T::TABLE,
            if sql.is_empty() { "" } else { " AND " }
        );
        statements.push((Statement { sql, args: with(workspace, args) }, Some(filter)));
    }
    statements
}

/// Returns the statement that loads all rows in key order.
pub(crate) fn select_all<T: Table>(workspace: &str) -> Statement {
    let sql = format!(
        "SELECT {} FROM staleness.{} WHERE workspace = $1 ORDER BY {}",
        columns::<T>().join(", "),
        T::TABLE,
        T::COLUMNS[..T::KEY].join(", ")
    );
    Statement { sql, args: with(workspace, Vec::new()) }
}

fn by_keys<T: Table>(workspace: &str, keys: &BTreeSet<&T::Key>) -> Statement {
    let mut batch = Batch::default();
    for key in keys {
        batch.push(key_cells::<T>(key));
    }
    let columns = key_columns::<T>();
    let (sources, sought): (Vec<String>, Vec<String>) = (0..columns.len())
        .map(|index| (format!("${}", index + 2), format!("sought_{index}")))
        .unzip();
    let on: Vec<String> = columns
        .iter()
        .zip(&sought)
        .map(|(column, sought)| format!("{column} = {sought}"))
        .collect();
    let sql = format!(
        "SELECT {} FROM staleness.{} JOIN unnest({}) AS sought({}) ON {} WHERE workspace = $1",
        self::columns::<T>().join(", "),
        T::TABLE,
        sources.join(", "),
        sought.join(", "),
        on.join(" AND ")
    );
    Statement { sql, args: with(workspace, batch.into_columns()) }
}

/// Returns the statements that write the changes of a table.
pub(crate) fn apply<T: Table>(workspace: &str, changes: &ChangeSet) -> Vec<Statement> {
    let mut statements = Vec::new();
    let (mut gone, mut put) = (Batch::default(), Batch::default());
    for change in T::changes(changes) {
        match change {
            Change::Put(row) => {
                put.push(with_digest::<T>(row.cells()));
                if put.is_full() {
                    statements.push(upsert::<T>(workspace, std::mem::take(&mut put)));
                }
            }
            Change::Delete(key) => gone.push(key_cells::<T>(key)),
        }
    }
    if gone.rows() > 0 {
        statements.push(delete::<T>(workspace, gone));
    }
    if put.rows() > 0 {
        statements.push(upsert::<T>(workspace, put));
    }
    statements
}

fn upsert<T: Table>(workspace: &str, batch: Batch) -> Statement {
    let (columns, keys) = (columns::<T>(), key_columns::<T>());
    let values = columns.iter().skip(keys.len());
    let sets: Vec<String> = values.map(|column| format!("{column} = excluded.{column}")).collect();
    let sql = format!(
        "INSERT INTO staleness.{}(workspace, {}) SELECT $1, * FROM unnest({}) \
         ON CONFLICT (workspace, {}) DO UPDATE SET {}",
        T::TABLE,
        columns.join(", "),
        parameters(columns.len()),
        keys.join(", "),
        sets.join(", ")
    );
    Statement { sql, args: with(workspace, batch.into_columns()) }
}

fn delete<T: Table>(workspace: &str, batch: Batch) -> Statement {
    let columns = key_columns::<T>();
    let gone: Vec<String> = (0..columns.len()).map(|index| format!("gone_{index}")).collect();
    let on: Vec<String> =
        columns.iter().zip(&gone).map(|(column, gone)| format!("{column} = {gone}")).collect();
    let sql = format!(
        "DELETE FROM staleness.{} USING unnest({}) AS gone({}) WHERE workspace = $1 AND {}",
        T::TABLE,
        parameters(columns.len()),
        gone.join(", "),
        on.join(" AND ")
    );
    Statement { sql, args: with(workspace, batch.into_columns()) }
}

/// Returns the placeholders `$2, $3, …`.
pub(crate) fn parameters(count: usize) -> String {
    let numbers: Vec<String> = (2..count + 2).map(|number| format!("${number}")).collect();
    numbers.join(", ")
}

/// Returns the arguments with the workspace in front.
pub(crate) fn with(workspace: &str, rest: Vec<Arg>) -> Vec<Arg> {
    let mut args = Vec::with_capacity(rest.len() + 1);
    args.push(Arg::text(workspace));
    args.extend(rest);
    args
}

pub(crate) fn read<T: Table>(
    row: &Found,
    read: fn(&[Cell<'_>]) -> Result<T, Bad>,
) -> Result<T, StoreError> {
    let mut cells = cells(row);
    if !T::LONG {
        return read(&cells).map_err(|bad| T::damaged(&cells, bad));
    }
    let stored = cells.remove(1);
    let bad = match read(&cells) {
        Ok(row) if Cell::blob(Cell::digest(&cells[1..T::KEY]).to_be_bytes()) == stored => {
            return Ok(row);
        }
        Ok(_) => Bad(DIGEST),
        Err(bad) => bad,
    };
    // A long key is identified by its digest in errors too.
    cells.truncate(1);
    cells.push(stored);
    Err(bad.in_row(T::TABLE, Cell::shown(&cells)))
}
