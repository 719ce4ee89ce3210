//! What a running git answers, read as it is wanted or ahead of that.

use std::io::{self, BufRead, BufReader, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How much is handed over in one go, in bytes.
const CHUNK: usize = 128 * 1024;
/// How long a pipe is left alone after a look at it. A pipe holds 64 KiB on Linux, which is what git
/// unpacks in twice that time.
const PAUSE: Duration = Duration::from_micros(150);
/// How many chunks are read before somebody has looked at the first of them.
const AHEAD: usize = 32;

/// The answers of a process.
#[derive(Debug)]
pub(crate) enum Answers {
    /// Read as they are wanted: for conversations.
    Wanted(BufReader<ChildStdout>),
    /// Read by a thread of their own, so that git works on while the last answers are looked at: a
    /// pipe holds a few of them, and then the two would take turns.
    Ahead(Ahead),
}

impl Answers {
    pub(crate) fn wanted(stdout: ChildStdout) -> Self {
        Self::Wanted(BufReader::with_capacity(64 * 1024, stdout))
    }

    /// The same, read ahead. What comes late comes in large pieces: nobody waits for an answer before
    /// the next question.
    pub(crate) fn ahead(stdout: ChildStdout) -> Self {
        Self::Ahead(Ahead::new(stdout))
    }
}

impl Answers {
    /// Hears no more of it: whoever waits to be heard goes on.
    pub(crate) fn close(&mut self) {
        if let Self::Ahead(ahead) = self {
            drop(ahead.chunks.take());
        }
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
        }
    }
}

impl BufRead for Answers {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Wanted(reader) => reader.fill_buf(),
            Self::Ahead(ahead) => ahead.fill(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match self {
            Self::Wanted(reader) => reader.consume(bytes),
            Self::Ahead(ahead) => ahead.at += bytes,
        }
    }
}

/// A part of the answers: so many of these bytes.
#[derive(Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    filled: usize,
}

/// Answers that a thread reads. It ends with the process that answers, or when nobody listens.
#[derive(Debug)]
pub(crate) struct Ahead {
    chunk: Chunk,
    at: usize,
    chunks: Option<Receiver<io::Result<Chunk>>>,
    /// Chunks that were looked at go back, to be filled again.
    spare: Sender<Vec<u8>>,
    reader: Option<JoinHandle<()>>,
}

impl Ahead {
    fn new(stdout: ChildStdout) -> Self {
        let (to, chunks) = sync_channel(AHEAD);
        let (spare, empty) = channel();
        let reader = Some(thread::spawn(move || read(stdout, &to, &empty)));
        Self { chunk: Chunk::default(), at: 0, chunks: Some(chunks), spare, reader }
    }

    /// What comes next; nothing at the end.
    fn fill(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.chunk.filled {
            let next = self.chunks.as_ref().and_then(|chunks| chunks.recv().ok());
            let last = std::mem::replace(&mut self.chunk, next.unwrap_or(Ok(Chunk::default()))?);
            self.at = 0;
            // Nobody may be there to fill it: the answers have ended.
            let _ = self.spare.send(last.bytes);
        }
        Ok(&self.chunk.bytes[self.at..self.chunk.filled])
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

fn read(mut from: ChildStdout, to: &SyncSender<io::Result<Chunk>>, empty: &Receiver<Vec<u8>>) {
    let mut spare = Vec::new();
    loop {
        let mut bytes = spare.pop().or_else(|| empty.try_recv().ok()).unwrap_or_default();
        bytes.resize(CHUNK, 0);
        let mut filled = 0;
        let read = loop {
            match from.read(&mut bytes[filled..]) {
                Ok(0) => break Ok(()),
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
            if filled == CHUNK {
                break Ok(());
            }
            // Whoever waits at a pipe is woken by every write, which costs both sides more than the
            // write does: more is read at once where it is left alone for a moment.
            match empty.recv_timeout(PAUSE) {
                Ok(bytes) => spare.push(bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        };
        let is_last = filled < CHUNK;
        if to.send(read.map(|()| Chunk { bytes, filled })).is_err() || is_last {
            return;
        }
    }
}
