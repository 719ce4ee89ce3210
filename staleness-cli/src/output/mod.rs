//! Output for people: escaped, coloured, and in columns.

pub(crate) mod board;
pub(crate) mod diff;
pub(crate) mod found;
mod json;
pub(crate) mod knowledge;
pub(crate) mod page;
mod paint;
mod progress;
pub(crate) mod review;
mod table;
pub(crate) mod tools;
pub(crate) mod work;
mod wrap;

use std::io::{self, Write};

use serde::Serialize;
use staleness::verdict::Verdict;

pub(crate) use paint::{ColorArg, Paint};
pub(crate) use progress::{Progress, Screen};
pub(crate) use staleness_service::escape;
pub(crate) use table::{Cell, Painter};
use table::{Last, table};
pub(crate) use wrap::{fitting, wrap, wrap_all};

use crate::error::{CliError, ErrorKind};

/// Settings of all output.
#[derive(Debug)]
pub(crate) struct Output {
    /// Print one JSON document instead of text.
    pub json: bool,
    /// Print only results.
    pub quiet: bool,
    /// Print more on stderr.
    pub verbose: bool,
    pub paint: Paint,
    /// Width of the terminal, in columns.
    pub width: usize,
}

impl Output {
    /// Creates an output of plain, unwrapped text, for programs.
    pub(crate) fn plain(verbose: bool) -> Self {
        Self {
            json: false,
            quiet: false,
            verbose,
            paint: Paint::new(ColorArg::Never),
            width: usize::MAX,
        }
    }

    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), CliError> {
        self.deliver_json(value).map(drop)
    }

    /// Prints one JSON document. Returns false if the reader closed the pipe early.
    pub(crate) fn deliver_json(&self, value: &impl Serialize) -> Result<bool, CliError> {
        let text =
            json::text(value).map_err(|error| CliError::new(ErrorKind::Io, error.to_string()))?;
        let mut stdout = io::stdout().lock();
        delivered(writeln!(stdout, "{text}").and_then(|()| stdout.flush()))
    }

    /// Prints escaped text. A closed pipe is not an error.
    pub(crate) fn text(&self, text: &str) -> Result<(), CliError> {
        self.deliver(text).map(drop)
    }

    /// Prints escaped text. Returns false if the reader closed the pipe early.
    pub(crate) fn deliver(&self, text: &str) -> Result<bool, CliError> {
        let mut stdout = io::stdout().lock();
        delivered(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// Prints the result of a change, as JSON or as escaped text. Prints no text with `--quiet`.
    pub(crate) fn done(
        &self,
        value: &impl Serialize,
        words: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        match (self.json, self.quiet) {
            (true, _) => self.json(value),
            (false, true) => Ok(()),
            (false, false) => self.text(&words()),
        }
    }

    /// Prints a list, as JSON or as escaped text. An empty list prints `none`, or nothing with `--quiet`.
    pub(crate) fn list(
        &self,
        value: &impl Serialize,
        (is_empty, none): (bool, &str),
        words: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        match (self.json, is_empty) {
            (true, _) => self.json(value),
            (false, true) => self.text(if self.quiet { "" } else { none }),
            (false, false) => self.text(&words()),
        }
    }

    /// Formats rows of cells as a table that fits the terminal.
    pub(crate) fn table(&self, rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
        table(rows, Last::Cut, self.paint, self.width)
    }

    /// Formats rows of cells. The last cell is wrapped and never truncated.
    pub(crate) fn details(&self, rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
        table(rows, Last::Wrapped, self.paint, self.width)
    }

    /// Formats a property with its key in `width` columns. Empty if there is no value.
    pub(crate) fn row(&self, key: &str, width: usize, value: &str) -> String {
        let key = (format!("{key:<width$}"), Some(Paint::dim as Painter));
        let row = (!value.is_empty()).then(|| vec![key, (value.to_owned(), None)]);
        self.details(row)
    }

    /// Wraps lines of text to the terminal's width.
    pub(crate) fn lines(&self, text: &str) -> String {
        text.lines().flat_map(|line| wrap(line, self.width)).map(|line| line + "\n").collect()
    }

    /// Formats a hint about the next command, or about how to read the output. Empty with `--quiet`.
    pub(crate) fn hint(&self, text: &str) -> String {
        let is_none = self.quiet || text.is_empty();
        if is_none { String::new() } else { self.paint.dim(&self.lines(text)) }
    }

    /// Formats a line with the number of omitted rows and a way to see them. Empty if none were omitted.
    pub(crate) fn more(&self, left: usize, how: &str) -> String {
        let more = format!("  … and {left} more; {how}\n");
        if left == 0 { String::new() } else { self.paint.dim(&more) }
    }

    /// Prints a warning on stderr, except with `--quiet`.
    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{}", escape(text));
        }
    }

    /// Prints a note on stderr, with `--verbose`.
    pub(crate) fn note(&self, text: &str) {
        if self.verbose {
            let _ = writeln!(io::stderr(), "{}", escape(text));
        }
    }
}

/// Returns true if everything was written; false if the reader closed the pipe.
fn delivered(written: io::Result<()>) -> Result<bool, CliError> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CliError::new(ErrorKind::Io, format!("cannot write to stdout: {error}"))),
    }
}

/// Returns the URL that explains a kind of finding.
pub(crate) fn section(kind: &str) -> String {
    concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/findings.md#").to_owned() + kind
}

/// Returns the reasons of a verdict, the strongest first.
pub(crate) fn reasons(verdict: &Verdict) -> String {
    let reasons: Vec<_> = verdict.signals.iter().map(|it| escape(&it.reason)).collect();
    reasons.join("; ")
}
