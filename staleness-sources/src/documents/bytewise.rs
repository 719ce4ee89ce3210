//! Looking at bytes before words: little of a text is left after it.

/// Small letters and digits.
pub(super) const SMALL: u16 = 1;
/// Capitals.
pub(super) const UPPER: u16 = 1 << 1;
pub(super) const UNDERSCORE: u16 = 1 << 2;
pub(super) const SPACE: u16 = 1 << 3;
/// The end of a line.
pub(super) const BREAK: u16 = 1 << 4;
/// `.` and `/`: without one of them nothing is a path.
pub(super) const DOT: u16 = 1 << 5;
pub(super) const COLON: u16 = 1 << 6;
pub(super) const DASH: u16 = 1 << 7;
/// Everything else.
pub(super) const OTHER: u16 = 1 << 8;

const CLASSES: [u16; 256] = {
    let mut classes = [OTHER; 256];
    let mut at = 0;
    while at < 256 {
        classes[at] = match at as u8 {
            b'a'..=b'z' | b'0'..=b'9' => SMALL,
            b'A'..=b'Z' => UPPER,
            b'_' => UNDERSCORE,
            b' ' => SPACE,
            b'\n' => BREAK,
            b'.' | b'/' => DOT,
            b':' => COLON,
            b'-' => DASH,
            _ => OTHER,
        };
        at += 1;
    }
    classes
};

/// What sorts of bytes there are.
pub(super) fn seen(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |seen, byte| seen | CLASSES[usize::from(*byte)])
}

/// How many pairs of bytes are looked at together.
const STEP: usize = 16;

/// Whether a name may hide where these two bytes stand side by side: `_`, `/`, a capital within a
/// word, `::`, `:42`, `()`, `--`. Without branches, so that it is done for many at once.
const fn tells(first: u8, second: u8) -> bool {
    let digit = second.wrapping_sub(b'0') < 10;
    let inner = (first.wrapping_sub(b'a') < 26) | (first.wrapping_sub(b'0') < 10);
    (first == b'_')
        | (first == b'/')
        | (inner & (second.wrapping_sub(b'A') < 26))
        | ((first == b':') & ((second == b':') | digit))
        | ((first == b'(') & (second == b')'))
        | ((first == b'-') & (second == b'-'))
}

/// The sorts of pairs that tell something, as those of their first and those of their second byte.
const PAIRS: [(u8, u8); 256] = {
    let mut pairs = [(0, 0); 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let first = match byte {
            b'_' | b'/' => 1,
            b'a'..=b'z' | b'0'..=b'9' => 2,
            b':' => 4,
            b'(' => 8,
            b'-' => 16,
            _ => 0,
        };
        let second = match byte {
            b'A'..=b'Z' => 2,
            b':' | b'0'..=b'9' => 4,
            b')' => 8,
            b'-' => 16,
            _ => 0,
        };
        pairs[at] = (first, second | 1);
        at += 1;
    }
    pairs
};

/// The first place from `at` on where a name may hide.
pub(super) fn telling(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(window) = bytes.get(at..at + STEP + 1) {
        let pairs = window[..STEP].iter().zip(&window[1..]);
        if pairs.fold(false, |any, (first, second)| any | tells(*first, *second)) {
            break;
        }
        at += STEP;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found = rest
        .windows(2)
        .position(|pair| PAIRS[usize::from(pair[0])].0 & PAIRS[usize::from(pair[1])].1 != 0);
    // The last byte has no neighbour.
    let last = || rest.last().filter(|last| matches!(last, b'_' | b'/')).map(|_| rest.len() - 1);
    found.or_else(last).map(|found| at + found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_ways_of_looking_at_a_pair_agree() {
        for first in 0..=255 {
            for second in 0..=255 {
                let looked_up = PAIRS[usize::from(first)].0 & PAIRS[usize::from(second)].1 != 0;
                assert_eq!(tells(first, second), looked_up, "{first} {second}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_first_place_is_found_wherever_it_is(text in "[a-cX :()/_-]{0,70}", from in 0_usize..40) {
            let bytes = text.as_bytes();
            let from = from.min(bytes.len());
            let expected = (from..bytes.len())
                .find(|at| tells(bytes[*at], bytes.get(at + 1).copied().unwrap_or(b' ')));
            prop_assert_eq!(telling(bytes, from), expected);
        }
    }
}
