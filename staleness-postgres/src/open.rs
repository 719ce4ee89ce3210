//! Opens a store, creating tables and workspace if needed.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use staleness_core::store::StoreError;
use tokio_postgres::error::SqlState;

use crate::OpenOptions;
use crate::cells::numbers;
use crate::collections::meta::usable;
use crate::error::{Failed, from_commit};
use crate::flight::Flight;
use crate::inner::Inner;
use crate::patience::Patience;
use crate::pool::Session;
use crate::schema::{MIGRATION_LOCK, schema};
use crate::table::with;
use crate::transaction::{self, Transaction};
use crate::url::parse;
use crate::values::Statement;

/// Maximum time for creating the tables.
const CREATING: Duration = Duration::from_secs(3_600);

/// Opens a store. Blocks the calling thread.
pub(crate) fn open(url: &str, options: OpenOptions) -> Result<Arc<Inner>, StoreError> {
    let target = parse(url)?;
    let inner = Arc::new(Inner::new(&target, options)?);
    let opening = Arc::clone(&inner);
    let (send, wait) = sync_channel(1);
    // The caller may be on another runtime's thread, which cannot block on this runtime. The work has its own
    // time limits.
    inner.patience().runtime().spawn(async move {
        let opened = prepare(&opening, options).await;
        drop(opening);
        let _ = send.send(opened);
    });
    match wait.recv() {
        Ok(opened) => opened.map(|()| inner),
        Err(gone) => Err(StoreError::Backend(Box::new(gone))),
    }
}

/// Creates missing tables and the workspace, if allowed.
async fn prepare(inner: &Inner, options: OpenOptions) -> Result<(), StoreError> {
    if stands(inner).await? {
        return Ok(());
    }
    if options.read_only || !options.create {
        let why = format!("there is no workspace {:?}", inner.workspace());
        let source = io::Error::new(io::ErrorKind::NotFound, why);
        return Err(StoreError::io("opening the store", source));
    }
    let transaction = Transaction::new(inner.pool()).await?;
    let patience = inner.patience();
    let creating = create(transaction.session()?, inner.workspace(), patience);
    let created = patience.within(CREATING, creating).await;
    let created = created.unwrap_or_else(|| Err(Failed::late(false)));
    match &created {
        Ok(()) => transaction.committed(),
        failed => transaction.end(failed),
    }
    created.map_err(|failed| failed.error)
}

/// Returns true if the workspace exists in usable tables. Takes one round trip.
async fn stands(inner: &Inner) -> Result<bool, StoreError> {
    let transaction = Transaction::new(inner.pool()).await?;
    let patience = inner.patience();
    let standing = standing(transaction.session()?, inner.workspace(), patience);
    let stood = patience.answer(standing).await;
    transaction.end(&stood);
    stood.map_err(|failed| failed.error)
}

async fn standing(session: &Session, workspace: &str, patience: &Patience) -> Result<bool, Failed> {
    let mut flight = Flight::new(session);
    flight.command(transaction::view(workspace, patience));
    flight.send(workspace_query(workspace));
    flight.next().await?;
    let rows = match flight.next().await {
        Ok(rows) => rows,
        Err(error) if is_missing(error.code()) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let Some(row) = rows.first() else { return Ok(false) };
    let (format, least, there) = numbers("meta", &["format", "least", "known"], row, |cells| {
        Ok((cells.int()?, cells.int()?, cells.int()?))
    })?;
    usable(format, least)?;
    Ok(there == 1)
}

fn workspace_query(workspace: &str) -> Statement {
    Statement {
        sql: "SELECT format, least, \
              (SELECT count(*) FROM staleness.workspaces WHERE workspace = $1) FROM staleness.meta"
            .into(),
        args: with(workspace, Vec::new()),
    }
}

fn is_missing(code: Option<&SqlState>) -> bool {
    matches!(code, Some(&SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME))
}

/// Creates missing tables and the workspace under a lock.
async fn create(session: &Session, workspace: &str, patience: &Patience) -> Result<(), Failed> {
    let mut flight = Flight::new(session);
    flight.command(transaction::step(workspace, patience));
    flight.command(format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"));
    flight.send(Statement {
        sql: "SELECT (to_regclass('staleness.meta') IS NOT NULL)::int4::int8, \
              (current_setting('server_encoding') = 'UTF8')::int4::int8"
            .into(),
        args: Vec::new(),
    });
    flight.next().await?;
    flight.next().await?;
    let rows = flight.next().await?;
    let number = |column: usize| {
        rows.first().and_then(|row| row.try_get::<_, i64>(column).ok()).unwrap_or_default()
    };
    if number(1) == 0 {
        let why = "the database must have ENCODING 'UTF8'";
        return Err(StoreError::NotAStore(why.into()).into());
    }
    if number(0) == 1 {
        flight.send(workspace_query(workspace));
        let rows = flight.next().await?;
        let row = rows.first();
        let row = row.ok_or_else(|| StoreError::Corrupt("meta: the row is missing".into()))?;
        let (format, least) =
            numbers("meta", &["format", "least"], row, |cells| Ok((cells.int()?, cells.int()?)))?;
        usable(format, least)?;
    } else {
        flight.command(schema());
        flight.next().await?;
    }
    flight.send(Statement {
        sql: "INSERT INTO staleness.workspaces(workspace, revision, last_seq, generation) \
              VALUES($1, 0, 0, (random() * 1e15)::bigint) \
              ON CONFLICT DO NOTHING"
            .into(),
        args: with(workspace, Vec::new()),
    });
    flight.next().await?;
    flight.command(transaction::wait(true).into());
    flight.command("COMMIT".into());
    flight.next().await?;
    flight.next().await.map_err(from_commit)?;
    Ok(())
}
