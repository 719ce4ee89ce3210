//! Runs the server over standard input and output, for `staleness mcp`.

use std::sync::Mutex;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::Connection;
use crate::parting::{PARTING, part};
use crate::server::Server;
use crate::turns::THREADS;
use crate::wire::{Departure, Wire};

/// Number of threads besides those for calls: input, output, follow-up actions, and shutdown.
const SPARE_THREADS: usize = 4;

/// The reason why a server stopped before its client disconnected.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ServeError(pub(crate) String);

/// Serves standard input and output until the client disconnects. Creates its own runtime.
///
/// # Errors
/// If the client does not speak the protocol, or no thread can be started.
pub fn serve_stdio(server: &Server) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(THREADS + SPARE_THREADS)
        .build()
        .map_err(|error| ServeError(format!("the server cannot be started: {error}")))?;
    try_threads().map_err(|error| ServeError(format!("no thread can be started: {error}")))?;
    let (read, write) = rmcp::transport::stdio();
    let departure = Departure::default();
    #[cfg(unix)]
    crate::pipes::watch(departure.clone());
    let served = runtime.block_on(serve_until(server, read, write, departure));
    // Work that is still running ends with the process.
    runtime.shutdown_background();
    served
}

/// Starts the threads that a server needs for one call, and ends them again. The runtime panics if it cannot start
/// its first thread, and hangs if it cannot start the others.
pub(crate) fn try_threads() -> std::io::Result<()> {
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        let held = gate.lock();
        let started = (0..=SPARE_THREADS).try_for_each(|_| {
            std::thread::Builder::new().spawn_scoped(scope, || drop(gate.lock())).map(drop)
        });
        drop(held);
        started
    })
}

/// Serves one client over a pair of streams until it disconnects. Then ends its claims, prunes learned routes and
/// outcomes according to the policy, as at the end of a session, and closes the store.
///
/// # Errors
/// If the client does not speak the protocol.
pub async fn serve<R, W>(server: &Server, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_until(server, read, write, Departure::default()).await
}

async fn serve_until<R, W>(
    server: &Server,
    read: R,
    write: W,
    departure: Departure,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // Each client has its own state.
    let client = Connection::new(server.clone(), departure.clone());
    let wire = Wire::new(read, write, client.deliveries.clone(), departure.clone());
    let (gone, over) = (departure.gone, client.over.clone());
    let caller = client.caller.clone();
    let served = match client.serve(wire).await {
        Ok(running) => {
            let parting = async {
                gone.ended().await;
                tokio::time::sleep(PARTING).await;
                over.end();
                tokio::time::sleep(PARTING).await;
            };
            tokio::select! {
                ended = running.waiting() => {
                    ended.map(drop).map_err(|error| ServeError(error.to_string()))
                }
                () = parting => Ok(()),
            }
        }
        // The client disconnected without sending anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        // The client disconnected without reading the answer.
        Err(ServerInitializeError::TransportError { .. }) => Ok(()),
        Err(error) => Err(ServeError(format!("the client does not speak MCP: {error}"))),
    };
    let parting = server.clone();
    let parting = tokio::task::spawn_blocking(move || {
        part(&parting, &caller);
        parting.store().close();
    });
    let _ = tokio::time::timeout(PARTING, parting).await;
    served
}
