//! Positions in a document, in the units of the protocol.

use serde::Deserialize;
use serde_json::{Value, json};

/// A position in a document: line and UTF-16 code unit, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Span {
    pub(super) start: Position,
    pub(super) end: Position,
}

impl Span {
    pub(super) fn json(self) -> Value {
        let at = |at: Position| json!({ "line": at.line, "character": at.character });
        json!({ "start": at(self.start), "end": at(self.end) })
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// Returns the position of a character. `line` and `column` are counted from 1. A column after the end of the line
/// means its end.
pub(super) fn position(lines: &[&str], line: u32, column: u32) -> Position {
    let text = lines.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
    let before = text.chars().take((column as usize).saturating_sub(1));
    let units: usize = before.map(char::len_utf16).sum();
    Position { line: line.saturating_sub(1), character: u32::try_from(units).unwrap_or(u32::MAX) }
}

/// Returns the length in characters of the word or link at a position.
pub(super) fn word(lines: &[&str], line: u32, column: u32) -> u32 {
    let text = lines.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
    let start = text.char_indices().nth((column as usize).saturating_sub(1));
    let rest = start.map_or("", |(at, _)| &text[at..]);
    let ends = |c: char| c.is_whitespace() || "`[)]\"'<>".contains(c);
    let is_link = rest.starts_with(['[', '!']);
    let target = rest.find("](").filter(|_| is_link);
    let link = target.and_then(|at| Some(at + rest[at..].find(')')? + 1));
    let from = usize::from(rest.starts_with('['));
    let word = || rest[from..].find(ends).map_or(rest.len(), |at| at + from);
    let end = link.unwrap_or_else(word);
    u32::try_from(rest[..end].chars().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_the_units_of_the_protocol() {
        let lines = ["a 😀 `src/a.rs` b", ""];
        let at = |line, character| Position { line, character };
        assert_eq!(position(&lines, 1, 6), at(0, 6));
        assert_eq!(word(&["[`f(x)`](a.rs) b"], 1, 1), 14);
        assert_eq!((word(&["[a](b c) d"], 1, 1), word(&lines, 1, 5)), (8, 0));
        assert_eq!((word(&lines, 1, 6), position(&lines, 1, u32::MAX)), (8, at(0, 17)));
        assert_eq!(
            (position(&lines, 2, 9), position(&lines, 7, 1), word(&lines, 7, 1)),
            (at(1, 0), at(6, 0), 0)
        );
    }
}
