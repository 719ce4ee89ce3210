//! Finds the words of a lexicon in a file.
//!
//! One pass splits the file into runs of letters, digits, `_` and `-`, and looks each one up.

use super::lexicon::{Lexicon, Looks};
use super::naming::Naming;

/// Maximum number of lookups per file: of enclosing lines, and of flag definitions.
const MAX_LOOKS: u32 = 2_000;
const MAX_FLAGS: u32 = 500;

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

impl Lexicon {
    /// Finds the things in a text, with repetitions. A lexicon of the past ignores foreign files.
    pub(crate) fn scan(&self, text: &[u8], naming: Naming, found: &mut Vec<u32>) {
        if !self.heeds(naming) {
            return;
        }
        let mut looks = Looks { items: MAX_LOOKS, flags: MAX_FLAGS };
        let class_at = |at: usize| text.get(at).map_or(0, |byte| CLASS[usize::from(*byte)]);
        let mut at = 0;
        while at < text.len() {
            let (start, mut classes) = (at, 0);
            while class_at(at) != 0 {
                classes |= class_at(at);
                at += 1;
            }
            if classes != 0 && self.may_be(&text[start..at], classes & DASH != 0) {
                self.judge(text, &(start..at), naming, &mut looks, found);
            }
            at += 1;
        }
        self.complete(found);
    }
}
