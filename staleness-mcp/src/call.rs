//! The context that a tool is given beside its arguments.

use std::sync::Arc;

use staleness::ids::AgentId;
use staleness_docs::Progress;
use staleness_service::Listener;
use staleness_service::settings::Settings;
use tokio::sync::watch;

/// One call: where it is about, who calls, and who hears how far it is.
pub(crate) struct Call<'a> {
    /// The project, the moment, the policy and the store.
    pub settings: Settings,
    /// The client, by the name that it gave.
    pub agent: Option<AgentId>,
    /// The listener that hears of its progress.
    pub listener: &'a dyn Listener,
}

/// True if work is to end before it is done: because its caller cancelled it, or went away.
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

    /// Waits until it is.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as this.
        let _ = self.0.subscribe().wait_for(|ended| *ended).await;
    }
}

/// Passes progress on.
pub(crate) struct Watch<F>(pub F);

impl<F: Fn(Progress)> Listener for Watch<F> {
    // What was left out is no part of an answer.
    fn note(&self, _: &str) {}

    fn step(&self, step: Progress) {
        (self.0)(step);
    }

    fn end(&self) {}
}
