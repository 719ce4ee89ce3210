//! Temporal markers: words that were true at a time.
//!
//! Plans (`planned`, `TODO`, `upcoming`, `will be`), the present (`current`, `now`, `latest`), version
//! numbers, and dates (months, quarters, years). Most paragraphs hold a number, a `may` or a
//! `current` that says nothing about time, and a check that calls each of them temporal is one
//! that nobody reads; so a word counts only where its neighbours do not speak against it.
//!
//! One pass over the bytes: a word with the right first letter is a candidate, and the words around it decide. Work
//! per candidate is bounded, so the time is linear in the text whatever it holds.

mod date;
mod lists;
mod neighbours;
mod phrase;
mod version;

use std::ops::Range;

use neighbours::Place;

use super::{Evidence, Fact};

/// Markers that [`Evidence::of_markers`] reports of one text.
const MAX_EVIDENCE: usize = 16;

/// The sorts of temporal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkerSort {
    /// Something that is to come: `planned`, `TODO`, `upcoming`, `will be`.
    Plan,
    /// Something that holds at the time of writing: `current`, `now`, `latest`.
    Present,
    /// A version number.
    Version,
    /// A month, a quarter, a year or a day.
    Date,
}

/// A temporal word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Its place, in bytes of the text.
    pub span: Range<usize>,
    /// The sort of word it is.
    pub sort: MarkerSort,
}

impl Marker {
    /// The temporal words of prose, in the order of the text; they do not overlap. Code and front matter
    /// must be cut out; what belongs to a URL does not count.
    #[must_use]
    pub fn all(prose: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let all = 0..prose.len();
        Self::among(prose, all.clone(), |_| Some(all.clone()), |marker| found.push(marker));
        found
    }

    /// Reports the temporal words of the prose in a part of a text. `prose_at` returns the first piece of prose that ends
    /// behind a place, which may begin behind it too; places are asked for in order. Each piece is read as if it stood
    /// alone, but none begins or ends within a word. Spans are those of the whole text.
    ///
    /// # Panics
    /// When a piece does not lie in the text or cuts a character.
    pub fn among(
        text: &str,
        part: Range<usize>,
        mut prose_at: impl FnMut(usize) -> Option<Range<usize>>,
        mut found: impl FnMut(Self),
    ) {
        let bytes = text.as_bytes();
        let mut piece = 0..0;
        // What comes before is a part of a marker that was found, or of an address.
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
            // Each token is looked at once, so that one long token does not make the time quadratic.
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
    /// The temporal words of an item's own text as evidence: what stands in backticks is code and left
    /// out. At most 16 of them, each spelling once.
    #[must_use]
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

/// Returns true for the first letters of words that [`marker_at`] looks for.
const fn may_begin(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'0'..=b'9' | b'c' | b'l'..=b'n' | b'p' | b'q' | b'u'..=b'w' | b'y')
        || matches!(byte, b'A' | b'D' | b'F' | b'J' | b'O' | b'S' | b'T')
}

/// The end and the sort of the marker that begins at a place, if one does.
fn marker_at(place: &Place<'_>) -> Option<(usize, MarkerSort)> {
    if place.is_inside_word() {
        return None;
    }
    let date = |end| (end, MarkerSort::Date);
    let version = || version::version(place).map(|end| (end, MarkerSort::Version));
    match place.byte(place.at) {
        // A number that goes on behind a dot is no year, and any other is no version.
        b'0'..=b'9' if place.is_number_with_dots() => version(),
        b'0'..=b'9' => date::year(place).map(date),
        b'v' | b'V' => version(),
        b'Q' if matches!(place.byte(place.at + 1), b'1'..=b'4') => date::quarter(place).map(date),
        _ => phrase::word(place)
            .or_else(|| date::month(place).or_else(|| date::period(place)).map(date)),
    }
}

/// Returns true if a piece of text without white space is an address.
fn is_url(token: &str) -> bool {
    token.contains("://") || token.contains("www.") || token.contains("mailto:")
}

fn as_evidence(words: &[&str]) -> Vec<Evidence> {
    words.iter().map(|word| Fact::TemporalMarker { word: (*word).to_owned() }.into()).collect()
}

/// The pieces of a text that stand outside backticks. A run of backticks ends at the next run of
/// the same length (CommonMark 0.31, section 6.1), fences included; one that never ends is text.
fn outside_code(body: &str) -> Vec<&str> {
    if !body.as_bytes().contains(&b'`') {
        return vec![body];
    }
    let runs = backticks(body);
    // The next run of the same length, found from behind in one pass.
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

    /// However many candidates a text holds, and however long its tokens are, what is looked at around them
    /// grows with its length and not with its square.
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
