//! Output for a person: escaped, coloured, in columns.

pub(crate) mod board;
pub(crate) mod diff;
pub(crate) mod found;
mod json;
pub(crate) mod knowledge;
mod paint;
mod progress;
pub(crate) mod review;
mod table;
pub(crate) mod tools;
pub(crate) mod work;
mod wrap;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

pub(crate) use paint::{ColorArg, Paint};
pub(crate) use progress::{Progress, Screen};
pub(crate) use staleness_service::escape;
pub(crate) use table::{Cell, Painter};
use table::{Last, table};
pub(crate) use wrap::{fitting, wrap};

use crate::error::{CliError, ErrorKind};

/// The form of everything that is printed.
#[derive(Debug)]
pub(crate) struct Output {
    /// One JSON document instead of text.
    pub json: bool,
    /// Nothing but results.
    pub quiet: bool,
    /// More on stderr.
    pub verbose: bool,
    /// Colours.
    pub paint: Paint,
    /// The width of the terminal, in columns.
    pub width: usize,
}

impl Output {
    /// Plain text of whole lines: what a program reads.
    pub(crate) fn plain(verbose: bool) -> Self {
        Self {
            json: false,
            quiet: false,
            verbose,
            paint: Paint::new(ColorArg::Never),
            width: usize::MAX,
        }
    }

    /// Prints one JSON document.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), CliError> {
        self.deliver_json(value).map(drop)
    }

    /// Prints one JSON document; `false`: the reader went away before it was all written.
    pub(crate) fn deliver_json(&self, value: &impl Serialize) -> Result<bool, CliError> {
        // A long list is not held in memory twice.
        let mut stdout = BufWriter::with_capacity(JSON_BUFFER, io::stdout().lock());
        let written = json::write(&mut stdout, value);
        delivered(written.and_then(|()| stdout.write_all(b"\n")).and_then(|()| stdout.flush()))
    }

    /// Prints text that is escaped already. A reader that went away is no error.
    pub(crate) fn text(&self, text: &str) -> Result<(), CliError> {
        self.deliver(text).map(drop)
    }

    /// Prints text that is escaped already; `false`: the reader went away before it was all written.
    pub(crate) fn deliver(&self, text: &str) -> Result<bool, CliError> {
        let mut stdout = io::stdout().lock();
        delivered(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// Prints what was done: as JSON, or in words that are escaped already, and with `--quiet` not at all.
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

    /// Rows of cells as a table that fits the terminal.
    pub(crate) fn table(&self, rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
        table(rows, Last::Cut, self.paint, self.width)
    }

    /// Rows of cells of which the last one is never cut.
    pub(crate) fn details(&self, rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
        table(rows, Last::Wrapped, self.paint, self.width)
    }

    /// A line of what is known of one thing, with its key in `width` columns; nothing without a value.
    pub(crate) fn row(&self, key: &str, width: usize, value: &str) -> String {
        let key = (format!("{key:<width$}"), Some(Paint::dim as Painter));
        let row = (!value.is_empty()).then(|| vec![key, (value.to_owned(), None)]);
        self.details(row)
    }

    /// Lines of text, each wrapped to the terminal.
    pub(crate) fn lines(&self, text: &str) -> String {
        text.lines().flat_map(|line| wrap(line, self.width)).map(|line| line + "\n").collect()
    }

    /// Lines on what to type next, or how to read what stands above them; nothing with `--quiet`.
    pub(crate) fn hint(&self, text: &str) -> String {
        if self.quiet { String::new() } else { self.paint.dim(&self.lines(text)) }
    }

    /// A line below a table that says how many rows were left out, and what shows them; nothing where none was.
    pub(crate) fn more(&self, left: usize, how: &str) -> String {
        let more = format!("  … and {left} more; {how}\n");
        if left == 0 { String::new() } else { self.paint.dim(&more) }
    }

    /// Says something on stderr, except with `--quiet`.
    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{}", escape(text));
        }
    }

    /// Says something on stderr, with `--verbose`.
    pub(crate) fn note(&self, text: &str) {
        if self.verbose {
            let _ = writeln!(io::stderr(), "{}", escape(text));
        }
    }
}

/// Bytes of JSON that are written at once.
const JSON_BUFFER: usize = 1 << 16;

/// Returns true if everything was written; a reader that went away is no error.
fn delivered(written: io::Result<()>) -> Result<bool, CliError> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CliError::new(ErrorKind::Io, format!("writing to stdout: {error}"))),
    }
}
