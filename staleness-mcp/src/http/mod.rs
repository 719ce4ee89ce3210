//! Serves agents over streamable HTTP, for `staleness mcp --http`.
//!
//! `/mcp` speaks the protocol and `/metrics` prints counters. Every request needs a bearer token, which gives access to
//! one project. The size, time and rate of requests are limited, before and after authentication. Each token has its
//! own share of the server's capacity, so that none can shut out the others.

mod shares;
mod tokens;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{
    AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::shares::{MAX_REQUEST_BYTES, Seat, Shares};
use self::tokens::{Digest, Token, digest};
use crate::call::Caller;
use crate::connection::Connection;
use crate::counts::Counts;
use crate::malformed::Fault;
use crate::server::Server;
use crate::stdio::{ServeError, try_threads};

/// Maximum size of the head of a request, in bytes.
const MAX_HEAD: usize = 32 * 1024;
/// Maximum number of open connections. A quarter is for connections without a token; the rest is divided equally among
/// the tokens.
const MAX_CONNECTIONS: usize = 1_200;
/// Maximum number of sessions, divided equally among the tokens.
const MAX_SESSIONS: usize = 600;
/// Maximum time for each of three things: the head of a request, its body, and a client's acknowledgement of what was
/// sent.
const PATIENCE: Duration = Duration::from_secs(10);
/// Idle time after which a session ends.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// Maximum time for requests in progress when the server shuts down.
const PARTING: Duration = Duration::from_secs(3);
/// Time for which a finished answer can be requested again.
const KEPT: Duration = Duration::from_secs(2);

type Body = BoxBody<Bytes, Infallible>;

/// The address and access rules of a server over HTTP.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address to listen on. Port 0 selects a free port.
    pub address: SocketAddr,
    /// A file with a token and the folder of its project on each line. Only its owner may read the file. The word
    /// `global` between token and folder permits changes to global records.
    pub tokens: PathBuf,
    /// Additional host names of the server, besides its address and the names of this machine.
    pub hosts: Vec<String>,
}

/// Serves HTTP until the process is asked to exit. Creates its own runtime. Calls `started` with the address and
/// the number of tokens.
///
/// # Errors
/// If the tokens cannot be used, the address cannot be listened on, or no thread can be started.
pub fn serve_http(
    server: &Server,
    options: &HttpOptions,
    started: impl FnOnce(SocketAddr, usize),
) -> Result<(), ServeError> {
    let tokens = tokens::read(&options.tokens)?;
    try_threads().map_err(|error| ServeError(format!("no thread can be started: {error}")))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ServeError(format!("the server cannot be started: {error}")))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await;
        let listener = listener
            .map_err(|error| ServeError(format!("listening on {}: {error}", options.address)))?;
        let address = listener.local_addr().unwrap_or(options.address);
        let count = tokens.len();
        let site = Arc::new(Site::new(server, options, tokens)?);
        started(address, count);
        site.serve(listener).await;
        Ok(())
    });
    runtime.shutdown_timeout(PARTING);
    server.store().close();
    served
}

/// Waits for a signal to exit.
async fn ended() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    if let Ok(mut term) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    {
        tokio::select! {
            _ = term.recv() => {}
            () = interrupted => {}
        }
        return;
    }
    interrupted.await;
}

/// The project to which a token gives access.
struct Workspace {
    service: StreamableHttpService<Connection, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    /// Locked while a session starts.
    begins: tokio::sync::Mutex<()>,
    shares: Shares,
}

/// The projects of all tokens, and their shared state.
struct Site {
    workspaces: Vec<(Digest, Workspace)>,
    /// Maximum number of sessions per token.
    most_sessions: usize,
    /// The places for connections that have not yet shown a token.
    newcomers: Arc<Semaphore>,
    counts: Arc<Counts>,
    /// The names that a request may give as its host.
    hosts: Vec<String>,
    config: StreamableHttpServerConfig,
}

impl Site {
    fn new(server: &Server, options: &HttpOptions, tokens: Vec<Token>) -> Result<Self, ServeError> {
        let counts = Arc::new(Counts::default());
        // [`Site::is_addressed`] checks hosts and origins, before the path is looked at.
        let config =
            StreamableHttpServerConfig::default().disable_allowed_hosts().with_sse_retry(None);
        let count = tokens.len();
        let most_sessions = (MAX_SESSIONS / count).max(1);
        let connections = most_connections();
        let newcomers = (connections / 4).max(1);
        let workspaces = tokens.into_iter().map(|Token { line, digest, folder, writes_global }| {
            let server = server
                .confined_to(&folder, writes_global, count == 1)
                .map_err(|error| ServeError(format!("line {line} of the tokens: {error}")))?;
            let (kept, stateless) = (Arc::clone(&counts), Caller::fresh());
            let shares = Shares::new(count, connections - newcomers);
            let listening = Arc::clone(&shares.listening);
            let connect = move || {
                let (server, kept) = (server.clone(), Arc::clone(&kept));
                let listening = Arc::clone(&listening);
                Ok(Connection::over_http(server, kept, stateless.clone(), listening))
            };
            let mut sessions = LocalSessionManager::default();
            sessions.session_config.keep_alive = Some(IDLE);
            sessions.session_config.sse_retry = None;
            sessions.session_config.completed_cache_ttl = KEPT;
            let sessions = Arc::new(sessions);
            let service =
                StreamableHttpService::new(connect, Arc::clone(&sessions), config.clone());
            let begins = tokio::sync::Mutex::default();
            Ok((digest, Workspace { service, sessions, begins, shares }))
        });
        let workspaces = workspaces.collect::<Result<_, ServeError>>()?;
        let newcomers = Arc::new(Semaphore::new(newcomers));
        let hosts = hosts(options);
        Ok(Self { workspaces, most_sessions, newcomers, counts, hosts, config })
    }

    /// Serves connections until the process is asked to exit.
    async fn serve(self: &Arc<Self>, listener: TcpListener) {
        let graceful = GracefulShutdown::new();
        let mut ended = pin!(ended());
        loop {
            // Without a place, connections wait in the system's queue.
            let next = async {
                let place = Arc::clone(&self.newcomers).acquire_owned().await;
                (place, listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                () = &mut ended => break,
                next = next => next,
            };
            let (Ok(place), Ok((stream, _))) = (place, accepted) else {
                // Too many open files: wait for some to close.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            tokio::spawn(Arc::clone(self).connect(stream, place, graceful.watcher()));
        }
        drop(listener);
        self.config.cancellation_token.cancel();
        let all = async {
            graceful.shutdown().await;
            // The claims of a session end with it, so wait until all sessions have ended.
            while self.sessions().await > 0 || self.counts.is_parting() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(PARTING, all).await;
    }

    /// Serves a connection. Errors are visible only to the client.
    async fn connect(
        self: Arc<Self>,
        stream: TcpStream,
        place: OwnedSemaphorePermit,
        watcher: Watcher,
    ) {
        let _ = stream.set_nodelay(true);
        // A client that does not read keeps a place and answers in memory. After this time its connection fails.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, PATIENCE.as_millis() as u32);
        let seat = Arc::new(Seat::new(place));
        let service = service_fn(move |request| {
            let (site, seat) = (Arc::clone(&self), Arc::clone(&seat));
            async move {
                let response = site.answer(request, &seat).await;
                site.counts.answered(response.status());
                Ok::<_, Infallible>(response)
            }
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(MAX_HEAD);
        let _ = watcher.watch(builder.serve_connection(TokioIo::new(stream), service)).await;
    }

    async fn answer(&self, request: Request<Incoming>, seat: &Seat) -> Response<Body> {
        let Some(workspace) = self.workspace(request.headers()) else {
            let mut response = text(StatusCode::UNAUTHORIZED, "a bearer token is needed");
            response.headers_mut().insert(WWW_AUTHENTICATE, "Bearer".parse().expect("a word"));
            // No client may keep a connection open without a token.
            return closing(response);
        };
        if !workspace.shares.seats(seat) {
            return closing(busy("this token has too many connections"));
        }
        if !workspace.shares.admits(Instant::now()) {
            return busy("too many requests per second");
        }
        if !self.is_addressed(request.headers()) {
            return text(StatusCode::FORBIDDEN, "this host or origin is not allowed; see --host");
        }
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/metrics") => {
                let sessions = self.sessions().await;
                text(StatusCode::OK, self.counts.print(sessions).unwrap_or_default())
            }
            (_, "/mcp") => match self.exchange(workspace, request).await {
                Ok(response) | Err(response) => response,
            },
            _ => text(StatusCode::NOT_FOUND, "use /mcp or /metrics"),
        }
    }

    /// Answers a message of the protocol.
    async fn exchange(
        &self,
        workspace: &Workspace,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Response<Body>> {
        let (mut head, body) = request.into_parts();
        let is_end = head.method == Method::DELETE;
        let session = head.headers.get("mcp-session-id").map(|id| id.to_str().map(str::to_owned));
        let session = session.transpose();
        let session =
            session.map_err(|_| text(StatusCode::BAD_REQUEST, "the session id is not text"))?;
        let shares = &workspace.shares;
        // A body of unknown size counts as one of the maximum size.
        let room = shares.room(body.size_hint().upper().unwrap_or(u64::MAX));
        let room = room.ok_or_else(|| busy("too many requests at once; wait for their answers"))?;
        let body = whole(body).await?;
        let (id, is_begin) = match serde_json::from_slice(&body) {
            Ok(ClientJsonRpcMessage::Request(asked)) => {
                let is_begin = matches!(asked.request, ClientRequest::InitializeRequest(_));
                (Some(asked.id), is_begin && session.is_none())
            }
            _ => (None, false),
        };
        let place = shares.place(room, session.zip(id.clone())).ok_or_else(|| {
            let mut refused =
                text(StatusCode::BAD_REQUEST, Fault::IdInUse.error(&json!(id)).to_string());
            let json = "application/json".parse().expect("a media type");
            refused.headers_mut().insert(CONTENT_TYPE, json);
            refused
        })?;
        // The place is freed when the request has been processed.
        head.extensions.insert(Arc::clone(&place));
        // Sessions start one at a time, so that their count is exact.
        let _begins = match is_begin {
            true => Some(workspace.begins.lock().await),
            false => None,
        };
        if is_begin && workspace.sessions.sessions.read().await.len() >= self.most_sessions {
            return Err(busy("too many sessions; end one"));
        }
        let request = Request::from_parts(head, Full::new(body));
        let mut response = workspace.service.handle(request).await;
        // The Python SDK treats 202 as a failure.
        if is_end && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        if response.body().size_hint().exact().is_some() {
            return Ok(response);
        }
        // An event stream may not have sent the answer yet, so it keeps the place until it ends.
        let hold = move |frame| {
            let _ = &place;
            frame
        };
        Ok(response.map(|body| body.map_frame(hold).boxed()))
    }

    async fn sessions(&self) -> usize {
        let mut count = 0;
        for (_, workspace) in &self.workspaces {
            count += workspace.sessions.sessions.read().await.len();
        }
        count
    }

    /// Returns true if a request names this server as its host and has no origin. Browsers are not clients: a web
    /// page that a person visits must not reach the server, even by a host name of its own.
    fn is_addressed(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
        let is_ours = host.is_some_and(|host| {
            let names = [host.host().trim_matches(['[', ']']), host.as_str()];
            self.hosts.iter().any(|ours| names.iter().any(|name| ours.eq_ignore_ascii_case(name)))
        });
        is_ours && !headers.contains_key(ORIGIN)
    }

    /// Returns the project of the request's token. Digests are compared, so that timing reveals nothing about a
    /// token.
    fn workspace(&self, headers: &HeaderMap) -> Option<&Workspace> {
        let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        let given = digest(token.trim());
        let mut known = self.workspaces.iter();
        let (_, workspace) = known.find(|(digest, _)| *digest == given)?;
        scheme.eq_ignore_ascii_case("bearer").then_some(workspace)
    }
}

/// Returns the maximum number of connections: half of the process's limit on open files, because git and the store
/// need some.
fn most_connections() -> usize {
    #[cfg(unix)]
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let files = None::<u64>;
    let most = files.and_then(|files| usize::try_from(files / 2).ok());
    most.map_or(MAX_CONNECTIONS, |most| most.clamp(1, MAX_CONNECTIONS))
}

/// Reads the body of a request, within its limits of size and time.
async fn whole(body: Incoming) -> Result<Bytes, Response<Body>> {
    let read = Limited::new(body, MAX_REQUEST_BYTES).collect();
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            Err(text(StatusCode::PAYLOAD_TOO_LARGE, "a request can have at most 1 MiB"))
        }
        Ok(Err(_)) => Err(text(StatusCode::BAD_REQUEST, "the request ended early")),
        Err(_) => Err(text(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive")),
    }
}

fn hosts(options: &HttpOptions) -> Vec<String> {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    let ip = options.address.ip();
    let is_any = match ip {
        IpAddr::V4(ip) => ip.is_unspecified(),
        IpAddr::V6(ip) => ip.is_unspecified(),
    };
    hosts.extend((!is_any).then(|| ip.to_string()));
    hosts.extend(options.hosts.iter().cloned());
    hosts
}

fn text(status: StatusCode, text: impl Into<String>) -> Response<Body> {
    let body = Full::new(Bytes::from(text.into() + "\n")).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, "text/plain; charset=utf-8".parse().expect("a media type"));
    response
}

/// Closes the connection after a response.
fn closing(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CONNECTION, "close".parse().expect("a word"));
    response
}

fn busy(why: &str) -> Response<Body> {
    let mut response = text(StatusCode::TOO_MANY_REQUESTS, why);
    response.headers_mut().insert(RETRY_AFTER, "1".parse().expect("a number"));
    response
}
