//! The implementation of the store.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use staleness_core::store::{
    Commit, Decision, Durability, Query, Selection, Step, StoreError, View,
};
use tokio::runtime::Runtime;
use tokio_postgres::Error;

use crate::OpenOptions;
use crate::collections::logs::append;
use crate::collections::meta::{self, Meta};
use crate::collections::{Question, changes, questions};
use crate::error::{Failed, from_commit};
use crate::flight::Flight;
use crate::patience::Patience;
use crate::pool::{Connector, Pool, Session, pool};
use crate::transaction::{self, Transaction};
use crate::url::Target;

/// Maximum number of attempts at a transaction that fails for a temporary reason: a connection lost before
/// the commit, or a deadlock with another program.
const MAX_TRIES: usize = 4;

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
            view.merge(self.load(&mut flight, &selection).await?.1);
            more = query.more(&view);
        }
        Ok(view)
    }

    /// Sends the queries for a selection after the statements already queued, waits for those first, and
    /// returns what was found.
    async fn load(
        &self,
        flight: &mut Flight<'_>,
        selection: &Selection,
    ) -> Result<(Meta, View), Failed> {
        let before = flight.len();
        // Everything read after this is at least as recent.
        flight.send(meta::select(&self.workspace));
        let asked = questions(&self.workspace, selection).into_iter();
        let readers: Vec<_> = asked
            .map(|Question { statement, read }| {
                flight.send(statement);
                read
            })
            .collect();
        for _ in 0..before {
            flight.next().await?;
        }
        let meta = meta::read(&flight.next().await?)?;
        let mut view = View::default();
        (view.revision, view.floor) = (meta.revision, meta.floor);
        view.looks = 1;
        // A scope without tools must have an empty list.
        view.summaries = selection.summaries.iter().map(|id| (id.clone(), Vec::new())).collect();
        for read in &readers {
            for row in flight.next().await? {
                read(&row, &mut view)?;
            }
        }
        Ok((meta, view))
    }

    pub(crate) async fn transact(&self, step: &dyn Step) -> Result<Commit, StoreError> {
        if self.read_only {
            return Err(StoreError::ReadOnly);
        }
        let mut failures = 0;
        loop {
            let result = self.attempt(step).await;
            if let ControlFlow::Break(commit) = self.settle(&mut failures, result) {
                return commit;
            }
        }
    }

    /// Runs one transaction: lock, load, decide, write, commit.
    async fn attempt(&self, step: &dyn Step) -> Result<Commit, Failed> {
        let transaction = Transaction::new(&self.pool).await?;
        let asked = AtomicBool::new(false);
        let work = self.carry_out(transaction.session()?, step, &asked);
        let ended = self.patience.within(self.patience.whole(), work).await;
        let asked = asked.load(Ordering::Relaxed);
        let ended = ended.unwrap_or_else(|| Err(Failed::late(asked)));
        if ended.is_ok() && asked {
            transaction.committed();
        } else {
            transaction.end(&ended);
        }
        ended
    }

    /// Writes the changes and commits. Sets `asked` just before the commit is sent. Leaves the transaction open if there
    /// is nothing to write.
    async fn carry_out(
        &self,
        session: &Session,
        step: &dyn Step,
        asked: &AtomicBool,
    ) -> Result<Commit, Failed> {
        let mut flight = Flight::new(session);
        flight.command(transaction::step(&self.workspace, &self.patience));
        let (meta, mut view) = self.load(&mut flight, &step.selection()).await?;
        let mut changed = loop {
            match step.decide(&view).map_err(StoreError::from)? {
                Decision::Write(changes) => break changes,
                Decision::Need(_) if view.looks == View::MAX_LOOKS => {
                    let told = format!("no decision after {} looks: {step:?}", View::MAX_LOOKS);
                    return Err(StoreError::Misstep(told).into());
                }
                Decision::Need(more) => view.merge(self.load(&mut flight, &more).await?.1),
            }
        };
        if changed.is_empty() {
            return Ok(Commit { revision: meta.revision, view, changes: changed });
        }
        let workspace = &self.workspace;
        let revision = changed.number(meta.last_seq, meta.revision);
        let writes = changes(workspace, &changed)
            .into_iter()
            .chain(meta.advance(workspace, &view, &changed, revision))
            .chain(append(workspace, &changed.outcomes))
            .chain(append(workspace, &changed.journal));
        writes.for_each(|statement| flight.send(statement));
        // Other processes see the revision at once, so it must not be reused after a crash.
        let lasting = step.durability() == Durability::Full || !changed.journal.is_empty();
        flight.command(transaction::wait(lasting).into());
        flight.command("COMMIT".into());
        asked.store(true, Ordering::Relaxed);
        // If a statement could not be sent, COMMIT was not sent either. If one failed on the server, nothing
        // is committed.
        flight.land().await?;
        while flight.len() > 1 {
            match flight.next().await {
                Ok(_) => {}
                Err(error) if meta::is_missing(&error) => return Err(meta::missing().into()),
                Err(error) => return Err(not_committed(error)),
            }
        }
        flight.next().await.map_err(from_commit)?;
        Ok(Commit { revision, view, changes: changed })
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
