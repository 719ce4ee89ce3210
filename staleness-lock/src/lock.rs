//! A lock that combines a queue of threads with a locked file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::helper::{Brought, Helper};
use crate::planted::is_a_link;
use crate::queue::{Queue, Turn};

/// A lock on a file, shared by threads (through one `FileLock`) and by processes (through the file).
///
/// Two `FileLock`s for the same path in one process exclude each other, as in two processes.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    queue: Queue,
    /// A helper that is still in the kernel's queue for a caller that gave up. Accessed by the thread at the head of
    /// the queue.
    left: Mutex<Option<Arc<Helper>>>,
    /// The remaining time to wait, if limited.
    budget: Option<Mutex<Duration>>,
}

/// The reason why a lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Others held the lock for longer than the timeout.
    #[error("another process held the lock for too long")]
    TimedOut,
    /// The lock file could not be created, opened or locked.
    #[error("the lock file could not be opened or locked")]
    Io(#[from] io::Error),
}

impl FileLock {
    /// Creates a lock for the file at `path`. Does not access the file before the first
    /// [`FileLock::acquire`].
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), queue: Queue::default(), left: Mutex::default(), budget: None }
    }

    /// Limits the total waiting time of all calls of [`FileLock::acquire`]. When it is used up, calls try
    /// once without waiting. `None` means no limit.
    #[must_use]
    pub fn total_wait(mut self, total: Option<Duration>) -> Self {
        self.budget = total.map(Mutex::new);
        self
    }

    /// Returns the path of the lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits up to `timeout` for the lock; zero means no waiting. The lock is held until the guard is
    /// dropped.
    ///
    /// A thread that calls this while it holds a guard waits for itself until the timeout.
    ///
    /// # Errors
    /// [`LockError::TimedOut`], or an error of the operating system. Missing parent folders are not created.
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
        // A deadline that the clock cannot represent means no deadline.
        let deadline = Instant::now().checked_add(timeout);
        let turn = self.queue.enter(deadline).ok_or(LockError::TimedOut)?;
        let file = self.lock_file(timeout.is_zero(), deadline)?;
        Ok(Guard { file, _turn: turn })
    }

    fn lock_file(&self, at_once: bool, deadline: Option<Instant>) -> Result<File, LockError> {
        let mut left = self.left();
        if let Some(helper) = left.take() {
            match helper.wait(deadline) {
                Brought::Result(result) => return Ok(result?),
                Brought::Gone => {}
                Brought::Nothing => {
                    *left = Some(helper);
                    return Err(LockError::TimedOut);
                }
            }
        }
        let file = self.open()?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(LockError::Io(source)),
            Err(TryLockError::WouldBlock) if at_once => return Err(LockError::TimedOut),
            Err(TryLockError::WouldBlock) => {}
        }
        let helper = Helper::send(file)?;
        match helper.wait(deadline) {
            Brought::Result(result) => Ok(result?),
            Brought::Gone | Brought::Nothing => {
                *left = Some(helper);
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
            // A link would let somebody else choose where the file is created.
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        }
        options.open(&self.path).map_err(|error| match self.path.is_symlink() {
            true => is_a_link(&self.path),
            false => error,
        })
    }

    fn left(&self) -> std::sync::MutexGuard<'_, Option<Arc<Helper>>> {
        // A panic leaves only a helper behind, and it is valid.
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of threads that wait for this lock or hold it.
    #[cfg(test)]
    pub(crate) fn in_line(&self) -> usize {
        self.queue.len()
    }

    /// Returns true if a helper is still in the kernel's queue.
    #[cfg(test)]
    pub(crate) fn has_helper(&self) -> bool {
        self.left().is_some()
    }
}

/// Holds the lock until it is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when the guard is dropped"]
pub struct Guard<'l> {
    file: File,
    _turn: Turn<'l>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // Fields are dropped after this body, so the turn ends after the file is unlocked.
        // If unlocking fails, closing the file unlocks it.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
