//! Hearing of others' commits.
//!
//! A commit with journal entries is followed by a NOTIFY in a transaction of its own that waits for no log: all
//! transactions of a server that notify take turns from there to their end, so one that waits for the log, or
//! holds the locks of a step, would hold up everybody. It is sent behind COMMIT without waiting and costs no
//! round trip; one that is lost, with the server or on the road, is made up for by the next look.
//!
//! Whoever waits first makes a connection that listens, for as long as the store lives. It is told that
//! something happened and looks for itself what, so a notice need not be true. It looks at least once in
//! [`LOOK`], which is also how a connection that is silently dead is found. While there is none, nobody is
//! told anything and everybody asks; a new one is tried for again and again.

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

/// A listener looks at least so often.
const LOOK: Duration = Duration::from_secs(60);

/// The pause before the listener connects again: after a connection that worked, and at most.
const AGAIN: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(60)];

/// The longest wait of a notice for others that notify, in milliseconds: its connection waits with it.
const MAX_WAIT: u32 = 1_000;

/// The revision, as far as it is known without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    /// Nothing yet: the first connection is being made.
    Nothing,
    /// It is this.
    Revision(Revision),
    /// The listener has no connection at the moment.
    Deaf,
}

/// The notices of others' commits that a store receives.
#[derive(Debug, Default)]
pub(crate) struct Notices(OnceLock<watch::Receiver<Heard>>);

impl Notices {
    /// Returns a handle that waits for notices. The first call starts the listener.
    pub(crate) fn heard(&self, connector: &Connector, workspace: &str) -> Hearer {
        let listening = || {
            let (tell, heard) = watch::channel(Heard::Nothing);
            let (connector, workspace) = (connector.clone(), workspace.to_owned());
            // It ends with the store's runtime.
            connector.patience().runtime().clone().spawn(listen(connector, workspace, tell));
            heard
        };
        Hearer(self.0.get_or_init(listening).clone())
    }
}

/// A handle that waits for notices.
#[derive(Debug)]
pub(crate) struct Hearer(watch::Receiver<Heard>);

impl Hearer {
    /// Waits until the listener has seen another revision than this one; `None` where nobody listens at the
    /// moment. It may have seen it before this one was committed.
    pub(crate) async fn another(&mut self, seen: Revision) -> Option<()> {
        let news = |heard: &Heard| match heard {
            Heard::Nothing => false,
            Heard::Revision(revision) => *revision != seen,
            Heard::Deaf => true,
        };
        let heard = self.0.wait_for(news).await.ok()?;
        matches!(*heard, Heard::Revision(_)).then_some(())
    }

    /// Waits until the listener has seen something else than the last time.
    pub(crate) async fn more(&mut self) -> Option<()> {
        self.0.changed().await.ok()
    }
}

/// Returns the commands that tell all listeners of a commit in a workspace.
pub(crate) fn tell(workspace: &str) -> String {
    format!(
        "SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = {MAX_WAIT}; NOTIFY {}",
        channel(workspace)
    )
}

/// The channel of a workspace; a name of one would be too long for some.
fn channel(workspace: &str) -> String {
    format!("staleness_{:032x}", stable_hash(workspace.as_bytes()))
}

/// Listens, again and again.
async fn listen(connector: Connector, workspace: String, tell: watch::Sender<Heard>) {
    let [first, longest] = AGAIN;
    let mut pause = first;
    loop {
        // However it ended: it is tried again.
        let _ = hear(&connector, &workspace, &tell).await;
        let before = tell.send_replace(Heard::Deaf);
        pause = match before {
            Heard::Revision(_) => first,
            _ => (pause * 2).min(longest),
        };
        tokio::time::sleep(pause).await;
    }
}

/// Listens until the connection is lost.
async fn hear(
    connector: &Connector,
    workspace: &str,
    tell: &watch::Sender<Heard>,
) -> Result<(), Failed> {
    let noticed = Arc::new(Notify::new());
    let session = connector.connect(Some(Arc::clone(&noticed))).await?;
    let patience = connector.patience();
    let begin = format!("LISTEN {}", channel(workspace));
    patience.answer(async { Ok(session.client().batch_execute(&begin).await?) }).await?;
    loop {
        let revision = look(&session, workspace, patience).await?;
        tell.send_if_modified(|heard| {
            std::mem::replace(heard, Heard::Revision(revision)) != Heard::Revision(revision)
        });
        // What comes while it looks is kept for the next turn.
        let _ = tokio::time::timeout(LOOK, noticed.notified()).await;
    }
}

async fn look(session: &Session, workspace: &str, patience: &Patience) -> Result<Revision, Failed> {
    let look = async {
        // All that a pooler may take from it is the listening.
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
