//! A stream of which no more is read than a server may send.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// A stream that ends where its sender goes too far.
pub(super) struct Bounded<R> {
    inner: R,
    /// Bytes that may still be read.
    left: u64,
    /// Bytes since the last line feed.
    line: usize,
    max_line: usize,
    is_over: Arc<AtomicBool>,
}

impl<R> Bounded<R> {
    /// Returns the stream, and a function that returns true once its sender went too far.
    pub(super) fn new(inner: R, bytes: u64, max_line: usize) -> (Self, impl Fn() -> bool) {
        let is_over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_over);
        let bounded = Self { inner, left: bytes, line: 0, max_line, is_over };
        (bounded, move || told.load(Ordering::Relaxed))
    }

    /// Counts what was read. Returns true if it is too much.
    fn count(&mut self, read: &[u8]) -> bool {
        let lines = read.split(|byte| *byte == b'\n').map(<[u8]>::len);
        for (at, length) in lines.enumerate() {
            self.line = if at == 0 { self.line + length } else { length };
            if self.line > self.max_line {
                return true;
            }
        }
        let left = self.left.checked_sub(read.len() as u64);
        self.left = left.unwrap_or(0);
        left.is_none()
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if !self.is_over.load(Ordering::Relaxed) {
            std::task::ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
            if self.count(&buffer.filled()[before..]) {
                self.is_over.store(true, Ordering::Relaxed);
                buffer.set_filled(before);
            }
        }
        Poll::Ready(Ok(()))
    }
}
