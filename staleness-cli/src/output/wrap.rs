//! Wraps and truncates text.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::escape;

/// Minimum line width, in columns.
const LEAST: usize = 20;

/// Wraps text to lines of at most `width` columns, breaking at spaces. Longer words are broken anywhere.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(LEAST);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let gap = usize::from(!line.is_empty());
        if line.width() + gap + word.width() <= width {
            if gap > 0 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if line.width() + c.width().unwrap_or(0) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line);
    lines
}

/// Wraps and escapes a text. If it takes several lines, each is marked, so that none can be mistaken for the program's
/// output below it.
pub(crate) fn wrap_all(text: &str, width: usize) -> Vec<String> {
    let lines = |width| text.lines().flat_map(move |line| wrap(&escape(line), width));
    match lines(width).nth(1) {
        Some(_) => lines(width.saturating_sub(2)).map(|line| format!("| {line}")).collect(),
        None => lines(width).collect(),
    }
}

/// Truncates text to `width` columns, with a mark if it was truncated.
pub(crate) fn fitting(text: &str, width: usize) -> String {
    let width = width.max(LEAST);
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_text_that_takes_several_are_marked() {
        assert_eq!(wrap_all("one line", 30), ["one line"]);
        assert_eq!(wrap_all("one\n  typed", 30), ["| one", "| typed"]);
        let wrapped = wrap_all("a line of the text    typed by a person", 20);
        assert!(
            wrapped.len() > 1 && wrapped.iter().all(|line| line.starts_with("| ")),
            "{wrapped:?}"
        );
    }

    #[test]
    fn lines_are_broken_at_spaces_and_never_wider() {
        assert_eq!(wrap("aaaa bbbb cccc dddd eeee", 10), ["aaaa bbbb cccc dddd", "eeee"]);
        for width in [0, 20, 33] {
            let text = format!("{} x {} 日本語日本語日本語日本語", "y".repeat(70), "z".repeat(19));
            let lines = wrap(&text, width);
            assert!(lines.iter().all(|line| line.width() <= width.max(LEAST)), "{lines:?}");
            let joined: String = lines.concat();
            assert_eq!(joined.replace(' ', ""), text.replace(' ', ""));
        }
        assert_eq!(wrap("a  b", usize::MAX), ["a  b"]);
    }

    #[test]
    fn what_does_not_fit_is_cut_with_a_mark() {
        assert_eq!(fitting("short", 20), "short");
        assert_eq!(fitting(&"x".repeat(30), 20), format!("{}…", "x".repeat(19)));
    }
}
