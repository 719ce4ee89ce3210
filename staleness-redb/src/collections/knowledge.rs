//! Items of knowledge.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ItemId, ItemKey, Scope};
use staleness_core::knowledge::{Item, ItemBrief};
use staleness_core::store::{ItemFilter, StoreError, View};

use super::rows::{Rows, Stored, TEXT_PAGE, Words, range};
use super::table;
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_item, decode_item_brief, encode_item, id};
use crate::tables::{ItemRef, KNOWLEDGE, Tx};

impl Stored for Item {
    type Words = ItemRef;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, ItemRef, &'static [u8]> = KNOWLEDGE;
    const PAGE: usize = TEXT_PAGE;

    fn words(key: &ItemKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.scope.as_key(), key.id.as_str()))
    }

    fn decode(&(scope, item): &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        let scope = id(scope, Scope::from_key, "scope")?;
        decode_item(ItemKey { scope, id: id(item, ItemId::new, "id")? }, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_item(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &ItemFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            ItemFilter::Scope(scope) => {
                let first = scope.as_key();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            ItemFilter::Key(_) | ItemFilter::All => Ok(()),
        }
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
