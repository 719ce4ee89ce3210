//! JSON as clients write it: with comments, trailing commas and duplicate keys, of which the last
//! one counts.
//!
//! The parser gives up at a depth of 512, so nesting cannot exhaust the stack. Its other liberties
//! (missing commas, bare words) are switched off: with them a half-written file looks whole. Its
//! messages are not used, since some of them quote the file.

use std::collections::HashSet;
use std::path::Path;

use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};

use crate::text::{Content, Liberties, line_at};
use staleness_docs::disk::shown;

pub(crate) use jsonc_parser::ast::{Object, Value};

pub(crate) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The line in which something is wrong, from 1, and what it is.
pub(crate) type Fault = (usize, &'static str);

pub(crate) fn parse(text: &str) -> Result<Value<'_>, Fault> {
    match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(result) => result.value.ok_or((1, "is empty")),
        Err(error) => Err(fault_of(text, &error)),
    }
}

/// An error of the parser or of its scanner.
pub(crate) fn fault_of(text: &str, error: &ParseError) -> Fault {
    let what = match error.kind() {
        ParseErrorKind::NestingDepthExceeded => "is nested too deeply",
        ParseErrorKind::UnterminatedArray
        | ParseErrorKind::UnterminatedObject
        | ParseErrorKind::UnterminatedCommentBlock => "ends too early",
        _ => "is not valid JSON",
    };
    (line_at(text, error.range().start), what)
}

/// A configuration file whose top level is an object.
#[derive(Debug)]
pub(crate) enum JsonFile<'t> {
    /// It does not exist.
    Missing,
    /// It cannot be used, and why.
    Failed(String),
    /// It could be read.
    Read(JsonText<'t>),
}

impl<'t> JsonFile<'t> {
    /// Parses what was read from `path`.
    pub(crate) fn of(path: &'t Path, content: &'t Content) -> Self {
        let (text, liberties) = match content {
            Content::Missing => return Self::Missing,
            Content::Failed(why) => return Self::Failed(why.clone()),
            Content::Text(text, liberties) => (text.as_str(), *liberties),
        };
        match parse(text) {
            Ok(Value::Object(root)) => Self::Read(JsonText { path, text, root, liberties }),
            Ok(other) => Self::Failed(format!(
                "{}:{}: is not a JSON object",
                shown(path),
                line_at(text, start(&other))
            )),
            Err((line, what)) => Self::Failed(format!("{}:{line}: {what}", shown(path))),
        }
    }
}

/// A configuration file that was read.
#[derive(Debug)]
pub(crate) struct JsonText<'t> {
    pub(crate) path: &'t Path,
    pub(crate) text: &'t str,
    pub(crate) root: Object<'t>,
    pub(crate) liberties: Liberties,
}

impl JsonText<'_> {
    /// `FILE:LINE: what` for a place in this file.
    pub(crate) fn fault(&self, offset: usize, what: &str) -> String {
        format!("{}:{}: {what}", shown(self.path), line_at(self.text, offset))
    }
}

/// Returns the offset at which a value begins, in bytes.
pub(crate) fn start(value: &Value<'_>) -> usize {
    value.range().start
}

/// One member of an object.
#[derive(Debug)]
pub(crate) struct Entry<'o, 't> {
    pub(crate) key: &'o str,
    /// Offset of the key, in bytes.
    pub(crate) at: usize,
    pub(crate) value: &'o Value<'t>,
}

/// The members of an object in order, of duplicates the last one.
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

/// The value of a member, of duplicates the last one; `null` is as good as absent.
pub(crate) fn get<'o, 't>(object: &'o Object<'t>, name: &str) -> Option<&'o Value<'t>> {
    object
        .properties
        .iter()
        .rev()
        .find(|member| key(member) == name)
        .map(|member| &member.value)
        .filter(|value| !matches!(value, Value::NullKeyword(_)))
}

/// The members of an object as a value.
pub(crate) fn members(object: &Object<'_>) -> serde_json::Map<String, serde_json::Value> {
    match Value::Object(object.clone()).into() {
        serde_json::Value::Object(members) => members,
        _ => serde_json::Map::new(),
    }
}

/// The text of a string member.
pub(crate) fn get_str<'o>(object: &'o Object<'_>, name: &str) -> Option<&'o str> {
    as_str(get(object, name)?)
}

/// The value of a Boolean member.
pub(crate) fn get_bool(object: &Object<'_>, name: &str) -> Option<bool> {
    get(object, name)?.as_boolean_lit().map(|node| node.value)
}

/// The text of a string.
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
            assert_eq!(parse(&text).map(|_| ()), Err((1, "is nested too deeply")));
        }
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(
            parse("{\n\"a\": 1,\n\"b\": oops\n}").map(|_| ()),
            Err((3, "is not valid JSON"))
        );
    }
}
