//! Actions to run once an answer has been written.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::sync::Notify;

pub(crate) type After = Box<dyn FnOnce() + Send>;

/// Maximum time that an unwritten answer delays the next answer of the same tool.
const PATIENCE: Duration = Duration::from_secs(1);

/// Actions waiting for their answers to be written.
#[derive(Clone, Default)]
pub(crate) struct Deliveries(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<HashMap<RequestId, After>>,
    done: Notify,
}

impl Deliveries {
    /// Registers an action to run once the answer to a request has been written.
    pub(crate) fn expect(&self, id: RequestId, after: After) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, after);
    }

    /// Runs the action of a request, because its answer has been written.
    pub(crate) async fn written(&self, id: &RequestId) {
        // The entry stays until the action has run, because `settled` waits for it.
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

    /// Drops the action of a request, because its answer will never be written.
    pub(crate) fn forget(&self, id: &RequestId) {
        drop(self.take(id));
        self.0.done.notify_waiters();
    }

    /// Waits until earlier answers are written and their actions have run, so that nothing is reported twice.
    /// Gives up after one second.
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
        // A client that does not read must not block others.
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }
}
