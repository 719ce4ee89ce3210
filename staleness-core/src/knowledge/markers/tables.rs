//! Where a marker can begin: told by four bytes and the one before them. It is asked of a text as a whole, where
//! signs of markup stand beside words; what says more than it should is settled by who looks closer.

use std::ops::Range;

use crate::bytes::{Window, each_word};

/// How a marker may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// A word such as `now` or `TODO`.
    Word,
    /// A digit: a version, a year or a day.
    Number,
    /// `v` and a digit.
    Version,
    /// The name of a month.
    Month,
    /// `Q` and a digit.
    Quarter,
    /// `month`, `quarter` or `year`.
    Period,
}

/// Bytes that may stand at a place.
#[derive(Clone, Copy)]
enum Set {
    These(&'static [u8]),
    /// What a word does not go on with; signs of markup are among it.
    NoWord,
    Any,
}

use Set::{Any, NoWord, These};

/// The bytes that may stand first, second, third and fourth, and what begins so.
const PATTERNS: [(Start, [Set; 4]); 20] = [
    (Start::Word, [These(b"cC"), These(b"uU"), These(b"rR"), These(b"rR")]),
    (Start::Word, [These(b"nN"), These(b"oO"), These(b"wW"), NoWord]),
    (Start::Word, [These(b"lL"), These(b"aA"), These(b"tT"), These(b"eE")]),
    (Start::Word, [These(b"pP"), These(b"lL"), These(b"aA"), These(b"nN")]),
    (Start::Word, [These(b"uU"), These(b"pP"), These(b"cC"), These(b"oO")]),
    (Start::Word, [These(b"wW"), These(b"iI"), These(b"lL"), These(b"lL")]),
    (Start::Word, [These(b"T"), These(b"O"), These(b"D"), These(b"O")]),
    (Start::Word, [These(b"T"), These(b"B"), These(b"D"), NoWord]),
    (Start::Number, [These(b"0123456789"), These(b"0123456789."), These(b"0123456789."), Any]),
    (Start::Version, [These(b"vV"), These(b"0123456789"), These(b"0123456789."), Any]),
    (Start::Quarter, [These(b"Q"), These(b"1234"), NoWord, Any]),
    (Start::Month, [These(b"J"), These(b"au"), These(b"nl"), Any]),
    (Start::Month, [These(b"F"), These(b"e"), These(b"b"), Any]),
    (Start::Month, [These(b"M"), These(b"a"), These(b"ry"), Any]),
    (Start::Month, [These(b"A"), These(b"pu"), These(b"rg"), Any]),
    (Start::Month, [These(b"SD"), These(b"e"), These(b"pc"), Any]),
    (Start::Month, [These(b"ON"), These(b"co"), These(b"tv"), Any]),
    (Start::Period, [These(b"mM"), These(b"oO"), These(b"nN"), These(b"tT")]),
    (Start::Period, [These(b"qQ"), These(b"uU"), These(b"aA"), These(b"rR")]),
    (Start::Period, [These(b"yY"), These(b"eE"), These(b"aA"), These(b"rR")]),
];

/// For each byte the patterns that it fits, one bit each.
type Table = [u32; 256];

const fn table(place: usize) -> Table {
    let mut table = [0; 256];
    let mut pattern = 0;
    while pattern < PATTERNS.len() {
        let mut byte = 0;
        while byte < 256 {
            if holds(PATTERNS[pattern].1[place], byte as u8) {
                table[byte] |= 1 << pattern;
            }
            byte += 1;
        }
        pattern += 1;
    }
    table
}

const fn holds(set: Set, byte: u8) -> bool {
    match set {
        Any => true,
        NoWord => !byte.is_ascii_alphanumeric(),
        These(bytes) => {
            let mut at = 0;
            while at < bytes.len() && bytes[at] != byte {
                at += 1;
            }
            at < bytes.len()
        }
    }
}

/// The patterns that each of four bytes fits.
static TABLES: [Table; 4] = [table(0), table(1), table(2), table(3)];

/// Which two bytes a marker may begin with, the first of them lower: one bit for each pair.
static PAIRS: [u64; 1 << 10] = {
    let (first, second) = (table(0), table(1));
    let mut pairs = [0; 1 << 10];
    let mut pair = 0;
    while pair < 1 << 16 {
        if first[pair & 255] & second[pair >> 8] != 0 {
            pairs[pair >> 6] |= 1 << (pair & 63);
        }
        pair += 1;
    }
    pairs
};

/// How many places are noted before they are settled; more than 64.
const NOTED: usize = 256;

/// Where in a text a marker may begin.
#[derive(Clone, Debug, Default)]
pub struct MarkerStarts {
    places: Vec<(usize, Start)>,
    /// The one to be told next: most parts are asked for in the order of the text.
    next: usize,
}

impl MarkerStarts {
    /// The places of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut starts = Self::default();
        starts.look(text);
        starts
    }

    /// The same in the memory of the places of another text. Each byte is looked at once; the first letter tells
    /// of one word in four that a marker may begin with it, and to ask all places at once for the letters that
    /// follow costs more than the tables do.
    pub fn look(&mut self, text: &str) {
        let text = text.as_bytes();
        self.places.clear();
        self.next = 0;
        let places = &mut self.places;
        let first = |at: Window| {
            let first = at.here.is(b'c')
                | at.here.is_within(b'l', b'q')
                | at.here.is_within(b'u', b'y')
                | at.here.is_within(b'0', b'Z');
            first & !(at.before.is_letter() | at.before.is_digit())
        };
        // Each place is noted, and the next one over it if it tells nothing: which do cannot be guessed, and neither
        // how many do of a few.
        let mut noted = [(0, [0; 4]); NOTED];
        let mut count = 0;
        each_word(text, first, |from, mut bits, around| {
            while bits != 0 {
                let at = bits.trailing_zeros() as usize % 64;
                bits &= bits - 1;
                let four = [around[at + 1], around[at + 2], around[at + 3], around[at + 4]];
                noted[count % NOTED] = (from + at, four);
                let pair = u16::from_le_bytes([four[0], four[1]]);
                count += (PAIRS[usize::from(pair >> 6)] >> (pair & 63) & 1) as usize;
            }
            if count > NOTED - 64 {
                settle(text, &mut noted[..count], places);
                count = 0;
            }
        });
        settle(text, &mut noted[..count], places);
    }

    /// The next place in a part of the text at which a marker may begin, behind what was told last.
    pub(super) fn next_in(&mut self, part: &Range<usize>) -> Option<(usize, Start)> {
        loop {
            let (at, start) = *self.places.get(self.next)?;
            if at >= part.end {
                return None;
            }
            self.next += 1;
            if at >= part.start {
                return Some((at, start));
            }
        }
    }

    /// Goes back to where parts are asked for that begin here, if it is beyond.
    pub(super) fn rewind(&mut self, to: usize) {
        if self.places[..self.next].last().is_some_and(|(at, _)| *at >= to) {
            self.next = self.places.partition_point(|(at, _)| *at < to);
        }
    }
}

/// Adds the places, each with the four bytes that begin there, at which a marker may begin.
fn settle(text: &[u8], noted: &mut [(usize, [u8; 4])], places: &mut Vec<(usize, Start)>) {
    let patterns = |four: [u8; 4]| {
        let both = four.into_iter().zip(&TABLES);
        both.fold(u32::MAX, |patterns, (byte, table)| patterns & table[usize::from(byte)])
    };
    let mut count = 0;
    for at in 0..noted.len() {
        noted[count] = noted[at];
        count += usize::from(patterns(noted[at].1) != 0);
    }
    for &(at, four) in &noted[..count] {
        let start = PATTERNS[patterns(four).trailing_zeros() as usize].0;
        if start != Start::Number || number(text, at) {
            places.push((at, start));
        }
    }
}

/// Whether a number may be a year or a version: the first of four digits that begin as years do, the second with
/// a dot, and where it has only one there must be a word before it. Without loops, whose ends cannot be guessed.
fn number(text: &[u8], at: usize) -> bool {
    let eight = text.get(at..).unwrap_or_default();
    let eight = u64::from_le_bytes(eight.first_chunk().copied().unwrap_or_else(|| padded(eight)));
    let whole = digits(eight);
    if whole > 5 {
        return false;
    }
    let [dot, rest @ ..] = (eight >> (8 * whole)).to_le_bytes();
    let part = digits(u64::from_le_bytes(padded(&rest)));
    if dot != b'.' || part == 0 {
        return whole == 4 && matches!(eight.to_le_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..]);
    }
    let before = |back: usize| at.checked_sub(back).map_or(b'.', |at| text[at]);
    let named = before(1).is_ascii_whitespace()
        & matches!(before(2), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'\'' | b' ' | b'\t'..=b'\r');
    // What lies beyond these bytes may be another dot.
    named || rest.get(part).is_none_or(|byte| matches!(*byte, b'.' | 0))
}

/// How many of the first bytes are digits: a byte without the bits of `0` is at most 9, and so has no high half
/// with 6 more. A carry reaches only bytes behind one that is none.
fn digits(bytes: u64) -> usize {
    let value = bytes ^ 0x3030_3030_3030_3030;
    let none = (value.wrapping_add(0x0606_0606_0606_0606) | value) & 0xf0f0_f0f0_f0f0_f0f0;
    none.trailing_zeros() as usize / 8
}

/// The first eight bytes of a text that has fewer. Behind it stands white space.
fn padded(text: &[u8]) -> [u8; 8] {
    let mut eight = [b' '; 8];
    eight[..text.len()].copy_from_slice(text);
    eight
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, part: Range<usize>) -> Vec<(usize, Start)> {
        let mut starts = MarkerStarts::of(text);
        std::iter::from_fn(|| starts.next_in(&part)).collect()
    }

    #[test]
    fn what_the_tables_find_is_never_passed_over() {
        // Of numbers more is asked; what is told of them has a test of its own.
        for (_, sets) in PATTERNS.iter().filter(|(start, _)| *start != Start::Number) {
            let fits = |place: usize| (0..128_u8).filter(move |byte| holds(sets[place], *byte));
            for first in fits(0) {
                for (second, third) in fits(1).zip(fits(2).cycle()) {
                    let fourth = fits(3).next_back().expect("a byte");
                    let text = String::from_utf8(vec![b' ', first, second, third, fourth]);
                    let text = text.expect("ASCII");
                    let told = found(&text, 0..5).iter().any(|(at, _)| *at == 1);
                    assert!(told, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_start_is_found_wherever_it_stands() {
        for before in 0..150 {
            for after in [0, 1, 15, 16, 17, 60, 61, 62, 63, 64, 65, 130] {
                let text = format!("{} now {}", "x".repeat(before), "y".repeat(after));
                assert_eq!(found(&text, 0..text.len()), [(before + 1, Start::Word)], "{text}");
                assert_eq!(found(&text, before + 1..before + 2), [(before + 1, Start::Word)]);
                assert_eq!(found(&text, before + 2..text.len()), [], "{text}");
                let joined = format!("{}now {}", "x".repeat(before + 1), "y".repeat(after));
                assert_eq!(found(&joined, 0..joined.len()), [], "{joined}");
            }
        }
    }

    #[test]
    fn parts_are_found_in_any_order() {
        let text = "now and now and now and now";
        let mut starts = MarkerStarts::of(text);
        for (part, places) in
            [(8..27, vec![8, 16, 24]), (0..9, vec![0, 8]), (24..25, vec![24]), (0..0, vec![])]
        {
            starts.rewind(part.start);
            let found = std::iter::from_fn(|| starts.next_in(&part));
            assert_eq!(found.map(|(at, _)| at).collect::<Vec<_>>(), places);
        }
    }

    #[test]
    fn numbers_that_are_neither_years_nor_versions_are_passed_over() {
        for text in ["1.52", "| 1.90 |", "12345", "123", "3024", "**2.5**", "(1.25)", "1234567.8.9"]
        {
            assert_eq!(found(text, 0..text.len()), [], "{text}");
        }
        for text in ["2026", "x 1.52", "1.2.3", "Rust\n1.90", "2026-05", "x' 0.1", "10.000."] {
            assert_eq!(found(text, 0..text.len()).len(), 1, "{text}");
        }
    }
}
