//! One running git: its answers, what it complained about, and its end.

use std::io::{self, BufRead, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use super::GitError;
use super::answers::Answers;
use super::patience::{Patience, Processes, Waits};
use super::program::Call;

/// How much of what git complains about is kept, in bytes. The rest is read and thrown away, so
/// that git never waits for a reader.
const MAX_STDERR: u64 = 4 * 1024;
/// The longest record that is read from git, in bytes: paths are at most 4 KiB on most systems.
const MAX_RECORD: u64 = 1024 * 1024;

/// A running git. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    /// It, and what feeds it.
    children: Processes,
    patience: Patience,
    /// Dropped, it ends looking after them.
    _watch: Sender<()>,
    stdin: Option<ChildStdin>,
    stdout: Answers,
    stderr: Option<JoinHandle<Vec<u8>>>,
    /// Writes what is asked, where that is known from the beginning.
    asker: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a command whose standard input is empty.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(command: Call) -> Result<Self, GitError> {
        Self::spawn(command, None, Answers::wanted)
    }

    /// Starts a command that is asked through its standard input.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start_asked(mut command: Call) -> Result<Self, GitError> {
        command.command.stdin(Stdio::piped());
        Self::spawn(command, None, Answers::wanted)
    }

    /// Starts a command that is asked all of this, and nothing after it. Answers are read while it is
    /// still being asked.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start_told(
        mut command: Call,
        questions: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> Result<Self, GitError> {
        command.command.stdin(Stdio::piped());
        let mut process = Self::spawn(command, None, Answers::many)?;
        let Some(stdin) = process.stdin.take() else { return Err(GitError::NoProgram) };
        process.asker = Some(thread::spawn(move || {
            let mut stdin = BufWriter::new(stdin);
            // Whoever ends early leaves questions open; its answers tell.
            let _ = questions(&mut stdin).and_then(|()| stdin.flush());
        }));
        Ok(process)
    }

    /// Starts two commands; what the first answers is what the second is asked.
    ///
    /// # Errors
    /// When one cannot be started.
    pub(crate) fn start_fed(mut first: Call, mut second: Call) -> Result<Self, GitError> {
        let mut feeder = first.command.stderr(Stdio::null()).spawn().map_err(refused)?;
        if let Some(answers) = feeder.stdout.take() {
            second.command.stdin(answers);
        }
        Self::spawn(second, Some(feeder), Answers::ahead)
    }

    fn spawn(
        call: Call,
        feeder: Option<Child>,
        answers: fn(ChildStdout, Waits) -> Answers,
    ) -> Result<Self, GitError> {
        let Call { mut command, patience } = call;
        let spawned = match patience.is_over() {
            true => Err(GitError::NoAnswer),
            false => command.spawn().map_err(refused),
        };
        // Its pipe closes.
        drop(command);
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                Processes::new(feeder.into_iter().collect()).end();
                return Err(error);
            }
        };
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(GitError::NoProgram);
        };
        let stdin = child.stdin.take();
        let stderr = thread::spawn(move || {
            let mut stderr = stderr;
            let mut kept = Vec::new();
            let _ = (&mut stderr).take(MAX_STDERR).read_to_end(&mut kept);
            let _ = io::copy(&mut stderr, &mut io::sink());
            kept
        });
        let waits = Waits::default();
        let stdout = answers(stdout, waits.clone());
        let children = Processes::new(std::iter::once(child).chain(feeder).collect());
        let watch = patience.watch(&waits, &children);
        let stderr = Some(stderr);
        Ok(Self { children, patience, _watch: watch, stdin, stdout, stderr, asker: None })
    }

    /// Writes a question.
    pub(crate) fn ask(&mut self, question: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(question)?;
        stdin.flush()
    }

    /// The answers.
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

    /// Everything that it still answers, when that is not too long, once it has ended well.
    ///
    /// # Errors
    /// When it failed.
    pub(crate) fn all(mut self) -> Result<Vec<u8>, GitError> {
        let mut bytes = Vec::new();
        let read = (&mut self.stdout).take(MAX_RECORD).read_to_end(&mut bytes);
        self.finish()?;
        read.map_err(|_| GitError::garbled("something"))?;
        Ok(bytes)
    }

    /// Waits for its end. What it still had to say is lost.
    ///
    /// # Errors
    /// When it failed.
    pub(crate) fn finish(mut self) -> Result<(), GitError> {
        drop(self.stdin.take());
        let _ = io::copy(&mut self.stdout, &mut io::sink());
        let is_well = self.children.ended_well();
        let stderr = self.complaint();
        if is_well { Ok(()) } else { Err(self.reason(&stderr)) }
    }

    /// Why it has ended, for one that broke off in the middle.
    pub(crate) fn post_mortem(mut self) -> GitError {
        self.children.end();
        // A git that was started by another program lives on, and what it complains with stays open until
        // it ends: it must not wait for anybody here.
        drop(self.stdin.take());
        self.stdout.close();
        let stderr = self.complaint();
        self.reason(&stderr)
    }

    fn reason(&self, stderr: &[u8]) -> GitError {
        if self.patience.is_over() { GitError::NoAnswer } else { GitError::from_stderr(stderr) }
    }

    fn complaint(&mut self) -> Vec<u8> {
        self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.children.end();
        // A git that was started by another program lives on: it must not wait for anybody here.
        self.stdout.close();
        // It ends with the reader of its pipe.
        if let Some(asker) = self.asker.take() {
            let _ = asker.join();
        }
    }
}

/// Why a program was not started.
fn refused(error: io::Error) -> GitError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => GitError::NoProgram,
        kind => GitError::Failed(format!("git cannot be started: {kind}")),
    }
}
