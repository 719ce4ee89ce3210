//! Visits many rows in pages.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::Table;
use staleness_core::store::{Selection, StoreError, View};

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
    let blank = patience
        .answer(async {
            let mut flight = Flight::new(session);
            flight.command(transaction::visit(workspace, patience));
            flight.send(meta::select(workspace));
            flight.next().await?;
            let mut blank = View::default();
            (blank.revision, blank.floor) = meta::read(&flight.next().await?)?;
            Ok(blank)
        })
        .await?;
    let (page, flow) = (blank.clone(), ControlFlow::Continue(()));
    let mut pager = Pager { session, patience, page, rows: 0, blank, visit, flow };
    macro_rules! page {
        ($($field:ident: $row:ty,)*) => {
            $(if !selection.$field.is_empty() {
                let all = table::select_all::<$row>(workspace);
                pager.stream(all, &keep::<$row>, <$row as Table>::PAGE).await?;
            })*
        };
    }
    staleness_core::collections!(page);
    if !selection.outcomes.is_empty() {
        pager.stream(select_all::<Outcome>(workspace), &outcomes::keep, PAGE).await?;
    }
    if !selection.journal.is_empty() {
        pager.stream(select_all::<JournalEntry>(workspace), &journal::keep, PAGE).await?;
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

/// The current page.
struct Pager<'v> {
    session: &'v Session,
    patience: &'v Patience,
    page: View,
    rows: usize,
    blank: View,
    visit: &'v mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    flow: ControlFlow<()>,
}

impl Pager<'_> {
    async fn stream(
        &mut self,
        statement: Statement,
        keep: &(dyn Fn(&tokio_postgres::Row, &mut View) -> Result<(), StoreError> + Sync),
        most: usize,
    ) -> Result<(), Failed> {
        if self.flow.is_break() {
            return Ok(());
        }
        let (session, patience) = (self.session, self.patience);
        each(session, patience, &statement, |row| {
            keep(row, &mut self.page)?;
            self.rows += 1;
            if self.rows == most {
                self.flush();
            }
            Ok(self.flow)
        })
        .await?;
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
