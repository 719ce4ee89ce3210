//! Visits many rows in pages.

use std::ops::ControlFlow;

use redb::ReadableTable;
use staleness_core::store::{Selection, StoreError, View};

use crate::collections::journal::Journal;
use crate::collections::meta::Meta;
use crate::collections::outcomes::Outcomes;
use crate::collections::{Collection, table};
use crate::error::from_storage;
use crate::tables::Tx;

type Visit<'v> = &'v mut dyn FnMut(View) -> ControlFlow<()>;

/// Passes the selected collections to `visit` in key order. Only one page is in memory.
pub(crate) fn pages(
    tx: &Tx,
    selection: &Selection,
    meta: Meta,
    visit: Visit<'_>,
) -> Result<(), StoreError> {
    selection.check_whole()?;
    let mut blank = View::default();
    (blank.revision, blank.floor) = (meta.revision, meta.floor);
    macro_rules! page {
        ($($field:ident: $collection:ty,)*) => {
            $(if !selection.$field.is_empty()
                && stream::<$collection>(tx, &blank, visit)?.is_break()
            {
                return Ok(());
            })*
        };
    }
    staleness_core::collections!(page);
    page! { outcomes: Outcomes, journal: Journal, }
    Ok(())
}

/// Visits all rows of a collection.
fn stream<C: Collection>(
    tx: &Tx,
    blank: &View,
    visit: Visit<'_>,
) -> Result<ControlFlow<()>, StoreError> {
    let table = table(tx, C::TABLE)?;
    let mut rows = table.iter().map_err(from_storage)?;
    loop {
        let mut page = blank.clone();
        let mut count = 0;
        for entry in rows.by_ref().take(C::PAGE) {
            let (key, value) = entry.map_err(from_storage)?;
            C::keep(C::row(&key.value(), value.value())?, &mut page);
            count += 1;
        }
        if count == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        if visit(page).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}
