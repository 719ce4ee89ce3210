//! What a running git answers, read as it is wanted or ahead of that.

use std::io::{self, BufRead, BufReader, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// How much is read in one go, in bytes.
const CHUNK: u64 = 128 * 1024;
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

/// Answers that a thread reads. It ends with the process that answers, or when nobody listens.
#[derive(Debug)]
pub(crate) struct Ahead {
    chunk: Vec<u8>,
    at: usize,
    chunks: Option<Receiver<io::Result<Vec<u8>>>>,
    /// Chunks that were looked at go back, to be filled again.
    spare: Sender<Vec<u8>>,
    reader: Option<JoinHandle<()>>,
}

impl Ahead {
    fn new(stdout: ChildStdout) -> Self {
        let (to, chunks) = sync_channel(AHEAD);
        let (spare, empty) = channel();
        let reader = Some(thread::spawn(move || read(stdout, &to, &empty)));
        Self { chunk: Vec::new(), at: 0, chunks: Some(chunks), spare, reader }
    }

    /// What comes next; nothing at the end.
    fn fill(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.chunk.len() {
            let next = self.chunks.as_ref().and_then(|chunks| chunks.recv().ok());
            let last = std::mem::replace(&mut self.chunk, next.unwrap_or(Ok(Vec::new()))?);
            self.at = 0;
            // Nobody may be there to fill it: the answers have ended.
            let _ = self.spare.send(last);
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

fn read(mut from: ChildStdout, to: &SyncSender<io::Result<Vec<u8>>>, empty: &Receiver<Vec<u8>>) {
    loop {
        let mut chunk = empty.try_recv().unwrap_or_default();
        chunk.clear();
        let read = (&mut from).take(CHUNK).read_to_end(&mut chunk);
        let is_last = !matches!(read, Ok(bytes) if bytes > 0);
        if to.send(read.map(|_| chunk)).is_err() || is_last {
            return;
        }
    }
}
