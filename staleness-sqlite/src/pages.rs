//! Visits many rows in pages.

use std::ops::ControlFlow;

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::{Record, Table};
use staleness_core::store::{Row, Selection, StoreError, View};

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
    let mut blank = View::default();
    (blank.revision, blank.floor) = (meta.revision, meta.floor);
    let (page, flow) = (blank.clone(), ControlFlow::Continue(()));
    let mut pager = Pager { page, rows: 0, blank, visit, flow };
    macro_rules! page {
        ($($field:ident: $row:ty,)*) => {
            $(if !selection.$field.is_empty() {
                pager.collection(tx, <$row as Table>::PAGE, |view, row: $row| {
                    view.$field.insert(row.key().clone(), row);
                })?;
            })*
        };
    }
    staleness_core::collections!(page);
    if !selection.outcomes.is_empty() {
        pager.collection(tx, PAGE, |view, row: Outcome| {
            view.outcomes.insert(row.seq, row);
        })?;
    }
    if !selection.journal.is_empty() {
        pager.collection(tx, PAGE, |view, row: JournalEntry| {
            view.journal.insert((row.revision, row.index), row);
        })?;
    }
    Ok(())
}

/// The current page.
struct Pager<'v> {
    page: View,
    rows: usize,
    blank: View,
    visit: &'v mut dyn FnMut(View) -> ControlFlow<()>,
    flow: ControlFlow<()>,
}

impl Pager<'_> {
    /// Visits a collection in pages of at most `most` rows.
    fn collection<R: Record>(
        &mut self,
        tx: &Transaction<'_>,
        most: usize,
        keep: impl Fn(&mut View, R),
    ) -> Result<(), StoreError> {
        if self.flow.is_break() {
            return Ok(());
        }
        rows::all(tx, R::read, &mut |row: R| {
            keep(&mut self.page, row);
            self.rows += 1;
            if self.rows == most {
                self.flush();
            }
            self.flow
        })?;
        self.flush();
        Ok(())
    }

    fn flush(&mut self) {
        if self.rows > 0 && self.flow.is_continue() {
            let page = std::mem::replace(&mut self.page, self.blank.clone());
            self.rows = 0;
            self.flow = (self.visit)(page);
        }
    }
}
