//! The words that one question can be met by.

use crate::report::words::{MIN_PREFIX, Token};

/// What words that meet a question begin with, and the short ones that must be met whole.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    beginnings: Vec<String>,
    whole: Vec<String>,
    /// For every first byte the second ones with which any of them goes on, by their last six bits;
    /// all, where one of them is a single byte.
    seconds: [u64; 256],
}

impl Wanted {
    /// Of the words of a question; `stems` gives what is left of a word without its endings.
    pub(super) fn new(asked: &[Token], stems: impl Fn(&str) -> Vec<String>) -> Self {
        let mut wanted = Self { beginnings: Vec::new(), whole: Vec::new(), seconds: [0; 256] };
        for token in asked {
            wanted.add(&token.whole, &stems);
            for run in &token.runs {
                wanted.add(&run.whole, &stems);
                run.parts.iter().for_each(|part| wanted.add(part, &stems));
            }
        }
        // What begins with a word begins with its beginning as well.
        wanted.beginnings.sort_unstable();
        wanted.beginnings.dedup_by(|longer, kept| longer.starts_with(&**kept));
        for word in wanted.beginnings.iter().chain(&wanted.whole) {
            match word.as_bytes() {
                [] => {}
                [only] => wanted.seconds[usize::from(*only)] = u64::MAX,
                [first, second, ..] => wanted.seconds[usize::from(*first)] |= 1 << (second & 63),
            }
        }
        wanted
    }

    fn add(&mut self, word: &str, stems: &impl Fn(&str) -> Vec<String>) {
        if word.chars().count() < MIN_PREFIX {
            self.whole.push(word.to_owned());
        } else {
            self.beginnings.push(word.to_owned());
            self.beginnings.extend(stems(word));
        }
    }

    /// Whether a word that begins with these two bytes may meet the question.
    #[inline]
    pub(super) const fn begins(&self, first: u8, second: u8) -> bool {
        self.seconds[first as usize] & 1 << (second & 63) != 0
    }

    /// Whether a word may meet the question.
    pub(super) fn holds(&self, word: &str) -> bool {
        let may = match word.as_bytes() {
            [] => false,
            [only] => self.seconds[usize::from(*only)] != 0,
            [first, second, ..] => self.begins(*first, *second),
        };
        may && (self.beginnings.iter().any(|beginning| word.starts_with(&**beginning))
            || self.whole.iter().any(|whole| whole == word))
    }
}
