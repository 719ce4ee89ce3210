//! Visits many rows in pages.

use std::ops::ControlFlow;

use redb::ReadableTable;
use staleness_core::store::{
    Filter, JournalFilter, OutcomeFilter, Pick, Selection, StoreError, View,
};

use crate::collections::journal::Journal;
use crate::collections::meta::Meta;
use crate::collections::outcomes::{self, Outcomes};
use crate::collections::rows::{self, Stored};
use crate::collections::{Collection, count_routes, load, table};
use crate::error::from_storage;
use crate::tables::Tx;

type Visit<'v> = &'v mut dyn FnMut(View) -> ControlFlow<()>;

/// Passes everything in `selection` to `visit`.
///
/// A collection that is selected whole is streamed in key order, so only one page is in memory. For other
/// selections, each collection's matching rows are loaded first, because only then does no row appear twice.
pub(crate) fn pages(
    tx: &Tx,
    selection: &Selection,
    meta: Meta,
    visit: Visit<'_>,
) -> Result<(), StoreError> {
    let mut blank = View::default();
    (blank.revision, blank.floor) = (meta.revision, meta.floor);
    if let Some(cut) = &selection.count_outcomes {
        blank.counts = Some(outcomes::count(tx, cut)?);
    }
    if let Some(project) = &selection.count_routes {
        blank.route_count = Some(count_routes(tx, project)?);
    }
    macro_rules! page {
        ($($field:ident: $row:ty,)*) => {
            $(
                if page::<$row>(tx, &selection.$field, &blank, visit)?.is_break() {
                    return Ok(());
                }
            )*
        };
    }
    staleness_core::collections!(page);
    macro_rules! rest {
        ($field:ident, $collection:ty, $whole:expr) => {
            if !selection.$field.is_empty() {
                let flow = if $whole {
                    stream::<$collection>(tx, &blank, visit)?
                } else {
                    let mut part = Selection::new();
                    part.$field.clone_from(&selection.$field);
                    let rows = load(tx, &part, meta)?.$field.into_values();
                    split::<$collection>(rows, &blank, visit)
                };
                if flow.is_break() {
                    return Ok(());
                }
            }
        };
    }
    rest!(outcomes, Outcomes, selection.outcomes.contains(&OutcomeFilter::All));
    rest!(journal, Journal, selection.journal.contains(&JournalFilter::All));
    Ok(())
}

/// Visits a collection with mutable rows.
fn page<R: Stored>(
    tx: &Tx,
    picks: &[Pick<R::Filter>],
    blank: &View,
    visit: Visit<'_>,
) -> Result<ControlFlow<()>, StoreError> {
    if picks.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    if has(picks, &R::Filter::ALL) {
        return stream::<R>(tx, blank, visit);
    }
    let mut whole = View::default();
    rows::load::<R>(tx, picks, &mut whole)?;
    let rows = std::mem::take(R::rows_mut(&mut whole)).into_values();
    Ok(split::<R>(rows, blank, visit))
}

fn has<F: PartialEq>(picks: &[Pick<F>], all: &F) -> bool {
    picks.iter().any(|pick| pick.filter == *all)
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

/// Splits rows that are already in memory.
fn split<C: Collection>(
    mut rows: impl Iterator<Item = C::Row>,
    blank: &View,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    loop {
        let mut page = blank.clone();
        let mut count = 0;
        for row in rows.by_ref().take(C::PAGE) {
            C::keep(row, &mut page);
            count += 1;
        }
        if count == 0 {
            return ControlFlow::Continue(());
        }
        visit(page)?;
    }
}
