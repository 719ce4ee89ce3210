//! Opening: the tables and the workspace are there, or are made.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use staleness_core::store::StoreError;
use tokio_postgres::error::SqlState;

use crate::OpenOptions;
use crate::cells::Cells;
use crate::collections::meta::usable;
use crate::error::{Failed, from_commit};
use crate::flight::Flight;
use crate::inner::Inner;
use crate::patience::Patience;
use crate::pool::Session;
use crate::schema::{FORMAT, MIGRATION_LOCK, MIGRATIONS};
use crate::table::with;
use crate::transaction::{self, Transaction};
use crate::url::parse;
use crate::values::{Arg, Statement};

/// How long a migration may take at most.
const MIGRATING: Duration = Duration::from_secs(3_600);

/// Opens a store; blocks while it does, on whatever thread.
pub(crate) fn open(url: &str, options: OpenOptions) -> Result<Arc<Inner>, StoreError> {
    let target = parse(url)?;
    let inner = Arc::new(Inner::new(&target, options)?);
    let opening = Arc::clone(&inner);
    let (send, wait) = sync_channel(1);
    // The caller may be on a thread of another runtime, which could not wait for this one otherwise. It
    // waits as long as what it waits for.
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

/// Makes sure that the tables and the workspace are there.
async fn prepare(inner: &Inner, options: OpenOptions) -> Result<(), StoreError> {
    let missing = match stands(inner).await? {
        Standing::Ready => return Ok(()),
        Standing::Older(found) if options.read_only => {
            let (found, needed) = (found.unsigned_abs(), FORMAT.unsigned_abs());
            return Err(StoreError::FormatTooOld { found, needed });
        }
        Standing::Older(_) => false,
        Standing::Missing => true,
    };
    if missing && (options.read_only || !options.create) {
        let why = format!("there is no workspace {:?}", inner.workspace());
        let source = io::Error::new(io::ErrorKind::NotFound, why);
        return Err(StoreError::io("opening the store", source));
    }
    let transaction = Transaction::new(inner.pool()).await?;
    let patience = inner.patience();
    let creating = create(transaction.session()?, inner.workspace(), patience);
    let created = patience.within(MIGRATING, creating).await;
    let created = created.unwrap_or_else(|| Err(Failed::late(false)));
    match &created {
        Ok(()) => transaction.committed(patience).await,
        failed => transaction.end(failed),
    }
    created.map_err(|failed| failed.error)
}

/// What is there.
enum Standing {
    /// Tables of this program's format, or of a later one that it may use, and the workspace in them.
    Ready,
    /// The workspace in tables of this older format.
    Older(i64),
    /// No tables, or no such workspace in them.
    Missing,
}

/// What is there. One round trip.
async fn stands(inner: &Inner) -> Result<Standing, StoreError> {
    let transaction = Transaction::new(inner.pool()).await?;
    let patience = inner.patience();
    let standing = standing(transaction.session()?, inner.workspace(), patience);
    let stood = patience.answer(standing).await;
    transaction.end(&stood);
    stood.map_err(|failed| failed.error)
}

async fn standing(
    session: &Session,
    workspace: &str,
    patience: &Patience,
) -> Result<Standing, Failed> {
    let mut flight = Flight::new(session);
    flight.command(transaction::view(workspace, patience));
    flight.send(known(workspace));
    flight.next().await?;
    let rows = match flight.next().await {
        Ok(rows) => rows,
        Err(error) if is_missing(error.code()) => return Ok(Standing::Missing),
        Err(error) => return Err(error.into()),
    };
    let Some(row) = rows.first() else { return Ok(Standing::Missing) };
    let mut cells = Cells::new(row);
    let mut read = || Ok((cells.int("format")?, cells.int("least")?, cells.int("known")?));
    let (format, least, there) =
        read().map_err(|bad| crate::cells::corrupt("meta", row, 0, bad))?;
    usable(format, least)?;
    Ok(match there {
        1 if format >= FORMAT => Standing::Ready,
        1 => Standing::Older(format),
        _ => Standing::Missing,
    })
}

fn known(workspace: &str) -> Statement {
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

/// Brings the tables to this program's format and creates the workspace, alone among all that try, and
/// once every transaction that uses the older tables has ended.
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
        let why = "the database must be made with ENCODING 'UTF8'";
        return Err(StoreError::NotAStore(why.into()).into());
    }
    let found = if number(0) == 1 { format(session).await? } else { 0 };
    if number(0) == 1 && found < FORMAT {
        // Every transaction reads this table: those of older programs end first, and later ones wait.
        flight.command("LOCK TABLE staleness.meta IN ACCESS EXCLUSIVE MODE".into());
        flight.next().await?;
    }
    for (number, migration) in (1..).zip(&MIGRATIONS).filter(|(number, _)| *number > found) {
        flight.command(migration.sql.into());
        flight.send(Statement {
            sql: "UPDATE staleness.meta SET format = $1, least = $2".into(),
            args: vec![Arg::Int(number), Arg::Int(migration.least)],
        });
        flight.next().await?;
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

/// The format of the tables that are there, once this program may use them.
async fn format(session: &Session) -> Result<i64, Failed> {
    let mut flight = Flight::new(session);
    flight.send(Statement {
        sql: "SELECT format, least FROM staleness.meta".into(),
        args: Vec::new(),
    });
    let rows = flight.next().await?;
    let row = rows.first();
    let row = row.ok_or_else(|| StoreError::Corrupt("meta: the row is missing".into()))?;
    let mut cells = Cells::new(row);
    let mut read = || Ok((cells.int("format")?, cells.int("least")?));
    let (format, least) = read().map_err(|bad| crate::cells::corrupt("meta", row, 0, bad))?;
    usable(format, least)?;
    Ok(format)
}
