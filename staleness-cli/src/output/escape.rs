//! Text of unknown origin, made safe for a line on a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Escapes what would end the line, move the cursor, colour the terminal, or reorder the line:
/// control characters, bidirectional controls, and invisible marks.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidirectional_characters_are_shown_as_escapes() {
        assert_eq!(escape("plain é \u{1f680}"), "plain é \u{1f680}");
        assert_eq!(escape("a\nb"), "a\\u{a}b");
        assert_eq!(escape("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(escape("a\u{202e}b\r"), "a\\u{202e}b\\u{d}");
    }
}
