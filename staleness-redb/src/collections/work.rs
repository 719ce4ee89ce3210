//! Work items, and the index of those that have not ended.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{Scope, WorkId, WorkKey};
use staleness_core::store::{Change, StoreError, View, WorkFilter};
use staleness_core::work::Work;

use super::{Collection, Lazy, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_work, encode_work, id, is_open};
use crate::session::Tx;
use crate::tables::{WORK, WORK_OPEN, WorkRef};

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

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &WorkFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        WorkFilter::Key(key) => {
            if let Some(row) = get::<WorkItems>(&table(tx, WORK)?, words(key))? {
                WorkItems::keep(row, view);
            }
            Ok(())
        }
        WorkFilter::Scope(scope) => {
            let scope = scope.as_key();
            for entry in table(tx, WORK)?.range((scope, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != scope {
                    break;
                }
                WorkItems::keep(WorkItems::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        WorkFilter::Open(scope) => {
            let scope = scope.as_key();
            let (rows, index) = (table(tx, WORK)?, table(tx, WORK_OPEN)?);
            for entry in index.range((scope, "")..).map_err(from_storage)? {
                let (key, _) = entry.map_err(from_storage)?;
                let key = key.value();
                if key.0 != scope {
                    break;
                }
                match get::<WorkItems>(&rows, key)? {
                    Some(row) => WorkItems::keep(row, view),
                    None => {
                        return Err(corrupt("work", format_args!("{key:?}"), Bad("the row")));
                    }
                }
            }
            Ok(())
        }
        WorkFilter::All => keep_all::<WorkItems>(tx, view),
        _ => Err(StoreError::Unsupported("this filter of work items")),
    }
}

/// Writes the changes, and of the index what really changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Work, WorkKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, WORK)?;
    let mut index = Lazy::new(tx, WORK_OPEN);
    for change in changes {
        let (key, after, old) = match change {
            Change::Put(row) => {
                let value = encode_work(row)?;
                let old = rows.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
                (&row.key, row.status.is_open(), old)
            }
            Change::Delete(key) => (key, false, rows.remove(words(key)).map_err(from_storage)?),
            _ => return Err(StoreError::Unsupported("this change of a work item")),
        };
        let before = old
            .map_or(Ok(false), |old| is_open(old.value()))
            .map_err(|bad| corrupt("work", format_args!("{:?}", words(key)), bad))?;
        index.set(words(key), before, after)?;
    }
    Ok(())
}
