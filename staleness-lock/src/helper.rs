//! A helper thread that blocks in the kernel's lock queue for a caller that may give up.

use std::fs::File;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// The state shared by the helper thread and its caller.
#[derive(Debug)]
pub(crate) struct Helper {
    desk: Mutex<Desk>,
    filled: Condvar,
}

#[derive(Debug)]
struct Desk {
    /// True while a caller waits for the file.
    wanted: bool,
    /// The locked file or the error, until the caller takes it. Stays `None` if no caller waited.
    result: Option<io::Result<File>>,
    /// True once the helper thread is done.
    finished: bool,
}

/// The result of waiting for the helper.
#[derive(Debug)]
pub(crate) enum Brought {
    /// The locked file, or an error of the system.
    Result(io::Result<File>),
    /// The deadline passed. The helper is still in the queue.
    Nothing,
    /// The helper finished before any caller waited for it again.
    Gone,
}

impl Helper {
    /// Starts a helper thread that waits for the lock on `file`.
    pub(crate) fn send(file: File) -> io::Result<Arc<Self>> {
        let helper = Arc::new(Self {
            desk: Mutex::new(Desk { wanted: true, result: None, finished: false }),
            filled: Condvar::new(),
        });
        let its = Arc::clone(&helper);
        thread::Builder::new()
            .name("staleness-lock".into())
            // The thread needs little stack, because it only waits.
            .stack_size(64 * 1024)
            .spawn(move || {
                let result = block(&file).map(|()| file);
                its.deliver(result);
            })?;
        Ok(helper)
    }

    fn deliver(&self, result: io::Result<File>) {
        let mut desk = self.desk();
        desk.finished = true;
        if desk.wanted {
            desk.result = Some(result);
            drop(desk);
            self.filled.notify_all();
        }
        // If no caller waits, the file is closed here, which unlocks it.
    }

    /// Waits until the helper delivers the file or `deadline` passes.
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> Brought {
        let mut desk = self.desk();
        desk.wanted = true;
        loop {
            if let Some(result) = desk.result.take() {
                return Brought::Result(result);
            }
            if desk.finished {
                return Brought::Gone;
            }
            desk = match deadline {
                None => self.filled.wait(desk).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        desk.wanted = false;
                        return Brought::Nothing;
                    }
                    self.filled.wait_timeout(desk, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        // No code panics while it holds this mutex, and the state would be valid anyway.
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Blocks until the file is locked, retrying after signals.
fn block(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
