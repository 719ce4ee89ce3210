//! One collection as one table: the statements that all of them share.

use std::collections::BTreeSet;

use staleness_core::store::{Change, ChangeSet, Filter, Pick, Row, StoreError};

use crate::cells::{Bad, Cells, corrupt};
use crate::values::{Arg, Batch, Statement};

/// A condition on the rows of a table. Its parameters are counted from `$2`; `$1` is the workspace.
pub(crate) struct Where {
    pub(crate) sql: &'static str,
    pub(crate) args: Vec<Arg>,
}

impl Where {
    pub(crate) const fn new(sql: &'static str, args: Vec<Arg>) -> Self {
        Self { sql, args }
    }
}

/// The most rows of a page of items, documents and work items, which may be a megabyte each.
pub(crate) const TEXT_PAGE: usize = 50;

/// A collection as a table has it.
pub(crate) trait Table: Row {
    /// The table.
    const TABLE: &'static str;
    /// Every column but the workspace, the key's first.
    const COLUMNS: &'static str;
    /// How many of them make the key.
    const KEY: usize;
    /// The most rows of a page.
    const PAGE: usize = 1_000;
    /// The columns that make the order of the keys.
    const ORDER: &'static str;

    /// The condition of a filter that is not for one key.
    fn condition(filter: &Self::Filter) -> Where;

    /// Returns true if a row that the condition of a filter found is really meant.
    fn is_meant(_: &Self::Filter, _: &Self) -> bool {
        true
    }

    /// Reads a row.
    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad>;

    /// Writes the columns of a key.
    fn put_key(key: &Self::Key, batch: &mut Batch);

    /// Writes the columns behind the key.
    fn put(&self, batch: &mut Batch);
}

/// A statement, with the filter that it answers, if it is one.
pub(crate) type Asked<'p, T> = (Statement, Option<&'p <T as Row>::Filter>);

/// The statements that load picks of a table, each with the filter that it answers, if one; those that
/// name keys are one statement together.
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
        let Where { sql, args } = T::condition(filter);
        let sql = format!(
            "SELECT {} FROM staleness.{} WHERE workspace = $1{}{sql}",
            T::COLUMNS,
            T::TABLE,
            if sql.is_empty() { "" } else { " AND " }
        );
        statements.push((Statement { sql, args: with(workspace, args) }, Some(filter)));
    }
    statements
}

/// Every row in the order of keys.
pub(crate) fn select_all<T: Table>(workspace: &str) -> Statement {
    let sql = format!(
        "SELECT {} FROM staleness.{} WHERE workspace = $1 ORDER BY {}",
        T::COLUMNS,
        T::TABLE,
        T::ORDER
    );
    Statement { sql, args: with(workspace, Vec::new()) }
}

fn by_keys<T: Table>(workspace: &str, keys: &BTreeSet<&T::Key>) -> Statement {
    let mut batch = Batch::default();
    for key in keys {
        T::put_key(key, &mut batch);
        batch.end_row();
    }
    let columns: Vec<&str> = key_columns::<T>().collect();
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
        T::COLUMNS,
        T::TABLE,
        sources.join(", "),
        sought.join(", "),
        on.join(" AND ")
    );
    Statement { sql, args: with(workspace, batch.into_columns()) }
}

/// The statements that write changes of a table.
pub(crate) fn apply<T: Table>(workspace: &str, changes: &ChangeSet) -> Vec<Statement> {
    let mut statements = Vec::new();
    let (mut gone, mut put) = (Batch::default(), Batch::default());
    for change in T::changes(changes) {
        match change {
            Change::Put(row) => {
                T::put_key(row.key(), &mut put);
                row.put(&mut put);
                put.end_row();
                if put.is_full() {
                    statements.push(upsert::<T>(workspace, std::mem::take(&mut put)));
                }
            }
            Change::Delete(key) => {
                T::put_key(key, &mut gone);
                gone.end_row();
            }
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
    let columns = batch.into_columns();
    let parameters = parameters(columns.len());
    let keys: Vec<&str> = key_columns::<T>().collect();
    let sets: Vec<String> = T::COLUMNS
        .split(", ")
        .skip(T::KEY)
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let sql = format!(
        "INSERT INTO staleness.{}(workspace, {}) SELECT $1, * FROM unnest({parameters}) \
         ON CONFLICT (workspace, {}) DO UPDATE SET {}",
        T::TABLE,
        T::COLUMNS,
        keys.join(", "),
        sets.join(", ")
    );
    Statement { sql, args: with(workspace, columns) }
}

fn delete<T: Table>(workspace: &str, batch: Batch) -> Statement {
    let columns: Vec<&str> = key_columns::<T>().collect();
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

/// `$2, $3, …`
pub(crate) fn parameters(count: usize) -> String {
    let numbers: Vec<String> = (2..count + 2).map(|number| format!("${number}")).collect();
    numbers.join(", ")
}

fn key_columns<T: Table>() -> impl Iterator<Item = &'static str> {
    T::COLUMNS.split(", ").take(T::KEY)
}

/// The workspace, and what follows.
pub(crate) fn with(workspace: &str, rest: Vec<Arg>) -> Vec<Arg> {
    let mut args = Vec::with_capacity(rest.len() + 1);
    args.push(Arg::text(workspace));
    args.extend(rest);
    args
}

/// Reads a row of the table.
pub(crate) fn read<T: Table>(row: &tokio_postgres::Row) -> Result<T, StoreError> {
    T::read(&mut Cells::new(row)).map_err(|bad| corrupt(T::TABLE, row, T::KEY, bad))
}
