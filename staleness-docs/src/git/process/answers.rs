//! The answers of a running git, read as they are wanted or ahead of that.

use std::io::{self, BufReader, Cursor, Read};
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::watchdog::{ProcessLimits, Watchdog};

/// Size of one read, in bytes.
const CHUNK: usize = 256 * 1024;
/// Chunks that are read ahead.
const AHEAD: usize = 64;
/// Size of a pipe, in bytes: the most that anybody may ask of Linux. Elsewhere, and where that is
/// refused, a pipe keeps its own size.
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

/// Source of the answers of a process.
#[derive(Debug)]
pub(crate) enum Source {
    /// Read as they are wanted.
    Wanted(Heard),
    /// Read by a thread of their own, before somebody wants them.
    Ahead(Ahead),
    /// Heard no more: who waits to be heard goes on.
    Closed,
}

pub(crate) type Answers = BufReader<Source>;

/// Answers in a conversation.
pub(super) fn wanted(heard: Heard) -> io::Result<Answers> {
    Ok(BufReader::with_capacity(64 * 1024, Source::Wanted(heard)))
}

/// Many answers to what was asked at once: git works on while the last ones are looked at.
pub(crate) fn many(heard: Heard) -> io::Result<Answers> {
    enlarge(&heard.stdout);
    Ok(BufReader::with_capacity(CHUNK, Source::Wanted(heard)))
}

/// Answers that are wanted later, while others are heard.
pub(crate) fn ahead(heard: Heard) -> io::Result<Answers> {
    enlarge(&heard.stdout);
    Ok(BufReader::with_capacity(64 * 1024, Source::Ahead(Ahead::new(heard)?)))
}

impl Source {
    /// Another question was asked: its answer may be as large again.
    pub(super) const fn asked(&mut self) {
        if let Self::Wanted(heard) = self {
            heard.left = heard.limits.answer_bytes;
        }
    }
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Wanted(heard) => heard.read(into),
            Self::Ahead(ahead) => ahead.read(into),
            Self::Closed => Ok(0),
        }
    }
}

/// Answers that a thread reads. It ends with the process that answers, or when nobody listens.
#[derive(Debug)]
pub(crate) struct Ahead {
    chunk: Cursor<Vec<u8>>,
    chunks: Option<Receiver<io::Result<Vec<u8>>>>,
    reader: Option<JoinHandle<()>>,
}

impl Ahead {
    fn new(heard: Heard) -> io::Result<Self> {
        let (to, chunks) = sync_channel(AHEAD);
        let reader = Some(thread::Builder::new().spawn(move || read(heard, &to))?);
        Ok(Self { chunk: Cursor::default(), chunks: Some(chunks), reader })
    }
}

impl Read for Ahead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.chunk.position() >= self.chunk.get_ref().len() as u64 {
            let next = self.chunks.as_ref().and_then(|chunks| chunks.recv().ok());
            self.chunk = Cursor::new(next.unwrap_or(Ok(Vec::new()))?);
        }
        self.chunk.read(into)
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
