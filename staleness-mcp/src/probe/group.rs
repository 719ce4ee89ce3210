//! The process group of a program started by a probe.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// Sends a signal to a program and all of its child processes.
pub(super) fn signal(child: &Child, signal: Signal) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, signal);
    }
}
