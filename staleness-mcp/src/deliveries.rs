//! Actions that follow once an answer was written.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// An action for the time when an answer was written.
type After = Box<dyn FnOnce() + Send>;

/// An answer that is on its way holds the next one of its sort back no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// Actions that wait for the answer to their request to be written.
#[derive(Clone, Default)]
pub(crate) struct Deliveries(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<HashMap<RequestId, After>>,
    done: Notify,
}

impl Deliveries {
    /// Something to do once the answer to a request was written.
    pub(crate) fn expect(&self, id: RequestId, after: After) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, after);
    }

    /// The answer to a request was written: does what is to be done then.
    pub(crate) async fn written(&self, id: &RequestId) {
        // It stays among those that wait until it is done.
        let after = {
            let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.get_mut(id).map(|after| std::mem::replace(after, Box::new(|| {})))
        };
        if let Some(after) = after {
            let _ = tokio::task::spawn_blocking(after).await;
        }
        self.forget(id);
    }

    fn take(&self, id: &RequestId) -> Option<After> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }

    /// The answer to a request will never be written.
    pub(crate) fn forget(&self, id: &RequestId) {
        drop(self.take(id));
        self.0.done.notify_waiters();
    }

    /// Waits until what was answered before is written and noted, so that it is not told twice.
    pub(crate) async fn settled(&self) {
        let all = async {
            loop {
                let done = self.0.done.notified();
                if self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                    return;
                }
                done.await;
            }
        };
        // A client that reads nothing does not stop everybody else.
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }
}
