//! Quotes text that a person typed.

use std::fmt;

use crate::escape::escape;

/// Maximum length of a quote, in characters.
const MAX_QUOTED: usize = 80;

/// The beginning of a work item's text in double quotes, on one line. Only text that a person typed at a
/// terminal is quoted. Characters that could end the quote are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote(String);

impl Quote {
    /// Creates the quote, or returns `None` unless a person is known to have typed the text.
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
