//! Limits every git process, and can end all of them at once.
//!
//! All git processes of a watchdog run in one process group, led by a small shell. The shell waits on a pipe that only
//! this process holds open. When the pipe closes, even after `SIGKILL`, the shell kills the whole group. So no git, and
//! no program that a wrapper of git started, outlives the watchdog or this process.
//!
//! On Windows a job object does the same: closing it ends every process in it, and the system closes it when
//! this process ends. Memory limits and the detection of idle processes work on Linux only.

use std::process::{Child, Command};
#[cfg(unix)]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Limits of one git process. They are not configurable, because even a history of 100,000 commits stays far
/// below them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Longest time to wait for a git process that neither answers nor works. After that, all queries fail. Linux only.
    pub idle: Duration,
    /// Longest time to wait for a git process that works without answering. Not enforced on Windows.
    pub silence: Duration,
    /// Longest total time to wait for the git processes of one watchdog. On Windows, the limit applies to their total
    /// run time.
    pub wait: Duration,
    /// Maximum number of bytes in the answer to one request, or to one batch of requests.
    pub answer_bytes: u64,
    /// Maximum number of bytes of private memory. Mapped files do not count. Linux only.
    pub memory: u64,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(5),
            silence: Duration::from_secs(30),
            wait: Duration::from_secs(300),
            answer_bytes: 5 * 1024 * 1024 * 1024,
            memory: 176 * 1024 * 1024,
        }
    }
}

/// Ends every git process that was started with it: see [`Program::with_watchdog`](super::Program::with_watchdog).
/// Clones share the same state.
#[derive(Clone, Debug, Default)]
pub struct Watchdog(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Total time spent waiting for git, in microseconds.
    #[cfg(unix)]
    waited: AtomicU64,
    /// True if a git process exceeded its limits.
    is_cut: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The reason why no more requests are sent.
    ended: Option<GitError>,
    group: Option<Group>,
}

impl Watchdog {
    /// Ends every git process and prevents new ones. Queries fail with [`GitError::Cancelled`].
    pub fn end(&self) {
        self.end_with(GitError::Cancelled);
    }

    /// Returns true if [`Watchdog::end`] was called.
    pub fn is_ended(&self) -> bool {
        self.ended() == Some(GitError::Cancelled)
    }

    fn end_with(&self, why: GitError) {
        let mut state = self.state();
        state.ended.get_or_insert(why);
        let group = state.group.take();
        drop(state);
        drop(group);
    }

    pub(crate) fn ended(&self) -> Option<GitError> {
        self.state().ended.clone()
    }

    /// Records that a git process exceeded its limits.
    pub(crate) fn cut(&self) {
        self.0.is_cut.store(true, Ordering::Relaxed);
    }

    /// Returns true if a git process exceeded its limits, so that some answers are missing.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.is_cut.load(Ordering::Relaxed)
    }

    pub(crate) fn spawn(
        &self,
        command: &mut Command,
        limits: ProcessLimits,
    ) -> Result<Child, GitError> {
        // Held until the process runs, so that ending the watchdog in the meantime also ends the process.
        let mut state = self.state();
        if let Some(why) = &state.ended {
            return Err(why.clone());
        }
        let group = match state.group.take() {
            Some(group) => group,
            None => Group::start(self, limits).map_err(GitError::not_started)?,
        };
        let child = state.group.insert(group).spawn(command).map_err(GitError::not_started)?;
        limit_memory(&child, limits.memory);
        Ok(child)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::Ordering;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    use super::{GitError, ProcessLimits, Watchdog};

    /// Script of the group leader.
    const LEADER: &str = "trap '' HUP INT QUIT TERM; read -r _; kill -s KILL 0";

    /// A process group. Dropping it kills all its processes.
    #[derive(Debug)]
    pub(super) struct Group {
        leader: Child,
    }

    impl Group {
        pub(super) fn start(_: &Watchdog, _: ProcessLimits) -> io::Result<Self> {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", LEADER]).env_clear().current_dir("/").process_group(0);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            Ok(Self { leader: command.spawn()? })
        }

        pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
            command.process_group(self.id()).spawn()
        }

        fn id(&self) -> i32 {
            i32::try_from(self.leader.id()).unwrap_or(i32::MAX)
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            drop(self.leader.stdin.take());
            let _ = self.leader.wait();
        }
    }

    impl Watchdog {
        /// Waits until git writes output or ends.
        pub(crate) fn wait(&self, answers: &impl AsFd, limits: ProcessLimits) -> io::Result<()> {
            let began = Instant::now();
            let waited = self.wait_from(began, answers, limits);
            let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
            let before = self.0.waited.fetch_add(micros, Ordering::Relaxed);
            if Duration::from_micros(before.saturating_add(micros)) > limits.wait {
                self.end_with(GitError::NoAnswer);
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            waited
        }

        fn wait_from(
            &self,
            began: Instant,
            answers: &impl AsFd,
            limits: ProcessLimits,
        ) -> io::Result<()> {
            let step = limits.idle.min(limits.silence) / 5;
            let timeout = Timespec { tv_sec: 0, tv_nsec: 0 };
            let timeout = Timespec::try_from(step).unwrap_or(timeout);
            let (mut last, mut since) = (None, began);
            loop {
                match poll(&mut [PollFd::new(answers, PollFlags::IN)], Some(&timeout)) {
                    Ok(0) => {}
                    Ok(_) => return Ok(()),
                    Err(Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                }
                let now = Instant::now();
                let doing = self.doing();
                if doing.is_none() || doing != last {
                    (last, since) = (doing, now);
                } else if now - since >= limits.idle {
                    self.end_with(GitError::NoAnswer);
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                if now - began >= limits.silence {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }

        /// Returns a summary of the work done by the group's processes. It stays the same while they are idle. Returns
        /// `None` if a process is running or waiting for a disk, or if its state is unknown.
        fn doing(&self) -> Option<Vec<String>> {
            let leader = self.state().group.as_ref()?.id();
            let mut all = Vec::new();
            for entry in std::fs::read_dir("/proc").ok()?.flatten() {
                if !entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
                    continue;
                }
                let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
                // `id (name) state parent group …`. The name may contain any character.
                let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
                let mut fields = rest.split(' ');
                let (state, group) = (fields.next(), fields.nth(1));
                if group.and_then(|group| group.parse().ok()) != Some(leader) {
                    continue;
                }
                if matches!(state, Some("R" | "D")) {
                    return None;
                }
                all.push(stat);
            }
            (!all.is_empty()).then_some(all)
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
    use std::thread;

    use win32job::{ExtendedLimitInfo, Job};

    use super::{GitError, ProcessLimits, Watchdog};

    /// A job object. Dropping it ends all its processes, which then report success.
    #[derive(Debug)]
    pub(super) struct Group {
        job: Job,
        /// Stops the timer when dropped.
        _timer: Sender<()>,
    }

    impl Group {
        /// Creates a job. Pipes have no read timeout on Windows, so a timer ends the watchdog after
        /// [`ProcessLimits::wait`].
        pub(super) fn start(watchdog: &Watchdog, limits: ProcessLimits) -> io::Result<Self> {
            let mut info = ExtendedLimitInfo::new();
            let job = Job::create_with_limit_info(info.limit_kill_on_job_close());
            let (timer, dropped) = channel();
            let shared = Arc::downgrade(&watchdog.0);
            thread::Builder::new().spawn(move || {
                if dropped.recv_timeout(limits.wait) == Err(RecvTimeoutError::Timeout)
                    && let Some(shared) = shared.upgrade()
                {
                    Watchdog(shared).end_with(GitError::NoAnswer);
                }
            })?;
            Ok(Self { job: job.map_err(io::Error::other)?, _timer: timer })
        }

        /// Starts a command in the job. A process that the command starts before it joins the job is not covered. This
        /// gap lasts one system call.
        pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
            let mut child = command.spawn()?;
            if let Err(error) = self.job.assign_process(child.as_raw_handle() as isize) {
                child.kill()?;
                return Err(io::Error::other(error));
            }
            Ok(child)
        }
    }

    impl Watchdog {
        /// Does nothing. The group's timer ends a git process that takes too long.
        pub(crate) fn wait<T>(&self, _: &T, _: ProcessLimits) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(unix)]
use unix::Group;
#[cfg(windows)]
use windows::Group;

use super::error::GitError;

/// Limits the memory of a process that has just been started.
#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, bytes: u64) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let most = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // This fails if the process has already ended or has a lower limit.
    let _ = prlimit(Some(Pid::from_child(child)), Resource::Data, most);
}

#[cfg(not(target_os = "linux"))]
const fn limit_memory(_: &Child, _: u64) {}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_program_ends_with_its_watchdog() {
        // Both wait for the end of their input, which never comes.
        #[cfg(unix)]
        let mut command = Command::new("cat");
        #[cfg(windows)]
        let mut command = Command::new("cmd");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let watchdog = Watchdog::default();
        let mut child = watchdog.spawn(&mut command, ProcessLimits::default()).unwrap();
        let stdin = child.stdin.take();
        assert!(child.try_wait().unwrap().is_none());
        drop(watchdog);
        // If the process were still alive, this would block forever.
        child.wait().unwrap();
        drop(stdin);
    }
}
