//! Visits many rows in pages.

use std::ops::ControlFlow;

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::{Record, Table};
use staleness_core::store::{
    Filter, JournalFilter, OutcomeFilter, Pick, Selection, StoreError, View,
};

use crate::collections::meta::Meta;
use crate::collections::{load, outcomes, routes, rows};
use crate::transaction::Transaction;

/// Maximum number of rows per page.
const PAGE: usize = 1_000;

/// Passes everything in `selection` to `visit`, in the connection's transaction.
///
/// A collection that is selected whole is streamed in key order, so only one page is in memory. For other
/// selections, each collection's matching rows are loaded first, because only then does no row appear twice.
pub(crate) fn pages(
    tx: &Transaction<'_>,
    selection: &Selection,
    meta: Meta,
    visit: &mut dyn FnMut(View) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let mut blank = View::default();
    (blank.revision, blank.floor) = (meta.revision, meta.floor);
    if let Some(cut) = &selection.count_outcomes {
        blank.counts = Some(outcomes::count(tx, cut)?);
    }
    if let Some(project) = &selection.count_routes {
        blank.route_count = Some(routes(tx, project)?);
    }
    let mut pager = Pager {
        page: blank.clone(),
        rows: 0,
        most: PAGE,
        blank,
        visit,
        flow: ControlFlow::Continue(()),
    };

    macro_rules! page {
        ($($field:ident: $row:ty,)*) => {
            $(page::<$row>(tx, &selection.$field, &mut pager)?;)*
        };
    }
    staleness_core::collections!(page);
    pager.most = PAGE;
    macro_rules! log {
        ($field:ident, $whole:expr, $key:expr) => {
            if !selection.$field.is_empty() && pager.flow.is_continue() {
                if $whole {
                    rows::all(tx, Record::read, &mut |row| {
                        pager.page.$field.insert($key(&row), row);
                        pager.added()
                    })?;
                } else {
                    let mut part = Selection::new();
                    part.$field.clone_from(&selection.$field);
                    for (key, row) in load(tx, &part, meta)?.$field {
                        pager.page.$field.insert(key, row);
                        if pager.added().is_break() {
                            break;
                        }
                    }
                }
                pager.flush();
            }
        };
    }
    log!(outcomes, selection.outcomes.contains(&OutcomeFilter::All), |row: &Outcome| row.seq);
    log!(journal, selection.journal.contains(&JournalFilter::All), |row: &JournalEntry| {
        (row.revision, row.index)
    });
    Ok(())
}

/// Visits one collection.
fn page<R: Table>(
    tx: &Transaction<'_>,
    picks: &[Pick<R::Filter>],
    pager: &mut Pager<'_>,
) -> Result<(), StoreError> {
    if picks.is_empty() || pager.flow.is_break() {
        return Ok(());
    }
    pager.most = R::PAGE;
    if has(picks, &R::Filter::ALL) {
        rows::all(tx, R::read, &mut |row: R| {
            R::rows_mut(&mut pager.page).insert(row.key().clone(), row);
            pager.added()
        })?;
    } else {
        let mut whole = View::default();
        rows::load::<R>(tx, picks, &mut whole)?;
        for (key, row) in std::mem::take(R::rows_mut(&mut whole)) {
            R::rows_mut(&mut pager.page).insert(key, row);
            if pager.added().is_break() {
                break;
            }
        }
    }
    pager.flush();
    Ok(())
}

fn has<F: PartialEq>(picks: &[Pick<F>], all: &F) -> bool {
    picks.iter().any(|pick| pick.filter == *all)
}

/// The current page.
struct Pager<'v> {
    page: View,
    rows: usize,
    most: usize,
    blank: View,
    visit: &'v mut dyn FnMut(View) -> ControlFlow<()>,
    flow: ControlFlow<()>,
}

impl Pager<'_> {
    fn added(&mut self) -> ControlFlow<()> {
        self.rows += 1;
        if self.rows == self.most {
            self.flush();
        }
        self.flow
    }

    fn flush(&mut self) {
        if self.rows > 0 && self.flow.is_continue() {
            let page = std::mem::replace(&mut self.page, self.blank.clone());
            self.rows = 0;
            self.flow = (self.visit)(page);
        }
    }
}
