//! The words that one question can be met by.

use crate::report::words::{MIN_PREFIX, Token};

/// What words that meet a question begin with, and the short ones that must be met whole.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    beginnings: Vec<String>,
    whole: Vec<String>,
    /// Whether any of them begins with this byte.
    first: [bool; 256],
}

impl Wanted {
    /// Of the words of a question; `stems` gives what is left of a word without its endings.
    pub(super) fn new(asked: &[Token], stems: impl Fn(&str) -> Vec<String>) -> Self {
        let mut wanted = Self { beginnings: Vec::new(), whole: Vec::new(), first: [false; 256] };
        for token in asked {
            wanted.add(&token.whole, &stems);
            for run in &token.runs {
                wanted.add(&run.whole, &stems);
                run.parts.iter().for_each(|part| wanted.add(part, &stems));
            }
        }
        for word in wanted.beginnings.iter().chain(&wanted.whole) {
            if let Some(first) = word.as_bytes().first() {
                wanted.first[usize::from(*first)] = true;
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

    /// Whether a word may meet the question.
    pub(super) fn holds(&self, word: &str) -> bool {
        let Some(first) = word.as_bytes().first() else { return false };
        self.first[usize::from(*first)]
            && (self.beginnings.iter().any(|beginning| word.starts_with(&**beginning))
                || self.whole.iter().any(|whole| whole == word))
    }
}
