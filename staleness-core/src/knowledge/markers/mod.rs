//! Temporal markers: words that were true at a time.
//!
//! Plans (`planned`, `TODO`, `upcoming`, `will be`), the present (`current`, `now`, `latest`), version
//! numbers, and dates (months, quarters, years). Most paragraphs hold a number, a `may` or a
//! `current` that says nothing about time, and a check that calls each of them temporal is one
//! that nobody reads; so a word counts only where its neighbours do not speak against it.
//!
//! One pass over the bytes, without a regular expression: tables of four bytes tell for each word that has the
//! right first letter whether a marker can begin there, and only then the words around it are read. Work per
//! candidate is bounded, so the time is linear in the text whatever it holds.

mod date;
mod lists;
mod neighbours;
mod phrase;
mod tables;
mod version;

use std::ops::Range;

use neighbours::Place;
pub use tables::MarkerStarts;
use tables::Start;

use super::{Evidence, Fact};

/// Markers that [`marker_evidence`] reports of one text.
const MAX_EVIDENCE: usize = 16;

/// What sort of temporal word it is.
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
    /// Where it stands, in bytes of the text.
    pub span: Range<usize>,
    /// What sort of word it is.
    pub sort: MarkerSort,
}

/// The temporal words of prose, in the order of the text; they do not overlap. Code and front matter
/// must be cut out; what belongs to a URL does not count.
#[must_use]
pub fn markers(prose: &str) -> Vec<Marker> {
    let mut found = Vec::new();
    let (all, mut starts) = (0..prose.len(), MarkerStarts::of(prose));
    markers_among(
        prose,
        &mut starts,
        all.clone(),
        |_| Some(all.clone()),
        |marker| found.push(marker),
    );
    found
}

/// The same for the prose in a part of a text, given where markers may begin in that very text. `prose_at` is asked,
/// in the order of places, for the first piece of prose that ends behind a place; it may begin behind it too. Each
/// piece is read as if it stood alone, but none begins or ends within a word. Spans are those of the whole text.
///
/// # Panics
/// When a piece does not lie in the text, or it or a start cuts a character, as starts of another text may.
pub fn markers_among(
    text: &str,
    starts: &mut MarkerStarts,
    part: Range<usize>,
    mut prose_at: impl FnMut(usize) -> Option<Range<usize>>,
    mut found: impl FnMut(Marker),
) {
    let mut piece = 0..0;
    // What comes before is a part of what was found, or of an address.
    let mut after = 0;
    let mut token = 0..0;
    starts.rewind(part.start);
    while let Some((at, start)) = starts.next_in(&part) {
        if at < after {
            continue;
        }
        if at >= piece.end {
            let Some(next) = prose_at(at) else { continue };
            (after, token, piece) = (next.start, next.start..next.start, next);
        }
        if at < after || at >= piece.end {
            continue;
        }
        let place = Place { text: &text[piece.clone()], at: at - piece.start };
        let Some((end, sort)) = confirm(&place, start) else { continue };
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
            found(Marker { span: at..end, sort });
            after = end;
        }
    }
}

/// The end and the sort of the marker that begins at a place, if one does.
fn confirm(place: &Place<'_>, start: Start) -> Option<(usize, MarkerSort)> {
    if place.is_inside_word() {
        return None;
    }
    match start {
        Start::Word => phrase::word(place),
        // What goes on behind a dot is no year, and what does not is no version.
        Start::Number if place.is_number_with_dots() => {
            version::version(place).map(|end| (end, MarkerSort::Version))
        }
        Start::Number => date::year(place).map(|end| (end, MarkerSort::Date)),
        Start::Version => version::version(place).map(|end| (end, MarkerSort::Version)),
        Start::Month => date::month(place).map(|end| (end, MarkerSort::Date)),
        Start::Quarter => date::quarter(place).map(|end| (end, MarkerSort::Date)),
        Start::Period => date::period(place).map(|end| (end, MarkerSort::Date)),
    }
}

/// Whether a piece of text without white space is an address.
fn is_url(token: &str) -> bool {
    token.contains("://") || token.contains("www.") || token.contains("mailto:")
}

/// The temporal words of an item's own text as evidence: what stands in backticks is code and left
/// out. At most 16 of them, each spelling once.
#[must_use]
pub fn marker_evidence(body: &str) -> Vec<Evidence> {
    let mut words: Vec<&str> = Vec::new();
    for piece in outside_code(body) {
        for marker in markers(piece) {
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
    use proptest::prelude::*;

    use super::neighbours::LOOKED;
    use super::*;

    /// The markers that begin at a place, whatever the tables say of it.
    fn at_place(place: &Place<'_>) -> Option<(usize, MarkerSort)> {
        let bytes = &place.bytes()[place.at..];
        let fits: &[Start] = match bytes {
            [b'0'..=b'9', ..] => &[Start::Number],
            [b'v' | b'V', ..] => &[Start::Version],
            [b'Q', b'1'..=b'4', ..] => &[Start::Quarter],
            _ => &[Start::Word, Start::Month, Start::Period],
        };
        fits.iter().find_map(|start| confirm(place, *start))
    }

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
                let _ = markers(&text);
                LOOKED.get()
            };
            let (one, eight) = (looked(1 << 13), looked(1 << 16));
            assert!(eight <= 9 * one + 64, "{piece}: {one} and {eight}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_tables_overlook_nothing(
            text in "(([ .*_(é-]|in |by |this |the |next |since |\n){0,2}([Nn]ow|[Ll]atest|[Cc]urrent thing|planned|upcoming|TODO|TBD|[Ww]ill be better|[0-9.]{1,7}|(Rust |release\n|x )1[.][0-9]{1,2}|v[0-9.]{1,6}|[0-9]{1,5}[.][0-9]{1,5}[.][0-9]|(19|20)[0-9]{2}|[A-Z][a-z]{2} [0-9]{1,4}|March 3|Q[1-5]|year|month|quarter|x)){0,5}[ -~]?"
        ) {
            let mut after = 0;
            let mut expected = Vec::new();
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let inner = text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
                if at < after || inner {
                    continue;
                }
                if let Some((end, sort)) = at_place(&Place { text: &text, at }) {
                    expected.push(Marker { span: at..end, sort });
                    after = end;
                }
            }
            prop_assert_eq!(markers(&text), expected);
        }
    }
}
