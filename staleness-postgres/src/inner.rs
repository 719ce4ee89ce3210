//! The implementation of the store.

use std::ops::ControlFlow;
use std::slice::from_ref;
use std::sync::atomic::{AtomicBool, Ordering};

use staleness_core::journal::Revision;
use staleness_core::store::{
    ChangeSet, Commit, Durability, Query, Selection, Step, StoreError, View,
};
use tokio::runtime::Runtime;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::OpenOptions;
use crate::collections::logs::{Numbers, append};
use crate::collections::{Question, changes, meta, questions};
use crate::error::{Failed, from_commit};
use crate::flight::Flight;
use crate::locks::Locks;
use crate::looks::{Answer, replay};
use crate::patience::Patience;
use crate::pool::{Connector, Pool, Session, pool};
use crate::transaction::{self, Transaction};
use crate::url::Target;
use crate::values::{Arg, Statement};

/// Maximum number of attempts at a transaction that fails for a temporary reason: a connection lost before
/// the commit, or a deadlock with another program.
const MAX_TRIES: usize = 4;

/// Maximum number of times that a step restarts because concurrent commits changed its later looks. After
/// that it fails with [`StoreError::Busy`].
const MAX_MISLED: usize = 8;

/// The state shared by all clones of a store.
#[derive(Debug)]
pub(crate) struct Inner {
    pool: Pool,
    workspace: String,
    patience: Patience,
    read_only: bool,
    // `None` once the store is dropped.
    runtime: Option<Runtime>,
}

/// The result of an attempt at a step that did not fail.
enum Attempt {
    /// The step was committed.
    Written(Box<Commit>),
    /// There was nothing to write.
    Idle(Box<Commit>),
    /// The step needs another selection after its first `after` looks.
    Need { after: usize, more: Box<Selection> },
    /// Another step took the next revision after this one had read.
    Overtaken,
}

impl Inner {
    /// Creates a store. Its connections live on a separate thread.
    pub(crate) fn new(target: &Target, options: OpenOptions) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("staleness-postgres")
            .enable_all()
            .build()
            .map_err(|source| StoreError::io("starting a thread for the database", source))?;
        let patience = Patience::new(options.busy_timeout, runtime.handle().clone());
        Ok(Self {
            pool: pool(Connector::new(target, patience.clone())?, options.connections.max(1))?,
            workspace: target.workspace.clone(),
            patience,
            read_only: options.read_only,
            runtime: Some(runtime),
        })
    }

    pub(crate) fn workspace(&self) -> &str {
        &self.workspace
    }

    pub(crate) const fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) const fn patience(&self) -> &Patience {
        &self.patience
    }

    /// Returns the final result of an attempt, or `Continue` to retry. See [`MAX_TRIES`].
    fn settle<T>(
        &self,
        failures: &mut usize,
        result: Result<T, Failed>,
    ) -> ControlFlow<Result<T, StoreError>> {
        let failed = match result {
            Ok(done) => return ControlFlow::Break(Ok(done)),
            Err(failed) => failed,
        };
        *failures += 1;
        if failed.lost {
            // The server is gone, so all other connections are broken, too.
            self.pool.retain(|_, _| false);
        }
        if failed.again && *failures < MAX_TRIES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Err(failed.error))
        }
    }

    pub(crate) async fn view(&self, query: &dyn Query) -> Result<View, StoreError> {
        let mut failures = 0;
        loop {
            let result = self.look(query).await;
            if let ControlFlow::Break(view) = self.settle(&mut failures, result) {
                return view;
            }
        }
    }

    async fn look(&self, query: &dyn Query) -> Result<View, Failed> {
        let transaction = Transaction::new(&self.pool).await?;
        let seen = self.patience.answer(self.looks(transaction.session()?, query)).await;
        transaction.end(&seen);
        seen
    }

    async fn looks(&self, session: &Session, query: &dyn Query) -> Result<View, Failed> {
        let mut flight = Flight::new(session);
        flight.command(transaction::view(&self.workspace, &self.patience));
        let mut view = View::default();
        let mut more = Some(query.selection());
        while let Some(selection) = more {
            if view.looks == View::MAX_LOOKS {
                let told = format!("more than {} looks: {query:?}", View::MAX_LOOKS);
                return Err(StoreError::Misstep(told).into());
            }
            for seen in self.load(&mut flight, from_ref(&selection)).await? {
                view.merge(seen);
            }
            more = query.more(&view);
        }
        Ok(view)
    }

    /// Sends the queries for all looks after the statements already queued, waits for those first, and
    /// returns one view per look.
    async fn load(
        &self,
        flight: &mut Flight<'_>,
        looks: &[Selection],
    ) -> Result<Vec<View>, Failed> {
        let before = flight.len();
        let mut asked = Vec::with_capacity(looks.len());
        for look in looks {
            asked.push(questions(&self.workspace, look));
        }
        // Everything read after this is at least as recent.
        flight.send(meta::select(&self.workspace));
        let mut readers = Vec::with_capacity(looks.len());
        for questions in asked {
            let sent = questions.into_iter().map(|Question { statement, read }| {
                flight.send(statement);
                read
            });
            readers.push(sent.collect::<Vec<_>>());
        }
        for _ in 0..before {
            flight.next().await?;
        }
        let standing = meta::read(&flight.next().await?)?;
        let mut views = Vec::with_capacity(looks.len());
        for (look, readers) in looks.iter().zip(&readers) {
            let mut view = View::default();
            (view.revision, view.floor) = standing;
            view.looks = 1;
            // A scope without tools must have an empty list.
            view.summaries = look.summaries.iter().map(|id| (id.clone(), Vec::new())).collect();
            for read in readers {
                for row in flight.next().await? {
                    read(&row, &mut view)?;
                }
            }
            views.push(view);
        }
        Ok(views)
    }

    pub(crate) async fn transact(&self, step: &dyn Step) -> Result<Commit, StoreError> {
        if self.read_only {
            return Err(StoreError::ReadOnly);
        }
        let mut looks = vec![step.selection()];
        let (mut settled, mut failures, mut misled) = (false, 0, 0);
        loop {
            let result = self.attempt(step, &looks, settled).await;
            let ControlFlow::Break(attempt) = self.settle(&mut failures, result) else { continue };
            match attempt? {
                Attempt::Written(commit) | Attempt::Idle(commit) => return Ok(*commit),
                Attempt::Overtaken => settled = true,
                Attempt::Need { after, more } => {
                    misled += usize::from(after < looks.len());
                    if misled > MAX_MISLED {
                        return Err(StoreError::Busy);
                    }
                    looks.truncate(after);
                    looks.push(*more);
                }
            }
        }
    }

    /// Runs one transaction: lock, load, decide, write, commit.
    async fn attempt(
        &self,
        step: &dyn Step,
        looks: &[Selection],
        settled: bool,
    ) -> Result<Attempt, Failed> {
        let transaction = Transaction::new(&self.pool).await?;
        let asked = AtomicBool::new(false);
        let work = self.carry_out(transaction.session()?, step, looks, settled, &asked);
        let ended = self.patience.within(self.patience.whole(), work).await;
        let ended = ended.unwrap_or_else(|| Err(Failed::late(asked.load(Ordering::Relaxed))));
        match &ended {
            Ok(Attempt::Written(_)) => transaction.committed(),
            ended => transaction.end(ended),
        }
        ended
    }

    /// Writes the changes and commits. Sets `asked` just before the commit is sent.
    async fn carry_out(
        &self,
        session: &Session,
        step: &dyn Step,
        looks: &[Selection],
        settled: bool,
        asked: &AtomicBool,
    ) -> Result<Attempt, Failed> {
        let mut flight = Flight::new(session);
        flight.command(transaction::step(&self.workspace, &self.patience));
        let locks = Locks::of_all(&self.workspace, looks);
        if !locks.is_empty() {
            flight.send(lock(&locks));
        }
        if settled {
            flight.send(meta::settle(&self.workspace));
        }
        let loaded = self.load(&mut flight, looks).await?;
        let (view, changes) = match replay(step, looks, loaded)? {
            Answer::Need { after, more } => return Ok(Attempt::Need { after, more }),
            Answer::Write(written) => *written,
        };
        if changes.is_empty() {
            let commit = Commit { revision: view.revision, view, changes };
            return Ok(Attempt::Idle(Box::new(commit)));
        }
        let lasting = step.durability() == Durability::Full;
        self.write(flight, view, changes, lasting, asked).await
    }

    /// Writes a change set and commits.
    async fn write(
        &self,
        mut flight: Flight<'_>,
        view: View,
        mut changed: ChangeSet,
        lasting: bool,
        asked: &AtomicBool,
    ) -> Result<Attempt, Failed> {
        let workspace = &self.workspace;
        let writes = changes(workspace, &changed);
        let before = writes.len();
        writes.into_iter().for_each(|statement| flight.send(statement));
        let advance = meta::advance(workspace, &view, &changed);
        let is_numbered = advance.is_some();
        if let Some(advance) = advance {
            flight.send(advance);
            let appends = append(workspace, &changed.outcomes, Numbers::Last);
            appends.into_iter().for_each(|statement| flight.send(statement));
            let appends = append(workspace, &changed.journal, Numbers::Revision);
            appends.into_iter().for_each(|statement| flight.send(statement));
        }
        // Other processes see the revision at once, so it must not be reused after a crash.
        let lasting = lasting || !changed.journal.is_empty();
        flight.command(transaction::wait(lasting).into());
        flight.command("COMMIT".into());
        asked.store(true, Ordering::Relaxed);
        // If a statement could not be sent, COMMIT was not sent either. If one failed on the server, nothing
        // is committed.
        if let Err(error) = flight.land().await {
            return Err(error.into());
        }

        let mut last_seq = 0;
        let mut place = 0;
        while flight.len() > 1 {
            match flight.next().await {
                Ok(rows) if is_numbered && place == before => last_seq = meta::advanced(&rows)?,
                Ok(_) => {}
                Err(error) if was_overtaken(&error) => return Ok(Attempt::Overtaken),
                Err(error) if meta::is_missing(&error) => return Err(meta::missing().into()),
                Err(error) => return Err(not_committed(error)),
            }
            place += 1;
        }
        flight.next().await.map_err(from_commit)?;
        let first = last_seq.saturating_sub(changed.outcomes.len() as u64);
        let revision: Revision = changed.number(first, view.revision);
        Ok(Attempt::Written(Box::new(Commit { revision, view, changes: changed })))
    }

    pub(crate) async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        let transaction = Transaction::new(&self.pool).await?;
        let session = transaction.session()?;
        let paged =
            crate::pages::pages(session, &self.workspace, &self.patience, selection, visit).await;
        transaction.end(&paged);
        paged.map_err(|failed| failed.error)
    }

    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        let transaction = Transaction::new(&self.pool).await?;
        let session = transaction.session()?;
        let checked = crate::check::check(session, &self.workspace, &self.patience).await;
        transaction.end(&checked);
        checked.map_err(|failed| failed.error)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.pool.close();
        // The store may be dropped on a thread of another runtime, which must not block.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Converts an error of a statement sent before COMMIT. If the server reports that it failed, nothing was
/// committed. Otherwise the outcome is unknown.
fn not_committed(error: Error) -> Failed {
    if error.as_db_error().is_some() { error.into() } else { from_commit(error) }
}

/// Returns true if [`meta::advance`] failed because the revision had changed.
fn was_overtaken(error: &Error) -> bool {
    error.as_db_error().is_some_and(|told| {
        *told.code() == SqlState::NOT_NULL_VIOLATION && told.table() == Some("workspaces")
    })
}

/// Returns the statement that takes the locks in order.
fn lock(locks: &Locks) -> Statement {
    let (numbers, exclusive) = locks.columns();
    Statement {
        sql: "SELECT count(CASE WHEN exclusive THEN pg_advisory_xact_lock(number)::text \
              ELSE pg_advisory_xact_lock_shared(number)::text END) \
              FROM unnest($1, $2) AS lock(number, exclusive)"
            .into(),
        args: vec![Arg::Ints(numbers), Arg::Flags(exclusive)],
    }
}
