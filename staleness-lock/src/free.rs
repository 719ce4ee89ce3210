//! Waits for files that others have locked.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::LockError;
use crate::helper::{Brought, Helper};

/// Waits up to `timeout` until nobody holds a lock on an existing file. Does not hold the lock. Used for files with
/// their own locking, such as databases: after a process is killed, the system may release its [`crate::FileLock`]
/// before the database.
///
/// # Errors
/// [`LockError::TimedOut`], or an error of the operating system.
pub fn wait_until_free(path: &Path, timeout: Duration) -> Result<(), LockError> {
    lock_within(path, timeout).map(drop)
}

/// Waits up to `timeout` for the lock on an existing file or folder, and holds it until the handle is
/// dropped. Returns `None` if the system cannot lock it.
///
/// # Errors
/// [`LockError::TimedOut`], or an error of the operating system.
pub fn lock_within(path: &Path, timeout: Duration) -> Result<Option<File>, LockError> {
    let deadline = Instant::now().checked_add(timeout);
    let file = File::open(path)?;
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::Error(source)) if source.kind() == io::ErrorKind::Unsupported => {
            return Ok(None);
        }
        Err(TryLockError::Error(source)) => return Err(LockError::Io(source)),
        Err(TryLockError::WouldBlock) if timeout.is_zero() => return Err(LockError::TimedOut),
        Err(TryLockError::WouldBlock) => {}
    }
    match Helper::send(file)?.wait(deadline) {
        Brought::Result(result) => Ok(result.map(Some)?),
        // The helper unlocks the file as soon as it gets the lock.
        Brought::Gone | Brought::Nothing => Err(LockError::TimedOut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_locks_is_free_at_once_and_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(matches!(wait_until_free(&path, Duration::ZERO), Err(LockError::Io(_))));
        File::create(&path).unwrap();
        wait_until_free(&path, Duration::ZERO).unwrap();
        File::open(&path).unwrap().try_lock().unwrap();
    }

    #[test]
    fn a_file_that_somebody_locks_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let held = File::create(&path).unwrap();
        held.lock().unwrap();
        for timeout in [Duration::ZERO, Duration::from_millis(1)] {
            assert!(matches!(wait_until_free(&path, timeout), Err(LockError::TimedOut)));
        }
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait_until_free(&path, Duration::from_secs(60)));
            drop(held);
            waiting.join().unwrap().unwrap();
        });
    }
}
