//! The store's work.

use std::ops::ControlFlow;

use staleness_core::journal::Revision;
use staleness_core::store::{
    ChangeSet, Commit, Decision, MAX_LOOKS, Query, Selection, Step, StoreError, View,
};
use tokio::runtime::Runtime;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::OpenOptions;
use crate::collections::{changes, journal, meta, outcomes, questions};
use crate::error::{Failed, from_commit};
use crate::flight::Flight;
use crate::locks::Locks;
use crate::pool::{Pool, Session, pool};
use crate::transaction::{self, Transaction};
use crate::url::Target;
use crate::values::{Arg, Statement};

/// How often a transaction is begun again after something that may pass: a connection that was lost
/// before a commit was asked for, or a deadlock with a stranger.
const MAX_TRIES: usize = 4;

/// What the clones of a store share.
#[derive(Debug)]
pub(crate) struct Inner {
    pool: Pool,
    workspace: String,
    /// How long a lock is waited for, in milliseconds.
    patience: u128,
    // Taken when it is dropped.
    runtime: Option<Runtime>,
}

/// How an attempt to carry out a step ended, if not with an error.
enum Attempt {
    /// It was committed.
    Written(Box<Commit>),
    /// There was nothing to write.
    Idle(Box<Commit>),
    /// The step wants to see more.
    Need(Box<Selection>),
    /// Another step took the next revision after this one had looked.
    Overtaken,
}

impl Inner {
    /// A store whose connections live on a thread of their own.
    pub(crate) fn new(target: &Target, options: OpenOptions) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("staleness-postgres")
            .enable_all()
            .build()
            .map_err(|source| StoreError::io("starting a thread for the database", source))?;
        Ok(Self {
            pool: pool(
                target,
                runtime.handle().clone(),
                options.connections,
                options.busy_timeout,
            )?,
            workspace: target.workspace.clone(),
            patience: options.busy_timeout.as_millis().clamp(1, i32::MAX as u128),
            runtime: Some(runtime),
        })
    }

    pub(crate) fn workspace(&self) -> &str {
        &self.workspace
    }

    pub(crate) const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// What is to be done after an attempt: nothing more, or the same again after something that may pass.
    fn settle<T>(
        &self,
        tries: &mut usize,
        result: Result<T, Failed>,
    ) -> ControlFlow<Result<T, StoreError>> {
        *tries += 1;
        match result {
            Err(Failed { again: true, lost, .. }) if *tries < MAX_TRIES => {
                if lost {
                    // The server went away: what else it had promised has gone as well.
                    self.pool.retain(|session, _| !session.client().is_closed());
                }
                ControlFlow::Continue(())
            }
            result => ControlFlow::Break(result.map_err(|failed| failed.error)),
        }
    }

    pub(crate) async fn view(&self, query: &dyn Query) -> Result<View, StoreError> {
        let mut tries = 0;
        loop {
            let result = self.look(query).await;
            if let ControlFlow::Break(view) = self.settle(&mut tries, result) {
                return view;
            }
        }
    }

    async fn look(&self, query: &dyn Query) -> Result<View, Failed> {
        let transaction = Transaction::new(&self.pool).await?;
        let seen = self.looks(transaction.session()?, query).await;
        transaction.end(&seen);
        seen
    }

    async fn looks(&self, session: &Session, query: &dyn Query) -> Result<View, Failed> {
        let mut flight = Flight::new(session);
        flight.command(transaction::view(&self.workspace));
        let mut view = self.load(&mut flight, &query.selection()).await?;
        view.looks = 1;
        while let Some(more) = query.more(&view) {
            if view.looks == MAX_LOOKS {
                let told = format!("more than {MAX_LOOKS} looks: {query:?}");
                return Err(StoreError::Misstep(told).into());
            }
            let mut next = self.load(&mut flight, &more).await?;
            next.looks = 1;
            view.merge(next);
        }
        session.prepare().await;
        Ok(view)
    }

    /// Asks for everything that `selection` names, behind what is under way already: the answers to
    /// that come first.
    async fn load(&self, flight: &mut Flight<'_>, selection: &Selection) -> Result<View, Failed> {
        let before = flight.len();
        let questions = questions(&self.workspace, selection)?;
        flight.send(meta::select(&self.workspace));
        for question in &questions {
            flight.send(question.statement.clone());
        }
        for _ in 0..before {
            flight.next().await?;
        }
        let mut view = View::default();
        view.revision = meta::read(&flight.next().await?)?;
        // A scope without tools has an empty list.
        view.briefs = selection.briefs.iter().map(|scope| (scope.clone(), Vec::new())).collect();
        for question in &questions {
            for row in flight.next().await? {
                (question.read)(&row, &mut view)?;
            }
        }
        Ok(view)
    }

    pub(crate) async fn transact(&self, step: &dyn Step) -> Result<Commit, StoreError> {
        let mut selection = step.selection();
        let (mut looks, mut settled, mut tries) = (1, false, 0);
        loop {
            let result = self.attempt(step, &selection, looks, settled).await;
            let ControlFlow::Break(attempt) = self.settle(&mut tries, result) else { continue };
            match attempt? {
                Attempt::Written(commit) | Attempt::Idle(commit) => return Ok(*commit),
                Attempt::Overtaken => settled = true,
                Attempt::Need(_) if looks == MAX_LOOKS => {
                    return Err(StoreError::Misstep(format!(
                        "no decision after {MAX_LOOKS} looks: {step:?}"
                    )));
                }
                Attempt::Need(more) => {
                    selection.merge(*more);
                    looks += 1;
                }
            }
        }
    }

    /// One transaction: lock, load, decide, write, commit.
    async fn attempt(
        &self,
        step: &dyn Step,
        selection: &Selection,
        looks: usize,
        settled: bool,
    ) -> Result<Attempt, Failed> {
        let transaction = Transaction::new(&self.pool).await?;
        let ended = self.carry_out(transaction.session()?, step, selection, looks, settled).await;
        match &ended {
            Ok(Attempt::Written(_)) => transaction.committed().await,
            ended => transaction.end(ended),
        }
        ended
    }

    async fn carry_out(
        &self,
        session: &Session,
        step: &dyn Step,
        selection: &Selection,
        looks: usize,
        settled: bool,
    ) -> Result<Attempt, Failed> {
        let mut flight = Flight::new(session);
        flight.command(transaction::step(&self.workspace, self.patience, step.durability()));
        let locks = Locks::of(&self.workspace, selection);
        if !locks.is_empty() {
            flight.send(lock(&locks));
        }
        if settled {
            flight.send(meta::settle(&self.workspace));
        }
        let mut view = self.load(&mut flight, selection).await?;
        view.looks = looks;
        match step.decide(&view).map_err(StoreError::Refused)? {
            Decision::Need(more) => Ok(Attempt::Need(Box::new(more))),
            Decision::Write(changes) if changes.is_empty() => {
                let commit = Commit { revision: view.revision, view, changes };
                Ok(Attempt::Idle(Box::new(commit)))
            }
            Decision::Write(changes) => self.write(flight, view, changes).await,
        }
    }

    /// Writes a change set and commits.
    async fn write(
        &self,
        mut flight: Flight<'_>,
        view: View,
        mut changed: ChangeSet,
    ) -> Result<Attempt, Failed> {
        let workspace = &self.workspace;
        let writes = changes(workspace, &changed)?;
        let before = writes.len();
        writes.into_iter().for_each(|statement| flight.send(statement));
        let advance = meta::advance(workspace, view.revision, &changed);
        let is_numbered = advance.is_some();
        if let Some(advance) = advance {
            flight.send(advance);
            let appends = outcomes::append(workspace, &changed.outcomes);
            appends.into_iter().for_each(|statement| flight.send(statement));
            let appends = journal::append(workspace, &changed.journal);
            appends.into_iter().for_each(|statement| flight.send(statement));
        }
        flight.command("COMMIT".into());

        let mut last_seq = 0;
        let mut place = 0;
        while flight.len() > 1 {
            match flight.next().await {
                Ok(rows) if is_numbered && place == before => last_seq = meta::advanced(&rows)?,
                Ok(_) => {}
                Err(error) if was_overtaken(&error) => return Ok(Attempt::Overtaken),
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
        let paged =
            crate::pages::pages(transaction.session()?, &self.workspace, selection, visit).await;
        transaction.end(&paged);
        paged.map_err(|failed| failed.error)
    }

    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        let transaction = Transaction::new(&self.pool).await?;
        let checked = crate::check::check(transaction.session()?, &self.workspace).await;
        transaction.end(&checked);
        checked.map_err(|failed| failed.error)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.pool.close();
        // It may be dropped on a thread of another runtime, which must not be blocked.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What an error of a statement means when COMMIT was sent behind it. The server's word that the
/// statement failed says that the commit did too; without a word it may have happened.
fn not_committed(error: Error) -> Failed {
    if error.as_db_error().is_some() { error.into() } else { from_commit(error) }
}

/// Whether [`meta::advance`] found another revision than the one that was seen.
fn was_overtaken(error: &Error) -> bool {
    error.as_db_error().is_some_and(|told| {
        *told.code() == SqlState::NOT_NULL_VIOLATION && told.table() == Some("workspaces")
    })
}

/// Takes locks, in their order.
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
