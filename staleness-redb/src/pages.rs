//! Visiting many rows, a page at a time.

use std::ops::ControlFlow;

use redb::ReadableTable;
use staleness_core::journal::Revision;
use staleness_core::store::{
    CursorFilter, DocumentFilter, ItemFilter, JournalFilter, OutcomeFilter, Pick, ProjectFilter,
    RouteFilter, Selection, SessionFilter, SourceFilter, StoreError, SuggestionFilter, ToolFilter,
    VectorFilter, View, WorkFilter,
};

use crate::collections::cursors::Cursors;
use crate::collections::documents::Documents;
use crate::collections::journal::Journal;
use crate::collections::knowledge::Knowledge;
use crate::collections::outcomes::{self, Outcomes};
use crate::collections::projects::Projects;
use crate::collections::routes::{self, Routes};
use crate::collections::sessions::Sessions;
use crate::collections::sources::Sources;
use crate::collections::suggestions::SuggestionRows;
use crate::collections::tools::Tools;
use crate::collections::vectors::RouteVectors;
use crate::collections::work::WorkItems;
use crate::collections::{Collection, load, table};
use crate::error::from_storage;
use crate::session::Tx;

/// Rows that one page holds at most.
const PAGE: usize = 1_000;
/// The same of items, documents and work items, which may be a megabyte each.
const TEXT_PAGE: usize = 50;
/// The same of vectors, which may be 32 KiB each.
const VECTOR_PAGE: usize = 200;

type Visit<'v> = &'v mut dyn FnMut(View) -> ControlFlow<()>;

/// Hands everything that `selection` names to `visit`.
///
/// A collection that is selected whole is streamed in the order of its keys, so a page is all that
/// lies in memory. For other selections the union of the picks is loaded first, one collection
/// after the other, as a view would do: only so does no row come twice.
pub(crate) fn pages(
    tx: &Tx,
    selection: &Selection,
    revision: Revision,
    visit: Visit<'_>,
) -> Result<(), StoreError> {
    let mut blank = View::default();
    blank.revision = revision;
    if let Some(cut) = &selection.count_outcomes {
        blank.counts = Some(outcomes::count(tx, cut)?);
    }
    if let Some(project) = &selection.count_routes {
        blank.route_count = Some(routes::count(tx, project)?);
    }
    macro_rules! collection {
        ($field:ident, $collection:ty, $whole:expr) => {
            collection!($field, $collection, $whole, PAGE)
        };
        ($field:ident, $collection:ty, $whole:expr, $most:expr) => {
            if !selection.$field.is_empty() {
                let flow = if $whole {
                    stream::<$collection>(tx, &blank, $most, visit)?
                } else {
                    let mut part = Selection::new();
                    part.$field.clone_from(&selection.$field);
                    let rows = load(tx, &part, revision)?.$field.into_values();
                    split::<$collection>(rows, &blank, $most, visit)
                };
                if flow.is_break() {
                    return Ok(());
                }
            }
        };
    }
    collection!(projects, Projects, has(&selection.projects, &ProjectFilter::All));
    collection!(sources, Sources, has(&selection.sources, &SourceFilter::All));
    collection!(tools, Tools, has(&selection.tools, &ToolFilter::All));
    collection!(knowledge, Knowledge, has(&selection.knowledge, &ItemFilter::All), TEXT_PAGE);
    collection!(documents, Documents, has(&selection.documents, &DocumentFilter::All), TEXT_PAGE);
    collection!(work, WorkItems, has(&selection.work, &WorkFilter::All), TEXT_PAGE);
    collection!(sessions, Sessions, has(&selection.sessions, &SessionFilter::All));
    collection!(cursors, Cursors, has(&selection.cursors, &CursorFilter::All));
    collection!(routes, Routes, has(&selection.routes, &RouteFilter::All));
    if page_vectors(tx, selection, &blank, visit)?.is_break() {
        return Ok(());
    }
    collection!(suggestions, SuggestionRows, has(&selection.suggestions, &SuggestionFilter::All));
    collection!(outcomes, Outcomes, selection.outcomes.contains(&OutcomeFilter::All));
    collection!(journal, Journal, selection.journal.contains(&JournalFilter::All));
    Ok(())
}

fn has<F: PartialEq>(picks: &[Pick<F>], all: &F) -> bool {
    picks.iter().any(|pick| pick.filter == *all)
}

/// Every row of a collection.
fn stream<C: Collection>(
    tx: &Tx,
    blank: &View,
    most: usize,
    visit: Visit<'_>,
) -> Result<ControlFlow<()>, StoreError> {
    let table = table(tx, C::TABLE)?;
    let mut rows = table.iter().map_err(from_storage)?;
    loop {
        let mut page = blank.clone();
        let mut count = 0;
        for entry in rows.by_ref().take(most) {
            let (key, value) = entry.map_err(from_storage)?;
            C::keep(C::read(key.value(), value.value())?, &mut page);
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

/// Vectors, which a view holds in a form of its own.
fn page_vectors(
    tx: &Tx,
    selection: &Selection,
    blank: &View,
    visit: Visit<'_>,
) -> Result<ControlFlow<()>, StoreError> {
    if selection.vectors.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    if has(&selection.vectors, &VectorFilter::All) {
        return stream::<RouteVectors>(tx, blank, VECTOR_PAGE, visit);
    }
    let mut part = Selection::new();
    part.vectors.clone_from(&selection.vectors);
    let whole = load(tx, &part, blank.revision)?.vectors;
    let keys = whole.keys();
    let rows = keys.iter().filter_map(|key| whole.get(key));
    Ok(split::<RouteVectors>(rows, blank, VECTOR_PAGE, visit))
}

/// Rows that are in memory already.
fn split<C: Collection>(
    mut rows: impl Iterator<Item = C::Row>,
    blank: &View,
    most: usize,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    loop {
        let mut page = blank.clone();
        let mut count = 0;
        for row in rows.by_ref().take(most) {
            C::keep(row, &mut page);
            count += 1;
        }
        if count == 0 {
            return ControlFlow::Continue(());
        }
        visit(page)?;
    }
}
