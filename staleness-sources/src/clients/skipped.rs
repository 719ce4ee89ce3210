//! Decides which servers Claude Code skips in a file that it reads, by the kinds of an entry's members.
//!
//! Checked with `claude mcp list` of version 2.1.332. An empty `command` and a `timeout` that is no positive whole
//! number are not recognised, because their values are not kept.

use crate::json::{self, Object, Value};

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Texts,
    TextMap,
    Number,
    Switch,
}

/// Members of an entry that must have these kinds. The first one is required.
type Members = [(&'static str, Kind); 5];

const PROGRAM: Members = [
    ("command", Kind::Text),
    ("args", Kind::Texts),
    ("env", Kind::TextMap),
    ("timeout", Kind::Number),
    ("alwaysLoad", Kind::Switch),
];

const ADDRESS: Members = [
    ("url", Kind::Text),
    ("headers", Kind::TextMap),
    ("headersHelper", Kind::Text),
    ("timeout", Kind::Number),
    ("alwaysLoad", Kind::Switch),
];

impl Kind {
    fn fits(self, value: &Value<'_>) -> bool {
        let is_text = |value: &Value<'_>| matches!(value, Value::StringLit(_));
        match (self, value) {
            (Self::Text, value) => is_text(value),
            (Self::Texts, Value::Array(list)) => list.elements.iter().all(is_text),
            (Self::TextMap, Value::Object(map)) => {
                json::entries(map).iter().all(|entry| is_text(entry.value))
            }
            (Self::Number, Value::NumberLit(_)) | (Self::Switch, Value::BooleanLit(_)) => true,
            _ => false,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::TextMap => "an object of strings",
            Self::Number => "a number",
            Self::Switch => "true or false",
        }
    }
}

/// Returns the reason why the client skips a server, with the mend. Names no value.
pub(super) fn reason(server: &Object<'_>) -> Option<String> {
    let entries = json::entries(server);
    // Unlike other readers, the client does not take `null` for a missing member.
    let member = |key| entries.iter().find(|entry| entry.key == key).map(|entry| entry.value);
    let (members, has_type) = match member("type").map(json::as_str) {
        None => (PROGRAM, false),
        Some(Some("stdio")) => (PROGRAM, true),
        Some(Some("http" | "streamable-http" | "sse" | "ws")) => (ADDRESS, true),
        Some(_) => return Some("`type` is not `stdio`, `http`, `sse` or `ws`; correct it".into()),
    };
    let [(required, _), ..] = members;
    if member(required).is_none() {
        return Some(match member("url") {
            Some(_) if !has_type => "`url` needs a `type`; add `\"type\": \"http\"`".into(),
            _ => format!("`{required}` is missing; add it"),
        });
    }
    let (key, kind) =
        members.iter().find(|(key, kind)| member(key).is_some_and(|value| !kind.fits(value)))?;
    Some(format!("`{key}` is not {}; correct it", kind.words()))
}
