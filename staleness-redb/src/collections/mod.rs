//! Reads and writes the collections, the logs and the counters.

pub(crate) mod journal;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod rows;
pub(crate) mod stored;

use std::ops::ControlFlow;

use redb::{Key, ReadableTable, Table, TableDefinition, Value};
use staleness_core::ids::{ProjectId, Scope};
use staleness_core::journal::Revision;
use staleness_core::route::Route;
use staleness_core::store::{ChangeSet, Selection, StoreError, View};
use staleness_core::tool::{Tool, ToolSummary};

use crate::error::{from_storage, from_table};
use crate::tables::Tx;
use meta::Meta;

/// A table of records.
pub(crate) trait Collection {
    type Key: Key + 'static;
    type Row;
    const TABLE: TableDefinition<'static, Self::Key, &'static [u8]>;
    /// Maximum number of rows per page.
    const PAGE: usize;

    /// Decodes and validates a record.
    fn row(key: &<Self::Key as Value>::SelfType<'_>, value: &[u8])
    -> Result<Self::Row, StoreError>;

    fn keep(row: Self::Row, view: &mut View);
}

/// Opens a table for reading and writing.
pub(crate) fn table<'t, K: Key + 'static, V: Value + 'static>(
    tx: &'t Tx,
    definition: TableDefinition<'_, K, V>,
) -> Result<Table<'t, K, V>, StoreError> {
    tx.open_table(definition).map_err(from_table)
}

/// Returns the record with this key, if it exists.
pub(crate) fn get<C: Collection>(
    table: &impl ReadableTable<C::Key, &'static [u8]>,
    key: &<C::Key as Value>::SelfType<'_>,
) -> Result<Option<C::Row>, StoreError> {
    let value = table.get(key).map_err(from_storage)?;
    value.map(|value| C::row(key, value.value())).transpose()
}

/// Visits all records in key order, until `visit` breaks.
pub(crate) fn all<C: Collection>(
    tx: &Tx,
    mut visit: impl FnMut(C::Row) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    for entry in table(tx, C::TABLE)?.iter().map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        if visit(C::row(&key.value(), value.value())?)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn keep_all<C: Collection>(
    table: &impl ReadableTable<C::Key, &'static [u8]>,
    view: &mut View,
) -> Result<(), StoreError> {
    for entry in table.iter().map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        C::keep(C::row(&key.value(), value.value())?, view);
    }
    Ok(())
}

fn summaries(tx: &Tx, scope: &Scope, view: &mut View) -> Result<(), StoreError> {
    let (first, mut all) = (scope.as_key(), Vec::new());
    for entry in
        table(tx, <Tool as Collection>::TABLE)?.range((first, "", "")..).map_err(from_storage)?
    {
        let (key, value) = entry.map_err(from_storage)?;
        if key.value().0 != first {
            break;
        }
        all.push(ToolSummary::from(&<Tool as Collection>::row(&key.value(), value.value())?));
    }
    view.summaries.insert(scope.clone(), all);
    Ok(())
}

pub(crate) fn count_routes(tx: &Tx, project: &ProjectId) -> Result<u64, StoreError> {
    let (project, mut found) = (project.as_str(), 0);
    for entry in
        table(tx, <Route as Collection>::TABLE)?.range((project, "", "")..).map_err(from_storage)?
    {
        if entry.map_err(from_storage)?.0.value().0 != project {
            break;
        }
        found += 1;
    }
    Ok(found)
}

pub(crate) fn load(tx: &Tx, selection: &Selection, meta: Meta) -> Result<View, StoreError> {
    let mut view = View::default();
    (view.revision, view.floor) = (meta.revision, meta.floor);
    macro_rules! load {
        ($($field:ident: $row:ty,)*) => {
            $(rows::load::<$row>(tx, &selection.$field, &mut view)?;)*
        };
    }
    staleness_core::collections!(load);
    for scope in &selection.summaries {
        summaries(tx, scope, &mut view)?;
    }
    outcomes::load(tx, &selection.outcomes, &mut view)?;
    for filter in &selection.journal {
        journal::load(tx, filter, &mut view)?;
    }
    if let Some(project) = &selection.count_routes {
        view.route_count = Some(count_routes(tx, project)?);
    }
    if selection.generation {
        view.generation = Some(meta::generation(tx)?);
    }
    Ok(view)
}

/// Numbers and writes `changes`. `seen` is the view on which the step decided. Returns the new revision.
pub(crate) fn apply(
    tx: &Tx,
    mut meta: Meta,
    seen: &View,
    changes: &mut ChangeSet,
) -> Result<Revision, StoreError> {
    let before = (meta.revision, meta.floor);
    for range in &changes.outcome_ranges {
        outcomes::remove(tx, range)?;
    }
    journal::remove(tx, &changes.pruned)?;
    meta.floor.raise(changes.floor);
    meta.revision = changes.number(meta.last_seq, meta.revision);
    if (meta.revision, meta.floor) != before || !changes.outcome_ranges.is_empty() {
        // If the newest outcomes were removed, their numbers must not be reused.
        meta::store(tx, meta)?;
    }
    if changes.moves_generation(seen) {
        meta::advance(tx)?;
    }
    macro_rules! apply {
        ($($field:ident: $row:ty,)*) => { $(rows::apply::<$row>(tx, changes)?;)* };
    }
    staleness_core::collections!(apply);
    outcomes::append(tx, &changes.outcomes)?;
    journal::append(tx, &changes.journal)?;
    Ok(meta.revision)
}
