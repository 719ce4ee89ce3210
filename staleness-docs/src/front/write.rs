//! Changes single fields in place.

use std::fmt::Write as _;

use staleness_core::time::Timestamp;

use super::Field;
use super::read::{Entry, Front, Style, Value, read};

/// A new field value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// A text on one line.
    Text(String),
    /// A list of words.
    Words(Vec<String>),
    /// A time. Written as a date without a time of day if the old value is such a date.
    Time(Timestamp),
    /// True or false.
    Flag(bool),
}

/// A field and its new value. `None` removes the field.
pub type Change = (Field, Option<FieldValue>);

/// The reason why front matter was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The front matter cannot be parsed.
    #[error("the file {0}")]
    Unreadable(&'static str),
    /// The field cannot be changed safely: it spans several lines, occurs twice, or uses YAML syntax that cannot be
    /// edited.
    #[error("`{key}` in line {line} {why}; edit it by hand")]
    Field {
        /// The key as written in the file.
        key: String,
        /// Line of the field, counted from 1.
        line: u32,
        /// The reason.
        why: &'static str,
    },
    /// The value contains control characters.
    #[error("a value for `{}` must be on one line", .0.names()[0])]
    Value(Field),
}

/// Changes single fields in the front matter of a text, under the names that the text uses. Everything else stays the
/// same, byte for byte. New fields are added at the end. If the text has no front matter, it is added.
///
/// # Errors
/// If a field cannot be changed safely. In that case no field is changed.
pub fn set_fields(text: &str, changes: &[Change]) -> Result<String, SetError> {
    let mut text = text.to_owned();
    for (field, value) in changes {
        text = set(&text, *field, value.as_ref())?;
    }
    Ok(text)
}

fn set(text: &str, field: Field, value: Option<&FieldValue>) -> Result<String, SetError> {
    if value.is_some_and(has_control) {
        return Err(SetError::Value(field));
    }
    let Some(front) = read(text).map_err(SetError::Unreadable)? else {
        return Ok(value.map_or_else(|| text.to_owned(), |value| begin(text, field, value)));
    };
    let old = front.get(field.names());
    let edited = match (old, value) {
        (None, None) => return Ok(text.to_owned()),
        (Some(entry), value) => {
            let refuse = |why| SetError::Field { key: entry.key.clone(), line: entry.line, why };
            if let Some(why) = obstacle(&front, field, entry, &text[entry.place.clone()]) {
                return Err(refuse(why));
            }
            let edited = match value {
                None => splice(text, entry.lines.clone(), ""),
                Some(value) => {
                    let old = &text[entry.place.clone()];
                    let gap = if old.is_empty() { gap(text, entry) } else { "" };
                    let written = format!("{gap}{}", written(value, front.style, Some(old)));
                    splice(text, entry.place.clone(), &written)
                }
            };
            if !holds(&front, &edited, field, value) {
                return Err(refuse("cannot be changed without changing another field"));
            }
            return Ok(edited);
        }
        (None, Some(value)) => {
            let line = line(field, value, front.style, line_end(text));
            // In TOML, a field after a table header would belong to the table.
            let at = match front.style {
                Style::Yaml => front.end,
                Style::Toml => front.entries.last().map_or_else(
                    || text.find('\n').map_or(text.len(), |at| at + 1),
                    |entry| entry.lines.end,
                ),
            };
            splice(text, at..at, &line)
        }
    };
    if holds(&front, &edited, field, value) {
        Ok(edited)
    } else {
        let why = "cannot be added without changing another field";
        Err(SetError::Field { key: field.names()[0].to_owned(), line: 1, why })
    }
}

/// Returns the reason why a field cannot be changed, if any.
fn obstacle(front: &Front, field: Field, entry: &Entry, old: &str) -> Option<&'static str> {
    if front.named(field.names()).count() > 1 {
        return Some("appears twice");
    }
    if !entry.one_line {
        return Some("spans several lines");
    }
    if front.style == Style::Yaml && old.starts_with(['&', '*', '!', '|', '>', '@', '%', '`']) {
        return Some("uses YAML syntax that cannot be edited safely");
    }
    (entry.value == Value::Other).then_some("is not a single value")
}

/// Returns true if the edit changed no other field.
fn holds(before: &Front, edited: &str, field: Field, value: Option<&FieldValue>) -> bool {
    let Ok(Some(after)) = read(edited) else {
        return false;
    };
    let others = |front: &Front| {
        let is_other = |entry: &&Entry| Field::of_key(&entry.key) != Some(field);
        front
            .entries
            .iter()
            .filter(is_other)
            .map(|entry| (entry.key.clone(), entry.value.clone()))
            .collect::<Vec<_>>()
    };
    let found = after.get(field.names()).map(|entry| &entry.value);
    let set = match (value, found) {
        (None, found) => found.is_none(),
        (Some(FieldValue::Words(words)), Some(Value::List(found))) => words == found,
        (Some(value), Some(Value::Text(found))) => says(found, value),
        _ => false,
    };
    set && others(before) == others(&after)
}

/// Returns true if a parsed text is equal to this value.
fn says(text: &str, value: &FieldValue) -> bool {
    match value {
        FieldValue::Text(wanted) => text.trim() == wanted.trim(),
        FieldValue::Flag(flag) => text == flag.to_string(),
        FieldValue::Time(at) => {
            let moment = at.to_string();
            text == moment || moment.split('T').next() == Some(text)
        }
        FieldValue::Words(_) => false,
    }
}

fn splice(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// Returns a space if the key has none before its value.
fn gap<'a>(text: &str, entry: &Entry) -> &'a str {
    if text[..entry.place.start].ends_with([' ', '\t']) { "" } else { " " }
}

fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn line(field: Field, value: &FieldValue, style: Style, end: &str) -> String {
    let sign = match style {
        Style::Yaml => ":",
        Style::Toml => " =",
    };
    format!("{}{sign} {}{end}", field.names()[0], written(value, style, None))
}

/// Returns the text with new front matter that contains only this field.
fn begin(text: &str, field: Field, value: &FieldValue) -> String {
    let end = line_end(text);
    let line = line(field, value, Style::Yaml, end);
    let body = text.trim_start_matches('\u{feff}');
    let mark = &text[..text.len() - body.len()];
    format!("{mark}---{end}{line}---{end}{end}{body}")
}

fn has_control(value: &FieldValue) -> bool {
    match value {
        FieldValue::Text(text) => text.chars().any(char::is_control),
        FieldValue::Words(words) => {
            words.iter().flat_map(|word| word.chars()).any(char::is_control)
        }
        _ => false,
    }
}

/// Formats the value, with the quotes of the old one.
fn written(value: &FieldValue, style: Style, old: Option<&str>) -> String {
    let quote = old.and_then(|old| old.chars().next()).filter(|c| matches!(c, '"' | '\''));
    match value {
        FieldValue::Flag(flag) => in_quotes(&flag.to_string(), quote),
        FieldValue::Time(at) => {
            let was_day =
                old.is_some_and(|old| old.trim_matches(['"', '\'']).len() == "2026-10-01".len());
            let text = at.to_string();
            let is_day = at.as_millis().rem_euclid(Timestamp::DAY) == 0;
            let day = text.split('T').next().filter(|_| was_day || old.is_none() && is_day);
            in_quotes(day.unwrap_or(&text), quote)
        }
        FieldValue::Text(text) => scalar(text.trim(), style, quote),
        FieldValue::Words(words) => {
            let words: Vec<_> = words.iter().map(|word| scalar(word, style, None)).collect();
            format!("[{}]", words.join(", "))
        }
    }
}

fn in_quotes(text: &str, quote: Option<char>) -> String {
    quote.map_or_else(|| text.to_owned(), |quote| format!("{quote}{text}{quote}"))
}

fn scalar(text: &str, style: Style, quote: Option<char>) -> String {
    if quote == Some('\'') && !text.contains('\'') {
        return format!("'{text}'");
    }
    if quote.is_none() && style == Style::Yaml && is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        let _ = out.write_char(c);
    }
    out.push('"');
    out
}

/// Returns true if the text needs no quotes in YAML.
fn is_plain(text: &str) -> bool {
    const MEANT: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "none", ""];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !MEANT.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> FieldValue {
        FieldValue::Time(text.parse().unwrap())
    }

    #[test]
    fn a_field_is_changed_under_the_name_that_the_file_uses() {
        let text = "---\n# who\ntype: 'todo'  # why\nstale_after: 2026-01-01\nLast-Recalled:\nx: &a [1]\n---\nBody: x\n";
        let changes = [
            (Field::Kind, Some(FieldValue::Text("knowledge".into()))),
            (Field::Expires, Some(at("2027-02-03T00:00:00Z"))),
            (Field::LastRecalled, Some(at("2027-02-03T04:05:06Z"))),
            (Field::Evergreen, Some(FieldValue::Flag(true))),
        ];
        assert_eq!(
            set_fields(text, &changes).unwrap(),
            "---\n# who\ntype: 'knowledge'  # why\nstale_after: 2027-02-03\nLast-Recalled: 2027-02-03T04:05:06Z\nx: &a [1]\nevergreen: true\n---\nBody: x\n"
        );
    }

    #[test]
    fn toml_and_no_front_matter_are_written_too() {
        let toml = "+++\r\nid = \"a\"\r\n[extra]\r\nid = 1\r\n+++\r\n";
        let changes = [
            (Field::Id, Some(FieldValue::Text("b\"c".into()))),
            (Field::Keywords, Some(FieldValue::Words(vec!["x".into(), "y z".into()]))),
        ];
        assert_eq!(
            set_fields(toml, &changes).unwrap(),
            "+++\r\nid = \"b\\\"c\"\r\nkeywords = [\"x\", \"y z\"]\r\n[extra]\r\nid = 1\r\n+++\r\n"
        );
        let changes = [(Field::Verified, Some(at("2026-10-01T00:00:00Z")))];
        assert_eq!(
            set_fields("# T\n", &changes).unwrap(),
            "---\nverified: 2026-10-01\n---\n\n# T\n"
        );
        assert_eq!(set_fields("# T\n", &[(Field::Due, None)]).unwrap(), "# T\n");
        assert_eq!(
            set_fields("+++\nverified =# T\n+++\n", &changes).unwrap(),
            "+++\nverified = 2026-10-01T00:00:00Z# T\n+++\n"
        );
        let text = "---\na: 1\ndue: x\n---\n";
        assert_eq!(set_fields(text, &[(Field::Due, None)]).unwrap(), "---\na: 1\n---\n");
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused() {
        for yaml in [
            "keywords:\n  - a\n  - b",
            "id: >\n  a",
            "id: *x",
            "id: a\nid: b",
            "id: {a: b}",
            "id: \"a\n  b\"",
        ] {
            let text = format!("---\n{yaml}\n---\n");
            let field = if yaml.starts_with('k') { Field::Keywords } else { Field::Id };
            let value = Some(FieldValue::Text("z".into()));
            assert!(set_fields(&text, &[(field, value)]).is_err(), "{yaml}");
        }
        let value = Some(FieldValue::Text("a\nb".into()));
        assert_eq!(set_fields("", &[(Field::Id, value)]), Err(SetError::Value(Field::Id)));
    }

    proptest! {
        #[test]
        fn nothing_else_is_touched(
            before in "([a-z]{1,6}: [a-z0-9\"'#\\[\\], ]{0,12}\n|# [a-z]{0,5}\n|\n){0,5}",
            after in "([f-h]{3,6}: [a-z0-9 ]{0,12}\n){0,3}",
            body in "(?s).{0,60}",
            value in "[ -~é]{1,20}",
        ) {
            let text = format!("---\n{before}version_context: 1.0.0 # as of\n{after}---\n{body}");
            let change = (Field::VersionContext, Some(FieldValue::Text(value.clone())));
            if let Ok(edited) = set_fields(&text, std::slice::from_ref(&change)) {
                let head = format!("---\n{before}version_context: ");
                let tail = format!(" # as of\n{after}---\n{body}");
                prop_assert!(edited.starts_with(&head) && edited.ends_with(&tail), "{edited:?}");
                let front = read(&edited).unwrap().unwrap();
                let found = &front.get(Field::VersionContext.names()).unwrap().value;
                prop_assert_eq!(found, &Value::Text(value.trim().to_owned()));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,80}", lines in "([a-z]{1,3}[:=] ?[\\[\\]{}\"'#>|*&a-z, -]{0,9}\n){0,6}") {
            let _ = read(&text);
            for (open, close) in [("---", "---"), ("+++", "+++")] {
                let text = format!("{open}\n{lines}{close}\n{text}");
                let _ = read(&text).map(|front| front.map(|front| crate::front::fields(&front)));
                let _ = set_fields(&text, &[(Field::Id, Some(FieldValue::Text(lines.replace('\n', " "))))]);
            }
        }
    }
}
