//! Work items, and the three indexes over those that have not ended.

use std::collections::BTreeSet;

use redb::{ReadableTable, Table, TableDefinition};
use staleness_core::ids::{Scope, WorkId, WorkKey};
use staleness_core::store::{Change, StoreError, View, WorkFilter, pack, unpack};
use staleness_core::work::Work;

use super::{Collection, Once, get, keep_all_of, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{AGINGS, decode_work, encode_work, id, number};
use crate::session::Tx;
use crate::tables::{AgingRef, WORK, WORK_AGING, WORK_OPEN, WORK_REFERRING, WorkRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct WorkItems;

impl Collection for WorkItems {
    type Key = WorkRef;
    type Row = Work;
    const TABLE: TableDefinition<'static, WorkRef, &'static [u8]> = WORK;

    fn read(key: (&str, &str), value: &[u8]) -> Result<Work, StoreError> {
        work_key(key)
            .and_then(|key| decode_work(key, value))
            .map_err(|bad| corrupt("work", format_args!("{key:?}"), bad))
    }

    fn keep(row: Work, view: &mut View) {
        view.work.insert(row.key.clone(), row);
    }
}

fn work_key((scope, work): (&str, &str)) -> Result<WorkKey, Bad> {
    Ok(WorkKey { scope: id(scope, Scope::from_key, "scope")?, id: id(work, WorkId::new, "id")? })
}

fn words(key: &WorkKey) -> (&str, &str) {
    (key.scope.as_key(), key.id.as_str())
}

/// Adds what the filters name to the view.
pub(crate) fn load<'f>(
    tx: &Tx,
    filters: impl Iterator<Item = &'f WorkFilter>,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut rows = Once::new(tx, WORK);
    for filter in filters {
        match filter {
            WorkFilter::Key(key) => {
                if let Some(row) = get::<WorkItems>(rows.open()?, words(key))? {
                    WorkItems::keep(row, view);
                }
            }
            WorkFilter::Scope(scope) => {
                let scope = scope.as_key();
                for entry in rows.open()?.range((scope, "")..).map_err(from_storage)? {
                    let (key, value) = entry.map_err(from_storage)?;
                    if key.value().0 != scope {
                        break;
                    }
                    WorkItems::keep(WorkItems::read(key.value(), value.value())?, view);
                }
            }
            WorkFilter::Open(scope) => by_index(tx, WORK_OPEN, scope, rows.open()?, view)?,
            WorkFilter::Referring { scope, to } => {
                referring(tx, scope, to, rows.open()?, view)?;
            }
            WorkFilter::Aging { scope, aging, until } => {
                let (scope, aging) = (scope.as_key(), number(&AGINGS, aging)?);
                let index = table(tx, WORK_AGING)?;
                let found = (scope, aging, i64::MIN, "")..(scope, aging, until.as_millis() + 1, "");
                let found = index.range(found).map_err(from_storage)?;
                for entry in found {
                    let (key, _) = entry.map_err(from_storage)?;
                    keep_indexed(rows.open()?, (scope, key.value().3), view)?;
                }
            }
            WorkFilter::All => keep_all_of::<WorkItems>(rows.open()?, view)?,
        }
    }
    Ok(())
}

type Rows<'t> = Table<'t, WorkRef, &'static [u8]>;

fn by_index(
    tx: &Tx,
    index: TableDefinition<'_, WorkRef, ()>,
    scope: &Scope,
    rows: &Rows<'_>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, index) = (scope.as_key(), table(tx, index)?);
    for entry in index.range((scope, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        if key.value().0 != scope {
            break;
        }
        keep_indexed(rows, key.value(), view)?;
    }
    Ok(())
}

/// What refers to any of `to`. Which rows do is decided on the index alone.
fn referring(
    tx: &Tx,
    scope: &Scope,
    to: &BTreeSet<String>,
    rows: &Rows<'_>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, index) = (scope.as_key(), table(tx, WORK_REFERRING)?);
    for entry in index.range((scope, "")..).map_err(from_storage)? {
        let (key, refs) = entry.map_err(from_storage)?;
        let key = key.value();
        if key.0 != scope {
            break;
        }
        let refs: Vec<String> = unpack(refs.value())
            .ok_or_else(|| corrupt("work_referring", format_args!("{key:?}"), Bad("refs")))?;
        if refs.iter().any(|other| to.contains(other)) {
            keep_indexed(rows, key, view)?;
        }
    }
    Ok(())
}

fn keep_indexed(rows: &Rows<'_>, key: (&str, &str), view: &mut View) -> Result<(), StoreError> {
    match get::<WorkItems>(rows, key)? {
        Some(row) => WorkItems::keep(row, view),
        None => return Err(corrupt("work", format_args!("{key:?}"), Bad("the row"))),
    }
    Ok(())
}

/// What the indexes say of a work item.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    pub(crate) open: bool,
    /// The number of the way in which it ages, and since when.
    pub(crate) aging: Option<(u8, i64)>,
    /// To which others it refers, packed.
    pub(crate) referring: Option<String>,
}

impl Marks {
    pub(crate) fn of(row: &Work) -> Result<Self, StoreError> {
        let open = row.status.is_open();
        let aging = match row.aging() {
            Some((aging, since)) => Some((number(&AGINGS, &aging)?, since.as_millis())),
            None => None,
        };
        Ok(Self { open, aging, referring: (open && !row.refs.is_empty()).then(|| pack(&row.refs)) })
    }
}

/// The indexes, opened when they change.
struct Indexes<'t> {
    open: Once<'t, WorkRef, ()>,
    aging: Once<'t, AgingRef, ()>,
    referring: Once<'t, WorkRef, &'static str>,
}

impl<'t> Indexes<'t> {
    const fn new(tx: &'t Tx) -> Self {
        Self {
            open: Once::new(tx, WORK_OPEN),
            aging: Once::new(tx, WORK_AGING),
            referring: Once::new(tx, WORK_REFERRING),
        }
    }

    fn change(
        &mut self,
        key: (&str, &str),
        before: &Marks,
        after: &Marks,
    ) -> Result<(), StoreError> {
        self.open.set(key, before.open, after.open)?;
        if before.referring != after.referring {
            let index = self.referring.open()?;
            match &after.referring {
                Some(refs) => index.insert(key, refs.as_str()).map(drop),
                None => index.remove(key).map(drop),
            }
            .map_err(from_storage)?;
        }
        if before.aging == after.aging {
            return Ok(());
        }
        for (marks, there) in [(before, true), (after, false)] {
            if let Some((aging, since)) = marks.aging {
                self.aging.set((key.0, aging, since, key.1), there, !there)?;
            }
        }
        Ok(())
    }
}

/// Writes the changes, and of the indexes what really changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Work, WorkKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, WORK)?;
    let mut indexes = Indexes::new(tx);
    for change in changes {
        let (key, after, old) = match change {
            Change::Put(row) => {
                let value = encode_work(row)?;
                let old = rows.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
                (words(&row.key), Marks::of(row)?, old)
            }
            Change::Delete(key) => {
                let old = rows.remove(words(key)).map_err(from_storage)?;
                (words(key), Marks::default(), old)
            }
        };
        let before = match old {
            Some(old) => Marks::of(&WorkItems::read(key, old.value())?)?,
            None => Marks::default(),
        };
        indexes.change(key, &before, &after)?;
    }
    Ok(())
}
