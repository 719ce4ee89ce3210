//! Reads the output of a running git process, on demand or ahead of time.

use std::io::{self, BufReader, Cursor, Read};
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::watchdog::{ProcessLimits, Watchdog};

/// Size of one read, in bytes.
const CHUNK: usize = 256 * 1024;
/// Number of chunks to read ahead.
const AHEAD: usize = 64;
/// Pipe size in bytes, the maximum that Linux grants an unprivileged process. If the system refuses it, and on other
/// systems, the default size stays.
#[cfg(target_os = "linux")]
const PIPE: usize = 1024 * 1024;

/// The output of a git process.
#[derive(Debug)]
pub(crate) struct Heard {
    stdout: ChildStdout,
    watchdog: Watchdog,
    limits: ProcessLimits,
    /// Number of bytes that may still be read for the current request.
    left: u64,
    /// True if the output was too large or took too long.
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

/// The way in which the output of a process is read.
#[derive(Debug)]
pub(crate) enum Source {
    /// On demand.
    Wanted(Heard),
    /// Ahead of time, by a separate thread.
    Ahead(Ahead),
    /// Not at all: the thread that was waiting is released.
    Closed,
}

pub(crate) type Answers = BufReader<Source>;

/// Reads the output on demand, or ahead of time if `is_ahead` is true.
pub(super) fn answers(heard: Heard, is_ahead: bool) -> io::Result<Answers> {
    enlarge(&heard.stdout);
    let source = if is_ahead { Source::Ahead(Ahead::new(heard)?) } else { Source::Wanted(heard) };
    Ok(BufReader::with_capacity(CHUNK, source))
}

impl Source {
    /// Resets the size limit for another request.
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

/// Output that a separate thread reads. The thread ends with the process, or when this value is dropped.
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
        // Collects full chunks, except for the last one, because small ones would not read far enough ahead.
        let mut chunk = Vec::with_capacity(CHUNK);
        let read = (&mut from).take(CHUNK as u64).read_to_end(&mut chunk);
        let is_last = !matches!(read, Ok(CHUNK));
        if to.send(read.map(|_| chunk)).is_err() || is_last {
            return;
        }
    }
}

/// Enlarges the buffer of a pipe, if possible.
#[cfg(target_os = "linux")]
fn enlarge(pipe: &ChildStdout) {
    // A smaller buffer only means that git can work less far ahead.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
}

#[cfg(not(target_os = "linux"))]
const fn enlarge(_: &ChildStdout) {}
