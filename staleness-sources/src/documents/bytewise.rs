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

/// The pairs of a window that tell something: each is a byte of a number, in order, and 1 where it does.
fn lanes(window: &[u8; STEP + 1]) -> u128 {
    let mut lanes = [0; STEP];
    for (at, lane) in lanes.iter_mut().enumerate() {
        *lane = u8::from(tells(window[at], window[at + 1]));
    }
    u128::from_le_bytes(lanes)
}

/// The same for the last bytes of a text. Not inlined: a window that may be either the text's or a copy
/// of it would always be copied, and read before the copy is there.
#[cold]
#[inline(never)]
fn lanes_at_end(rest: &[u8]) -> u128 {
    let mut window = [b' '; STEP + 1];
    window[..rest.len()].copy_from_slice(rest);
    lanes(&window)
}

/// The first place from `at` on, and before `end`, where a name may hide. Behind the last byte stands white
/// space. What stands behind `end` may make it say so of the last place before it.
pub(super) fn telling(bytes: &[u8], mut at: usize, end: usize) -> Option<usize> {
    while at < end {
        let found = bytes[at..].first_chunk().map_or_else(|| lanes_at_end(&bytes[at..]), lanes);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8).filter(|at| *at < end);
        }
        at += STEP;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_place_is_found_wherever_it_is(text in "[a-cX :()/_-]{0,70}", from in 0_usize..40) {
            let bytes = text.as_bytes();
            let from = from.min(bytes.len());
            for end in from..=bytes.len() {
                let expected = (from..end)
                    .find(|at| tells(bytes[*at], bytes.get(at + 1).copied().unwrap_or(b' ')));
                prop_assert_eq!(telling(bytes, from, end), expected);
            }
        }
    }
}
