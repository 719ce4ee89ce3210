//! Probes servers over streamable HTTP, using the SDK with a small HTTP client.
//!
//! A URL and its headers may contain secrets. They are not passed to the SDK, do not appear in errors, and are
//! sent only to the URL's host. Redirects are followed only on the same host.

mod connect;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::stream::{BoxStream, Stream};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, Uri};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransport,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use staleness_sources::live::repaired;
use tokio::sync::watch;

use super::{Answer, CLOSED, Limits, MAX_LINE, TOO_MUCH, Trouble, list, no_answer};
use connect::{Origin, UNREADABLE};

/// Maximum number of redirects per request.
const MAX_REDIRECTS: usize = 3;
/// Maximum time to end a session with a server.
const FAREWELL: Duration = Duration::from_secs(1);

const ELSEWHERE: &str = "it redirects to another address, which is not followed";
const NO_STREAMABLE: &str =
    "its address does not serve streamable HTTP (SSE alone is not supported)";
const NOT_MCP: &str = "it does not speak MCP";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

pub(super) async fn ask(url: &str, headers: &BTreeMap<String, String>, limits: Limits) -> Answer {
    let client = Client::new(url, headers, limits)?;
    let mut trouble = client.0.trouble.subscribe();
    // Opening a new session for each lost one could continue forever.
    let config = StreamableHttpClientTransportConfig::default()
        .max_concurrent_requests(1)
        .reinit_on_expired_session(false);
    let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
    let listed = tokio::select! {
        biased;
        listed = tokio::time::timeout(limits.time, list(transport, limits)) => listed,
        _ = trouble.wait_for(Option::is_some) => Ok(Err(Trouble::Ended)),
    };
    match listed {
        Ok(Ok((text, mut session))) => {
            let _ = session.close_with_timeout(FAREWELL).await;
            Ok(text)
        }
        Ok(Err(why)) => {
            let why = match why {
                Trouble::Words(what) => what,
                Trouble::Ended => CLOSED,
            };
            Err(client.0.trouble.borrow().clone().unwrap_or(why.into()).into_owned())
        }
        Err(_) => Err(no_answer(limits)),
    }
}

/// An HTTP client for one server, with its limits.
#[derive(Clone)]
struct Client(Arc<Shared>);

struct Shared {
    origin: Origin,
    /// Path and query of the address.
    path: String,
    headers: HeaderMap,
    /// The reason why the server cannot be probed.
    trouble: watch::Sender<Option<Cow<'static, str>>>,
    /// Maximum number of bytes to receive.
    bytes: u64,
    /// Number of bytes received so far.
    read: AtomicU64,
}

/// The error of a server that cannot be probed. The reason is in the client.
type Failed = StreamableHttpError<io::Error>;

impl Client {
    fn new(
        url: &str,
        headers: &BTreeMap<String, String>,
        limits: Limits,
    ) -> Result<Self, &'static str> {
        let url: Uri = url.trim().parse().map_err(|_| UNREADABLE)?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok();
            let value = HeaderValue::from_str(value.trim()).ok();
            let (Some(name), Some(mut value)) = (name, value) else {
                return Err("one of its headers cannot be sent");
            };
            value.set_sensitive(true);
            map.insert(name, value);
        }
        // These headers describe the framing of a message, which this client chooses itself.
        for name in [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION] {
            map.remove(name);
        }
        Ok(Self(Arc::new(Shared {
            origin: Origin::of(&url)?,
            path: url.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
            headers: map,
            trouble: watch::Sender::new(None),
            bytes: limits.bytes,
            read: AtomicU64::new(0),
        })))
    }

    /// Ends all requests to the server.
    fn stop(&self, why: impl Into<Cow<'static, str>>) -> io::Error {
        self.0.trouble.send_modify(|first| _ = first.get_or_insert(why.into()));
        io::Error::other("the server cannot be asked")
    }

    /// Sends a request, and follows redirects on the same host.
    async fn send(
        &self,
        method: Method,
        body: &str,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Response<Incoming>, Cow<'static, str>> {
        let mut path = self.0.path.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut request = Request::new(body.to_owned());
            request.method_mut().clone_from(&method);
            *request.uri_mut() = path.parse().map_err(|_| ELSEWHERE)?;
            let headers = request.headers_mut();
            headers.clone_from(&self.0.headers);
            headers.extend(more.clone());
            headers.insert(header::HOST, self.0.origin.host.clone());
            let answer = self.0.origin.send(request).await?;
            let status = answer.status();
            return Err(match status.as_u16() {
                200..=299 => return Ok(answer),
                307 | 308 => {
                    path = self.0.origin.path_of(&answer).ok_or(ELSEWHERE)?;
                    continue;
                }
                300..=399 => ELSEWHERE.into(),
                401 | 403 => format!("it requires a sign-in (HTTP {})", status.as_u16()).into(),
                404 | 405 => NO_STREAMABLE.into(),
                other => format!("it answered with HTTP {other}").into(),
            });
        }
        Err("it redirects too often".into())
    }

    fn bounded(&self, answer: Response<Incoming>) -> Bounded {
        Bounded { body: answer.into_body(), client: self.clone(), read: 0 }
    }
}

struct Bounded {
    body: Incoming,
    client: Client,
    read: u64,
}

impl Body for Bounded {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            let frame = frame.map_err(io::Error::other)?;
            let size = frame.data_ref().map_or(0, Bytes::len) as u64;
            self.read += size;
            let all = self.client.0.read.fetch_add(size, Ordering::Relaxed) + size;
            if self.read > MAX_LINE as u64 || all > self.client.0.bytes {
                return Err(self.client.stop(TOO_MUCH));
            }
            Ok(frame)
        }))
    }
}

impl Bounded {
    async fn read(mut self) -> io::Result<Vec<u8>> {
        let mut read = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut self).poll_frame(context)).await {
            read.extend(frame?.data_ref().into_iter().flatten());
        }
        Ok(read)
    }
}

/// Server-sent events, with invalid characters in their data replaced.
struct Events(BoxStream<'static, Result<Sse, SseError>>);

impl Stream for Events {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = std::task::ready!(self.0.as_mut().poll_next(context));
        Poll::Ready(event.map(|event| {
            let mut event = event?;
            event.data = event.data.map(|data| repaired(data.as_bytes()).into_owned());
            Ok(event)
        }))
    }
}

fn is(answer: &Response<Incoming>, kind: &str) -> bool {
    let found = answer.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let found = found.and_then(|found| found.get(..kind.len()));
    found.is_some_and(|found| found.eq_ignore_ascii_case(kind.as_bytes()))
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

impl StreamableHttpClient for Client {
    type Error = io::Error;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        mut headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let expects = matches!(message, ClientJsonRpcMessage::Request(_));
        let body = serde_json::to_string(&message)?;
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.extend(session_header(session));
        let answer = self.send(Method::POST, &body, headers).await;
        let answer = answer.map_err(|why| Failed::Client(self.stop(why)))?;
        let session = answer.headers().get(SESSION);
        let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
        if !expects {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if is(&answer, EVENTS) {
            let events = Events(Box::pin(SseStream::new(self.bounded(answer))));
            return Ok(StreamableHttpPostResponse::Sse(Box::pin(events), session));
        }
        if !is(&answer, JSON) {
            return Err(Failed::Client(self.stop(NOT_MCP)));
        }
        let text = self.bounded(answer).read().await?;
        let message = serde_json::from_str(&repaired(&text));
        let message = message.map_err(|_| Failed::Client(self.stop(NOT_MCP)))?;
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        mut headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        headers.extend(session_header(Some(session)));
        // The tools were already listed, so an error has no effect.
        let _ = self.send(Method::DELETE, "", headers).await;
        Ok(())
    }

    /// Opens no stream for messages that the server sends on its own.
    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        Err(Failed::ServerDoesNotSupportSse)
    }
}

fn session_header(session: Option<Arc<str>>) -> Option<(HeaderName, HeaderValue)> {
    Some((SESSION, HeaderValue::from_str(&session?).ok()?))
}

#[cfg(test)]
mod tests;
