//! The lines of an import, and the numbers of records and fields that cannot be imported.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use staleness_core::route::without_secrets;
use staleness_core::time::Timestamp;

use super::row::Row;
use super::{Kept, MAX_BYTES, MAX_RECORDS, ReadError, Taken};

/// Maximum number of names of data that cannot be imported. Data with other names is counted together.
const MAX_NAMES: usize = 200;
/// Fields of a line that contain no free text: keywords of the format, and names of tools.
const NAMES: [&str; 9] =
    ["type", "kind", "status", "note_type", "result", "model", "tool", "name", "server"];
/// Fields of a line that contain ids.
const IDS: [&str; 5] = ["id", "session", "refs", "after", "related"];
/// Maximum length of a name of data that cannot be imported, in characters.
const MAX_NAME: usize = 80;

#[derive(Debug)]
pub(super) struct Line(Map<String, Value>);

impl Line {
    /// Creates a line of a type: `work`, `knowledge`, `outcome`, `tool` or `route`.
    pub(super) fn new(of: &str) -> Self {
        Self(Map::from_iter([("type".to_owned(), of.into())]))
    }

    pub(super) fn work(kind: &str, id: impl Into<String>) -> Self {
        Self::new("work").with("id", id.into()).with("kind", kind)
    }

    pub(super) fn knowledge(kind: &str, id: impl Into<String>) -> Self {
        Self::new("knowledge").with("id", id.into()).with("kind", kind)
    }

    /// Sets a field. An empty list, text or `null` is omitted.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        match value.into() {
            Value::Null => {}
            Value::Array(items) if items.is_empty() => {}
            Value::String(text) if text.is_empty() => {}
            value => drop(self.0.insert(key.to_owned(), value)),
        }
        self
    }

    pub(super) fn at(self, key: &str, at: Option<Timestamp>) -> Self {
        self.with(key, at.map(|at| at.to_string()))
    }

    /// Sets the steps of a work item, each with its time.
    pub(super) fn steps(self, steps: Vec<(String, Timestamp)>) -> Self {
        let step = |(text, at): (String, Timestamp)| json!({"text": text, "at": at.to_string()});
        self.with("steps", steps.into_iter().map(step).collect::<Vec<_>>())
    }
}

/// The result of mapping a row.
#[derive(Debug)]
pub(super) enum Mapped {
    Line(Line),
    /// The record cannot be imported. Contains the name under which it is counted.
    Left(String),
    /// The record has an unknown version. Contains the difference.
    Refused(String),
}

/// Receives the lines, and counts data that cannot be imported.
pub(super) struct Sink<'a> {
    into: &'a mut dyn FnMut(&str) -> io::Result<Kept>,
    path: PathBuf,
    lines: u64,
    bytes: u64,
    taken: Taken,
}

impl<'a> Sink<'a> {
    pub(super) fn new(into: &'a mut dyn FnMut(&str) -> io::Result<Kept>, path: &Path) -> Self {
        Self { into, path: path.to_path_buf(), lines: 0, bytes: 0, taken: Taken::default() }
    }

    /// Records the file or folder that contains the data.
    pub(super) fn reads(&mut self, place: &Path) {
        self.path = place.to_path_buf();
        self.taken.read = Some(place.to_path_buf());
    }

    /// Counts data that cannot be imported.
    pub(super) fn leave(&mut self, name: &str, count: u64) {
        let name: String = without_secrets(name).chars().take(MAX_NAME).collect();
        let full = self.taken.left.len() >= MAX_NAMES && !self.taken.left.contains_key(&name);
        let name = if full { "other".to_owned() } else { name };
        *self.taken.left.entry(name).or_default() += count;
    }

    /// Counts a record, imported or not.
    pub(super) fn count(&mut self) -> Result<(), ReadError> {
        self.expect(1)?;
        self.lines += 1;
        Ok(())
    }

    /// Errors if `records` more records would exceed the limit.
    pub(super) fn expect(&self, records: u64) -> Result<(), ReadError> {
        if self.lines + records > MAX_RECORDS {
            let what = format!("contains more than {MAX_RECORDS} records; import a part of them");
            return Err(ReadError::refused(&self.path, what));
        }
        Ok(())
    }

    /// Writes the line of a row, and counts the fields that the mapping did not use.
    pub(super) fn put(&mut self, row: &Row, mapped: Mapped) -> Result<(), ReadError> {
        self.count()?;
        let mut line = match mapped {
            Mapped::Line(line) => line.0,
            Mapped::Left(name) => {
                self.leave(&name, 1);
                return Ok(());
            }
            Mapped::Refused(what) => return Err(ReadError::refused(&self.path, what)),
        };
        let mut redacted = false;
        for (key, value) in &mut line {
            if !NAMES.contains(&key.as_str()) {
                redacted |= redact(value, IDS.contains(&key.as_str()));
            }
        }
        let line = Value::Object(line).to_string();
        self.bytes += line.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(ReadError::refused(&self.path, "larger than 4 GiB; import a part of it"));
        }
        let kept = (self.into)(&line).map_err(|error| {
            let what = format!("cannot write a temporary file: {}", error.kind());
            ReadError { message: what, is_refused: false }
        })?;
        match kept {
            Kept::Yes => {}
            Kept::Instead => self.leave(&format!("{} that a later one replaces", row.what), 1),
            Kept::No => {
                self.leave(&format!("{} that cannot be kept", row.what), 1);
                return Ok(());
            }
        }
        self.taken.redacted += u64::from(redacted);
        for name in row.remaining() {
            self.leave(&name, 1);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Taken, ReadError> {
        if self.lines == 0 {
            return Err(ReadError::refused(&self.path, "contains no record"));
        }
        Ok(self.taken)
    }
}

/// Replaces secrets in all texts of a value. Returns true if there were any. In a field of ids, a single word is kept,
/// because an id may look like a token.
fn redact(value: &mut Value, is_id: bool) -> bool {
    let all = |any, it| redact(it, is_id) | any;
    let text = match value {
        Value::Array(items) => return items.iter_mut().fold(false, all),
        Value::Object(fields) => return fields.values_mut().fold(false, all),
        Value::String(text) if is_id && !text.contains([':', '=', '@', ' ']) => return false,
        Value::String(text) => text,
        _ => return false,
    };
    let safe = without_secrets(text);
    let found = safe != text.as_str();
    if found {
        *text = safe.into_owned();
    }
    found
}

/// A text that is built from several paragraphs.
#[derive(Debug, Default)]
pub(super) struct Parts(String);

impl Parts {
    pub(super) fn add(mut self, text: Option<String>) -> Self {
        if let Some(text) = text {
            if !self.0.is_empty() {
                self.0.push_str("\n\n");
            }
            self.0.push_str(&text);
        }
        self
    }

    /// Adds a paragraph of the form `NAME: text`.
    pub(super) fn named(self, name: &str, text: Option<String>) -> Self {
        self.add(text.map(|text| format!("{name}: {text}")))
    }

    pub(super) fn list(self, items: &[String]) -> Self {
        let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
        self.add((!lines.is_empty()).then(|| lines.join("\n")))
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}
