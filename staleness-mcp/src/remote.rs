//! The part of a connection that only HTTP needs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::call::{Caller, Ended, Projects};
use crate::counts::Counts;
use crate::deliveries::After;
use crate::parting::part;
use crate::server::Server;
use crate::wire::Departure;

/// The caller of a connection over HTTP, and its pending actions. HTTP does not show when an answer was written,
/// or that the client disconnected.
#[derive(Clone)]
pub(crate) struct Remote {
    counts: Arc<Counts>,
    /// The caller of requests without a session, as in newer versions of the protocol.
    stateless: Caller,
    session: Arc<Session>,
}

/// A session, whose claims end with it.
struct Session {
    server: Server,
    caller: Caller,
    departure: Departure,
    over: Ended,
    is_used: AtomicBool,
    counts: Arc<Counts>,
    /// Actions for answers that the client must have read when it sends another request.
    unread: Mutex<Vec<After>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.departure.gone.end();
        self.over.end();
        if self.is_used.load(Ordering::Relaxed)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (server, caller) = (self.server.clone(), self.caller.clone());
            let parting = self.counts.parting();
            runtime.spawn_blocking(move || {
                part(&server, &caller);
                drop(parting);
            });
        }
    }
}

impl Remote {
    pub(crate) fn new(
        (server, caller): (Server, Caller),
        (departure, over): (Departure, Ended),
        (counts, stateless): (Arc<Counts>, Caller),
    ) -> Self {
        let (is_used, unread) = Default::default();
        let kept = Arc::clone(&counts);
        let session = Session { server, caller, departure, over, is_used, counts: kept, unread };
        Self { counts, stateless, session: Arc::new(session) }
    }

    /// Returns true if a request belongs to no session: it names its own protocol version, or has no session header.
    fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
        let head = context.extensions.get::<Parts>();
        context.meta.protocol_version().is_some()
            || head.is_some_and(|head| !head.headers.contains_key("mcp-session-id"))
    }

    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        if Self::is_stateless(context) {
            // Several agents may share a token, so no request may renew the claims of another agent.
            return Caller { claimed_in: Projects::default(), ..self.stateless.clone() };
        }
        self.session.is_used.store(true, Ordering::Relaxed);
        self.session.caller.clone()
    }

    /// Runs an action after an answer was read: at the session's next request, or immediately without a session.
    pub(crate) async fn when_read(&self, context: &RequestContext<RoleServer>, after: After) {
        if Self::is_stateless(context) {
            let _ = tokio::task::spawn_blocking(after).await;
        } else {
            self.session.unread.lock().unwrap_or_else(PoisonError::into_inner).push(after);
        }
    }

    /// Runs the actions of answers that the client must have read, because it sends another request.
    pub(crate) async fn deliver(&self, context: &RequestContext<RoleServer>) {
        let all = if Self::is_stateless(context) {
            Vec::new()
        } else {
            std::mem::take(&mut *self.session.unread.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if !all.is_empty() {
            let all = move || all.into_iter().for_each(|after| after());
            let _ = tokio::task::spawn_blocking(all).await;
        }
    }

    pub(crate) fn called(&self, tool: &str, is_error: bool, took: Duration) {
        self.counts.called(tool, is_error, took);
    }
}
