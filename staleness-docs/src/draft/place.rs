//! Places in a text.

use std::ops::Range;

/// Converts byte offsets to lines. This is fast if the offsets increase.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    /// A known offset and its line.
    known: (usize, u32),
    /// The start of a line, an offset in it, and the number of characters between them.
    column: (usize, usize, usize),
}

impl<'a> Lines<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, known: (0, 1), column: (0, 0, 0) }
    }

    /// Returns the line of the byte at `offset`, counted from 1.
    pub(crate) fn line(&mut self, offset: usize) -> u32 {
        let offset = offset.min(self.text.len());
        let (from, line) = self.known;
        let line = if offset >= from {
            line.saturating_add(breaks(&self.text.as_bytes()[from..offset]))
        } else {
            line.saturating_sub(breaks(&self.text.as_bytes()[offset..from]))
        };
        self.known = (offset, line);
        line
    }

    /// Returns the line and the column of the byte at `offset`, counted from 1. Columns count characters.
    pub(crate) fn place(&mut self, offset: usize) -> (u32, u32) {
        let line = self.line(offset);
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let (start, known, count) = self.column;
        // The text in between is scanned only once, even for many positions in one line.
        let between = self.text.get(known..offset).filter(|text| !text.contains('\n'));
        let (start, count) = match between {
            Some(text) => (start, count + text.chars().count()),
            None => {
                let before = &self.text[..offset];
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                (start, before[start..].chars().count())
            }
        };
        self.column = (start, offset, count);
        (line, u32::try_from(1 + count).unwrap_or(u32::MAX))
    }

    /// Returns the first and the last line of a range, without trailing white space.
    pub(crate) fn span(&mut self, range: &Range<usize>) -> (u32, u32) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let first = self.line(range.start);
        let last = self.line(range.start + text.trim_end().len());
        (first, last.max(first))
    }
}

/// Maximum length of the text that [`near`] returns, in bytes.
const MAX_NEAR: usize = 1_024;

/// Returns the text from an offset onward, truncated so that a text with many markers is not scanned in quadratic time.
pub(crate) fn near(text: &str, at: usize) -> &str {
    let end = (at..=text.len().min(at + MAX_NEAR)).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(at..end)).unwrap_or_default()
}

fn breaks(bytes: &[u8]) -> u32 {
    let count = bytes.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the beginning of a text on one line, at most 80 characters.
pub(crate) fn title<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 80;
    let mut out = String::new();
    let mut count = 0;
    let mut gap = false;
    for c in pieces.into_iter().flat_map(str::chars) {
        if c.is_whitespace() || c.is_control() {
            gap = count > 0;
            continue;
        }
        if count + usize::from(gap) + 1 > MOST {
            // The last character is the ellipsis.
            out.pop();
            out.push('…');
            break;
        }
        if gap {
            out.push(' ');
            count += 1;
            gap = false;
        }
        out.push(c);
        count += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted_from_one_in_characters() {
        let mut lines = Lines::new("aé b\r\ncd\n\nx");
        assert_eq!(lines.place(0), (1, 1));
        assert_eq!(lines.place(4), (1, 4));
        assert_eq!(lines.place(7), (2, 1));
        assert_eq!(lines.place(11), (4, 1));
        assert_eq!(lines.place(1), (1, 2));
        assert_eq!(lines.place(99), (4, 2));
        assert_eq!(lines.span(&(0..11)), (1, 2));
    }

    #[test]
    fn many_places_of_one_long_line_are_found_at_once() {
        let text = format!("x\n{}\ny", "é ".repeat(1_000_000));
        let mut lines = Lines::new(&text);
        for at in 0..1_000_000 {
            let column = u32::try_from(1 + 2 * at).unwrap();
            assert_eq!(lines.place(2 + 3 * at), (2, column));
        }
        assert_eq!(lines.place(text.len() - 1), (3, 1));
        assert_eq!(lines.place(2), (2, 1));
    }

    #[test]
    fn a_title_is_short_and_on_one_line() {
        assert_eq!(title([" a\n  b", "c "]), "a bc");
        let long = title(["x".repeat(200).as_str()]);
        assert_eq!((long.chars().count(), long.ends_with('…')), (80, true));
        assert_eq!(title(["x".repeat(80).as_str()]), "x".repeat(80));
        assert!(title(["é ".repeat(100).as_str()]).chars().count() <= 80);
    }
}
