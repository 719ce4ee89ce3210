//! Visits many rows in pages.

use std::ops::ControlFlow;

use staleness_core::store::{Pager, Selection, StoreError, View};

use crate::collections::journal::Journal;
use crate::collections::meta::Meta;
use crate::collections::outcomes::Outcomes;
use crate::collections::{Collection, all};
use crate::tables::Tx;

/// Passes the selected collections to `visit` in key order. Only one page is in memory.
pub(crate) fn pages(
    tx: &Tx,
    selection: &Selection,
    meta: Meta,
    visit: &mut dyn FnMut(View) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    selection.check_whole()?;
    let mut pager = Pager::new((meta.revision, meta.floor), visit);
    macro_rules! page {
        ($($field:ident: $collection:ty,)*) => {
            $(if !selection.$field.is_empty() && !pager.is_over() {
                all::<$collection>(tx, |row| {
                    <$collection as Collection>::keep(row, pager.page());
                    Ok(pager.flow(<$collection as Collection>::PAGE))
                })?;
                pager.end();
            })*
        };
    }
    staleness_core::collections!(page);
    page! { outcomes: Outcomes, journal: Journal, }
    Ok(())
}
