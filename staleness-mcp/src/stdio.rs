//! The server over standard input and output: what `staleness mcp` runs.

use std::fmt;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::IntoTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use staleness_service::settings::Access;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::Connection;
use crate::relay::Relay;
use crate::server::{Server, THREADS};

/// After its client went away a server has this long for each of three things: to finish what it was
/// asked, to answer what was ended, and to prune. Together less than a second.
const PARTING: Duration = Duration::from_millis(300);
/// The largest message that is taken, in bytes: more than anything that is kept, so that what is too
/// large is refused in words. Larger ones are dropped.
const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Threads beside those of the calls: input, output, what follows an answer, and parting.
const SPARE_THREADS: usize = 4;

/// Why a server ended before its client did.
#[derive(Debug)]
pub struct ServeError(String);

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServeError {}

/// Serves standard input and output until the client goes away, on a runtime of its own.
///
/// # Errors
/// When the client does not speak the protocol, or the machine gives no thread.
pub fn serve_stdio(server: &Server) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(THREADS + SPARE_THREADS)
        .build()
        .map_err(|error| ServeError(format!("starting: {error}")))?;
    let (read, write) = rmcp::transport::stdio();
    let served = runtime.block_on(serve(server, read, write));
    // Whatever still runs ends with the process.
    runtime.shutdown_background();
    served
}

/// Serves one client over any pair of streams until it goes away; then removes learned routes
/// and outcomes past the policy's bounds, as the end of a session does, and closes the store.
///
/// # Errors
/// When the client does not speak the protocol.
pub async fn serve<R, W>(server: &Server, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let inner = AsyncRwTransport::new_server(read, write).with_max_line_length(MAX_MESSAGE_BYTES);
    // Nothing of one client is another's.
    let client = Connection::new(server.clone());
    let relay = Relay::new(inner, client.deliveries.clone(), client.gone.clone());
    let (gone, over) = (client.gone.clone(), client.over.clone());
    let served = match client.serve(relay.into_transport()).await {
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
        // A client that goes away before it said anything asked for nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError(format!("the client does not speak MCP: {error}"))),
    };
    let parting = server.clone();
    let _ =
        tokio::time::timeout(PARTING, tokio::task::spawn_blocking(move || part(&parting))).await;
    served
}

/// What the end of a session does.
fn part(server: &Server) {
    if let Ok(settings) = server.settings(None, None)
        // How long outcomes are to be kept may stand where it cannot be read.
        && settings.policy_trouble.is_none()
        && let Ok(registry) = settings.open(Access::Look)
    {
        let _ = registry.prune_routes(&settings.project.id, settings.now, false);
        let _ = registry.prune_outcomes(settings.now, false);
    }
    server.store().close();
}
