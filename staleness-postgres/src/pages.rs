//! Visits many rows in pages.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::Table;
use staleness_core::store::{Pager, Selection, StoreError, View};

use crate::collections::logs::select_all;
use crate::collections::{journal, meta, outcomes};
use crate::error::Failed;
use crate::flight::Flight;
use crate::patience::Patience;
use crate::pool::Session;
use crate::values::Statement;
use crate::{table, transaction};

/// Maximum number of rows per page.
const PAGE: usize = 1_000;

/// Passes the selected collections to `visit` in key order, in one transaction. Only one page is in memory.
pub(crate) async fn pages(
    session: &Session,
    workspace: &str,
    patience: &Patience,
    selection: &Selection,
    visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
) -> Result<(), Failed> {
    selection.check_whole()?;
    let standing = patience
        .answer(async {
            let mut flight = Flight::new(session);
            flight.command(transaction::visit(workspace, patience));
            flight.send(meta::select(workspace));
            flight.next().await?;
            Ok(meta::read(&flight.next().await?)?)
        })
        .await?;
    let mut pager = Pager::new(standing, visit);
    macro_rules! page {
        ($($field:ident: $row:ty,)*) => {
            $(if !selection.$field.is_empty() {
                let all = table::select_all::<$row>(workspace);
                stream(session, patience, &mut pager, (all, <$row as Table>::PAGE), keep::<$row>).await?;
            })*
        };
    }
    staleness_core::collections!(page);
    if !selection.outcomes.is_empty() {
        let all = (select_all::<Outcome>(workspace), PAGE);
        stream(session, patience, &mut pager, all, outcomes::keep).await?;
    }
    if !selection.journal.is_empty() {
        let all = (select_all::<JournalEntry>(workspace), PAGE);
        stream(session, patience, &mut pager, all, journal::keep).await?;
    }
    Ok(())
}

fn keep<T: Table>(row: &tokio_postgres::Row, view: &mut View) -> Result<(), StoreError> {
    let row: T = table::read(row, T::read)?;
    T::rows_mut(view).insert(row.key().clone(), row);
    Ok(())
}

/// Runs a statement and passes each row to `visit` as it arrives, until it breaks.
pub(crate) async fn each(
    session: &Session,
    patience: &Patience,
    statement: &Statement,
    mut visit: impl FnMut(&tokio_postgres::Row) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), Failed> {
    let args: Vec<_> = statement.args.iter().map(|arg| (arg.as_sql(), arg.kind())).collect();
    let begun = async { Ok(session.client().query_typed_raw(&statement.sql, args).await?) };
    let mut rows = pin!(patience.answer(begun).await?);
    loop {
        let row = patience.answer(async { Ok(next(rows.as_mut()).await.transpose()?) }).await?;
        let Some(row) = row else { break };
        if visit(&row)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Returns the next row of a result. The driver does not read further than requested.
async fn next(
    mut rows: Pin<&mut tokio_postgres::RowStream>,
) -> Option<Result<tokio_postgres::Row, tokio_postgres::Error>> {
    poll_fn(|context| futures_core::Stream::poll_next(rows.as_mut(), context)).await
}

/// Visits the rows of a statement in pages of at most `most` rows.
async fn stream(
    session: &Session,
    patience: &Patience,
    pager: &mut Pager<&mut (dyn FnMut(View) -> ControlFlow<()> + Send)>,
    (statement, most): (Statement, usize),
    keep: fn(&tokio_postgres::Row, &mut View) -> Result<(), StoreError>,
) -> Result<(), Failed> {
    if pager.is_over() {
        return Ok(());
    }
    each(session, patience, &statement, |row| {
        keep(row, pager.page())?;
        Ok(pager.flow(most))
    })
    .await?;
    pager.end();
    Ok(())
}
