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
    /// Accessed by the thread at the head of the queue.
    kept: Mutex<HandleCache>,
    /// The remaining time to wait, if limited.
    budget: Option<Mutex<Duration>>,
}

#[derive(Debug, Default)]
struct HandleCache {
    /// The unlocked handle of the last guard. Reopening the file would cost more than locking it.
    handle: Option<File>,
    /// A helper that is still in the kernel's queue for a caller that gave up.
    helper: Option<Arc<Helper>>,
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
        Self { path: path.into(), queue: Queue::default(), kept: Mutex::default(), budget: None }
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
            // A link would let somebody else choose where the file is created.
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        }
        options.open(&self.path).map_err(|error| match self.path.is_symlink() {
            true => is_a_link(&self.path),
            false => error,
        })
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HandleCache> {
        // A panic leaves only file handles behind, and they are valid.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of threads that wait for this lock or hold it.
    #[cfg(test)]
    pub(crate) fn in_line(&self) -> usize {
        self.queue.len()
    }

    /// Returns true if a helper is still in the kernel's queue.
    #[cfg(test)]
    pub(crate) fn has_helper(&self) -> bool {
        self.kept().helper.is_some()
    }
}

/// Returns true if the file still has a name. A lock on a deleted file excludes nobody.
#[cfg(unix)]
fn is_linked(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|found| found.nlink() > 0)
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> bool {
    // Other systems do not delete open files.
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
        // Fields are dropped after this body, so the turn ends after the file is unlocked.
        if let Some(file) = self.file.take()
            && file.unlock().is_ok()
        {
            self.lock.kept().handle = Some(file);
        }
        // If unlocking failed, closing the file unlocks it.
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
