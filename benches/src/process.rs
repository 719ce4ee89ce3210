//! Runs whole processes, from spawn to exit.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::race::timed;

/// An environment variable that makes a benchmark process print its peak resident memory in KiB when it
/// exits.
pub const PEAK: &str = "STALENESS_BENCH_PEAK";

/// Runs a command with a payload on stdin. Returns the time in seconds.
pub fn run(command: &mut Command, payload: &str) -> f64 {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let mut success = false;
    let time = timed(|| {
        let mut child = command.spawn().expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("the payload");
        success = child.wait().expect("the program ends").success();
    });
    assert!(success, "{command:?} failed");
    time
}

/// Returns the peak resident memory of a benchmark process, in KiB.
pub fn peak(command: &mut Command, payload: &str) -> u64 {
    command.env(PEAK, "1").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("the payload");
    let output = child.wait_with_output().expect("the program ends");
    let told = String::from_utf8(output.stderr).expect("a number");
    told.trim().parse().expect("a number")
}

/// Prints the peak memory if [`peak`] asked for it. Call this at the end of a process.
pub fn tell_peak() {
    if std::env::var_os(PEAK).is_some() {
        eprintln!("{}", field("self", "status", "VmHWM:"));
    }
}

/// Returns the peak memory of a command and its child processes, in KiB. Shared memory counts once. Sampled
/// every two milliseconds; 0 on systems without `/proc`.
#[expect(clippy::disallowed_methods, reason = "memory is sampled: there is no event to wait for")]
pub fn peak_of_all(command: &mut Command) -> u64 {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut peak = 0;
    loop {
        if let Some(status) = child.try_wait().expect("the program ends") {
            assert!(status.success(), "{command:?} failed");
            return peak;
        }
        peak = peak.max(
            family(child.id()).into_iter().map(|pid| field(pid, "smaps_rollup", "Pss:")).sum(),
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns a process and all its descendants.
fn family(root: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may contain spaces. State and parent follow it.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parents: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&of) = found.get(next) {
        found.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| pid));
        next += 1;
    }
    found
}

/// Returns the resident memory of a process in KiB, or 0 on systems without `/proc`.
pub fn resident(pid: u32) -> u64 {
    field(pid, "status", "VmRSS:")
}

/// Returns the number in the line that begins with `name`, in a `/proc` file of a process.
fn field(process: impl Display, file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// Processes that are ready and wait for the start signal.
#[derive(Debug)]
pub struct Crew(Vec<(Child, ChildStdin, BufReader<ChildStdout>)>);

impl Crew {
    /// Starts processes that print a line when ready, work after reading one, and print another when done.
    pub fn ready(commands: impl Iterator<Item = Command>) -> Self {
        let start = |mut command: Command| {
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("the program starts");
            let stdin = child.stdin.take().expect("a pipe");
            let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
            (child, stdin, stdout)
        };
        let mut crew: Vec<_> = commands.map(start).collect();
        for (_, _, out) in &mut crew {
            hear(out);
        }
        Self(crew)
    }

    /// Starts the work. Returns the seconds until the last process is done.
    pub fn work(mut self) -> f64 {
        let time = timed(|| {
            for (_, stdin, _) in &mut self.0 {
                stdin.write_all(b"go\n").expect("the word");
            }
            for (_, _, out) in &mut self.0 {
                hear(out);
            }
        });
        for (mut child, stdin, _) in self.0 {
            drop(stdin);
            assert!(child.wait().expect("the program ends").success(), "a worker failed");
        }
        time
    }
}

fn hear(out: &mut impl BufRead) {
    let mut line = String::new();
    assert_ne!(out.read_line(&mut line).expect("a line"), 0, "a worker ended");
}
