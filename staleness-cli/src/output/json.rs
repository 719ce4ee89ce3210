//! JSON output that is safe for a terminal.

use serde::Serialize;
use staleness_service::is_unsafe;

/// Returns a value as indented JSON, with control and invisible characters escaped. Parsing gives the original text.
pub(super) fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len());
    for c in plain.chars() {
        // Line ends in strings are already escaped.
        if c == '\n' || !is_unsafe(c) {
            text.push(c);
        } else {
            text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    Ok(text)
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
        let text = text(&value).unwrap();
        assert!(!text.contains(|c| is_unsafe(c) && c != '\n'), "{text:?}");
        assert!(text.contains("plain é \u{1f680}") && text.contains("\\udb40\\udc41"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let plain = json!({ "a": [1, { "b": "c" }], "d": {} });
        assert_eq!(super::text(&plain).unwrap(), serde_json::to_string_pretty(&plain).unwrap());
    }
}
