//! One file per collection: its tables, and how its rows are found, read and written.

pub(crate) mod cursors;
pub(crate) mod documents;
pub(crate) mod journal;
pub(crate) mod knowledge;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod projects;
pub(crate) mod sessions;
pub(crate) mod sources;
pub(crate) mod tools;
pub(crate) mod work;

use std::ops::ControlFlow;

use redb::{Key, ReadableTable, Table, TableDefinition, Value};
use staleness_core::journal::Revision;
use staleness_core::store::{ChangeSet, Selection, StoreError, View};

use crate::error::{from_storage, from_table};
use crate::session::Tx;
use meta::Meta;

/// A collection of records: one table, the same way to read each.
pub(crate) trait Collection {
    /// The table's key.
    type Key: Key + 'static;
    /// The record.
    type Row;
    /// The table.
    const TABLE: TableDefinition<'static, Self::Key, &'static [u8]>;

    /// Reads a record without trusting it.
    fn read(key: <Self::Key as Value>::SelfType<'_>, value: &[u8])
    -> Result<Self::Row, StoreError>;

    /// Adds a record to a view.
    fn keep(row: Self::Row, view: &mut View);
}

/// A table, open for reading and writing.
pub(crate) fn table<'t, K: Key + 'static, V: Value + 'static>(
    tx: &'t Tx,
    definition: TableDefinition<'_, K, V>,
) -> Result<Table<'t, K, V>, StoreError> {
    tx.open_table(definition).map_err(from_table)
}

/// The record with this key.
pub(crate) fn get<'k, C: Collection>(
    table: &impl ReadableTable<C::Key, &'static [u8]>,
    key: <C::Key as Value>::SelfType<'k>,
) -> Result<Option<C::Row>, StoreError>
where
    <C::Key as Value>::SelfType<'k>: Copy,
{
    match table.get(key).map_err(from_storage)? {
        Some(value) => {
            // The key as it was asked for is the key as it is stored.
            let key = C::Key::as_bytes(&key);
            C::read(C::Key::from_bytes(key.as_ref()), value.value()).map(Some)
        }
        None => Ok(None),
    }
}

/// Every record in the order of keys, until `visit` breaks.
pub(crate) fn all<C: Collection>(
    tx: &Tx,
    mut visit: impl FnMut(C::Row) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let table = table(tx, C::TABLE)?;
    for entry in table.iter().map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        if visit(C::read(key.value(), value.value())?)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Adds every record to the view.
fn keep_all<C: Collection>(tx: &Tx, view: &mut View) -> Result<(), StoreError> {
    all::<C>(tx, |row| {
        C::keep(row, view);
        Ok(ControlFlow::Continue(()))
    })
}

/// A table that is opened when it is needed: most commits change no index of tools.
struct Lazy<'t, K: Key + 'static> {
    tx: &'t Tx,
    definition: TableDefinition<'static, K, ()>,
    table: Option<Table<'t, K, ()>>,
}

impl<'t, K: Key + 'static> Lazy<'t, K> {
    const fn new(tx: &'t Tx, definition: TableDefinition<'static, K, ()>) -> Self {
        Self { tx, definition, table: None }
    }

    /// Makes the index hold the key or not, when that is a change.
    fn set(&mut self, key: K::SelfType<'_>, before: bool, after: bool) -> Result<(), StoreError> {
        if before == after {
            return Ok(());
        }
        let table = match &mut self.table {
            Some(table) => table,
            none => none.insert(table(self.tx, self.definition)?),
        };
        if after {
            table.insert(key, ()).map_err(from_storage)?;
        } else {
            table.remove(key).map_err(from_storage)?;
        }
        Ok(())
    }
}

/// Everything that `selection` names.
pub(crate) fn load(tx: &Tx, selection: &Selection, revision: Revision) -> Result<View, StoreError> {
    let mut view = View::default();
    view.revision = revision;
    for pick in &selection.projects {
        projects::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.sources {
        sources::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.tools {
        tools::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.knowledge {
        knowledge::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.documents {
        documents::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.work {
        work::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.sessions {
        sessions::load(tx, &pick.filter, &mut view)?;
    }
    for pick in &selection.cursors {
        cursors::load(tx, &pick.filter, &mut view)?;
    }
    for filter in &selection.outcomes {
        outcomes::load(tx, filter, &mut view)?;
    }
    for filter in &selection.journal {
        journal::load(tx, filter, &mut view)?;
    }
    if let Some(cut) = &selection.count_outcomes {
        view.counts = Some(outcomes::count(tx, cut)?);
    }
    Ok(view)
}

/// Writes `changes` and numbers them. Returns the revision after the commit.
pub(crate) fn apply(tx: &Tx, meta: Meta, changes: &mut ChangeSet) -> Result<Revision, StoreError> {
    for range in &changes.outcome_ranges {
        outcomes::remove(tx, range)?;
    }
    let revision = changes.number(meta.last_seq, meta.revision);
    if revision != meta.revision || !changes.outcome_ranges.is_empty() {
        // Removing outcomes may remove the newest; the floor keeps their numbers from coming back.
        meta::store(tx, revision, meta.last_seq)?;
    }
    projects::apply(tx, &changes.projects)?;
    sources::apply(tx, &changes.sources)?;
    tools::apply(tx, &changes.tools)?;
    knowledge::apply(tx, &changes.knowledge)?;
    documents::apply(tx, &changes.documents)?;
    work::apply(tx, &changes.work)?;
    sessions::apply(tx, &changes.sessions)?;
    cursors::apply(tx, &changes.cursors)?;
    outcomes::append(tx, &changes.outcomes)?;
    journal::append(tx, &changes.journal)?;
    Ok(revision)
}
