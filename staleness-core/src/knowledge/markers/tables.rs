//! Where a marker can begin: told by three bytes and the one before them.

use std::ops::Range;

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

/// The sets of bytes that may stand first, second and third, and what begins so.
const PATTERNS: [(Start, &[&[u8]; 3]); 20] = [
    (Start::Word, &[b"cC", b"uU", b"rR"]),
    (Start::Word, &[b"nN", b"oO", b"wW"]),
    (Start::Word, &[b"lL", b"aA", b"tT"]),
    (Start::Word, &[b"pP", b"lL", b"aA"]),
    (Start::Word, &[b"uU", b"pP", b"cC"]),
    (Start::Word, &[b"wW", b"iI", b"lL"]),
    (Start::Word, &[b"T", b"O", b"D"]),
    (Start::Word, &[b"T", b"B", b"D"]),
    (Start::Number, &[b"0123456789", b"0123456789.", b"0123456789."]),
    (Start::Version, &[b"vV", b"0123456789", b"0123456789."]),
    (Start::Quarter, &[b"Q", b"1234", b" \n\t-/.,;:!?)"]),
    (Start::Month, &[b"J", b"au", b"nl"]),
    (Start::Month, &[b"F", b"e", b"b"]),
    (Start::Month, &[b"M", b"a", b"ry"]),
    (Start::Month, &[b"A", b"pu", b"rg"]),
    (Start::Month, &[b"SD", b"e", b"pc"]),
    (Start::Month, &[b"ON", b"co", b"tv"]),
    (Start::Period, &[b"mM", b"oO", b"nN"]),
    (Start::Period, &[b"qQ", b"uU", b"aA"]),
    (Start::Period, &[b"yY", b"eE", b"aA"]),
];

/// For each byte the patterns that it fits, one bit each.
type Table = [u32; 256];

const fn table(place: usize) -> Table {
    let mut table = [0; 256];
    let mut pattern = 0;
    while pattern < PATTERNS.len() {
        let bytes = PATTERNS[pattern].1[place];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] |= 1 << pattern;
            at += 1;
        }
        pattern += 1;
    }
    table
}

/// Every pattern, unless the byte is a letter or digit that the word goes on from.
const fn before() -> Table {
    let mut table = [u32::MAX; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize {
            table[byte] = 0;
        }
        byte += 1;
    }
    table
}

static FIRST: Table = table(0);
static SECOND: Table = table(1);
static THIRD: Table = table(2);
static BEFORE: Table = before();

/// How many places are looked at together.
const STEP: usize = 64;

/// Whether a marker may begin with the second of two bytes, going by its first letter. Without branches, so
/// that it is done for many places at once. It says so of about one word in four, which the tables then
/// tell; asking here for the letters that follow costs more than that.
const fn may_begin(before: u8, first: u8) -> bool {
    const fn lies(byte: u8, from: u8, to: u8) -> bool {
        byte.wrapping_sub(from) <= to - from
    }
    let inner = lies(before | 32, b'a', b'z') | lies(before, b'0', b'9') | (before == b'_');
    let small = (first == b'c')
        | lies(first, b'l', b'n')
        | lies(first, b'p', b'q')
        | lies(first, b'u', b'y');
    !inner & (small | lies(first, b'A', b'Z') | lies(first, b'0', b'9'))
}

/// The places of a window, which begins with the byte before them, at which a marker may begin: one bit
/// for each.
fn lanes(window: &[u8; STEP + 1]) -> u64 {
    let mut lanes = [0; STEP];
    for (at, lane) in lanes.iter_mut().enumerate() {
        *lane = u8::from(may_begin(window[at], window[at + 1]));
    }
    let (eights, _) = lanes.as_chunks();
    eights.iter().rev().fold(0, |all, eight| all << 8 | bits(u64::from_le_bytes(*eight)))
}

/// The lowest bits of eight bytes, side by side: the product brings each to a place of its own in the
/// highest byte.
const fn bits(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The lanes of the window at a place. Around the text stands white space.
fn lanes_at(text: &[u8], from: usize) -> u64 {
    let window = from.checked_sub(1).and_then(|begin| text[begin..].first_chunk());
    window.map_or_else(|| lanes_at_end(text, from), lanes)
}

/// The same where the window goes beyond an end of the text. Not inlined: a window that may be either
/// the text's or a copy of it would always be copied, and read before the copy is there.
#[cold]
#[inline(never)]
fn lanes_at_end(text: &[u8], from: usize) -> u64 {
    let mut window = [b' '; STEP + 1];
    let begin = from.saturating_sub(1);
    let part = &text[begin..text.len().min(from + STEP)];
    window[begin + 1 - from..][..part.len()].copy_from_slice(part);
    lanes(&window)
}

/// Every place of a part of a text at which a marker may begin, in order and counted from the part's
/// beginning. What stands before and behind the part is as white space.
pub(super) fn starts(text: &[u8], part: Range<usize>) -> impl Iterator<Item = (usize, Start)> + '_ {
    let bytes = &text[part.clone()];
    // The window that is looked at, its places that are left, and where the next one begins. What stands
    // before the part may keep its first place from being told, so that one is always looked at.
    let (mut from, mut left, mut next) = (0, 1_u64, 0);
    std::iter::from_fn(move || {
        loop {
            while left != 0 {
                let here = from + left.trailing_zeros() as usize;
                left &= left - 1;
                if here >= bytes.len() {
                    return None;
                }
                if let Some(start) = start(bytes, here) {
                    return Some((here, start));
                }
            }
            if next >= bytes.len() {
                return None;
            }
            (from, next) = (next, next + STEP);
            left = lanes_at(text, part.start + from);
            if from == 0 {
                // It was looked at.
                left &= !1;
            }
        }
    })
}

/// What may begin at this place. What stands before and behind a text is as white space.
fn start(bytes: &[u8], at: usize) -> Option<Start> {
    let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(b' '));
    let before = at.checked_sub(1).map_or(usize::from(b' '), byte);
    let bits = BEFORE[before] & FIRST[byte(at)] & SECOND[byte(at + 1)] & THIRD[byte(at + 2)];
    (bits != 0).then(|| PATTERNS[bits.trailing_zeros() as usize].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tables_find_is_never_passed_over() {
        for before in 0..=255_u8 {
            for first in 0..=255_u8 {
                let bits = BEFORE[usize::from(before)] & FIRST[usize::from(first)];
                assert!(bits == 0 || may_begin(before, first), "{before} {first}");
            }
        }
    }

    #[test]
    fn a_start_is_found_wherever_it_stands() {
        for before in 0..150 {
            for after in [0, 1, 15, 16, 17, 60, 61, 62, 63, 64, 65, 130] {
                let text = format!("{} now {}", "x".repeat(before), "y".repeat(after));
                let found: Vec<_> = starts(text.as_bytes(), 0..text.len()).collect();
                assert_eq!(found, [(before + 1, Start::Word)], "{text}");
                // A part is read as if it stood alone.
                let found: Vec<_> = starts(text.as_bytes(), before + 1..before + 4).collect();
                assert_eq!(found, [(0, Start::Word)], "{text}");
                let joined = format!("{}now{}", "x".repeat(before), "y".repeat(after));
                let found: Vec<_> = starts(joined.as_bytes(), before..before + 3).collect();
                assert_eq!(found, [(0, Start::Word)], "{joined}");
            }
        }
    }
}
