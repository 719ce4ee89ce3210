//! Where a marker can begin: told by three bytes and the one before them.

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
const STEP: usize = 16;

/// Whether the first two bytes of a marker may stand here, after the byte before them. Without
/// branches, so that it is done for many places at once; it may say so where the tables do not.
const fn may_begin(before: u8, first: u8, second: u8) -> bool {
    const fn digit(byte: u8) -> bool {
        byte.wrapping_sub(b'0') < 10
    }
    let inner = ((before | 32).wrapping_sub(b'a') < 26) | digit(before) | (before == b'_');
    let (f, s) = (first | 32, second | 32);
    !inner
        & (((f == b'c') & (s == b'u'))
            | ((f == b'n') & (s == b'o'))
            | ((f == b'l') & (s == b'a'))
            | ((f == b'p') & (s == b'l'))
            | ((f == b'u') & (s == b'p'))
            | ((f == b'w') & (s == b'i'))
            | ((f == b'q') & ((s == b'u') | digit(second)))
            | ((f == b'm') & ((s == b'o') | (s == b'a') & (first == b'M')))
            | ((f == b'y') & (s == b'e'))
            | ((first == b'T') & ((second == b'O') | (second == b'B')))
            | ((first == b'J') & ((s == b'a') | (s == b'u')))
            | ((first == b'A') & ((s == b'p') | (s == b'u')))
            | (((first == b'F') | (first == b'S') | (first == b'D')) & (s == b'e'))
            | (((first == b'O') | (first == b'N')) & ((s == b'c') | (s == b'o')))
            | ((digit(first) | (f == b'v')) & (digit(second) | (second == b'.'))))
}

/// The places of a window, which begins with the byte before them, at which a marker may begin: each
/// is a byte of a number, in order, and 1 where it may.
fn lanes(window: &[u8; STEP + 2]) -> u128 {
    let mut lanes = [0; STEP];
    for (at, lane) in lanes.iter_mut().enumerate() {
        *lane = u8::from(may_begin(window[at], window[at + 1], window[at + 2]));
    }
    u128::from_le_bytes(lanes)
}

/// Every place at which a marker may begin, in order.
pub(super) fn starts(bytes: &[u8]) -> impl Iterator<Item = (usize, Start)> + '_ {
    // The window that is looked at, its places that are left, and where the next one begins.
    let (mut from, mut left, mut next) = (0, 0_u128, 0);
    std::iter::from_fn(move || {
        loop {
            while left != 0 {
                let here = from + left.trailing_zeros() as usize / 8;
                left &= left - 1;
                if let Some(start) = start(bytes, here) {
                    return Some((here, start));
                }
            }
            if next >= bytes.len() {
                return None;
            }
            (from, next) = (next, next + STEP);
            let whole = from.checked_sub(1).and_then(|at| bytes[at..].first_chunk());
            left = whole.map_or_else(|| lanes(&padded(bytes, from)), lanes);
        }
    })
}

/// The window at a place near an end of a text. What stands before and behind a text is as white space.
fn padded(bytes: &[u8], from: usize) -> [u8; STEP + 2] {
    let mut window = [b' '; STEP + 2];
    let begin = from.saturating_sub(1);
    let part = &bytes[begin..bytes.len().min(from + STEP + 1)];
    window[begin + 1 - from..][..part.len()].copy_from_slice(part);
    window
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
                for second in 0..=255_u8 {
                    let bits = BEFORE[usize::from(before)]
                        & FIRST[usize::from(first)]
                        & SECOND[usize::from(second)];
                    assert!(bits == 0 || may_begin(before, first, second), "{first} {second}");
                }
            }
        }
    }

    #[test]
    fn a_start_is_found_wherever_it_stands() {
        for before in 0..40 {
            for after in 0..40 {
                let text = format!("{} now {}", "x".repeat(before), "y".repeat(after));
                let found: Vec<_> = starts(text.as_bytes()).collect();
                assert_eq!(found, [(before + 1, Start::Word)], "{text}");
            }
        }
    }
}
