//! Giving up a git that neither says nor does anything.
//!
//! A repository may have git open a pipe to which nobody writes, or lie on a disk that is gone, and
//! git waits for ever. No list of files knows all places where that can be ([`super::regular`] knows
//! the ones that are opened first), so a git that is waited for is looked after: one that has said
//! nothing and has used no processor between two looks is ended.

use std::io::{self, Read};
use std::process::{Child, ChildStdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long it is from one look to the next. Nothing that is asked of git keeps it silent so long and
/// idle as well.
const BETWEEN_LOOKS: Duration = Duration::from_secs(30);

/// How long git is waited for, and whether that was too long once: then nothing more is asked.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    between_looks: Duration,
    is_over: Arc<AtomicBool>,
}

impl Default for Patience {
    fn default() -> Self {
        Self::of(BETWEEN_LOOKS)
    }
}

/// What is waited for is the same, however long that takes.
impl PartialEq for Patience {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Patience {}

impl Patience {
    pub(crate) fn of(between_looks: Duration) -> Self {
        Self { between_looks, is_over: Arc::default() }
    }

    /// Whether a git was given up.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Looks after processes whose answers are heard through `waits`, until the sender is dropped.
    pub(crate) fn watch(&self, waits: &Waits, processes: &Processes) -> Sender<()> {
        let (end, ended) = channel();
        let (patience, waits, processes) = (self.clone(), waits.clone(), processes.clone());
        thread::spawn(move || {
            let mut last = None;
            while ended.recv_timeout(patience.between_looks) == Err(RecvTimeoutError::Timeout) {
                let waits = waits.0.load(Ordering::Acquire);
                let now = Look { waits, doing: processes.doing() };
                if now.is_in_vain(last.as_ref()) {
                    patience.is_over.store(true, Ordering::Release);
                    processes.end();
                    return;
                }
                last = Some(now);
            }
        });
        end
    }
}

/// What is seen of processes at one time.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    waits: u64,
    doing: Vec<String>,
}

impl Look {
    /// Whether somebody waits, as at the last look, and nothing has happened since.
    fn is_in_vain(&self, last: Option<&Self>) -> bool {
        // Every wait that began has ended where their number is even.
        self.waits % 2 == 1 && last == Some(self)
    }
}

/// Counts where waiting for an answer begins and where it ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits(Arc<AtomicU64>);

/// What a process says.
#[derive(Debug)]
pub(crate) struct Heard {
    stdout: ChildStdout,
    waits: Waits,
}

impl Heard {
    pub(crate) const fn new(stdout: ChildStdout, waits: Waits) -> Self {
        Self { stdout, waits }
    }
}

impl Read for Heard {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.waits.0.fetch_add(1, Ordering::AcqRel);
        let read = self.stdout.read(into);
        self.waits.0.fetch_add(1, Ordering::AcqRel);
        read
    }
}

/// A process, and another one that feeds it.
#[derive(Clone, Debug)]
pub(crate) struct Processes(Arc<Mutex<Vec<Child>>>);

impl Processes {
    pub(crate) fn new(all: Vec<Child>) -> Self {
        Self(Arc::new(Mutex::new(all)))
    }

    /// Ends them.
    pub(crate) fn end(&self) {
        for child in &mut *self.all() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Waits for their end; whether all ended well.
    pub(crate) fn ended_well(&self) -> bool {
        self.all().iter_mut().all(|child| child.wait().is_ok_and(|status| status.success()))
    }

    /// What the system tells of what they have done: it stays the same while they do nothing.
    fn doing(&self) -> Vec<String> {
        let of = |child: &Child| {
            let told = cfg!(target_os = "linux").then(|| format!("/proc/{}/stat", child.id()));
            told.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default()
        };
        self.all().iter().map(of).collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_nobody_waits_for_or_that_does_something_is_left_alone() {
        let look = |waits, doing: &str| Look { waits, doing: vec![doing.to_owned()] };
        assert!(look(3, "x").is_in_vain(Some(&look(3, "x"))));
        for last in [None, Some(look(1, "x")), Some(look(3, "y"))] {
            assert!(!look(3, "x").is_in_vain(last.as_ref()), "{last:?}");
        }
        // Idle between two questions.
        assert!(!look(4, "x").is_in_vain(Some(&look(4, "x"))));
    }
}
