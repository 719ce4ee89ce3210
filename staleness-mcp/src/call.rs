//! The context of a tool call.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use staleness::clock;
use staleness::ids::{AgentId, ProjectId, SessionId};
use staleness_docs::Progress;
use staleness_service::Listener;
use staleness_service::settings::Settings;
use tokio::sync::watch;

/// A tool call: its project, its caller, and a listener for progress.
pub(crate) struct Call<'a> {
    /// The project, time, policy and store.
    pub settings: Settings,
    /// The client's own name. `None` if it is no valid name.
    pub agent: Option<AgentId>,
    /// The id of the caller's connection, used as the session if the call names none.
    pub session: SessionId,
    /// The projects in which the connection has claimed work.
    pub claimed_in: Projects,
    pub listener: &'a dyn Listener,
}

#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The client's own name. `None` if it is no valid name.
    pub agent: Option<AgentId>,
    /// The id of its connection, which distinguishes two windows of one client.
    pub session: SessionId,
    /// The projects in which the connection has claimed work.
    pub claimed_in: Projects,
}

/// Projects that all calls of a connection share.
pub(crate) type Projects = Arc<Mutex<BTreeSet<ProjectId>>>;

impl Caller {
    /// Creates the caller of a new connection.
    pub(crate) fn fresh() -> Self {
        let session = clock::fresh_op().as_str().replacen("op-", SessionId::OF_CONNECTION, 1);
        let session = SessionId::new(session).expect("digits are a valid id");
        Self { agent: None, session, claimed_in: Projects::default() }
    }
}

/// A signal to stop work early, because the caller cancelled it or disconnected.
#[derive(Clone, Debug)]
pub(crate) struct Ended(Arc<watch::Sender<bool>>);

impl Default for Ended {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Ended {
    pub(crate) fn end(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_ended(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn ended(&self) {
        // The sender lives as long as `self`.
        let _ = self.0.subscribe().wait_for(|ended| *ended).await;
    }
}

/// Forwards progress to a function.
pub(crate) struct Watch<F>(pub F);

// Notes are not part of a tool's result.
impl<F: Fn(Progress)> Listener for Watch<F> {
    fn step(&self, step: Progress) {
        (self.0)(step);
    }
}
