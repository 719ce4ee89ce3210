//! Quotes of what a person typed.

use std::fmt;

use crate::escape::escape;

/// The longest quote, in characters.
const MAX_QUOTED: usize = 80;

/// The beginning of what a work item says, on one line, in double quotes, where a person typed it at a terminal.
/// Nothing in it ends the quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote(String);

impl Quote {
    /// Returns the quote; `None` where it is not known that a person typed the text.
    #[must_use]
    pub fn of(text: &str, by_person: bool) -> Option<Self> {
        if !by_person {
            return None;
        }
        let plain = |c: char| match c {
            '"' | '`' | '\u{ab}' | '\u{bb}' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}' => {
                '\''
            }
            '<' | '>' | '\\' => '/',
            c => c,
        };
        let line: String = escape(text).chars().map(plain).collect();
        let end = line.char_indices().nth(MAX_QUOTED).map_or(line.len(), |(end, _)| end);
        let cut = if end < line.len() { "…" } else { "" };
        Some(Self(format!("\"{}{cut}\"", &line[..end])))
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
