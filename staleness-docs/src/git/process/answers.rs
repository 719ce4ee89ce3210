//! Reads the output of a running git.

use std::io::{self, BufReader, Read};
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::watchdog::{ProcessLimits, Watchdog};

/// Size of one read, in bytes.
const CHUNK: usize = 64 * 1024;
/// Pipe size in bytes, the most that Linux grants an unprivileged process. If it is refused, and on other
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

/// The output of a process, as long as it is read.
#[derive(Debug)]
pub(crate) enum Source {
    Wanted(Heard),
    /// The process was ended.
    Closed,
}

pub(crate) type Answers = BufReader<Source>;

/// Reads the answers to single requests, or to one large request, of which git works ahead.
pub(super) fn of(heard: Heard, is_large: bool) -> Answers {
    if is_large {
        enlarge(&heard.stdout);
    }
    BufReader::with_capacity(if is_large { 4 * CHUNK } else { CHUNK }, Source::Wanted(heard))
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
            Self::Closed => Ok(0),
        }
    }
}

/// Enlarges the buffer of a pipe, if possible.
#[cfg(target_os = "linux")]
fn enlarge(pipe: &ChildStdout) {
    // A smaller buffer only reads less far ahead.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
}

#[cfg(not(target_os = "linux"))]
const fn enlarge(_: &ChildStdout) {}
