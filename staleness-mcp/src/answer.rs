//! Tool results with limited size: structured content, and a short text with the same information.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};
use staleness_service::{ErrorKind, ServiceError, escape, escape_lines};

use crate::text::{MAX_MESSAGE, Message, Text, cut};

/// Maximum size of a result's rows as JSON, in bytes (about 1,000 tokens).
pub const MAX_ROWS_BYTES: usize = 4_000;
/// Maximum size of a result's text, in bytes (about 600 tokens).
pub const MAX_TEXT_BYTES: usize = 2_400;
/// Maximum size of a result's structured content, in bytes.
pub const MAX_DATA_BYTES: usize = 10_000;
/// Maximum number of citations or references to list per row.
pub(crate) const MAX_NAMED: usize = 10;

/// The result of a tool call.
pub(crate) struct Answer<T = Value> {
    /// Text for people, and for clients that only show text.
    pub text: Text,
    /// Structured data with the same information.
    pub data: T,
    /// A function to call when the result has been written to the client.
    pub delivered: Option<Box<dyn FnOnce() + Send>>,
}

impl<T: Serialize> Answer<T> {
    pub(crate) const fn new(text: Text, data: T) -> Self {
        Self { text, data, delivered: None }
    }

    /// Converts the data to JSON, without null fields.
    pub(crate) fn into_json(self) -> Answer {
        let mut data = serde_json::to_value(self.data).unwrap_or_default();
        drop_nulls(&mut data);
        Answer { text: self.text, data, delivered: self.delivered }
    }
}

impl Answer {
    /// Converts to the protocol's result. Strings in the data may come from untrusted files and people, so
    /// control and invisible characters are escaped.
    pub(crate) fn into_result(mut self) -> CallToolResult {
        clean(&mut self.data);
        bound(&mut self.data);
        let mut result =
            CallToolResult::success(vec![ContentBlock::text(fitting(self.text.as_str()))]);
        result.structured_content = Some(self.data);
        result
    }
}

/// The rows that fit in an answer, and the number of rows that do not.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    pub items: Vec<R>,
    pub lines: Vec<Text>,
    pub more: usize,
    /// The size of the rows: bytes of JSON, and bytes of text.
    pub bytes: (usize, usize),
}

impl<R: Serialize> Rows<R> {
    /// Adds rows from `all` while they fit, at most `limit`. Each row is an object and a line of text. The
    /// first row is always added.
    pub(crate) fn fit<T>(
        all: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        limit: usize,
        row: impl Fn(T) -> (R, Text),
    ) -> Self {
        Self::fit_beside((0, 0), all, limit, row)
    }

    /// Like [`Self::fit`], for rows that follow others of `taken` bytes of JSON and of text.
    pub(crate) fn fit_beside<T>(
        taken: (usize, usize),
        all: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        limit: usize,
        row: impl Fn(T) -> (R, Text),
    ) -> Self {
        let all = all.into_iter();
        let total = all.len();
        let mut rows = Self { items: Vec::new(), lines: Vec::new(), more: 0, bytes: (0, 0) };
        for each in all.take(limit) {
            let (item, line) = row(each);
            let mut shown = serde_json::to_value(&item).unwrap_or_default();
            drop_nulls(&mut shown);
            // The size includes the escapes.
            clean(&mut shown);
            let (bytes, text) =
                (rows.bytes.0 + shown.to_string().len(), rows.bytes.1 + line.len() + 1);
            let full = taken.0 + bytes > MAX_ROWS_BYTES || taken.1 + text > MAX_TEXT_BYTES - 200;
            if full && !rows.items.is_empty() {
                break;
            }
            rows.bytes = (bytes, text);
            rows.items.push(item);
            rows.lines.push(line);
        }
        rows.more = total - rows.items.len();
        rows
    }

    /// Returns `head` and the lines. If rows were omitted, adds their number and `how` to see them.
    pub(crate) fn text(&self, head: Text, how: Text) -> Text {
        let mut text = head;
        for line in &self.lines {
            if !text.is_empty() {
                text.push("\n");
            }
            text.push(line.clone());
        }
        if self.more > 0 {
            text = text.and("\n").and(self.more).and(" more; ").and(how);
        }
        text
    }
}

/// Escapes a text and truncates it to the maximum size.
fn fitting(text: &str) -> String {
    let text = escape_lines(text);
    if text.len() <= MAX_TEXT_BYTES {
        return text.into_owned();
    }
    let end = (0..=MAX_TEXT_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// Escapes every string in a value.
pub(crate) fn clean(value: &mut Value) {
    match value {
        Value::String(text) => {
            let safe = escape_lines(text);
            if let std::borrow::Cow::Owned(safe) = safe {
                *text = safe;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        _ => {}
    }
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(drop_nulls),
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        _ => {}
    }
}

/// Shortens strings and lists until the data fits, and adds a field that reports this.
fn bound(data: &mut Value) {
    for (chars, rows) in [(400, 20), (80, 10), (40, 3)] {
        if data.to_string().len() <= MAX_DATA_BYTES {
            return;
        }
        shorten(data, chars, rows);
        if let Value::Object(fields) = data {
            fields.insert("shortened".into(), true.into());
        }
    }
    if data.to_string().len() > MAX_DATA_BYTES {
        *data = json!({ "shortened": true });
    }
}

fn shorten(value: &mut Value, chars: usize, rows: usize) {
    match value {
        Value::String(text) => *text = cut(text, chars),
        Value::Array(values) => {
            values.truncate(rows);
            values.iter_mut().for_each(|each| shorten(each, chars, rows));
        }
        Value::Object(fields) => fields.values_mut().for_each(|each| shorten(each, chars, rows)),
        _ => {}
    }
}

/// Converts an error to a tool error with a next step for the model. Hints about command lines do not help a
/// model, so `next` replaces them.
pub(crate) fn refused(error: &ServiceError, next: &'static str) -> CallToolResult {
    let hint = error.hint.as_deref().filter(|hint| !hint.contains("--") && !hint.contains('`'));
    let (text, next) = match (hint, error.kind) {
        (Some(hint), _) if hint.starts_with("did you mean") => {
            (Text::new(Message(hint)).and(" Else ").and(next), format!("{hint} Else {next}"))
        }
        (Some(hint), _) => (Text::new(Message(hint)), hint.to_owned()),
        (None, ErrorKind::Cancelled) => plain("call it again later"),
        (None, ErrorKind::Store) => plain("ask the user to run `staleness doctor`"),
        (None, _) => plain(next),
    };
    let (message, next) =
        (cut(&escape(&error.message), MAX_MESSAGE), cut(&escape(&next), MAX_MESSAGE));
    // A message may repeat the caller's input and names of existing things, so it is quoted.
    let text = Text::new(Message(&error.message)).and(". Next: ").and(text);
    let mut result = CallToolResult::error(vec![ContentBlock::text(text.into_string())]);
    result.structured_content =
        Some(json!({ "error": { "kind": error.kind.as_str(), "message": message, "next": next } }));
    result
}

fn plain(next: &'static str) -> (Text, String) {
    (Text::new(next), next.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stop_at_the_budget_and_say_how_many_are_left() {
        let rows = Rows::fit(vec!["x".repeat(900); 20], 20, |each| (json!(each), Text::new("row")));
        assert_eq!((rows.items.len(), rows.more), (4, 16));
        assert!(
            rows.text(Text::new("head"), Text::new("ask for less"))
                .as_str()
                .ends_with("16 more; ask for less")
        );
        let one = Rows::fit(vec!["x".repeat(9_000)], 5, |each| (json!(each), Text::new("row")));
        assert_eq!((one.items.len(), one.more), (1, 0), "the first always fits");
    }

    #[test]
    fn hostile_text_reaches_nobody_raw() {
        let data = json!({ "a": ["\u{1b}[2J", { "b": "x\u{202e}y\nz" }] });
        let result = Answer::new(Text::new("\u{1b}]0;evil\u{7}"), data).into_result();
        let wire = serde_json::to_string(&result).unwrap();
        assert!(!wire.contains("\\u001b") && !wire.contains('\u{202e}'), "{wire}");
        assert!(wire.contains("\\\\u{1b}[2J"), "{wire}");
    }

    #[test]
    fn no_answer_is_larger_than_its_bound() {
        let long = json!({ "refs": vec!["x".repeat(500); 1_000], "text": "y".repeat(50_000) });
        let result =
            Answer::new(Text::default().and_lines(&"z".repeat(50_000)), long).into_result();
        let data = result.structured_content.clone().unwrap();
        assert_eq!(data["shortened"], true);
        assert!(data["refs"].as_array().is_some_and(|refs| !refs.is_empty()));
        assert!(
            serde_json::to_string(&result).unwrap().len() < MAX_DATA_BYTES + MAX_TEXT_BYTES + 200
        );
        // Escapes count towards the size.
        let hostile = vec!["\u{1b}".repeat(200); 100];
        let rows = Rows::fit(hostile, 100, |each| (json!(each), Text::new("row")));
        assert!(serde_json::to_string(&rows.items).unwrap().len() < MAX_ROWS_BYTES + 1_500);
    }

    #[test]
    fn an_error_says_what_to_do_next_without_a_command_line() {
        let error = ServiceError::new(ErrorKind::Unknown, "no tool named \"x\"");
        let cli = error.clone().hint("see `staleness tools list`");
        let shown = serde_json::to_string(&refused(&cli, "call discover_tools")).unwrap();
        assert!(shown.contains("Next: call discover_tools") && !shown.contains("tools list"));
        let near = refused(&error.hint("did you mean y?"), "call discover_tools");
        assert!(serde_json::to_string(&near).unwrap().contains("did you mean y? Else call"));
    }
}
