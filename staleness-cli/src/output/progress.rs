//! Reports progress of long operations on a terminal.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

use staleness::{Timestamp, clock};
use staleness_docs::Progress as Step;
use staleness_service::{Listener, progress_words};

use super::Output;

/// Time before the first report, in milliseconds.
const PATIENCE: i64 = 1_000;
/// Minimum time between two reports, in milliseconds.
const STEP: i64 = 200;
/// Number of lines between two checks of the clock.
const STRIDE: u64 = 1_000;

/// Counts lines, and reports the count on stderr from time to time. Silent for the first second, with `--quiet` and
/// without a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    verb: &'static str,
    lines: u64,
    asked: u64,
    /// The time of the next report, or `None` if reports are off.
    next: Option<Timestamp>,
    reported: bool,
}

impl Progress {
    /// Creates a counter without lines. `verb` precedes the count: `imported 5000 lines`.
    pub(crate) fn new(out: &Output, verb: &'static str) -> Self {
        let watched = !out.quiet && io::stderr().is_terminal();
        let next = watched.then(|| clock::now().plus_millis(PATIENCE));
        Self { verb, lines: 0, asked: 0, next, reported: false }
    }

    /// Adds lines to the count, and reports it if a report is due.
    pub(crate) fn add(&mut self, lines: u64) {
        self.lines += lines;
        let Some(next) = self.next.filter(|_| self.lines - self.asked >= STRIDE) else { return };
        self.asked = self.lines;
        let now = clock::now();
        if now >= next {
            self.next = Some(now.plus_millis(STEP));
            self.reported = true;
            let _ = write!(io::stderr(), "\r{} {} lines", self.verb, self.lines);
        }
    }

    /// Reports the current activity. The text must not come from an untrusted source.
    pub(crate) fn say(&mut self, words: &str) {
        let Some(next) = self.next else { return };
        let now = clock::now();
        if now >= next {
            self.next = Some(now.plus_millis(STEP));
            self.reported = true;
            let _ = write!(io::stderr(), "\r\u{1b}[K{words}");
        }
    }

    /// Ends the reports and clears the line.
    pub(crate) fn end(&mut self) {
        self.pause();
        self.next = None;
    }

    /// Clears the line. More reports may follow.
    fn pause(&mut self) {
        if std::mem::take(&mut self.reported) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// A listener that shows a check's progress and notes on the terminal.
#[derive(Debug)]
pub(crate) struct Screen<'a> {
    out: &'a Output,
    progress: RefCell<Progress>,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(out: &'a Output, verb: &'static str) -> Self {
        Self { out, progress: RefCell::new(Progress::new(out, verb)) }
    }
}

impl Listener for Screen<'_> {
    fn note(&self, text: &str) {
        self.out.note(text);
    }

    fn step(&self, step: Step) {
        self.progress.borrow_mut().say(&progress_words(step));
    }

    fn end(&self) {
        self.progress.borrow_mut().pause();
    }
}
