//! One file per collection: its table, and how its rows are read and written.

pub(crate) mod cursors;
pub(crate) mod documents;
pub(crate) mod journal;
pub(crate) mod knowledge;
pub(crate) mod meta;
pub(crate) mod outcomes;
pub(crate) mod projects;
pub(crate) mod routes;
pub(crate) mod sessions;
pub(crate) mod sources;
pub(crate) mod suggestions;
pub(crate) mod tools;
pub(crate) mod vectors;
pub(crate) mod work;

use std::collections::BTreeSet;

use staleness_core::store::{ChangeSet, Pick, Selection, StoreError, View};
use tokio_postgres::Row;

use crate::cells::{Cells, corrupt};
use crate::table::{self, Table};
use crate::values::Statement;

/// What is done with a row of an answer.
pub(crate) type Reader<'s> =
    Box<dyn Fn(&Row, &mut View) -> Result<(), StoreError> + Send + Sync + 's>;

/// A statement, and what is done with each row that it finds.
pub(crate) struct Question<'s> {
    pub(crate) statement: Statement,
    pub(crate) read: Reader<'s>,
}

/// The statements that load everything that `selection` names.
pub(crate) fn questions<'s>(
    workspace: &str,
    selection: &'s Selection,
) -> Result<Vec<Question<'s>>, StoreError> {
    let mut all = Vec::new();
    macro_rules! ask {
        ($($field:ident: $row:ty,)*) => { $(ask::<$row>(workspace, &selection.$field, &mut all);)* };
    }
    staleness_core::collections!(ask);
    for scope in selection.summaries.iter().collect::<BTreeSet<_>>() {
        let read = Box::new(move |row: &Row, view: &mut View| {
            view.summaries.entry(scope.clone()).or_default().push(tools::summary(row)?);
            Ok(())
        });
        all.push(Question { statement: tools::summaries(workspace, scope), read });
    }
    for (statement, read) in outcomes::questions(workspace, &selection.outcomes)? {
        all.push(Question { statement, read });
    }
    for statement in journal::statements(workspace, &selection.journal)? {
        all.push(Question { statement, read: Box::new(journal::keep) });
    }
    if selection.generation {
        let read = Box::new(|row: &Row, view: &mut View| {
            view.generation = Some(meta::read_generation(row)?);
            Ok(())
        });
        all.push(Question { statement: meta::select_generation(workspace), read });
    }
    all.extend(counts(workspace, selection));
    Ok(all)
}

/// The statements that count what `selection` wants counted.
pub(crate) fn counts<'s>(
    workspace: &str,
    selection: &Selection,
) -> impl Iterator<Item = Question<'s>> + use<'s> {
    let outcomes = selection.count_outcomes.as_ref().map(|cut| Question {
        statement: outcomes::count(workspace, cut),
        read: Box::new(|row, view| {
            view.counts = Some(outcomes::counted(row)?);
            Ok(())
        }),
    });
    let routes = selection.count_routes.as_ref().map(|project| Question {
        statement: routes::count(workspace, project),
        read: Box::new(|row, view| {
            let count = Cells::new(row).small("count");
            view.route_count = Some(count.map_err(|bad| corrupt("routes", row, 0, bad))?);
            Ok(())
        }),
    });
    outcomes.into_iter().chain(routes)
}

fn ask<'s, T: Table>(workspace: &str, picks: &'s [Pick<T::Filter>], all: &mut Vec<Question<'s>>) {
    for (statement, filter) in table::select::<T>(workspace, picks) {
        let read = Box::new(move |row: &Row, view: &mut View| {
            let row = table::read::<T>(row)?;
            if filter.is_none_or(|filter| T::is_meant(filter, &row)) {
                T::rows_mut(view).insert(row.key().clone(), row);
            }
            Ok(())
        });
        all.push(Question { statement, read });
    }
}

/// The statements that write a change set, but for what the workspace numbers.
pub(crate) fn changes(workspace: &str, changes: &ChangeSet) -> Result<Vec<Statement>, StoreError> {
    let mut all = Vec::new();
    for range in &changes.outcome_ranges {
        all.push(outcomes::remove(workspace, range)?);
    }
    all.extend(journal::remove(workspace, &changes.pruned));
    macro_rules! apply {
        ($($field:ident: $row:ty,)*) => { $(all.extend(table::apply::<$row>(workspace, changes));)* };
    }
    staleness_core::collections!(apply);
    Ok(all)
}
