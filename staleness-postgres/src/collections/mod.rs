//! Reads and writes the collections, the logs and the numbers of a workspace.

pub(crate) mod journal;
pub(crate) mod logs;
pub(crate) mod meta;
pub(crate) mod outcomes;

use std::collections::BTreeSet;

use staleness_core::ids::{ProjectId, Scope};
use staleness_core::store::table::{Cell, Table};
use staleness_core::store::{ChangeSet, Filter, Pick, Selection, StoreError, View};
use staleness_core::tool::ToolSummary;
use tokio_postgres::Row;

use crate::cells::{cells, numbers};
use crate::table::{self, with};
use crate::values::{Arg, Statement};

/// A function that adds a result row to a view.
pub(crate) type Reader<'s> =
    Box<dyn Fn(&Row, &mut View) -> Result<(), StoreError> + Send + Sync + 's>;

/// A statement, with the function that reads its rows.
pub(crate) struct Question<'s> {
    pub(crate) statement: Statement,
    pub(crate) read: Reader<'s>,
}

pub(crate) fn questions<'s>(workspace: &str, selection: &'s Selection) -> Vec<Question<'s>> {
    let mut all = Vec::new();
    macro_rules! ask {
        ($($field:ident: $row:ty,)*) => { $(ask::<$row>(workspace, &selection.$field, &mut all);)* };
    }
    staleness_core::collections!(ask);
    for scope in selection.summaries.iter().collect::<BTreeSet<_>>() {
        let read = Box::new(move |row: &Row, view: &mut View| {
            view.summaries.entry(scope.clone()).or_default().push(summary(row)?);
            Ok(())
        });
        all.push(Question { statement: summaries(workspace, scope), read });
    }
    for (statement, read) in outcomes::questions(workspace, &selection.outcomes) {
        all.push(Question { statement, read });
    }
    for statement in journal::statements(workspace, &selection.journal) {
        all.push(Question { statement, read: Box::new(journal::keep) });
    }
    if selection.generation {
        let read = Box::new(|row: &Row, view: &mut View| {
            view.generation = Some(meta::read_generation(row)?);
            Ok(())
        });
        all.push(Question { statement: meta::select_generation(workspace), read });
    }
    all.extend(selection.count_routes.as_ref().map(|project| count_routes(workspace, project)));
    all
}

fn count_routes<'s>(workspace: &str, project: &ProjectId) -> Question<'s> {
    let sql = "SELECT count(*) FROM staleness.routes WHERE workspace = $1 AND project = $2";
    let args = with(workspace, vec![Arg::text(project.as_str())]);
    let read = Box::new(|row: &Row, view: &mut View| {
        view.route_count = Some(numbers("routes", &["count"], row, |cells| cells.small())?);
        Ok(())
    });
    Question { statement: Statement { sql: sql.into(), args }, read }
}

fn ask<'s, T: Table>(workspace: &str, picks: &'s [Pick<T::Filter>], all: &mut Vec<Question<'s>>) {
    for (statement, filter) in table::select::<T>(workspace, picks) {
        let keep = Box::new(move |row: &Row, view: &mut View| {
            let row: T = table::read(row, T::read)?;
            if filter.is_none_or(|filter| filter.matches(row.key(), Some(&row))) {
                T::rows_mut(view).insert(row.key().clone(), row);
            }
            Ok(())
        });
        all.push(Question { statement, read: keep });
    }
}

/// Selects the summaries of a scope's tools.
fn summaries(workspace: &str, scope: &Scope) -> Statement {
    let columns = ToolSummary::COLUMNS.join(", ");
    let sql = format!("SELECT {columns} FROM staleness.tools WHERE workspace = $1 AND scope = $2");
    Statement { sql, args: with(workspace, vec![Arg::text(scope.as_key())]) }
}

fn summary(row: &Row) -> Result<ToolSummary, StoreError> {
    let cells = cells(row);
    ToolSummary::read(&cells).map_err(|bad| {
        let name = if let Some(Cell::Text(Some(name))) = cells.first() { name } else { "?" };
        bad.in_row("tools", format_args!("({name:?})"))
    })
}

/// Returns the statements that write a change set, except appends to the logs.
pub(crate) fn changes(workspace: &str, changes: &ChangeSet) -> Vec<Statement> {
    let mut all = Vec::new();
    for range in &changes.outcome_ranges {
        all.push(outcomes::remove(workspace, range));
    }
    all.extend(journal::remove(workspace, &changes.pruned));
    macro_rules! apply {
        ($($field:ident: $row:ty,)*) => { $(all.extend(table::apply::<$row>(workspace, changes));)* };
    }
    staleness_core::collections!(apply);
    all
}
