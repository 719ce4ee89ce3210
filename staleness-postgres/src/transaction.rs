//! Transactions.

use std::pin::pin;
use std::task::{Context, Waker};

use deadpool::managed::Object;
use staleness_core::store::StoreError;

use crate::error::Failed;
use crate::patience::Patience;
use crate::pool::{Pool, Pooled, Session, take};

/// A transaction on a connection of its own.
///
/// One that is not ended (an error of the connection, a panic, a caller that went away) takes its
/// connection with it: the server rolls back what it finds abandoned.
#[derive(Debug)]
pub(crate) struct Transaction {
    // Taken when it ends.
    session: Option<Pooled>,
}

impl Transaction {
    /// Takes a connection; the first commands that are sent must be those of [`step`] or [`view`].
    pub(crate) async fn new(pool: &Pool) -> Result<Self, StoreError> {
        Ok(Self { session: Some(take(pool).await?) })
    }

    /// The connection.
    pub(crate) fn session(&self) -> Result<&Session, StoreError> {
        let session = self.session.as_ref();
        session.map(|session| &**session).ok_or(StoreError::Misstep("it has ended".into()))
    }

    /// Closes the connection.
    fn abandon(&mut self) {
        if let Some(session) = self.session.take() {
            drop(Object::take(session));
        }
    }

    /// Prepares what was used twice, once everything else is done. A server that gives no answer costs the
    /// connection and nothing more.
    pub(crate) async fn prepare(&mut self, patience: &Patience) {
        let Some(session) = &self.session else { return };
        let prepared = patience.within(patience.whole(), session.prepare()).await;
        if prepared.is_none() {
            self.abandon();
        }
    }

    /// Gives the connection back after a COMMIT that was acknowledged.
    pub(crate) async fn committed(mut self, patience: &Patience) {
        self.prepare(patience).await;
        self.session.take();
    }

    /// Ends what is not to be committed, or could not be.
    pub(crate) fn end<T>(self, how: &Result<T, Failed>) {
        // A connection that was lost goes with it; so does one of which nobody knows whether it has
        // committed.
        if !matches!(how, Err(Failed { lost: true, .. })) {
            self.roll_back();
        }
    }

    /// Rolls back. Nothing is waited for: whoever uses the connection next comes behind it.
    fn roll_back(mut self) {
        if let Some(session) = self.session.take() {
            // The driver sends it when it is first polled.
            let rolling = pin!(session.client().batch_execute("ROLLBACK"));
            let _ = rolling.poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Returns the commands that begin a step's transaction. A name of a workspace needs no quoting.
pub(crate) fn step(workspace: &str, patience: &Patience) -> String {
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}; \
         SET LOCAL staleness.workspace = '{workspace}'",
        patience.settings()
    )
}

/// Returns the commands that begin a query's transaction: everything after them sees one snapshot.
pub(crate) fn view(workspace: &str, patience: &Patience) -> String {
    looking(workspace, &patience.settings())
}

/// As [`view`], for a transaction that visits pages.
pub(crate) fn visit(workspace: &str, patience: &Patience) -> String {
    looking(workspace, &patience.settings_of_visit())
}

fn looking(workspace: &str, settings: &str) -> String {
    format!(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {settings}; \
         SET LOCAL staleness.workspace = '{workspace}'"
    )
}

/// Says, right before COMMIT, what that waits for. Lasting commits wait for the server's log, and for the
/// standby where the server is told so; not even a configuration that waits for nothing changes that.
pub(crate) const fn wait(lasting: bool) -> &'static str {
    if lasting {
        "SET LOCAL synchronous_commit TO DEFAULT; SELECT set_config('synchronous_commit', 'on', true) \
         WHERE current_setting('synchronous_commit') = 'off'"
    } else {
        "SET LOCAL synchronous_commit = off"
    }
}
