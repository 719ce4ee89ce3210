//! The lock: a queue of threads before one locked file.

use std::error::Error;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::helper::{Brought, Helper};
use crate::planted::is_a_link;
use crate::queue::{Queue, Turn};

/// A lock on a file, shared by threads (through one `FileLock`) and processes (through the file).
///
/// Two `FileLock`s of the same path in one process exclude each other as two processes do.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    queue: Queue,
    /// Used by the thread whose turn it is.
    kept: Mutex<Kept>,
    /// Time that may still be spent waiting, if that is limited.
    budget: Option<Mutex<Duration>>,
}

#[derive(Debug, Default)]
struct Kept {
    /// The unlocked handle of the last guard: opening and closing the file again would cost more
    /// than locking it.
    handle: Option<File>,
    /// A helper that still stands in the kernel's queue for a caller that gave up.
    helper: Option<Arc<Helper>>,
}

/// Why a lock was not acquired.
#[derive(Debug)]
pub enum LockError {
    /// Others held it for longer than the caller wanted to wait.
    TimedOut,
    /// The lock file cannot be created, opened or locked.
    Io(io::Error),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => f.write_str("others held the lock for too long"),
            Self::Io(source) => write!(f, "locking failed: {source}"),
        }
    }
}

impl Error for LockError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::TimedOut => None,
            Self::Io(source) => Some(source),
        }
    }
}

impl From<io::Error> for LockError {
    fn from(source: io::Error) -> Self {
        Self::Io(source)
    }
}

impl FileLock {
    /// A lock on the file at `path`. Nothing is touched before the first [`FileLock::acquire`].
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), queue: Queue::default(), kept: Mutex::default(), budget: None }
    }

    /// Limits the time that all calls of [`FileLock::acquire`] together may wait. When it is used up, each
    /// call still tries once. `None` sets no limit.
    #[must_use]
    pub fn total_wait(mut self, total: Option<Duration>) -> Self {
        self.budget = total.map(Mutex::new);
        self
    }

    /// The lock file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for its turn for at most `timeout`; zero does not wait at all. The lock is held until
    /// the guard is dropped.
    ///
    /// A thread that asks again while it holds a guard waits for itself, in vain.
    ///
    /// # Errors
    /// [`LockError::TimedOut`], or what the operating system says about the file: it is never
    /// created together with the folders above it.
    pub fn acquire(&self, timeout: Duration) -> Result<Guard<'_>, LockError> {
        let Some(budget) = &self.budget else { return self.acquire_within(timeout) };
        let left = *budget.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        let result = self.acquire_within(timeout.min(left));
        let mut left = budget.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(begun.elapsed());
        result
    }

    fn acquire_within(&self, timeout: Duration) -> Result<Guard<'_>, LockError> {
        // A time that the clock cannot represent is as good as for ever.
        let deadline = Instant::now().checked_add(timeout);
        let turn = self.queue.enter(deadline).ok_or(LockError::TimedOut)?;
        let file = self.lock_file(timeout.is_zero(), deadline)?;
        Ok(Guard { file: Some(file), lock: self, _turn: turn })
    }

    fn lock_file(&self, at_once: bool, deadline: Option<Instant>) -> Result<File, LockError> {
        let mut kept = self.kept();
        if let Some(helper) = kept.helper.take() {
            match helper.wait(deadline) {
                Brought::Result(result) => return Ok(result?),
                Brought::Gone => {}
                Brought::Nothing => {
                    kept.helper = Some(helper);
                    return Err(LockError::TimedOut);
                }
            }
        }
        let file = match kept.handle.take().filter(is_linked) {
            Some(file) => file,
            None => self.open()?,
        };
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(LockError::Io(source)),
            Err(TryLockError::WouldBlock) if at_once => {
                kept.handle = Some(file);
                return Err(LockError::TimedOut);
            }
            Err(TryLockError::WouldBlock) => {}
        }
        let helper = Helper::send(file)?;
        match helper.wait(deadline) {
            Brought::Result(result) => Ok(result?),
            Brought::Gone | Brought::Nothing => {
                kept.helper = Some(helper);
                Err(LockError::TimedOut)
            }
        }
    }

    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Through a link the file would be made wherever somebody else wants one.
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        }
        options.open(&self.path).map_err(|error| match self.path.is_symlink() {
            true => is_a_link(&self.path),
            false => error,
        })
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        // A panic cannot leave more than handles behind, and each is whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of threads that wait for this lock or hold it.
    #[cfg(test)]
    pub(crate) fn in_line(&self) -> usize {
        self.queue.len()
    }

    /// Returns true if a helper was left behind in the kernel's queue.
    #[cfg(test)]
    pub(crate) fn has_helper(&self) -> bool {
        self.kept().helper.is_some()
    }
}

/// Returns true if the file still has a name. A handle of a removed file locks nothing that others see.
#[cfg(unix)]
fn is_linked(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|found| found.nlink() > 0)
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> bool {
    // Other systems do not remove a file that is open.
    true
}

/// Holds the lock until it is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when the guard is dropped"]
pub struct Guard<'l> {
    file: Option<File>,
    lock: &'l FileLock,
    _turn: Turn<'l>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // The turn ends after the file is unlocked: fields are dropped after this body.
        if let Some(file) = self.file.take()
            && file.unlock().is_ok()
        {
            self.lock.kept().handle = Some(file);
        }
        // A file that cannot be unlocked is closed, which unlocks it.
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
