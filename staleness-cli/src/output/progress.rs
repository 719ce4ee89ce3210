//! Progress of work that takes a while, for a person who waits.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

use staleness::{Timestamp, clock};
use staleness_docs::Progress as Step;
use staleness_service::{Listener, progress_words};

use super::Output;

/// Work that takes no longer than this says nothing, in milliseconds.
const PATIENCE: i64 = 1_000;
/// Between two reports, in milliseconds.
const STEP: i64 = 200;
/// The clock is read once in so many lines.
const STRIDE: u64 = 1_000;

/// Counts lines and reports them on stderr: on a terminal, after a second, never with `--quiet`.
#[derive(Debug)]
pub(crate) struct Progress {
    verb: &'static str,
    lines: u64,
    asked: u64,
    /// When to report next; never for who does not look.
    next: Option<Timestamp>,
    reported: bool,
}

impl Progress {
    /// Nothing done yet.
    pub(crate) fn new(out: &Output, verb: &'static str) -> Self {
        let watched = !out.quiet && io::stderr().is_terminal();
        let next = watched.then(|| clock::now().plus_millis(PATIENCE));
        Self { verb, lines: 0, asked: 0, next, reported: false }
    }

    /// Counts lines that are done, and reports the total from time to time.
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

    /// Reports what is being done, in few words that hold no text of others.
    pub(crate) fn say(&mut self, words: &str) {
        let Some(next) = self.next else { return };
        let now = clock::now();
        if now >= next {
            self.next = Some(now.plus_millis(STEP));
            self.reported = true;
            let _ = write!(io::stderr(), "\r\u{1b}[K{words}");
        }
    }

    /// The work is done: the line is taken away again.
    pub(crate) fn end(&mut self) {
        self.pause();
        self.next = None;
    }

    /// The line is taken away; more work may follow.
    fn pause(&mut self) {
        if std::mem::take(&mut self.reported) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// A person who waits for a check of documents, and hears what was left out.
#[derive(Debug)]
pub(crate) struct Screen<'a> {
    out: &'a Output,
    progress: RefCell<Progress>,
}

impl<'a> Screen<'a> {
    /// Nothing said yet.
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
