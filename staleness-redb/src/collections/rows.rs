//! Reads and writes collections with mutable rows, including their indexes.

use std::borrow::Cow;

use redb::{ReadableTable, Table, TableDefinition};
use staleness_core::store::table::{Bad, Cell, Table as Described};
use staleness_core::store::{Change, ChangeSet, Filter, Pick, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Coded, decode, encode};
use crate::error::from_storage;
use crate::tables::{KeyRef, Tx};

/// A word by which the index of a collection finds a row.
pub(crate) type Label = Cow<'static, str>;

/// The rows that may match a filter. The first part of their keys is the first parameter of its condition.
pub(crate) enum Find<'f> {
    /// Rows whose keys have this first part, and any other parts.
    First,
    /// Rows whose keys also have this second part.
    Second(&'f str),
    /// Rows with a label in a range, both ends included.
    Labelled(Label, Label),
}

/// A collection stored as a table, with an optional index.
#[diagnostic::on_unimplemented(
    note = "a new collection needs its kind and its filters in `collections/stored.rs`"
)]
pub(crate) trait Stored: Described + Coded {
    /// The index: the first part of a key, a label, the second part. Only collections whose keys have two parts can
    /// have an index.
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = None;

    /// Returns the rows that may match a filter. Not called for filters by key or for all rows.
    fn find(_: &Self::Filter) -> Find<'_> {
        Find::First
    }

    /// Returns the labels under which the index lists this row.
    fn labels(&self) -> Vec<Label> {
        Vec::new()
    }
}

/// Returns the parts of a key. All parts after the second are concatenated.
pub(crate) fn parts<R: Stored>(key: &R::Key) -> [Cow<'_, str>; 3] {
    let mut parts = [const { Cow::Borrowed("") }; 3];
    for (place, cell) in R::of_key(key).into_iter().enumerate() {
        let text = match cell {
            Cell::Text(text) => text.unwrap_or_default(),
            Cell::Int(number) => number.unwrap_or_default().to_string().into(),
            Cell::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        parts[place.min(2)] += text;
    }
    parts
}

impl<R: Stored> Collection for R {
    type Key = KeyRef;
    type Row = R;
    const TABLE: TableDefinition<'static, KeyRef, &'static [u8]> = TableDefinition::new(R::TABLE);
    const PAGE: usize = <R as Described>::PAGE;

    fn row(key: &(&str, &str, &str), value: &[u8]) -> Result<R, StoreError> {
        let row: Result<R, Bad> = decode(value);
        let row = row.and_then(|row| {
            let own = parts::<R>(row.key());
            let same = own.iter().zip([key.0, key.1, key.2]).all(|(own, found)| own == found);
            if same { Ok(row) } else { Err(Bad("key")) }
        });
        row.map_err(|bad| {
            let shown = match key {
                (first, "", "") => format!("{first:?}"),
                (first, second, "") => format!("{:?}", (first, second)),
                _ => format!("{key:?}"),
            };
            bad.in_row(R::TABLE, shown)
        })
    }

    fn keep(row: R, view: &mut View) {
        R::rows_mut(view).insert(row.key().clone(), row);
    }
}

/// Adds the rows matching any of the picks.
pub(crate) fn load<R: Stored>(
    tx: &Tx,
    picks: &[Pick<R::Filter>],
    view: &mut View,
) -> Result<(), StoreError> {
    if picks.is_empty() {
        return Ok(());
    }
    let rows = table(tx, <R as Collection>::TABLE)?;
    let mut found: Vec<&R::Filter> = Vec::new();
    for Pick { filter, .. } in picks {
        match filter.key() {
            // A batch often names the same few rows repeatedly.
            Some(key) if R::rows(view).contains_key(key) => {}
            Some(key) => {
                let [first, second, rest] = &parts::<R>(key);
                if let Some(row) = get::<R>(&rows, &(first, second, rest))? {
                    R::keep(row, view);
                }
            }
            None if found.contains(&filter) => {}
            None => {
                found.push(filter);
                match *filter == R::Filter::ALL {
                    true => keep_all::<R>(&rows, view)?,
                    false => find::<R>(tx, &rows, filter, view)?,
                }
            }
        }
    }
    Ok(())
}

/// Adds the rows matching a filter. Not called for filters by key or for all rows.
fn find<R: Stored>(
    tx: &Tx,
    rows: &Table<'_, KeyRef, &'static [u8]>,
    filter: &R::Filter,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut left = filter.most();
    let mut keep = |row: R| {
        if left > 0 && filter.matches(row.key(), Some(&row)) {
            left -= 1;
            R::keep(row, view);
        }
        left > 0
    };
    let Some(Cell::Text(Some(first))) = R::condition(filter).args.into_iter().next() else {
        return Err(StoreError::Unsupported("a filter of several scopes and projects"));
    };
    let first = &*first;
    let second = if let Find::Second(second) = R::find(filter) { Some(second) } else { None };
    match (R::find(filter), R::INDEX) {
        (Find::First | Find::Second(_), _) => {
            let from = (first, second.unwrap_or_default(), "");
            for entry in rows.range(from..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                let key = key.value();
                let within = key.0 == first && second.is_none_or(|second| key.1 == second);
                if !within || !keep(R::row(&key, value.value())?) {
                    break;
                }
            }
        }
        (Find::Labelled(from, to), Some(index)) => {
            for entry in table(tx, index)?.range((first, &*from, "")..).map_err(from_storage)? {
                let (key, _) = entry.map_err(from_storage)?;
                let (its_first, label, second) = key.value();
                if its_first != first || label > &*to {
                    break;
                }
                let key = (first, second, "");
                let row = get::<R>(rows, &key)?;
                keep(row.ok_or_else(|| {
                    Bad("the row").in_row(R::TABLE, format_args!("{:?}", (first, second)))
                })?);
            }
        }
        (Find::Labelled(..), None) => {
            return Err(StoreError::Unsupported("a label without an index"));
        }
    }
    Ok(())
}

/// Writes the changes, and updates the index only where it differs.
pub(crate) fn apply<R: Stored>(tx: &Tx, changes: &ChangeSet) -> Result<(), StoreError> {
    let changes = R::changes(changes);
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, <R as Collection>::TABLE)?;
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for change in changes {
        let (key, after) = match change {
            Change::Put(row) => (row.key(), Some(row)),
            Change::Delete(key) => (key, None),
        };
        let [first, second, rest] = parts::<R>(key);
        let words = (&*first, &*second, &*rest);
        let old = match after {
            Some(row) => rows.insert(words, encode(row)?.as_slice()),
            None => rows.remove(words),
        };
        let old = old.map_err(from_storage)?.filter(|_| R::INDEX.is_some());
        let before = old.map(|old| R::row(&words, old.value())).transpose()?;
        let before = before.as_ref().map_or_else(Vec::new, R::labels);
        let after = after.map_or_else(Vec::new, R::labels);
        let entry = |label: &Label| (first.clone(), label.clone(), second.clone());
        gone.extend(before.iter().filter(|label| !after.contains(label)).map(entry));
        new.extend(after.iter().filter(|label| !before.contains(label)).map(entry));
    }
    if let Some(index) = R::INDEX.filter(|_| !gone.is_empty() || !new.is_empty()) {
        let mut index = table(tx, index)?;
        for (first, label, second) in &gone {
            index.remove((&**first, &**label, &**second)).map_err(from_storage)?;
        }
        for (first, label, second) in &new {
            index.insert((&**first, &**label, &**second), ()).map_err(from_storage)?;
        }
    }
    Ok(())
}
