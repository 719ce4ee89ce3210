//! JSON output that is safe for a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use staleness_service::is_unsafe;

/// Writes a value as indented JSON.
pub(super) fn write(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(to, Shown(PrettyFormatter::new()));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// The usual pretty format, with control and invisible characters escaped. Parsing gives the original text.
struct Shown<'a>(PrettyFormatter<'a>);

impl Formatter for Shown<'_> {
    fn write_string_fragment<W>(&mut self, to: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        if rest.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return to.write_all(rest.as_bytes());
        }
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_unsafe(*c)) {
            to.write_all(&rest.as_bytes()[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        to.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_array(to)
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_array(to)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(to, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_array_value(to)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_object(to)
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_object(to)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(to, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_object_value(to)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_object_value(to)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_an_escape_and_the_value_stays() {
        let texts =
            ["plain é \u{1f680}", "\u{202e}a\u{9b}2J\u{7f}", "\u{1b}[31m\n\"\\", "\u{e0041}"];
        let value = json!({ "a": texts, "b\u{2066}": [{}, [], null, 0.5] });
        let mut bytes = Vec::new();
        write(&mut bytes, &value).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(|c| is_unsafe(c) && c != '\n'), "{text:?}");
        assert!(text.contains("plain é \u{1f680}") && text.contains("\\udb40\\udc41"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let plain = json!({ "a": [1, { "b": "c" }], "d": {} });
        let mut bytes = Vec::new();
        write(&mut bytes, &plain).unwrap();
        assert_eq!(bytes, serde_json::to_vec_pretty(&plain).unwrap());
    }
}
