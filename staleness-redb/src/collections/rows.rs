//! Collections whose rows are created, replaced and removed: reading and writing them, with their indexes.

use redb::{Key, ReadableTable, Table, TableDefinition, TableHandle, Value};
use staleness_core::store::{Change, ChangeSet, Filter, Pick, Row, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::tables::Tx;

/// The most rows of a page of items, documents and work items, which may be a megabyte each.
pub(crate) const TEXT_PAGE: usize = 50;

/// The key of a row as the table has it.
pub(crate) type Words<'k, R> = <<R as Stored>::Words as Value>::SelfType<'k>;
/// The table of a collection, open.
pub(crate) type Rows<'t, R> = Table<'t, <R as Stored>::Words, &'static [u8]>;

/// A collection as a table.
pub(crate) trait Stored: Row {
    /// The table's key.
    type Words: Key + 'static;
    /// The indexes.
    type Indexes<'t>: Indexes<'t, Self>;
    /// The table.
    const ROWS: TableDefinition<'static, Self::Words, &'static [u8]>;
    /// The most rows of a page.
    const PAGE: usize = 1_000;

    fn words(key: &Self::Key) -> Result<Words<'_, Self>, StoreError>;

    fn decode(key: &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad>;

    fn encode(&self) -> Result<Vec<u8>, StoreError>;

    /// Adds what a filter names to the view, which is not for one key, nor for all.
    fn find(
        tx: &Tx,
        rows: &Rows<'_, Self>,
        filter: &Self::Filter,
        view: &mut View,
    ) -> Result<(), StoreError>;

    /// Returns the words for a row in errors.
    fn name(key: &Words<'_, Self>) -> String {
        format!("{key:?}")
    }
}

/// The indexes over a collection, opened when they change.
pub(crate) trait Indexes<'t, R> {
    /// True if there are any.
    const ANY: bool = true;

    fn new(tx: &'t Tx) -> Self;

    /// Makes them follow a change of a row.
    fn change(&mut self, before: Option<&R>, after: Option<&R>) -> Result<(), StoreError>;
}

/// A collection without indexes.
impl<R> Indexes<'_, R> for () {
    const ANY: bool = false;

    fn new(_: &Tx) -> Self {}

    fn change(&mut self, _: Option<&R>, _: Option<&R>) -> Result<(), StoreError> {
        Ok(())
    }
}

impl<R: Stored> Collection for R {
    type Key = R::Words;
    type Row = R;
    const TABLE: TableDefinition<'static, R::Words, &'static [u8]> = R::ROWS;
    const PAGE: usize = <R as Stored>::PAGE;

    fn read(key: &Words<'_, R>, value: &[u8]) -> Result<R, StoreError> {
        R::decode(key, value).map_err(|bad| corrupt(R::ROWS.name(), R::name(key), bad))
    }

    fn keep(row: R, view: &mut View) {
        R::rows_mut(view).insert(row.key().clone(), row);
    }
}

/// Adds the rows that any of the picks names.
pub(crate) fn load<R: Stored>(
    tx: &Tx,
    picks: &[Pick<R::Filter>],
    view: &mut View,
) -> Result<(), StoreError> {
    if picks.is_empty() {
        return Ok(());
    }
    let rows = table(tx, R::ROWS)?;
    let mut found: Vec<&R::Filter> = Vec::new();
    for Pick { filter, .. } in picks {
        match filter.key() {
            // The rows of a batch are few, and each is named again and again.
            Some(key) if R::rows(view).contains_key(key) => {}
            Some(key) => {
                if let Some(row) = get::<R>(&rows, &R::words(key)?)? {
                    R::keep(row, view);
                }
            }
            None if found.contains(&filter) => {}
            None => {
                found.push(filter);
                match *filter == R::Filter::ALL {
                    true => keep_all::<R>(&rows, view)?,
                    false => R::find(tx, &rows, filter, view)?,
                }
            }
        }
    }
    Ok(())
}

/// Adds the rows from `first` on, as long as their keys are `within`.
pub(crate) fn range<R: Stored>(
    rows: &Rows<'_, R>,
    first: Words<'_, R>,
    within: impl Fn(&Words<'_, R>) -> bool,
    view: &mut View,
) -> Result<(), StoreError> {
    for entry in rows.range(first..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        if !within(&key.value()) {
            break;
        }
        R::keep(R::read(&key.value(), value.value())?, view);
    }
    Ok(())
}

/// Adds the row that an index names.
pub(crate) fn keep_indexed<R: Stored>(
    rows: &Rows<'_, R>,
    key: &Words<'_, R>,
    view: &mut View,
) -> Result<(), StoreError> {
    match get::<R>(rows, key)? {
        Some(row) => R::keep(row, view),
        None => return Err(corrupt(R::ROWS.name(), R::name(key), Bad("the row"))),
    }
    Ok(())
}

/// Writes the changes, and of the indexes what really changes.
pub(crate) fn apply<R: Stored>(tx: &Tx, changes: &ChangeSet) -> Result<(), StoreError> {
    let changes = R::changes(changes);
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, R::ROWS)?;
    let mut indexes = R::Indexes::new(tx);
    for change in changes {
        let (key, after) = match change {
            Change::Put(row) => (row.key(), Some(row)),
            Change::Delete(key) => (key, None),
        };
        let key = R::words(key)?;
        let old = match after {
            Some(row) => rows.insert(&key, row.encode()?.as_slice()),
            None => rows.remove(&key),
        };
        if let Some(old) = old.map_err(from_storage)?.filter(|_| R::Indexes::ANY) {
            let before = R::read(&key, old.value())?;
            indexes.change(Some(&before), after)?;
        } else {
            indexes.change(None, after)?;
        }
    }
    Ok(())
}
