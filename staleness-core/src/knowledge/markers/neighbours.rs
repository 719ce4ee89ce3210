//! The words around a place in a text.

use std::ops::Range;

/// The maximum length of a neighbouring word, in bytes. No word in the lists is longer.
const MAX_WORD: usize = 24;
/// The maximum white space between two words, in bytes: a line break and its indentation.
const MAX_GAP: usize = 12;

#[cfg(test)]
thread_local! {
    /// The number of bytes read around places.
    pub(super) static LOOKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts the bytes read, for a test that the time is linear.
#[cfg(test)]
fn looked(bytes: usize) {
    LOOKED.set(LOOKED.get() + bytes);
}

#[cfg(not(test))]
const fn looked(_: usize) {}

/// A position in a text at which a word begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Place<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or(b' ')
    }

    pub(super) fn before(&self) -> u8 {
        self.at.checked_sub(1).map_or(b' ', |at| self.byte(at))
    }

    /// Returns true if the place is inside a word, path, option, name or number.
    pub(super) fn is_inside_word(&self) -> bool {
        match self.before() {
            b'-' | b'_' | b'/' | b'\\' | b'.' | b'@' | b'#' | b'$' | b':' | b'&' | b'+' => true,
            128.. => self.text[..self.at].chars().next_back().is_some_and(char::is_alphanumeric),
            _ => false,
        }
    }

    /// Returns true if a word may end at `end`, because the next characters do not make it part of a name.
    pub(super) fn ends(&self, end: usize) -> bool {
        let next = self.byte(end);
        let goes_on = |at| self.byte(at).is_ascii_alphanumeric();
        match next {
            b'_' | b'(' | b'/' | b'\\' | b'=' | b'@' | b'$' => false,
            b'-' | b'.' | b':' | b'\'' => !goes_on(end + 1),
            128.. => !self.text[end..].chars().next().is_some_and(char::is_alphanumeric),
            _ => !next.is_ascii_alphanumeric(),
        }
    }

    pub(super) fn letters_end(&self) -> usize {
        let letters = self.bytes()[self.at..].iter().take(MAX_WORD);
        let count = letters.take_while(|byte| byte.is_ascii_alphabetic()).count();
        looked(count);
        self.at + count
    }

    pub(super) fn digits_end(&self, from: usize) -> usize {
        let digits = self.bytes().get(from..).unwrap_or_default();
        let digits = digits.get(..MAX_WORD).unwrap_or(digits);
        let count = digits.iter().position(|byte| !byte.is_ascii_digit());
        let count = count.unwrap_or(digits.len());
        looked(count);
        from + count
    }

    /// Returns true if the digits at the place continue after a dot.
    pub(super) fn is_number_with_dots(&self) -> bool {
        let end = self.digits_end(self.at);
        self.byte(end) == b'.' && self.byte(end + 1).is_ascii_digit()
    }

    /// Returns the word after `end` and its start, if only white space lies between.
    pub(super) fn word_after(&self, end: usize) -> Option<(usize, &'a str)> {
        let bytes = self.bytes().get(end..)?;
        let gap = bytes.iter().take(MAX_GAP).take_while(|byte| byte.is_ascii_whitespace()).count();
        if gap == 0 {
            return None;
        }
        let from = end + gap;
        let word = bytes[gap..].iter().take(MAX_WORD);
        let length = word.take_while(|byte| is_wordlike(**byte)).count();
        looked(gap + length);
        (length > 0).then(|| (from, &self.text[from..from + length]))
    }

    /// Returns the word before `at` and its start, if only white space lies between.
    pub(super) fn word_before(&self, at: usize) -> Option<(usize, &'a str)> {
        let bytes = &self.bytes()[..at];
        let gap = bytes.iter().rev().take(MAX_GAP).take_while(|b| b.is_ascii_whitespace()).count();
        if gap == 0 {
            return None;
        }
        let to = at - gap;
        let word = bytes[..to].iter().rev().take(MAX_WORD);
        let length = word.take_while(|byte| is_wordlike(**byte)).count();
        looked(gap + length);
        (length > 0).then(|| (to - length, &self.text[to - length..to]))
    }

    /// Returns true if the previous word is one of `words`: see [`is_one_of`].
    pub(super) fn follows(&self, words: &str) -> bool {
        self.word_before(self.at).is_some_and(|(_, word)| is_one_of(word, words))
    }

    pub(super) fn begins_sentence(&self) -> bool {
        let before = self.bytes()[..self.at].iter().rev().take(MAX_GAP);
        let before = before.copied().find(|byte| !byte.is_ascii_whitespace() && *byte != b'*');
        before.is_none_or(|byte| matches!(byte, b'.' | b'!' | b'?' | b':' | b'>' | b'#'))
    }

    /// Returns the range around the place that contains no white space. It begins at `from` or later.
    pub(super) fn token(&self, from: usize) -> Range<usize> {
        let space = |byte: &u8| byte.is_ascii_whitespace();
        let bytes = self.bytes();
        let begin = bytes[from..self.at].iter().rposition(space).map_or(from, |at| from + at + 1);
        let end = bytes[self.at..].iter().position(space).map_or(bytes.len(), |at| self.at + at);
        looked(end - begin);
        begin..end
    }
}

fn is_wordlike(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'\''
}

/// Returns true if a word is one of `words`, ignoring case. `words` are in lower case and separated by spaces.
pub(super) fn is_one_of(word: &str, words: &str) -> bool {
    let mut words = words.as_bytes().split(|byte| *byte == b' ');
    words.any(|each| word.as_bytes().eq_ignore_ascii_case(each))
}
