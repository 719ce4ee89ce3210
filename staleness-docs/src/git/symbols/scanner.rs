//! Finds the words of a lexicon in one file after another.
//!
//! One pass splits a file into runs of letters, digits, `_` and `-`, and looks each one up. Consecutive
//! versions of a file are nearly the same, so only their differences are split again. The meaning of a word
//! depends on its context, so it is judged anew in each file.

use std::ops::Range;

use super::lexicon::{Lexicon, Looks};
use super::naming::Naming;

/// Maximum number of lookups per file: of enclosing lines, and of flag definitions.
const MAX_LOOKS: u32 = 2_000;
const MAX_FLAGS: u32 = 500;
/// Number of bytes to compare at once.
const STEP: usize = 64;

const WORD: u8 = 1;
const DASH: u8 = 2;
/// Class of each byte: part of a word, a dash, or neither.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' {
            class[byte] = WORD;
        }
        byte += 1;
    }
    class[b'-' as usize] = DASH;
    class
};

/// Finds the words of a lexicon in texts.
#[derive(Debug)]
pub(crate) struct Scanner<'l> {
    lexicon: &'l Lexicon,
    text: Vec<u8>,
    /// The runs of the last text that may be wanted things, in order.
    runs: Vec<Range<usize>>,
    spare: Vec<Range<usize>>,
}

impl<'l> Scanner<'l> {
    pub(crate) const fn new(lexicon: &'l Lexicon) -> Self {
        Self { lexicon, text: Vec::new(), runs: Vec::new(), spare: Vec::new() }
    }

    /// Finds the things in a text, with repetitions. A lexicon of the past ignores foreign files.
    pub(crate) fn scan(&mut self, text: &[u8], naming: Naming, found: &mut Vec<u32>) {
        if !self.lexicon.heeds(naming) {
            return;
        }
        self.cut(text);
        let mut looks = Looks { items: MAX_LOOKS, flags: MAX_FLAGS };
        for run in &self.runs {
            self.lexicon.judge(text, run, naming, &mut looks, found);
        }
        self.lexicon.complete(found);
    }

    /// Finds the runs of a text, and remembers it for the next call.
    fn cut(&mut self, text: &[u8]) {
        let mut begin = shared_begin(&self.text, text);
        let mut end = shared_end(&self.text[begin..], &text[begin..]);
        // A run that crosses the edge of the shared part is a different word.
        begin = text[..begin].iter().rposition(|byte| is_apart(*byte)).map_or(0, |at| at + 1);
        let from = text.len() - end;
        end -= text[from..].iter().position(|byte| is_apart(*byte)).unwrap_or(end);
        let (last, to) = (self.text.len() - end, text.len() - end);
        std::mem::swap(&mut self.runs, &mut self.spare);
        self.runs.clear();
        let before = self.spare.partition_point(|run| run.end <= begin);
        self.runs.extend(self.spare[..before].iter().cloned());
        self.look(text, begin..to);
        let after = self.spare.partition_point(|run| run.start < last);
        let moved =
            self.spare[after..].iter().map(|run| run.start - last + to..run.end - last + to);
        self.runs.extend(moved);
        self.text.clear();
        self.text.extend_from_slice(text);
    }

    /// Finds the runs in a part of a text.
    fn look(&mut self, text: &[u8], part: Range<usize>) {
        let mut at = part.start;
        let text = &text[..part.end];
        while at < text.len() {
            if is_apart(text[at]) {
                at += 1;
                continue;
            }
            let start = at;
            let mut class = 0;
            while at < text.len() && !is_apart(text[at]) {
                class |= CLASS[usize::from(text[at])];
                at += 1;
            }
            if self.lexicon.may_be(&text[start..at], class & DASH != 0) {
                self.runs.push(start..at);
            }
        }
    }
}

const fn is_apart(byte: u8) -> bool {
    CLASS[byte as usize] == 0
}

/// Counts the bytes that two texts share at their start.
fn shared_begin(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len());
    let (one, other) = (&one[..most], &other[..most]);
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let same = STEP * steps.take_while(|(a, b)| a == b).count();
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}

/// Counts the bytes that two texts share at their end.
fn shared_end(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len());
    let (one, other) = (&one[one.len() - most..], &other[other.len() - most..]);
    let steps = one.rchunks_exact(STEP).zip(other.rchunks_exact(STEP));
    let same = STEP * steps.take_while(|(a, b)| a == b).count();
    let rest = most - same;
    let rest = one[..rest].iter().rev().zip(other[..rest].iter().rev());
    same + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::git::symbols::lexicon::Role;

    fn lexicon(mut lexicon: Lexicon) -> Lexicon {
        lexicon.identifier(b"aa");
        lexicon.identifier(b"b-a");
        lexicon.flag(b"--aa");
        lexicon.quoted(b"b");
        lexicon.placed(b"ab", Role::Made);
        lexicon.placed(b"ab", Role::Item);
        lexicon.filed(b"a.b");
        lexicon.both(b"A_A", b"_A");
        lexicon
    }

    proptest! {
        #[test]
        fn what_was_found_before_changes_nothing(
            texts in prop::collection::vec("(fn |ab|aa|b|a|A_A|_A|--|\"|\n| |\\.|/|\\(|\\[|=|,|x{30}){0,30}", 1..4),
            edits in prop::collection::vec((0_usize..4, 0_usize..90, 0_usize..9, "[ab\" -]{0,3}"), 0..6),
            past in any::<bool>(),
        ) {
            let lexicon = lexicon(if past { Lexicon::of_past() } else { Lexicon::default() });
            let mut scanner = Scanner::new(&lexicon);
            let mut all = texts.clone();
            for (at, from, count, text) in edits {
                let mut edited = texts[at % texts.len()].clone();
                let from = from.min(edited.len());
                edited.replace_range(from..(from + count).min(edited.len()), &text);
                all.push(texts[at % texts.len()].clone());
                all.push(edited);
            }
            for text in all {
                let (mut anew, mut found) = (Vec::new(), Vec::new());
                Scanner::new(&lexicon).scan(text.as_bytes(), Naming::Code, &mut anew);
                scanner.scan(text.as_bytes(), Naming::Code, &mut found);
                prop_assert_eq!(anew, found, "{:?}", text);
            }
        }

        #[test]
        fn what_texts_share_is_counted(
            one in "[ab]{0,200}", at in 0_usize..200, more in "[ab]{0,3}",
        ) {
            let mut other = one.clone();
            other.insert_str(at.min(one.len()), &more);
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let begin = one.iter().zip(other).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(shared_begin(one, other), begin);
            let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(shared_end(one, other), end);
        }
    }
}
