//! Whole processes, from spawn to exit.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::race::timed;

/// Asks a benchmark's process to print its peak of resident memory, in kibibytes, when it ends.
pub const PEAK: &str = "STALENESS_BENCH_PEAK";

/// Runs a command with a payload on stdin. How long it took, in seconds.
///
/// # Panics
/// When it fails.
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

/// The peak of resident memory of a benchmark's process, in kibibytes.
///
/// # Panics
/// When it fails, or does not tell.
pub fn peak(command: &mut Command, payload: &str) -> u64 {
    command.env(PEAK, "1").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("the payload");
    let output = child.wait_with_output().expect("the program ends");
    let told = String::from_utf8(output.stderr).expect("a number");
    told.trim().parse().expect("a number")
}

/// Tells [`peak`], when it asked. For the end of a process.
pub fn tell_peak() {
    if std::env::var_os(PEAK).is_some() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        eprintln!("{}", line.unwrap_or_default().trim().trim_end_matches(" kB"));
    }
}

/// Processes that are ready and wait for the word.
#[derive(Debug)]
pub struct Crew(Vec<(Child, ChildStdin, BufReader<ChildStdout>)>);

impl Crew {
    /// Starts processes that print a line when they are ready, work when they read one, and print
    /// another when they are done.
    ///
    /// # Panics
    /// When one does not.
    #[must_use]
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

    /// How long they take, from the word to the last one's being done, in seconds.
    ///
    /// # Panics
    /// When one fails.
    #[must_use]
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
