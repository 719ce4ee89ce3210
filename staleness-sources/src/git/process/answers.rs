//! What a running git answers, read as it is wanted or ahead of that.

use std::io::{self, BufRead, BufReader, Read};
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::watchdog::{ProcessLimits, Watchdog};

/// How much is read in one go, in bytes.
const CHUNK: usize = 256 * 1024;
/// How many chunks are read before somebody has looked at the first of them.
const AHEAD: usize = 64;
/// How much git may answer before somebody has looked at it, in bytes: the most that anybody may ask of
/// Linux. Elsewhere, and where that is refused, a pipe holds what it holds.
#[cfg(target_os = "linux")]
const PIPE: usize = 1024 * 1024;

/// The answers of a process as they come out of its pipe.
#[derive(Debug)]
pub(crate) struct Heard {
    stdout: ChildStdout,
    watchdog: Watchdog,
    limits: ProcessLimits,
    /// Bytes that it may still answer to what was asked.
    left: u64,
    /// It answered too much, or took too long.
    is_over: Arc<AtomicBool>,
}

impl Heard {
    pub(crate) const fn new(
        stdout: ChildStdout,
        watchdog: Watchdog,
        limits: ProcessLimits,
        is_over: Arc<AtomicBool>,
    ) -> Self {
        Self { stdout, watchdog, limits, left: limits.answer_bytes, is_over }
    }

    fn read_within(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.watchdog.wait(&self.stdout, self.limits)?;
        let read = self.stdout.read(into)?;
        self.left = self.left.checked_sub(read as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(read)
    }
}

impl Read for Heard {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let read = self.read_within(into);
        if read.is_err() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        read
    }
}

/// The answers of a process.
#[derive(Debug)]
pub(crate) enum Answers {
    /// Read as they are wanted.
    Wanted(BufReader<Heard>),
    /// Read by a thread of their own, before somebody wants them.
    Ahead(Ahead),
    Closed,
}

impl Answers {
    /// Answers in a conversation.
    pub(crate) fn wanted(heard: Heard) -> io::Result<Self> {
        Ok(Self::Wanted(BufReader::with_capacity(64 * 1024, heard)))
    }

    /// Many answers to what was asked at once: git works on while the last ones are looked at.
    pub(crate) fn many(heard: Heard) -> io::Result<Self> {
        enlarge(&heard.stdout);
        Ok(Self::Wanted(BufReader::with_capacity(CHUNK, heard)))
    }

    /// Answers that are wanted later, while others are heard.
    pub(crate) fn ahead(heard: Heard) -> io::Result<Self> {
        enlarge(&heard.stdout);
        Ok(Self::Ahead(Ahead::new(heard)?))
    }

    /// Another question was asked: its answer may be as large again.
    pub(crate) fn asked(&mut self) {
        if let Self::Wanted(reader) = self {
            let heard = reader.get_mut();
            heard.left = heard.limits.answer_bytes;
        }
    }

    /// Hears no more of it: who waits to be heard goes on.
    pub(crate) fn close(&mut self) {
        *self = Self::Closed;
    }
}

impl Read for Answers {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Wanted(reader) => reader.read(into),
            Self::Ahead(ahead) => {
                let read = ahead.fill()?.read(into)?;
                ahead.at += read;
                Ok(read)
            }
            Self::Closed => Ok(0),
        }
    }
}

impl BufRead for Answers {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Wanted(reader) => reader.fill_buf(),
            Self::Ahead(ahead) => ahead.fill(),
            Self::Closed => Ok(&[]),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match self {
            Self::Wanted(reader) => reader.consume(bytes),
            Self::Ahead(ahead) => ahead.at += bytes,
            Self::Closed => {}
        }
    }
}

/// Answers that a thread reads. It ends with the process that answers, or when nobody listens.
#[derive(Debug)]
pub(crate) struct Ahead {
    chunk: Vec<u8>,
    at: usize,
    chunks: Option<Receiver<io::Result<Vec<u8>>>>,
    reader: Option<JoinHandle<()>>,
}

impl Ahead {
    fn new(heard: Heard) -> io::Result<Self> {
        let (to, chunks) = sync_channel(AHEAD);
        let reader = Some(thread::Builder::new().spawn(move || read(heard, &to))?);
        Ok(Self { chunk: Vec::new(), at: 0, chunks: Some(chunks), reader })
    }

    /// What comes next; nothing at the end.
    fn fill(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.chunk.len() {
            let next = self.chunks.as_ref().and_then(|chunks| chunks.recv().ok());
            self.chunk = next.unwrap_or(Ok(Vec::new()))?;
            self.at = 0;
        }
        Ok(&self.chunk[self.at..])
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        drop(self.chunks.take());
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

fn read(mut from: Heard, to: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        // Full ones only, but for the last: else they would hold little of what git answers.
        let mut chunk = Vec::with_capacity(CHUNK);
        let read = (&mut from).take(CHUNK as u64).read_to_end(&mut chunk);
        let is_last = !matches!(read, Ok(CHUNK));
        if to.send(read.map(|_| chunk)).is_err() || is_last {
            return;
        }
    }
}

/// Lets a pipe hold more, where that is possible.
#[cfg(target_os = "linux")]
fn enlarge(pipe: &ChildStdout) {
    // A smaller one works as well, only not as far ahead.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
}

#[cfg(not(target_os = "linux"))]
const fn enlarge(_: &ChildStdout) {}
