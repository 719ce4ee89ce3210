//! Items of knowledge.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ItemId, ItemKey, Scope};
use staleness_core::knowledge::{Item, ItemBrief};
use staleness_core::store::{Change, ItemFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_item, decode_item_brief, encode_item, id};
use crate::session::Tx;
use crate::tables::{ItemRef, KNOWLEDGE};

/// The collection.
#[derive(Debug)]
pub(crate) struct Knowledge;

impl Collection for Knowledge {
    type Key = ItemRef;
    type Row = Item;
    const TABLE: TableDefinition<'static, ItemRef, &'static [u8]> = KNOWLEDGE;

    fn read(key: (&str, &str), value: &[u8]) -> Result<Item, StoreError> {
        item_key(key)
            .and_then(|key| decode_item(key, value))
            .map_err(|bad| corrupt("knowledge", format_args!("{key:?}"), bad))
    }

    fn keep(row: Item, view: &mut View) {
        view.knowledge.insert(row.key.clone(), row);
    }
}

fn item_key((scope, item): (&str, &str)) -> Result<ItemKey, Bad> {
    Ok(ItemKey { scope: id(scope, Scope::from_key, "scope")?, id: id(item, ItemId::new, "id")? })
}

fn words(key: &ItemKey) -> (&str, &str) {
    (key.scope.as_key(), key.id.as_str())
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &ItemFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        ItemFilter::Key(key) => {
            if let Some(row) = get::<Knowledge>(&table(tx, KNOWLEDGE)?, words(key))? {
                Knowledge::keep(row, view);
            }
            Ok(())
        }
        ItemFilter::Scope(scope) => {
            let scope = scope.as_key();
            for entry in table(tx, KNOWLEDGE)?.range((scope, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != scope {
                    break;
                }
                Knowledge::keep(Knowledge::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        ItemFilter::All => keep_all::<Knowledge>(tx, view),
    }
}

/// Adds the items of a scope in brief.
pub(crate) fn briefs(tx: &Tx, scope: &Scope, view: &mut View) -> Result<(), StoreError> {
    let all = view.item_briefs.entry(scope.clone()).or_default();
    all.clear();
    let scope = scope.as_key();
    for entry in table(tx, KNOWLEDGE)?.range((scope, "")..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        let key = key.value();
        if key.0 != scope {
            break;
        }
        all.push(
            read_brief(key.1, value.value())
                .map_err(|bad| corrupt("knowledge", format_args!("{key:?}"), bad))?,
        );
    }
    Ok(())
}

fn read_brief(item: &str, value: &[u8]) -> Result<ItemBrief, Bad> {
    decode_item_brief(id(item, ItemId::new, "id")?, value)
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Item, ItemKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut items = table(tx, KNOWLEDGE)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_item(row)?;
                items.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(key) => {
                items.remove(words(key)).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
