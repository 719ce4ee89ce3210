//! The transport: one JSON-RPC message on each line, as many as can be answered.
//!
//! It differs from the one of `rmcp` in four ways. It reads no further request while too many are
//! unanswered or their answers unread. What it cannot read it answers with an error. And it notices when
//! the client went away, also on the side that nobody uses at that moment. And it says that a method was
//! not found.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::call::Ended;
use crate::deliveries::Deliveries;
use crate::malformed::{self, Fault};

/// The largest message that is read, in bytes: more than anything that is kept, so that what is too
/// large is refused in words.
pub(crate) const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Requests that are unanswered, or answered and unread, at most; large ones count for several.
const MAX_PENDING: usize = 64;
/// A request counts once more for each of these bytes.
const BYTES_EACH: usize = 256 * 1024;
/// Largest buffer that is kept between lines, in bytes.
const KEPT_BYTES: usize = 64 * 1024;
/// The longest time for which answers may stay unread once the client closed its side.
const UNREAD: Duration = Duration::from_millis(300);
/// Longest time in which a client may take nothing while requests wait for room.
const STALLED: Duration = Duration::from_secs(10);

/// When a client went away.
#[derive(Clone, Default)]
pub(crate) struct Departure {
    /// Nothing that it would be told can reach it, or it asks no more.
    pub gone: Ended,
    /// It closed its side; what it wrote before may still be unread.
    pub hung_up: Ended,
}

/// A transport over a pair of streams.
pub(crate) struct Wire<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that is too large is dropped.
    discards: bool,
    /// A request that was read and waits for room.
    held: Option<(RxJsonRpcMessage<RoleServer>, u32)>,
    output: Output<W>,
    departure: Departure,
}

/// The side that answers.
struct Output<W> {
    write: Arc<tokio::sync::Mutex<W>>,
    /// Counts twice for each progress of a write, and once for its begin and its end: it is odd during one.
    writes: Arc<AtomicU64>,
    room: Arc<Semaphore>,
    /// The room that each unanswered request takes.
    pending: Arc<Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
    deliveries: Deliveries,
    gone: Ended,
}

/// A write under way; it ends when this is dropped.
struct Writing(Arc<AtomicU64>);

impl Writing {
    fn new(count: Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }

    /// Notes that the client took some of it.
    fn gets_on(&self) {
        self.0.fetch_add(2, Ordering::Relaxed);
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The result of reading a line.
enum Read {
    Line,
    TooLarge,
    End,
}

impl<R: AsyncRead + Unpin, W> Wire<R, W> {
    pub(crate) fn new(read: R, write: W, deliveries: Deliveries, departure: Departure) -> Self {
        let output = Output {
            write: Arc::new(tokio::sync::Mutex::new(write)),
            writes: Arc::default(),
            room: Arc::new(Semaphore::new(MAX_PENDING)),
            pending: Arc::default(),
            deliveries,
            gone: departure.gone.clone(),
        };
        let read = BufReader::new(read);
        Self { read, line: Vec::new(), discards: false, held: None, output, departure }
    }

    /// Reads to the end of a line. May be dropped: what was read of a line stays in `line`.
    async fn fill(&mut self) -> Read {
        loop {
            let Ok(bytes) = self.read.fill_buf().await else { return Read::End };
            if bytes.is_empty() {
                // The last line may lack its end.
                let whole = !self.line.is_empty() && !self.discards;
                return if whole { Read::Line } else { Read::End };
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |at| at + 1);
            let discards = self.discards;
            let fits = self.line.len() + taken <= MAX_MESSAGE_BYTES;
            if !discards && fits {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.read.consume(taken);
            self.discards = (discards || !fits) && end.is_none();
            if !discards && !fits {
                return Read::TooLarge;
            }
            if !discards && end.is_some() {
                return Read::Line;
            }
        }
    }

    /// Waits until there is room for a request; `None` when the client went away first, or reads nothing.
    fn room(
        &self,
        cost: u32,
    ) -> impl Future<Output = Option<OwnedSemaphorePermit>> + Send + 'static {
        let (room, departure) = (Arc::clone(&self.output.room), self.departure.clone());
        let writes = Arc::clone(&self.output.writes);
        async move {
            let stalled = async {
                loop {
                    let before = writes.load(Ordering::Relaxed);
                    tokio::time::sleep(STALLED).await;
                    if !before.is_multiple_of(2) && writes.load(Ordering::Relaxed) == before {
                        break;
                    }
                }
            };
            let left_unread = async {
                departure.hung_up.ended().await;
                tokio::time::sleep(UNREAD).await;
            };
            tokio::select! {
                biased;
                room = room.acquire_many_owned(cost) => room.ok(),
                () = departure.gone.ended() => None,
                () = left_unread => None,
                () = stalled => None,
            }
        }
    }
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// The next message that is one. What is none is answered.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.admit().await? {
                return Some(message);
            }
            let gone = self.departure.gone.clone();
            let read = tokio::select! {
                biased;
                () = gone.ended() => return None,
                read = self.fill() => read,
            };
            let refused = match read {
                Read::End => return None,
                Read::TooLarge => Some((Fault::TooLarge, malformed::id(&self.line))),
                Read::Line => self.take_in(),
            };
            if self.line.capacity() > KEPT_BYTES {
                self.line = Vec::new();
            }
            self.line.clear();
            if let Some((fault, id)) = refused {
                let room = self.room(1).await?;
                self.output.refuse(fault, id, room);
            }
        }
    }

    /// Takes the message that is held, once there is room for it; `None` when the client went away. May
    /// be dropped while it waits.
    async fn admit(&mut self) -> Option<Option<RxJsonRpcMessage<RoleServer>>> {
        let Some((message, cost)) = &self.held else { return Some(None) };
        let JsonRpcMessage::Request(request) = message else {
            self.output.cancelled(message);
            // Whoever is told of it comes first: what comes in is not gathered.
            tokio::task::yield_now().await;
            return Some(self.held.take().map(|(message, _)| message));
        };
        let id = request.id.clone();
        let room = self.room(*cost).await?;
        let message = self.held.take().map(|(message, _)| message);
        let mut pending = self.output.pending.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.entry(id) {
            Entry::Vacant(place) => {
                place.insert(room);
                Some(message)
            }
            Entry::Occupied(taken) => {
                let id = json!(taken.key());
                drop(pending);
                self.output.refuse(Fault::IdInUse, id, room);
                Some(None)
            }
        }
    }

    /// Holds the message of a line; returns what is wrong with it where an answer is due.
    fn take_in(&mut self) -> Option<(Fault, Value)> {
        let line = self.line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        // Nothing else can be one, and reading it takes many times its memory.
        let read = line.starts_with(b"{").then(|| serde_json::from_slice(line));
        match read {
            Some(Ok(message)) => {
                let cost = 1 + u32::try_from(line.len() / BYTES_EACH).unwrap_or(u32::MAX);
                self.held = Some((message, cost));
                None
            }
            _ => malformed::fault(line),
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Output<W> {
    fn pending(&self, id: &RequestId) -> Option<OwnedSemaphorePermit> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }

    /// Frees the room of a request that was cancelled: it is never answered.
    fn cancelled(&self, message: &RxJsonRpcMessage<RoleServer>) {
        use rmcp::model::ClientNotification::CancelledNotification;
        if let JsonRpcMessage::Notification(notification) = message
            && let CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            drop(self.pending(id));
        }
    }

    /// Answers what is no request; it takes room until that was read.
    fn refuse(&self, fault: Fault, id: Value, room: OwnedSemaphorePermit) {
        let code = fault.code(!id.is_null());
        let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": fault.as_str() } });
        let written = self.write(error.to_string().into_bytes());
        tokio::spawn(async move {
            let _ = written.await;
            drop(room);
        });
    }

    fn write(
        &self,
        mut line: Vec<u8>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        let (write, gone) = (Arc::clone(&self.write), self.gone.clone());
        let writes = Arc::clone(&self.writes);
        async move {
            line.push(b'\n');
            let mut write = write.lock().await;
            let writing = Writing::new(writes);
            let written = async {
                let mut rest = line.as_slice();
                while !rest.is_empty() {
                    let taken = write.write(rest).await?;
                    if taken == 0 {
                        return Err(std::io::ErrorKind::WriteZero.into());
                    }
                    rest = &rest[taken..];
                    writing.gets_on();
                }
                write.flush().await
            };
            let written: std::io::Result<()> = written.await;
            written.inspect_err(|_| gone.end())
        }
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        // The library says nothing but the name of the method.
        if let JsonRpcMessage::Error(error) = &mut item
            && error.error.code == ErrorCode::METHOD_NOT_FOUND
        {
            error.error.message = "Method not found".into();
        }
        // From here on the client may use the number again; the room it has back once it read the answer.
        let room = id.as_ref().and_then(|id| self.output.pending(id));
        let deliveries = self.output.deliveries.clone();
        let written = serde_json::to_vec(&item).map(|line| self.output.write(line));
        async move {
            let written = match written {
                Ok(written) => written.await,
                Err(error) => Err(error.into()),
            };
            drop(room);
            match (&written, id) {
                (Ok(()), Some(id)) => deliveries.written(&id).await,
                (Err(_), Some(id)) => deliveries.forget(&id),
                _ => {}
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let received = self.next().await;
        if received.is_none() {
            self.departure.gone.end();
        }
        received
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.write.lock().await.shutdown().await
    }
}

/// However the connection ends, what still tells the client of news ends with it.
impl<R, W> Drop for Wire<R, W> {
    fn drop(&mut self) {
        self.departure.gone.end();
    }
}
