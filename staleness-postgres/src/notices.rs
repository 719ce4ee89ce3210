//! Notifications about commits of other processes.
//!
//! A commit with journal entries is followed by a NOTIFY in a separate transaction that does not wait for the
//! log. Notifying transactions run one at a time on a server, so one that waits for the log or holds a step's
//! locks would block all others. The NOTIFY is sent after COMMIT without waiting and costs no round trip. If
//! it is lost, the next poll makes up for it.
//!
//! The first waiter opens a connection that listens for the lifetime of the store. A notification only triggers a
//! query, so it may be spurious. The listener also queries once per [`LOOK`], which detects dead connections. While
//! disconnected, the listener keeps trying to reconnect, and waiters have to poll.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use staleness_core::ids::stable_hash;
use staleness_core::journal::Revision;
use tokio::sync::{Notify, watch};

use crate::collections::meta;
use crate::error::Failed;
use crate::flight::Flight;
use crate::patience::Patience;
use crate::pool::{Connector, Session};
use crate::transaction;

/// Maximum interval between the listener's queries.
const LOOK: Duration = Duration::from_secs(60);

/// The pause before reconnecting: the first after a working connection, and the maximum.
const AGAIN: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(60)];

/// Maximum time that a NOTIFY waits for others, in milliseconds. Its connection waits, too.
const MAX_WAIT: u32 = 1_000;

/// The listener's knowledge of the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListenerState {
    /// Not known yet: the first connection is being made.
    Nothing,
    /// The latest known revision.
    Revision(Revision),
    /// The listener is disconnected.
    Deaf,
}

/// The notifications that a store receives.
#[derive(Debug, Default)]
pub(crate) struct Notices(OnceLock<watch::Receiver<ListenerState>>);

impl Notices {
    /// Returns a handle that waits for notices. The first call starts the listener.
    pub(crate) fn heard(&self, connector: &Connector, workspace: &str) -> Hearer {
        let listening = || {
            let (tell, heard) = watch::channel(ListenerState::Nothing);
            let (connector, workspace) = (connector.clone(), workspace.to_owned());
            // The task ends with the store's runtime.
            connector.patience().runtime().clone().spawn(listen(connector, workspace, tell));
            heard
        };
        Hearer(self.0.get_or_init(listening).clone())
    }
}

/// A handle that waits for notices.
#[derive(Debug)]
pub(crate) struct Hearer(watch::Receiver<ListenerState>);

impl Hearer {
    /// Waits until the listener receives a revision different from `seen`, perhaps an older one. `None` if the listener
    /// is disconnected.
    pub(crate) async fn another(&mut self, seen: Revision) -> Option<()> {
        let news = |heard: &ListenerState| match heard {
            ListenerState::Nothing => false,
            ListenerState::Revision(revision) => *revision != seen,
            ListenerState::Deaf => true,
        };
        let heard = self.0.wait_for(news).await.ok()?;
        matches!(*heard, ListenerState::Revision(_)).then_some(())
    }

    /// Waits for the listener's next change.
    pub(crate) async fn more(&mut self) -> Option<()> {
        self.0.changed().await.ok()
    }
}

/// Returns the commands that notify listeners of a commit in a workspace.
pub(crate) fn tell(workspace: &str) -> String {
    format!(
        "SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = {MAX_WAIT}; NOTIFY {}",
        channel(workspace)
    )
}

/// Returns the channel of a workspace. A hash is used because names may be too long.
fn channel(workspace: &str) -> String {
    format!("staleness_{:032x}", stable_hash(workspace.as_bytes()))
}

/// Listens forever, reconnecting after errors.
async fn listen(connector: Connector, workspace: String, tell: watch::Sender<ListenerState>) {
    let [first, longest] = AGAIN;
    let mut pause = first;
    loop {
        // Reconnects after any error.
        let _ = hear(&connector, &workspace, &tell).await;
        let before = tell.send_replace(ListenerState::Deaf);
        pause = match before {
            ListenerState::Revision(_) => first,
            _ => (pause * 2).min(longest),
        };
        tokio::time::sleep(pause).await;
    }
}

/// Listens until the connection is lost.
async fn hear(
    connector: &Connector,
    workspace: &str,
    tell: &watch::Sender<ListenerState>,
) -> Result<(), Failed> {
    let noticed = Arc::new(Notify::new());
    let session = connector.connect(Some(Arc::clone(&noticed))).await?;
    let patience = connector.patience();
    let begin = format!("LISTEN {}", channel(workspace));
    patience.answer(async { Ok(session.client().batch_execute(&begin).await?) }).await?;
    loop {
        let revision = look(&session, workspace, patience).await?;
        tell.send_if_modified(|heard| {
            std::mem::replace(heard, ListenerState::Revision(revision))
                != ListenerState::Revision(revision)
        });
        // A notification that arrives during the query is not lost: the next wait returns immediately.
        let _ = tokio::time::timeout(LOOK, noticed.notified()).await;
    }
}

async fn look(session: &Session, workspace: &str, patience: &Patience) -> Result<Revision, Failed> {
    let look = async {
        // A connection pooler may break LISTEN, but not this query.
        let mut flight = Flight::new(session);
        flight.command(transaction::view(workspace, patience));
        flight.send(meta::select(workspace));
        flight.command("COMMIT".into());
        flight.next().await?;
        let (revision, _) = meta::read(&flight.next().await?)?;
        flight.next().await?;
        Ok(revision)
    };
    patience.answer(look).await
}
