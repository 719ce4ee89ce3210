//! One running git process: its output, its error messages and its end.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::answers::{Answers, Heard, Source, answers};
use super::error::GitError;
use super::program::Call;
use super::watchdog::Watchdog;

/// Maximum number of bytes of standard error to keep. The rest is read and discarded, so that git never blocks on it.
const MAX_STDERR: u64 = 4 * 1024;
/// The longest record to read from git, in bytes. Paths are at most 4 KiB on most systems.
const MAX_RECORD: u64 = 1024 * 1024;

/// A running git process. Dropping the value kills the process.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    watchdog: Watchdog,
    /// True if the output was too large or took too long.
    is_over: Arc<AtomicBool>,
    stdin: Option<ChildStdin>,
    stdout: Answers,
    stderr: Option<JoinHandle<Vec<u8>>>,
    /// Thread that writes the requests, if all of them are known at the start.
    asker: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a command whose standard input is empty.
    pub(crate) fn start(command: Call) -> Result<Self, GitError> {
        Self::spawn(command, false)
    }

    /// Starts a command that takes requests on its standard input.
    pub(crate) fn start_asked(mut command: Call) -> Result<Self, GitError> {
        command.command.stdin(Stdio::piped());
        Self::spawn(command, false)
    }

    /// Starts a command that takes all its requests at once. The answers are read while requests are still being
    /// written. With `is_ahead`, they are read before they are needed.
    pub(crate) fn start_told(
        mut command: Call,
        is_ahead: bool,
        questions: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> Result<Self, GitError> {
        command.command.stdin(Stdio::piped());
        let mut process = Self::spawn(command, is_ahead)?;
        let Some(stdin) = process.stdin.take() else { return Err(GitError::NoProgram) };
        let asker = thread::Builder::new().spawn(move || {
            let mut stdin = BufWriter::new(stdin);
            // If the command ends early, requests stay unanswered, which the reader notices.
            let _ = questions(&mut stdin).and_then(|()| stdin.flush());
        });
        process.asker = Some(asker.map_err(GitError::no_thread)?);
        Ok(process)
    }

    fn spawn(call: Call, is_ahead: bool) -> Result<Self, GitError> {
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
        process.stdout = answers(heard, is_ahead).map_err(GitError::no_thread)?;
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

    /// Reads the next record, without its terminator. Returns false at the end.
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

    /// Passes every record to `look` until `look` breaks or the process ends. Returns an error if the process fails.
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

    /// Reads the rest of the output, up to 1 MiB. Returns an error if the process fails.
    pub(crate) fn all(mut self) -> Result<Vec<u8>, GitError> {
        let mut bytes = Vec::new();
        if (&mut self.stdout).take(MAX_RECORD).read_to_end(&mut bytes).is_err() {
            return Err(self.post_mortem());
        }
        self.finish()?;
        Ok(bytes)
    }

    /// Waits for the process to end. The remaining output is discarded.
    pub(crate) fn finish(mut self) -> Result<(), GitError> {
        drop(self.stdin.take());
        if io::copy(&mut self.stdout, &mut io::sink()).is_err() {
            return Err(self.post_mortem());
        }
        let has_succeeded = self.child.wait().is_ok_and(|status| status.success());
        // On Windows, a terminated process reports success.
        let is_well = has_succeeded && self.watchdog.ended().is_none();
        let stderr = self.complaint();
        if is_well { Ok(()) } else { Err(self.reason(&stderr)) }
    }

    /// Ends the process and returns the reason for its failure.
    pub(crate) fn post_mortem(mut self) -> GitError {
        self.end();
        let stderr = self.complaint();
        self.reason(&stderr)
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // If a wrapper started git, git itself keeps running with standard error open. Git ends when its input and
        // output are closed.
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
        // If a wrapper started git, git may keep the pipe open indefinitely.
        if self.is_over.load(Ordering::Relaxed) {
            return Vec::new();
        }
        self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        // The thread ends when the process closes its input.
        if let Some(asker) = self.asker.take()
            && !self.is_over.load(Ordering::Relaxed)
        {
            let _ = asker.join();
        }
    }
}
