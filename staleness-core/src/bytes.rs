//! Looking at many bytes of a text at once, to read only the few places that may mean something.
//!
//! A predicate over a byte and the two beside it is asked for sixteen places at a time; what it says is kept
//! as one bit for each byte of the text, and places are handed out in order. The work is that of one pass
//! whatever the text holds, and an eighth of the text's size is kept.
//!
//! ```
//! use staleness_core::bytes::Places;
//!
//! // Where a capital stands behind a small letter.
//! let humps = Places::of(b"readMe and GitHub", |at| {
//!     at.before.is_within(b'a', b'z') & at.here.is_within(b'A', b'Z')
//! });
//! assert_eq!(humps.within(0..17).collect::<Vec<_>>(), [4, 14]);
//! ```

use std::ops::{BitAnd, BitOr, Not, Range};

use wide::i8x16;

/// How many bytes are compared at once.
const LANES: usize = 16;
/// How many places share a word of bits.
const WORD: usize = 64;

/// Sixteen bytes of a text, or for each of sixteen places whether something holds there.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(i8x16);

impl Lanes {
    /// Where this byte stands.
    #[inline]
    #[must_use]
    pub fn is(self, byte: u8) -> Self {
        Self(self.0.simd_eq(i8x16::splat(byte.cast_signed())))
    }

    /// Where a byte from `first` to `last` stands, both included: not all 256 of them.
    #[inline]
    #[must_use]
    pub fn is_within(self, first: u8, last: u8) -> Self {
        debug_assert!(first <= last && last - first < u8::MAX, "{first}..={last}");
        // Moved so that the last byte is the largest number, one comparison tells.
        let moved = self.0 + i8x16::splat(127_u8.wrapping_sub(last).cast_signed());
        let below = 126_u8.wrapping_sub(last.wrapping_sub(first)).cast_signed();
        Self(moved.simd_gt(i8x16::splat(below)))
    }

    /// Where a letter of ASCII stands.
    #[inline]
    #[must_use]
    pub fn is_letter(self) -> Self {
        Self(self.0 | i8x16::splat(b' '.cast_signed())).is_within(b'a', b'z')
    }

    /// Where a digit stands.
    #[inline]
    #[must_use]
    pub fn is_digit(self) -> Self {
        self.is_within(b'0', b'9')
    }
}

impl BitAnd for Lanes {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Lanes {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Lanes {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The bytes of sixteen places, and those beside them. Around a text stand spaces.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The byte before each place.
    pub before: Lanes,
    /// The byte at each place.
    pub here: Lanes,
    /// The byte after each place.
    pub after: Lanes,
}

/// Places of a text at which something holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// One bit for each byte, and a word more.
    words: Vec<u64>,
}

impl Places {
    /// The places of a text at which a predicate holds.
    #[must_use]
    pub fn of(text: &[u8], holds: impl Fn(Window) -> Lanes) -> Self {
        let mut places = Self::default();
        places.look(text, holds);
        places
    }

    /// The same in the memory of the places of another text.
    #[inline]
    pub fn look(&mut self, text: &[u8], holds: impl Fn(Window) -> Lanes) {
        self.words.clear();
        self.words.reserve(text.len().div_ceil(WORD) + 1);
        each_word(text, holds, |_, bits, _| self.words.push(bits));
        self.words.push(0);
    }

    /// The first place in a part of the text.
    #[inline]
    #[must_use]
    pub fn first(&self, part: Range<usize>) -> Option<usize> {
        // Bits are taken from two words at once: whether a short part lies in one or in two cannot be guessed.
        let mut at = part.start;
        while at < part.end {
            let &[low, high] = self.words.get(at / WORD..)?.first_chunk()?;
            let beyond = WORD - (part.end - at).min(WORD);
            let bits = low >> (at % WORD) | high << 1 << (WORD - 1 - at % WORD);
            let bits = bits << beyond >> beyond;
            if bits != 0 {
                return Some(at + bits.trailing_zeros() as usize);
            }
            at += WORD;
        }
        None
    }

    /// All places in a part of the text, in order.
    pub fn within(&self, part: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.first(part.clone()), move |at| self.first(at + 1..part.end))
    }
}

/// How many bytes there are around 64 places: the one before the first of them, and three after the last.
pub(crate) const AROUND: usize = WORD + 4;

/// Tells for every 64 places of a text at which of them a predicate holds, with where they begin, and the bytes
/// around them: one bit for each place, the first one lowest. Around a text stand spaces.
#[inline]
pub(crate) fn each_word(
    text: &[u8],
    holds: impl Fn(Window) -> Lanes,
    mut told: impl FnMut(usize, u64, &[u8; AROUND]),
) {
    for from in (0..text.len()).step_by(WORD) {
        match from.checked_sub(1).and_then(|begin| text[begin..].first_chunk()) {
            Some(bytes) => told(from, word(bytes, &holds), bytes),
            None => {
                let bytes = at_an_end(text, from);
                // What is asked of the spaces behind a text says nothing about the text.
                let beyond = WORD - (text.len() - from).min(WORD);
                told(from, word(&bytes, &holds) << beyond >> beyond, &bytes);
            }
        }
    }
}

/// The bits of 64 places, given the bytes around them.
#[inline]
fn word(bytes: &[u8; AROUND], holds: &impl Fn(Window) -> Lanes) -> u64 {
    let lanes = |at: usize| {
        let mut lanes = [0; LANES];
        lanes.copy_from_slice(&bytes[at..at + LANES]);
        Lanes(i8x16::from(lanes.map(u8::cast_signed)))
    };
    let bits = |at: usize| {
        let window = Window { before: lanes(at), here: lanes(at + 1), after: lanes(at + 2) };
        u64::from(holds(window).0.to_bitmask()) << at
    };
    bits(0) | bits(LANES) | bits(2 * LANES) | bits(3 * LANES)
}

/// The bytes around 64 places, not all of which are in the text.
#[cold]
#[inline(never)]
fn at_an_end(text: &[u8], from: usize) -> [u8; AROUND] {
    let mut bytes = [b' '; AROUND];
    let begin = from.saturating_sub(1);
    let part = &text[begin..text.len().min(begin + AROUND - usize::from(from == 0))];
    bytes[begin + 1 - from..][..part.len()].copy_from_slice(part);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_those_of_bytes_looked_at_one_by_one(
            text in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'Z'), Just(b'7'), Just(b' '), any::<u8>()], 0..300),
            part in (0_usize..400, 0_usize..400),
        ) {
            let byte = |at: Option<usize>| at.and_then(|at| text.get(at)).copied().unwrap_or(b' ');
            let places = Places::of(&text, |at| {
                !(at.before.is_letter() | at.before.is_digit())
                    & (at.here.is(b'7') | at.here.is_within(b'A', b'Z'))
                    & at.after.is_within(b'a', 250)
            });
            let part = part.0.min(part.1)..part.0.max(part.1);
            let expected: Vec<usize> = (0..text.len())
                .filter(|at| {
                    !byte(at.checked_sub(1)).is_ascii_alphanumeric()
                        && (byte(Some(*at)) == b'7' || byte(Some(*at)).is_ascii_uppercase())
                        && (b'a'..=250).contains(&byte(Some(at + 1)))
                })
                .filter(|at| part.contains(at))
                .collect();
            prop_assert_eq!(places.first(part.clone()), expected.first().copied());
            prop_assert_eq!(places.within(part).collect::<Vec<_>>(), expected);
            // What holds of spaces holds of none behind the text.
            let others = Places::of(&text, |at| !at.here.is(b'a'));
            let expected = (0..text.len()).filter(|at| text[*at] != b'a');
            prop_assert_eq!(others.within(0..400).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }
}
