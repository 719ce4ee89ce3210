//! One file per collection: its tables, and how its rows are found, read and written.

pub(crate) mod cursors;
pub(crate) mod documents;
pub(crate) mod journal;
pub(crate) mod knowledge;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod projects;
pub(crate) mod routes;
pub(crate) mod sessions;
pub(crate) mod sources;
pub(crate) mod suggestions;
pub(crate) mod tools;
pub(crate) mod vectors;
pub(crate) mod work;

use std::ops::ControlFlow;

use redb::{Key, ReadableTable, Table, TableDefinition, Value};
use staleness_core::journal::Revision;
use staleness_core::store::{ChangeSet, Pick, Selection, StoreError, View};

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

/// The table of a collection, open.
type Rows<'t, C> = Table<'t, <C as Collection>::Key, &'static [u8]>;

/// A table that is opened when it is first read, and stays open: what is selected may be a thousand
/// rows, each named by a filter of its own.
struct Once<'t, K: Key + 'static, V: Value + 'static> {
    tx: &'t Tx,
    definition: TableDefinition<'static, K, V>,
    table: Option<Table<'t, K, V>>,
}

impl<'t, K: Key + 'static, V: Value + 'static> Once<'t, K, V> {
    const fn new(tx: &'t Tx, definition: TableDefinition<'static, K, V>) -> Self {
        Self { tx, definition, table: None }
    }

    fn open(&mut self) -> Result<&mut Table<'t, K, V>, StoreError> {
        match &mut self.table {
            Some(table) => Ok(table),
            none => Ok(none.insert(table(self.tx, self.definition)?)),
        }
    }
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
    visit: impl FnMut(C::Row) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    all_of::<C>(&table(tx, C::TABLE)?, visit)
}

fn all_of<C: Collection>(
    table: &Rows<'_, C>,
    mut visit: impl FnMut(C::Row) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
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
    keep_all_of::<C>(&table(tx, C::TABLE)?, view)
}

fn keep_all_of<C: Collection>(table: &Rows<'_, C>, view: &mut View) -> Result<(), StoreError> {
    all_of::<C>(table, |row| {
        C::keep(row, view);
        Ok(ControlFlow::Continue(()))
    })
}

impl<K: Key + 'static> Once<'_, K, ()> {
    /// Makes the index hold the key or not, when that is a change.
    fn set(&mut self, key: K::SelfType<'_>, before: bool, after: bool) -> Result<(), StoreError> {
        if before == after {
            return Ok(());
        }
        let table = self.open()?;
        if after {
            table.insert(key, ()).map_err(from_storage)?;
        } else {
            table.remove(key).map_err(from_storage)?;
        }
        Ok(())
    }
}

fn filters<F>(picks: &[Pick<F>]) -> impl Iterator<Item = &F> {
    picks.iter().map(|pick| &pick.filter)
}

/// Everything that `selection` names.
pub(crate) fn load(tx: &Tx, selection: &Selection, revision: Revision) -> Result<View, StoreError> {
    let mut view = View::default();
    view.revision = revision;
    projects::load(tx, filters(&selection.projects), &mut view)?;
    for filter in filters(&selection.sources) {
        sources::load(tx, filter, &mut view)?;
    }
    tools::load(tx, filters(&selection.tools), &mut view)?;
    for scope in &selection.briefs {
        tools::briefs(tx, scope, &mut view)?;
    }
    for filter in filters(&selection.knowledge) {
        knowledge::load(tx, filter, &mut view)?;
    }
    for scope in &selection.item_briefs {
        knowledge::briefs(tx, scope, &mut view)?;
    }
    for filter in filters(&selection.documents) {
        documents::load(tx, filter, &mut view)?;
    }
    work::load(tx, filters(&selection.work), &mut view)?;
    for filter in filters(&selection.sessions) {
        sessions::load(tx, filter, &mut view)?;
    }
    for filter in filters(&selection.cursors) {
        cursors::load(tx, filter, &mut view)?;
    }
    for filter in filters(&selection.routes) {
        routes::load(tx, filter, &mut view)?;
    }
    for project in &selection.route_briefs {
        routes::briefs(tx, project, &mut view)?;
    }
    for filter in filters(&selection.vectors) {
        vectors::load(tx, filter, &mut view)?;
    }
    for filter in filters(&selection.suggestions) {
        suggestions::load(tx, filter, &mut view)?;
    }
    outcomes::load(tx, selection.outcomes.iter(), &mut view)?;
    for filter in &selection.journal {
        journal::load(tx, filter, &mut view)?;
    }
    if let Some(cut) = &selection.count_outcomes {
        view.counts = Some(outcomes::count(tx, cut)?);
    }
    if let Some(project) = &selection.count_routes {
        view.route_count = Some(routes::count(tx, project)?);
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
    routes::apply(tx, &changes.routes)?;
    vectors::apply(tx, &changes.vectors)?;
    suggestions::apply(tx, &changes.suggestions)?;
    outcomes::append(tx, &changes.outcomes)?;
    journal::append(tx, &changes.journal)?;
    Ok(revision)
}
