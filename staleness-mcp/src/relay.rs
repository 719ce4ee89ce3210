//! Between the service and its transport: notices what was delivered, and when the client went away.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

use crate::call::Ended;

/// What is to be done once an answer was written.
type After = Box<dyn FnOnce() + Send>;

/// An answer that is on its way holds the next one of its sort back no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// What waits for its answer to be written, by the request.
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

/// A transport that tells what was delivered, and ends what still runs when the client went away.
pub(crate) struct Relay<T> {
    inner: T,
    deliveries: Deliveries,
    gone: Ended,
}

impl<T> Relay<T> {
    pub(crate) const fn new(inner: T, deliveries: Deliveries, gone: Ended) -> Self {
        Self { inner, deliveries, gone }
    }
}

/// However the connection ends, what still tells the client of news ends with it.
impl<T> Drop for Relay<T> {
    fn drop(&mut self) {
        self.gone.end();
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Relay<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let deliveries = self.deliveries.clone();
        let sent = self.inner.send(item);
        async move {
            let sent = sent.await;
            let Some(id) = id else { return sent };
            // It stays among those that wait until it is done.
            let after = {
                let mut waiting =
                    deliveries.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.get_mut(&id).map(|after| std::mem::replace(after, Box::new(|| {})))
            };
            if let (Some(after), Ok(())) = (after, &sent) {
                let _ = tokio::task::spawn_blocking(after).await;
            }
            deliveries.forget(&id);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let received = self.inner.receive().await;
        if received.is_none() {
            self.gone.end();
        }
        received
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
