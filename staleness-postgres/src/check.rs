//! Verifies stored data.

use std::ops::ControlFlow;

use staleness_core::journal::{Floor, JournalCheck, JournalEntry, Revision};
use staleness_core::outcome::Outcome;
use staleness_core::store::StoreError;
use staleness_core::store::table::Table;

use crate::collections::logs::{select_all, verify};
use crate::collections::meta;
use crate::error::Failed;
use crate::flight::Flight;
use crate::pages::each;
use crate::patience::Patience;
use crate::pool::Session;
use crate::{table, transaction};

/// Verifies all records and their relations in one transaction. Pages and indexes are left to the server's
/// own tools (`amcheck`).
pub(crate) async fn check(
    session: &Session,
    workspace: &str,
    patience: &Patience,
) -> Result<(), Failed> {
    let (standing, last_seq) = patience
        .answer(async {
            let mut flight = Flight::new(session);
            flight.command(transaction::view(workspace, patience));
            flight.send(meta::select(workspace));
            flight.send(meta::select_last(workspace));
            flight.send(meta::select_generation(workspace));
            flight.next().await?;
            let standing = meta::read(&flight.next().await?)?;
            let last = meta::read_last(&flight.next().await?)?;
            for row in flight.next().await? {
                meta::read_generation(&row)?;
            }
            Ok((standing, last))
        })
        .await?;
    macro_rules! rows {
        ($($field:ident: $row:ty,)*) => {
            $(rows::<$row>(session, workspace, patience).await?;)*
        };
    }
    staleness_core::collections!(rows);
    each(session, patience, &select_all::<Outcome>(workspace), |row| {
        let seq = verify::<Outcome>(row)?.seq;
        if seq > last_seq {
            let told = format!("workspaces: last_seq is {last_seq}, and there is an outcome {seq}");
            return Err(StoreError::Corrupt(told));
        }
        Ok(ControlFlow::Continue(()))
    })
    .await?;
    revisions(session, workspace, patience, standing).await
}

async fn rows<T: Table>(
    session: &Session,
    workspace: &str,
    patience: &Patience,
) -> Result<(), Failed> {
    each(session, patience, &table::select_all::<T>(workspace), |row| {
        table::read::<T>(row, T::verify).map(|_| ControlFlow::Continue(()))
    })
    .await
}

/// Verifies that every commit above the floor still has its journal entries.
async fn revisions(
    session: &Session,
    workspace: &str,
    patience: &Patience,
    (revision, floor): (Revision, Floor),
) -> Result<(), Failed> {
    let mut check = JournalCheck::default();
    each(session, patience, &select_all::<JournalEntry>(workspace), |row| {
        let entry: JournalEntry = verify(row)?;
        check.next(entry.revision, entry.index).map_err(StoreError::Corrupt)?;
        Ok(ControlFlow::Continue(()))
    })
    .await?;
    Ok(check.finish(revision, floor.revision).map_err(StoreError::Corrupt)?)
}
