//! The part of a connection that HTTP needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::call::{Caller, Ended};
use crate::counts::Counts;
use crate::parting::part;
use crate::server::Server;
use crate::wire::Departure;

/// The caller of a connection over HTTP, and its end: no wire tells when an answer was written, or that the client went away.
#[derive(Clone)]
pub(crate) struct Remote {
    counts: Arc<Counts>,
    /// The caller of requests that belong to no session, as in newer versions of the protocol.
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
}

impl Drop for Session {
    fn drop(&mut self) {
        self.departure.gone.end();
        self.over.end();
        let (server, caller) = (self.server.clone(), self.caller.clone());
        if self.is_used.load(Ordering::Relaxed)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn_blocking(move || part(&server, &caller));
        }
    }
}

impl Remote {
    pub(crate) fn new(
        (server, caller): (Server, Caller),
        (departure, over): (Departure, Ended),
        (counts, stateless): (Arc<Counts>, Caller),
    ) -> Self {
        let is_used = AtomicBool::new(false);
        let session = Session { server, caller, departure, over, is_used };
        Self { counts, stateless, session: Arc::new(session) }
    }

    /// Returns the caller of a request.
    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let head = context.extensions.get::<Parts>();
        if head.is_some_and(|head| !head.headers.contains_key("mcp-session-id")) {
            return self.stateless.clone();
        }
        self.session.is_used.store(true, Ordering::Relaxed);
        self.session.caller.clone()
    }

    /// Counts a call of a tool.
    pub(crate) fn called(&self, tool: &str, is_error: bool, took: Duration) {
        self.counts.called(tool, is_error, took);
    }
}
