//! A word in code, and the lines around it.

use std::ops::Range;

/// Maximum number of bytes to read on either side of the word in its line.
const MAX_LINE: usize = 512;
/// Maximum number of bytes to read before the line.
const MAX_BACK: usize = 4_096;
/// Maximum length of a parameter list, in bytes.
const MAX_PARAMETERS: usize = 2_000;

/// A word in a text, and its line.
pub(super) struct Spot<'a> {
    text: &'a [u8],
    word: Range<usize>,
    line: Range<usize>,
    pub(super) before: &'a [u8],
    pub(super) after: &'a [u8],
}

impl<'a> Spot<'a> {
    pub(super) fn new(text: &'a [u8], word: &Range<usize>) -> Self {
        let from = word.start.saturating_sub(MAX_LINE);
        let start = text[from..word.start].iter().rposition(|byte| *byte == b'\n');
        let to = text.len().min(word.end + MAX_LINE);
        let end = text[word.end..to].iter().position(|byte| *byte == b'\n');
        let line = start.map_or(from, |at| from + at + 1)..end.map_or(to, |at| word.end + at);
        let (before, after) = (&text[line.start..word.start], &text[word.end..line.end]);
        Self {
            text,
            word: word.clone(),
            line,
            before: before.trim_ascii_start(),
            after: after.trim_ascii_end(),
        }
    }

    /// Returns true if the start of the line is too far away to read.
    pub(super) fn is_cut(&self) -> bool {
        self.line.start > 0 && self.text[self.line.start - 1] != b'\n'
    }

    /// Returns the line after this one, trimmed.
    pub(super) fn next(&self) -> &'a [u8] {
        let rest = self.text.get(self.line.end + 1..).unwrap_or_default();
        let rest = &rest[..rest.len().min(MAX_LINE)];
        rest.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii()
    }

    pub(super) fn depth(&self) -> usize {
        depth(&self.text[self.line.start..])
    }

    /// Returns the text after the word, across line ends.
    pub(super) fn wide(&self) -> &'a [u8] {
        let rest = &self.text[self.word.end..];
        rest[..rest.len().min(MAX_PARAMETERS)].trim_ascii_start()
    }

    /// Iterates over the lines before this one, nearest first.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &'a [u8]> {
        let to = self.line.start.saturating_sub(1);
        self.text[to.saturating_sub(MAX_BACK)..to].rsplit(|byte| *byte == b'\n')
    }
}

/// Returns the width of a line's indentation.
pub(super) fn depth(line: &[u8]) -> usize {
    line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Returns the end of the bracket with which the text begins.
pub(super) fn balanced(rest: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

pub(super) fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
