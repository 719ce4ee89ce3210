//! The transport: one JSON-RPC message per line, with flow control.
//!
//! It differs from `rmcp`'s transport in four ways. It stops reading while too many requests are unanswered, or too
//! many answers unread. It answers unreadable lines with an error. It detects that the client disconnected, even on the
//! stream that is not in use. It replies if a method was not found.

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

/// Maximum size of a message, in bytes. Larger than anything the registry accepts, so that oversized values
/// get a specific error.
pub(crate) const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of pending requests: unanswered, or with unread answers. A large request counts several times.
const MAX_PENDING: usize = 64;
/// Number of bytes for which a request counts one more time.
const BYTES_EACH: usize = 256 * 1024;
/// Maximum buffer size kept between lines, in bytes.
const KEPT_BYTES: usize = 64 * 1024;
/// Maximum time to wait for answers to be read after the client closed its side.
const UNREAD: Duration = Duration::from_millis(300);
/// Maximum time that a client may read nothing while requests wait for room.
const STALLED: Duration = Duration::from_secs(10);

/// Signals that a client disconnected.
#[derive(Clone, Default)]
pub(crate) struct Departure {
    /// The client can no longer be reached, or sends no more requests.
    pub gone: Ended,
    /// The client closed its side. Earlier input may still be unread.
    pub hung_up: Ended,
}

pub(crate) struct Wire<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// True while the rest of an oversized line is dropped.
    discards: bool,
    /// A request that was read and waits for room.
    held: Option<(RxJsonRpcMessage<RoleServer>, u32)>,
    output: Output<W>,
    departure: Departure,
}

struct Output<W> {
    write: Arc<tokio::sync::Mutex<W>>,
    /// A counter of write progress: incremented by one at the start and the end of a write, and by two for each part
    /// written. It is odd during a write.
    writes: Arc<AtomicU64>,
    room: Arc<Semaphore>,
    /// The permits of unanswered requests.
    pending: Arc<Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
    deliveries: Deliveries,
    gone: Ended,
}

/// A write in progress, which ends when dropped.
struct Writing(Arc<AtomicU64>);

impl Writing {
    fn new(count: Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }

    /// Records that the client has read some data.
    fn gets_on(&self) {
        self.0.fetch_add(2, Ordering::Relaxed);
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

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

    /// Reads to the end of a line. Cancel-safe: a partial line stays in `line`.
    async fn fill(&mut self) -> Read {
        loop {
            let Ok(bytes) = self.read.fill_buf().await else { return Read::End };
            if bytes.is_empty() {
                // The last line may have no newline.
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

    /// Waits for room for a request. Returns `None` if the client disconnected or stopped reading.
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
    /// Returns the next valid message. Invalid lines are answered with an error.
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

    /// Returns the held message once there is room for it. The outer `None` means that the client disconnected, the
    /// inner one that there is no message to process. Cancel-safe.
    async fn admit(&mut self) -> Option<Option<RxJsonRpcMessage<RoleServer>>> {
        let Some((message, cost)) = &self.held else { return Some(None) };
        let JsonRpcMessage::Request(request) = message else {
            self.output.cancelled(message);
            // Yield, so that notifications are processed and do not pile up.
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

    /// Parses and holds the message of a line. Returns the fault if an error must be sent.
    fn take_in(&mut self) -> Option<(Fault, Value)> {
        let line = self.line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        // Only objects can be messages. Parsing anything else could take many times the line's size in memory.
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

    /// Frees the room of a cancelled request, which is never answered.
    fn cancelled(&self, message: &RxJsonRpcMessage<RoleServer>) {
        use rmcp::model::ClientNotification::CancelledNotification;
        if let JsonRpcMessage::Notification(notification) = message
            && let CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            drop(self.pending(id));
        }
    }

    /// Answers an invalid line with an error, which takes up room until it is read.
    fn refuse(&self, fault: Fault, id: Value, room: OwnedSemaphorePermit) {
        let written = self.write(fault.error(&id).to_string().into_bytes());
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
        // The library's message contains only the method's name.
        if let JsonRpcMessage::Error(error) = &mut item
            && error.error.code == ErrorCode::METHOD_NOT_FOUND
        {
            error.error.message = "Method not found".into();
        }
        // The client may now reuse the id. The room is freed once the answer is read.
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

/// Stops all notifications when the connection ends.
impl<R, W> Drop for Wire<R, W> {
    fn drop(&mut self) {
        self.departure.gone.end();
    }
}
