//! Parses JSON as written by clients: with comments, trailing commas and duplicate keys, of which the last one counts.
//!
//! The parser stops at a nesting depth of 512, so the stack cannot overflow. Its other extensions (missing commas,
//! bare words) are disabled, because they make a half-written file look complete. Its messages may quote the file
//! and are not used.

use std::collections::HashSet;
use std::path::Path;

use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ast, parse_to_ast};

use crate::text::{Content, Liberties, line_at};
use staleness_docs::JSONC_OPTIONS;
use staleness_docs::disk::shown;

pub(crate) use jsonc_parser::ast::{Object, Value};

/// The line of an error, from 1, and its description.
pub(crate) type Fault = (usize, &'static str);

pub(crate) fn parse(text: &str) -> Result<Value<'_>, Fault> {
    match parse_to_ast(text, &CollectOptions::default(), &JSONC_OPTIONS) {
        Ok(result) => result.value.ok_or((1, "the file is empty")),
        Err(error) => Err(fault_of(text, &error)),
    }
}

/// Converts an error of the parser or its scanner.
pub(crate) fn fault_of(text: &str, error: &ParseError) -> Fault {
    let what = match error.kind() {
        ParseErrorKind::NestingDepthExceeded => "nested too deeply",
        ParseErrorKind::UnterminatedArray
        | ParseErrorKind::UnterminatedObject
        | ParseErrorKind::UnterminatedCommentBlock => "unexpected end of file",
        _ => "not valid JSON",
    };
    (line_at(text, error.range().start), what)
}

/// The result of parsing a configuration file. The root must be an object.
#[derive(Debug)]
pub(crate) enum JsonFile<'t> {
    Missing,
    /// The file cannot be used. Contains the reason.
    Failed(String),
    Read(JsonText<'t>),
}

impl<'t> JsonFile<'t> {
    pub(crate) fn of(path: &'t Path, content: &'t Content) -> Self {
        let (text, liberties) = match content {
            Content::Missing => return Self::Missing,
            Content::Failed(why) => return Self::Failed(why.clone()),
            Content::Text(text, liberties) => (text.as_str(), *liberties),
        };
        match parse(text) {
            Ok(Value::Object(root)) => Self::Read(JsonText { path, text, root, liberties }),
            Ok(other) => Self::Failed(format!(
                "{}:{}: not a JSON object",
                shown(path),
                line_at(text, start(&other))
            )),
            Err((line, what)) => Self::Failed(format!("{}:{line}: {what}", shown(path))),
        }
    }

    /// Returns the parsed file, or `None` if it is missing or cannot be used. Passes the reason for the latter to
    /// `fault`.
    pub(crate) fn or_fault(self, fault: impl FnOnce(String)) -> Option<JsonText<'t>> {
        match self {
            Self::Missing => return None,
            Self::Read(file) => return Some(file),
            Self::Failed(why) => fault(why),
        }
        None
    }
}

/// A parsed configuration file.
#[derive(Debug)]
pub(crate) struct JsonText<'t> {
    pub(crate) path: &'t Path,
    pub(crate) text: &'t str,
    pub(crate) root: Object<'t>,
    pub(crate) liberties: Liberties,
}

impl JsonText<'_> {
    /// Formats `FILE:LINE: what` for a byte offset in this file.
    pub(crate) fn fault(&self, offset: usize, what: &str) -> String {
        format!("{}:{}: {what}", shown(self.path), line_at(self.text, offset))
    }
}

/// Returns the byte offset of a value's start.
pub(crate) fn start(value: &Value<'_>) -> usize {
    value.range().start
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Entry<'o, 't> {
    pub(crate) key: &'o str,
    /// Byte offset of the key.
    pub(crate) at: usize,
    pub(crate) value: &'o Value<'t>,
}

/// Returns an object's members in order. If a key is duplicated, the last member counts.
pub(crate) fn entries<'o, 't>(object: &'o Object<'t>) -> Vec<Entry<'o, 't>> {
    let mut seen = HashSet::with_capacity(object.properties.len());
    let mut list: Vec<_> = object
        .properties
        .iter()
        .rev()
        .map(|member| Entry { key: key(member), at: member.range.start, value: &member.value })
        .filter(|entry| seen.insert(entry.key))
        .collect();
    list.reverse();
    list
}

/// Returns a member's value, or `None` if it is absent or `null`. If a key is duplicated, the last member counts.
pub(crate) fn get<'o, 't>(object: &'o Object<'t>, name: &str) -> Option<&'o Value<'t>> {
    object
        .properties
        .iter()
        .rev()
        .find(|member| key(member) == name)
        .map(|member| &member.value)
        .filter(|value| !matches!(value, Value::NullKeyword(_)))
}

pub(crate) fn members(object: &Object<'_>) -> serde_json::Map<String, serde_json::Value> {
    match Value::Object(object.clone()).into() {
        serde_json::Value::Object(members) => members,
        _ => serde_json::Map::new(),
    }
}

pub(crate) fn get_str<'o>(object: &'o Object<'_>, name: &str) -> Option<&'o str> {
    as_str(get(object, name)?)
}

pub(crate) fn get_bool(object: &Object<'_>, name: &str) -> Option<bool> {
    get(object, name)?.as_boolean_lit().map(|node| node.value)
}

pub(crate) fn as_str<'o>(value: &'o Value<'_>) -> Option<&'o str> {
    value.as_string_lit().map(|node| &*node.value)
}

fn key<'o>(member: &'o ast::ObjectProp<'_>) -> &'o str {
    member.name.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_trailing_commas_and_duplicates_are_read() {
        let text = "// a\n{ \"a\": 1, /* b */ \"b\": {\"x\": null,}, \"a\": \"z\", }";
        let Ok(Value::Object(root)) = parse(text) else { panic!("not an object") };
        assert_eq!(get_str(&root, "a"), Some("z"));
        let keys: Vec<_> = entries(&root).iter().map(|entry| entry.key).collect();
        assert_eq!(keys, ["b", "a"]);
    }

    #[test]
    fn half_written_text_is_refused() {
        for text in [
            "{",
            "{\"a\": {\"b\": 1}",
            "{\"a\"",
            "{\"a\": \"b",
            "{\"a\": [1, 2",
            "{\"a\": 1 \"b\": 2}",
            "{a: 1}",
            "",
            "{} {}",
            "\0\0\0",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_depth_bomb_is_refused_in_linear_time() {
        for text in ["[".repeat(200_000), "{\"a\":".repeat(200_000)] {
            assert_eq!(parse(&text).map(|_| ()), Err((1, "nested too deeply")));
        }
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(parse("{\n\"a\": 1,\n\"b\": oops\n}").map(|_| ()), Err((3, "not valid JSON")));
    }
}
