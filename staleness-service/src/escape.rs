//! Escapes untrusted text for one line of terminal output.

use std::borrow::Cow;
use std::fmt::Write;

pub use staleness_core::text::is_unsafe;

/// Escapes control characters, invisible characters, and characters that reorder text. Also escapes a leading `::`, and
/// `##[` anywhere, which GitHub Actions would treat as commands.
pub fn escape(text: &str) -> Cow<'_, str> {
    let safe = match text.trim_start().strip_prefix("::") {
        Some(rest) => format!("\\u{{3a}}:{}", escape_if(rest, is_unsafe)).into(),
        None => escape_if(text, is_unsafe),
    };
    if safe.contains("##[") { safe.replace("##[", "\\u{23}#[").into() } else { safe }
}

/// Like [`escape`], but keeps newlines and tabs.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_if(text, |c| is_unsafe(c) && !matches!(c, '\n' | '\t'))
}

fn escape_if(text: &str, is_unsafe: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_unsafe) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidirectional_characters_are_shown_as_escapes() {
        assert_eq!(escape("plain é \u{1f680}"), "plain é \u{1f680}");
        assert_eq!(escape("a\nb"), "a\\u{a}b");
        assert_eq!(escape("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(escape("a\u{202e}b\r"), "a\\u{202e}b\\u{d}");
        assert_eq!(escape(" ::error::a\n"), "\\u{3a}:error::a\\u{a}");
        assert_eq!(escape("a::b"), "a::b");
        assert_eq!(escape("# a ##[error]b"), "# a \\u{23}#[error]b");
    }

    #[test]
    fn a_text_keeps_its_lines_and_nothing_else_that_is_unsafe() {
        assert_eq!(escape_lines("a\n\tb\u{1b}[31m\r"), "a\n\tb\\u{1b}[31m\\u{d}");
    }

    #[test]
    fn nothing_invisible_passes() {
        for c in ['\u{ad}', '\u{34f}', '\u{180e}', '\u{200d}', '\u{3164}', '\u{fe0f}', '\u{e0041}']
        {
            assert_eq!(escape(&format!("a{c}")), format!("a\\u{{{:x}}}", u32::from(c)));
        }
    }
}
