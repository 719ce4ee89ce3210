//! Temporal markers: words that were true at the time of writing.
//!
//! They are words for plans (`planned`, `TODO`, `upcoming`, `will be`), words for the present (`current`, `now`,
//! `latest`), version numbers, and dates (months, quarters, years). Most paragraphs contain a number, a `may` or a
//! `current` that says nothing about time. To keep reports useful, a word counts only if its neighbours do not suggest
//! another meaning.
//!
//! The search is one pass over the bytes: a word with a suitable first letter is a candidate, and the words around it
//! decide. The work per candidate is bounded, so the time is linear in the length of the text.

mod date;
mod lists;
mod neighbours;
mod phrase;
mod version;

use std::ops::Range;

use neighbours::Place;

use super::{Evidence, Fact};

/// The maximum number of markers that [`Evidence::of_markers`] reports per text.
const MAX_EVIDENCE: usize = 16;

/// The kinds of temporal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkerSort {
    /// A plan: `planned`, `TODO`, `upcoming`, `will be`.
    Plan,
    /// The present: `current`, `now`, `latest`.
    Present,
    /// A version number.
    Version,
    /// A date: a day, a month, a quarter or a year.
    Date,
}

/// A temporal word in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The position of the word in the text, in bytes.
    pub span: Range<usize>,
    /// The kind of marker.
    pub sort: MarkerSort,
}

impl Marker {
    /// Returns the temporal words in prose, in text order and without overlaps. Code and front matter must have been
    /// removed. Words inside URLs do not count.
    pub fn all(prose: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let all = 0..prose.len();
        Self::among(prose, all.clone(), |_| Some(all.clone()), |marker| found.push(marker));
        found
    }

    /// Reports the temporal words in the prose within `part` of a text. `prose_at(n)` returns the first piece of prose
    /// that ends after byte `n`, or `None`; it is called with ascending positions. Each piece is read on its own and
    /// must not begin or end within a word. Spans are relative to the whole text.
    ///
    /// # Panics
    /// If a piece is out of range or splits a character.
    pub fn among(
        text: &str,
        part: Range<usize>,
        mut prose_at: impl FnMut(usize) -> Option<Range<usize>>,
        mut found: impl FnMut(Self),
    ) {
        let bytes = text.as_bytes();
        let mut piece = 0..0;
        // Bytes before this position belong to a URL or to a marker that was already found.
        let mut after = 0;
        let mut token = 0..0;
        for at in part {
            let inner = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
            if at < after || inner || !may_begin(bytes[at]) {
                continue;
            }
            if at >= piece.end {
                let Some(next) = prose_at(at) else { return };
                (after, token, piece) = (next.start, next.start..next.start, next);
            }
            if at < after {
                continue;
            }
            let place = Place { text: &text[piece.clone()], at: at - piece.start };
            let Some((end, sort)) = marker_at(&place) else { continue };
            let end = piece.start + end;
            // Examine each token only once, so that a long token does not make the time quadratic.
            if at >= token.end {
                let around = place.token(token.end - piece.start);
                token = piece.start + around.start..piece.start + around.end;
                if is_url(&text[token.clone()]) {
                    after = token.end;
                }
            }
            if at >= after {
                found(Self { span: at..end, sort });
                after = end;
            }
        }
    }
}

impl Evidence {
    /// Returns the temporal words in an item's text as evidence: at most 16, each spelling once. Code in backticks does
    /// not count.
    pub fn of_markers(body: &str) -> Vec<Self> {
        let mut words: Vec<&str> = Vec::new();
        for piece in outside_code(body) {
            for marker in Marker::all(piece) {
                let word = &piece[marker.span];
                if !words.contains(&word) {
                    words.push(word);
                }
                if words.len() == MAX_EVIDENCE {
                    return as_evidence(&words);
                }
            }
        }
        as_evidence(&words)
    }
}

/// Returns true for bytes that can begin a word that [`marker_at`] matches.
const fn may_begin(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'0'..=b'9' | b'c' | b'l'..=b'n' | b'p' | b'q' | b'u'..=b'w' | b'y')
        || matches!(byte, b'A' | b'D' | b'F' | b'J' | b'O' | b'S' | b'T')
}

/// Returns the end and the kind of the marker that begins at a place. `None` if no marker does.
fn marker_at(place: &Place<'_>) -> Option<(usize, MarkerSort)> {
    if place.is_inside_word() {
        return None;
    }
    let date = |end| (end, MarkerSort::Date);
    let version = || version::version(place).map(|end| (end, MarkerSort::Version));
    match place.byte(place.at) {
        // A number with dots is not a year, and one without is not a version.
        b'0'..=b'9' if place.is_number_with_dots() => version(),
        b'0'..=b'9' => date::year(place).map(date),
        b'v' | b'V' => version(),
        b'Q' if matches!(place.byte(place.at + 1), b'1'..=b'4') => date::quarter(place).map(date),
        _ => phrase::word(place)
            .or_else(|| date::month(place).or_else(|| date::period(place)).map(date)),
    }
}

fn is_url(token: &str) -> bool {
    token.contains("://") || token.contains("www.") || token.contains("mailto:")
}

fn as_evidence(words: &[&str]) -> Vec<Evidence> {
    words.iter().map(|word| Fact::TemporalMarker { word: (*word).to_owned() }.into()).collect()
}

/// Returns the pieces of a text outside backticks. A run of backticks closes at the next run of the same
/// length (CommonMark 0.31, section 6.1), fences included. An unclosed run is text.
fn outside_code(body: &str) -> Vec<&str> {
    if !body.as_bytes().contains(&b'`') {
        return vec![body];
    }
    let runs = backticks(body);
    // The index of the next run of the same length for each run, found in one backward pass.
    let mut next_of = std::collections::HashMap::new();
    let mut closes = vec![None; runs.len()];
    for (at, run) in runs.iter().enumerate().rev() {
        closes[at] = next_of.insert(run.len(), at);
    }
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(run) = runs.get(at) {
        at += 1;
        if let Some(close) = closes[at - 1] {
            pieces.push(&body[from..run.start]);
            from = runs[close].end;
            at = close + 1;
        }
    }
    pieces.push(&body[from..]);
    pieces
}

fn backticks(body: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in body.bytes().enumerate().filter(|(_, byte)| *byte == b'`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::neighbours::LOOKED;
    use super::*;

    /// The bytes read around candidates grow linearly with the text, for any number of candidates and any token
    /// length.
    #[test]
    fn trap_no_text_makes_the_search_quadratic() {
        let pieces = [
            "1.2.",
            "now",
            "now,",
            "v1.2.3,",
            "Q3 ",
            "2024-",
            "will ",
            "will be added in ",
            "May ",
        ];
        for piece in pieces.iter().chain(&["a://now,", "we now ", "  now", "in 2024\n", "7"]) {
            let looked = |length: usize| {
                let text = piece.repeat(length / piece.len());
                LOOKED.set(0);
                let _ = Marker::all(&text);
                LOOKED.get()
            };
            let (one, eight) = (looked(1 << 13), looked(1 << 16));
            assert!(eight <= 9 * one + 64, "{piece}: {one} and {eight}");
        }
    }
}
