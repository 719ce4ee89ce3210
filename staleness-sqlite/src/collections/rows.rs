//! Finds, reads and writes rows of collections.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use staleness_core::store::table::{Bad, Cell, Condition, Record, Table};
use staleness_core::store::{Change, ChangeSet, Filter, Pick, StoreError, View};

use super::{each, query};
use crate::cells::{bound, execute, record};
use crate::transaction::Transaction;

/// Receives rows until it breaks.
pub(crate) type Visit<'v, R> = &'v mut dyn FnMut(R) -> ControlFlow<()>;

/// The name of the condition on the columns of a key.
const BY_KEY: &str = "by key";

/// Adds the rows that any of the picks selects. One statement answers all picks with the same condition.
pub(crate) fn load<R: Table>(
    tx: &Transaction<'_>,
    picks: &[Pick<R::Filter>],
    view: &mut View,
) -> Result<(), StoreError> {
    if picks.is_empty() {
        return Ok(());
    }
    let mut found = Vec::new();
    let mut asked: BTreeMap<&str, (Option<&str>, Vec<_>)> = BTreeMap::new();
    for Pick { filter, .. } in picks {
        if *filter == R::Filter::ALL {
            all(tx, R::read, &mut |row: R| {
                found.push((row.key().clone(), row));
                ControlFlow::Continue(())
            })?;
            continue;
        }
        let Condition { index, sql, args } = match filter.key() {
            Some(key) => Condition { index: None, sql: BY_KEY, args: R::of_key(key) },
            None => R::condition(filter),
        };
        asked.entry(sql).or_insert((index, Vec::new())).1.push((filter, args));
    }
    for (condition, (index, picks)) in asked {
        let key = (condition == BY_KEY).then(of_key::<R>);
        let sql = select::<R>(index, &format!(" WHERE {}", key.as_deref().unwrap_or(condition)));
        tx.with(&sql, |statement| {
            picks.into_iter().try_for_each(|(filter, args)| {
                query(statement, bound(&args), |row| {
                    let row = record(row, R::read)?;
                    if filter.matches(row.key(), Some(&row)) {
                        found.push((row.key().clone(), row));
                    }
                    Ok(ControlFlow::Continue(()))
                })
            })
        })?;
    }
    // Indexes do not return rows in key order. Building the map in one go is then faster than inserting each row.
    let rows = R::rows_mut(view);
    if rows.is_empty() && found.len() > 1 {
        *rows = found.into_iter().collect();
    } else {
        rows.extend(found);
    }
    Ok(())
}

/// Visits all rows in key order.
pub(crate) fn all<R: Record>(
    tx: &Transaction<'_>,
    read: fn(&[Cell<'_>]) -> Result<R, Bad>,
    visit: Visit<'_, R>,
) -> Result<(), StoreError> {
    let order = format!(" ORDER BY {}", R::COLUMNS[..R::KEY].join(", "));
    rows(tx, &select::<R>(None, &order), &[], read, visit)
}

/// Visits the rows that a statement returns.
pub(crate) fn rows<R: Record>(
    tx: &Transaction<'_>,
    sql: &str,
    args: &[Cell<'_>],
    read: fn(&[Cell<'_>]) -> Result<R, Bad>,
    visit: Visit<'_, R>,
) -> Result<(), StoreError> {
    each(tx, sql, bound(args), |row| record(row, read).map(&mut *visit))
}

/// Builds a SELECT statement up to its condition. Every filter names its index. Without statistics the planner would
/// guess, and tests of results would not detect a scan of 10,000 tools for one demoted tool.
pub(crate) fn select<R: Record>(index: Option<&str>, rest: &str) -> String {
    // The `+` does not change the value. It saves SQLite from recording five names per column.
    let columns = R::COLUMNS.join(", +");
    let (by, index) = index.map_or(("", ""), |index| (" INDEXED BY ", index));
    format!("SELECT +{columns} FROM {}{by}{index}{rest}", R::TABLE)
}

/// Returns the condition on the key columns.
fn of_key<R: Record>() -> String {
    let columns = R::COLUMNS[..R::KEY].iter().enumerate();
    let equal: Vec<String> =
        columns.map(|(place, column)| format!("{column} = ?{}", place + 1)).collect();
    equal.join(" AND ")
}

/// Writes the changes. `seen` is the view on which the step decided.
pub(crate) fn apply<R: Table>(
    tx: &Transaction<'_>,
    changes: &ChangeSet,
    seen: &View,
) -> Result<(), StoreError> {
    let changes = R::changes(changes);
    if changes.is_empty() {
        return Ok(());
    }
    let (mut gone, mut same, mut put) = (Vec::new(), Vec::new(), Vec::new());
    for change in changes {
        match change {
            Change::Delete(key) => gone.push(key),
            Change::Put(row) => {
                let before = R::rows(seen).get(row.key());
                let list = if before.is_some_and(|before| before.indexed() == row.indexed()) {
                    &mut same
                } else {
                    &mut put
                };
                list.push(row);
            }
        }
    }
    if !gone.is_empty() {
        let sql = format!("DELETE FROM {} WHERE {}", R::TABLE, of_key::<R>());
        tx.with(&sql, |delete| {
            gone.into_iter().try_for_each(|key| execute(delete, &R::of_key(key)).map(drop))
        })?;
    }
    if !same.is_empty() {
        // Updates only the row, because no indexed column changed.
        let columns = R::COLUMNS[R::INDEXED..].iter().zip(R::KEY + 1..);
        let sets: Vec<String> =
            columns.map(|(column, place)| format!("{column} = ?{place}")).collect();
        let sql = format!("UPDATE {} SET {} WHERE {}", R::TABLE, sets.join(", "), of_key::<R>());
        tx.with(&sql, |update| {
            for row in same {
                let mut cells = R::of_key(row.key());
                row.others(&mut cells);
                if execute(update, &cells)? == 0 {
                    put.push(row);
                }
            }
            Ok(())
        })?;
    }
    insert("REPLACE", tx, put.into_iter())
}

/// Inserts rows. `how` is the SQL verb.
pub(crate) fn insert<'r, R: Record + 'r>(
    how: &str,
    tx: &Transaction<'_>,
    rows: impl ExactSizeIterator<Item = &'r R>,
) -> Result<(), StoreError> {
    if rows.len() == 0 {
        return Ok(());
    }
    let (columns, places) = (R::COLUMNS.join(", "), vec!["?"; R::COLUMNS.len()].join(", "));
    let sql = format!("{how} INTO {}({columns}) VALUES({places})", R::TABLE);
    tx.with(&sql, |insert| {
        for row in rows {
            execute(insert, &row.cells())?;
        }
        Ok(())
    })
}
