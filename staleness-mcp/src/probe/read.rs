//! Reads the messages of a server within size limits.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use staleness_sources::live::repaired;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::MAX_LINE;

/// A transport with one message per line. It ends if the sender exceeds a limit.
pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    write: Arc<Mutex<Option<W>>>,
    /// The part of the current line that was read.
    line: Vec<u8>,
    /// Number of bytes that may still be read.
    left: u64,
    faults: Arc<Faults>,
}

#[derive(Default)]
pub(super) struct Faults {
    /// The sender exceeded a limit on bytes.
    pub(super) is_over: AtomicBool,
    /// True if the last line was not a valid message.
    pub(super) is_odd: AtomicBool,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new(read: R, write: W, bytes: u64, faults: Arc<Faults>) -> Self {
        let (read, write) = (BufReader::new(read), Arc::new(Mutex::new(Some(write))));
        Self { read, write, line: Vec::new(), left: bytes, faults }
    }

    /// Reads the next message. Cancel-safe: the beginning of a line stays in `line`.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        while !self.faults.is_over.load(Ordering::Relaxed) {
            let bytes = self.read.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let read = &bytes[..end.map_or(bytes.len(), |at| at + 1)];
            let left = self.left.checked_sub(read.len() as u64);
            let Some(left) = left.filter(|_| self.line.len() + read.len() <= MAX_LINE) else {
                self.faults.is_over.store(true, Ordering::Relaxed);
                break;
            };
            self.left = left;
            self.line.extend_from_slice(read);
            let taken = read.len();
            self.read.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                let text = repaired(&line);
                // A line that is not a message is skipped.
                let message = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
                let is_odd = message.is_none() && !text.trim().is_empty();
                self.faults.is_odd.store(is_odd, Ordering::Relaxed);
                if message.is_some() {
                    return message;
                }
            }
        }
        None
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut text = serde_json::to_vec(&message)?;
            text.push(b'\n');
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            write.write_all(&text).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.next().await
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}
