//! Visits many rows in pages.

use std::ops::ControlFlow;

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::{Record as _, Table};
use staleness_core::store::{Pager, Row as _, Selection, StoreError, View};

use crate::collections::meta::Meta;
use crate::collections::rows;
use crate::transaction::Transaction;

/// Maximum number of rows per page.
const PAGE: usize = 1_000;

/// Passes the selected collections to `visit` in key order, in the connection's transaction. Only one page is in
/// memory.
pub(crate) fn pages(
    tx: &Transaction<'_>,
    selection: &Selection,
    meta: Meta,
    visit: &mut dyn FnMut(View) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    selection.check_whole()?;
    let mut pager = Pager::new((meta.revision, meta.floor), visit);
    macro_rules! page {
        ($($field:ident[$most:expr]: $row:ty, |$own:ident| $key:expr;)*) => {
            $(if !selection.$field.is_empty() && !pager.is_over() {
                rows::all(tx, <$row>::read, &mut |$own: $row| {
                    pager.page().$field.insert($key, $own);
                    pager.flow($most)
                })?;
                pager.end();
            })*
        };
    }
    macro_rules! collections {
        ($($field:ident: $row:ty,)*) => {
            page! { $($field[<$row as Table>::PAGE]: $row, |row| row.key().clone();)* }
        };
    }
    staleness_core::collections!(collections);
    page! {
        outcomes[PAGE]: Outcome, |row| row.seq;
        journal[PAGE]: JournalEntry, |row| (row.revision, row.index);
    }
    Ok(())
}
