//! One running git: its answers, what it complained about, and its end.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::answers::{Answers, Heard, Source, wanted};
use super::error::GitError;
use super::program::Call;
use super::watchdog::Watchdog;

/// Most bytes of git's complaints that are kept. The rest is read and thrown away, so that git never
/// waits for a reader.
const MAX_STDERR: u64 = 4 * 1024;
/// The longest record that is read from git, in bytes: paths are at most 4 KiB on most systems.
const MAX_RECORD: u64 = 1024 * 1024;

/// A running git. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    watchdog: Watchdog,
    /// It answered too much, or took too long.
    is_over: Arc<AtomicBool>,
    stdin: Option<ChildStdin>,
    stdout: Answers,
    stderr: Option<JoinHandle<Vec<u8>>>,
    /// Writes what is asked, where that is known from the beginning.
    asker: Option<JoinHandle<()>>,
}

/// A way to read the answers of a process.
pub(crate) type Reading = fn(Heard) -> io::Result<Answers>;

impl Process {
    /// Starts a command whose standard input is empty.
    pub(crate) fn start(command: Call) -> Result<Self, GitError> {
        Self::spawn(command, wanted)
    }

    /// Starts a command that is asked through its standard input.
    pub(crate) fn start_asked(mut command: Call) -> Result<Self, GitError> {
        command.command.stdin(Stdio::piped());
        Self::spawn(command, wanted)
    }

    /// Starts a command that is asked all of this, and nothing after it. Answers are read while it is
    /// still being asked.
    pub(crate) fn start_told(
        mut command: Call,
        reading: Reading,
        questions: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> Result<Self, GitError> {
        command.command.stdin(Stdio::piped());
        let mut process = Self::spawn(command, reading)?;
        let Some(stdin) = process.stdin.take() else { return Err(GitError::NoProgram) };
        let asker = thread::Builder::new().spawn(move || {
            let mut stdin = BufWriter::new(stdin);
            // Whoever ends early leaves questions open; its answers tell.
            let _ = questions(&mut stdin).and_then(|()| stdin.flush());
        });
        process.asker = Some(asker.map_err(GitError::no_thread)?);
        Ok(process)
    }

    fn spawn(call: Call, reading: Reading) -> Result<Self, GitError> {
        let Call { mut command, watchdog, limits } = call;
        let mut child = watchdog.spawn(&mut command, limits)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let mut process = Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(Source::Closed),
            stderr: None,
            asker: None,
            is_over: Arc::clone(&is_over),
            watchdog: watchdog.clone(),
            child,
        };
        let (Some(stdout), Some(stderr)) =
            (process.child.stdout.take(), process.child.stderr.take())
        else {
            return Err(GitError::NoProgram);
        };
        let complaints = thread::Builder::new().spawn(move || {
            let mut stderr = stderr;
            let mut kept = Vec::new();
            let _ = (&mut stderr).take(MAX_STDERR).read_to_end(&mut kept);
            let _ = io::copy(&mut stderr, &mut io::sink());
            kept
        });
        process.stderr = Some(complaints.map_err(GitError::no_thread)?);
        let heard = Heard::new(stdout, watchdog, limits, is_over);
        process.stdout = reading(heard).map_err(GitError::no_thread)?;
        Ok(process)
    }

    pub(crate) fn ask(&mut self, question: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(question)?;
        self.stdout.get_mut().asked();
        stdin.flush()
    }

    pub(crate) fn answers(&mut self) -> &mut impl BufRead {
        &mut self.stdout
    }

    /// The next record into `record`, without the byte that ends it; `false` at the end.
    pub(crate) fn record(&mut self, end: u8, record: &mut Vec<u8>) -> io::Result<bool> {
        record.clear();
        (&mut self.stdout).take(MAX_RECORD).read_until(end, record)?;
        if record.pop_if(|byte| *byte == end).is_some() {
            Ok(true)
        } else if record.is_empty() {
            Ok(false)
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    /// Hands over every record until it has ended well, or `look` breaks.
    pub(crate) fn each_record(
        mut self,
        end: u8,
        mut look: impl FnMut(&[u8]) -> Result<ControlFlow<()>, GitError>,
    ) -> Result<(), GitError> {
        let mut record = Vec::new();
        loop {
            match self.record(end, &mut record) {
                Ok(true) if look(&record)?.is_continue() => {}
                Ok(true) => return Ok(()),
                Ok(false) => return self.finish(),
                Err(_) => return Err(self.post_mortem()),
            }
        }
    }

    /// Everything that it still answers, when that is not too long, once it has ended well.
    pub(crate) fn all(mut self) -> Result<Vec<u8>, GitError> {
        let mut bytes = Vec::new();
        if (&mut self.stdout).take(MAX_RECORD).read_to_end(&mut bytes).is_err() {
            return Err(self.post_mortem());
        }
        self.finish()?;
        Ok(bytes)
    }

    /// Waits for its end. What it still had to say is lost.
    pub(crate) fn finish(mut self) -> Result<(), GitError> {
        drop(self.stdin.take());
        if io::copy(&mut self.stdout, &mut io::sink()).is_err() {
            return Err(self.post_mortem());
        }
        let has_succeeded = self.child.wait().is_ok_and(|status| status.success());
        // On Windows a git that was ended has succeeded, too.
        let is_well = has_succeeded && self.watchdog.ended().is_none();
        let stderr = self.complaint();
        if is_well { Ok(()) } else { Err(self.reason(&stderr)) }
    }

    /// Why it has ended, for one that broke off in the middle.
    pub(crate) fn post_mortem(mut self) -> GitError {
        self.end();
        let stderr = self.complaint();
        self.reason(&stderr)
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A git that was started by another program lives on, and what it complains with stays open until
        // it ends: it must not wait for anybody here.
        drop(self.stdin.take());
        self.stdout = BufReader::new(Source::Closed);
    }

    fn reason(&self, stderr: &[u8]) -> GitError {
        let why = match self.watchdog.ended() {
            Some(why) => why,
            None if self.is_over.load(Ordering::Relaxed) => GitError::TooMuch,
            None => GitError::from_stderr(stderr),
        };
        if why == GitError::TooMuch {
            self.watchdog.cut();
        }
        why
    }

    fn complaint(&mut self) -> Vec<u8> {
        // A git behind a wrapper may keep the pipe open for as long as it likes.
        if self.is_over.load(Ordering::Relaxed) {
            return Vec::new();
        }
        self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        // It ends with the reader of its pipe.
        if let Some(asker) = self.asker.take()
            && !self.is_over.load(Ordering::Relaxed)
        {
            let _ = asker.join();
        }
    }
}
