//! Transactions.

use std::pin::pin;
use std::task::{Context, Waker};

use deadpool::managed::Object;
use staleness_core::store::StoreError;

use crate::error::Failed;
use crate::patience::Patience;
use crate::pool::{Pool, Pooled, Session, take};

/// A transaction on a separate connection.
///
/// If it is dropped without being ended (connection error, panic, cancelled caller), its connection is
/// closed, so the server rolls it back.
#[derive(Debug)]
pub(crate) struct Transaction {
    // `None` once it has ended.
    session: Option<Pooled>,
}

impl Transaction {
    /// Takes a connection. The first commands sent must be those of [`step`] or [`view`].
    pub(crate) async fn new(pool: &Pool) -> Result<Self, StoreError> {
        Ok(Self { session: Some(take(pool).await?) })
    }

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

    /// Returns the connection to the pool after an acknowledged COMMIT.
    pub(crate) fn committed(mut self) {
        self.session.take();
    }

    /// Ends a transaction that is not committed.
    pub(crate) fn end<T>(self, how: &Result<T, Failed>) {
        // A lost connection is closed, and so is one whose commit is unknown.
        if !matches!(how, Err(Failed { lost: true, .. })) {
            self.roll_back();
        }
    }

    /// Rolls back without waiting. The next user of the connection queues behind it.
    fn roll_back(mut self) {
        if let Some(session) = self.session.take() {
            // The driver sends the command when the future is first polled.
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

/// Returns the commands that begin a step's transaction. Workspace names need no quoting.
pub(crate) fn step(workspace: &str, patience: &Patience) -> String {
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}; \
         SET LOCAL staleness.workspace = '{workspace}'",
        patience.settings()
    )
}

/// Returns the commands that begin a query's transaction, which reads one snapshot.
pub(crate) fn view(workspace: &str, patience: &Patience) -> String {
    looking(workspace, &patience.settings())
}

/// Like [`view`], for a transaction that visits pages.
pub(crate) fn visit(workspace: &str, patience: &Patience) -> String {
    looking(workspace, &patience.settings_of_visit())
}

fn looking(workspace: &str, settings: &str) -> String {
    format!(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {settings}; \
         SET LOCAL staleness.workspace = '{workspace}'"
    )
}

/// Returns the command that sets `synchronous_commit`, to be sent before COMMIT. A lasting commit waits for the
/// server's log, and for a standby if so configured. The server's setting `off` is overridden.
pub(crate) const fn wait(lasting: bool) -> &'static str {
    if lasting {
        "SET LOCAL synchronous_commit TO DEFAULT; SELECT set_config('synchronous_commit', 'on', true) \
         WHERE current_setting('synchronous_commit') = 'off'"
    } else {
        "SET LOCAL synchronous_commit = off"
    }
}
