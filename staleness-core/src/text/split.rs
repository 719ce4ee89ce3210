//! The words of a text, for an index.

use super::words::tokens;

/// Calls `visit` with every searchable form of each word of a text: `web-search` as `web`, `search` and
/// `websearch`, `GitHub` as `git`, `hub` and `github`. Returns the number of words.
///
/// Gives the same result as [`tokens`], but allocates nothing for plain ASCII words, the majority, and reads the
/// whole text.
pub(crate) fn split(text: &str, mut visit: impl FnMut(&str)) -> usize {
    let mut cut = Cut::default();
    if text.is_ascii() {
        return split_ascii(text, &mut cut, &mut visit);
    }
    let mut words = 0;
    for chunk in text.split_whitespace() {
        if chunk.is_ascii() {
            words += split_ascii(chunk, &mut cut, &mut visit);
            continue;
        }
        for token in tokens(chunk) {
            words += 1;
            for run in &token.runs {
                if run.parts.len() > 1 {
                    run.parts.iter().for_each(|part| visit(part));
                }
                if token.runs.len() > 1 {
                    visit(&run.whole);
                }
            }
            visit(&token.whole);
        }
    }
    words
}

/// Calls `visit` with the smallest parts of each word of an ASCII text, each preceded by the whole word: `webSearch
/// x` as (`websearch`, `web`), (`websearch`, `search`), (`x`, `x`).
pub(crate) fn parts_ascii(text: &str, mut visit: impl FnMut(&str, &str)) {
    let mut cut = Cut::default();
    tokens_ascii(text, |token, is_plain| {
        if is_plain {
            visit(token, token);
            return;
        }
        each_piece(token, |piece| {
            cut.read(piece);
            cut.parts().for_each(|part| visit(&cut.lower, part));
        });
    });
}

/// The class of each byte: `PLAIN` for a lower-case letter or digit, `OTHER` for a capital or a joining
/// character, 0 for bytes outside words.
const SORTS: [u8; 256] = {
    let mut sorts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let this = byte as u8;
        sorts[byte] = if this.is_ascii_lowercase() || this.is_ascii_digit() {
            PLAIN
        } else if this.is_ascii_uppercase() || matches!(this, b'-' | b'_' | b'.') {
            OTHER
        } else {
            0
        };
        byte += 1;
    }
    sorts
};
const PLAIN: u8 = 1;
const OTHER: u8 = 2;

/// Calls `visit` with each run of letters, digits and joining characters. The flag is true if the run is plain.
fn tokens_ascii(text: &str, mut visit: impl FnMut(&str, bool)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        let mut sorts = 0;
        while let Some(byte) = bytes.get(at) {
            let sort = SORTS[usize::from(*byte)];
            if sort == 0 {
                break;
            }
            sorts |= sort;
            at += 1;
        }
        if sorts != 0 {
            visit(&text[from..at], sorts == PLAIN);
        }
        at += 1;
    }
}

fn split_ascii(text: &str, cut: &mut Cut, visit: &mut impl FnMut(&str)) -> usize {
    let mut words = 0;
    tokens_ascii(text, |token, is_plain| {
        if is_plain {
            visit(token);
            words += 1;
            return;
        }
        words += split_token(token, cut, visit);
    });
    words
}

/// Visits the forms of a token that is not plain. Returns the number of words in it.
fn split_token(token: &str, cut: &mut Cut, visit: &mut impl FnMut(&str)) -> usize {
    let mut words = 0;
    each_piece(token, |piece| {
        cut.read(piece);
        words += usize::from(!cut.lower.is_empty());
        cut.spellings(visit);
    });
    words
}

/// Calls `visit` with the parts between `__`, which few tokens contain.
fn each_piece(token: &str, visit: impl FnMut(&str)) {
    if token.as_bytes().windows(2).any(|pair| pair == b"__") {
        token.split("__").for_each(visit);
    } else {
        [token].into_iter().for_each(visit);
    }
}

/// An ASCII token split into parts. Reused, to avoid allocations.
#[derive(Clone, Debug, Default)]
struct Cut {
    /// Its letters and digits, in lower case.
    lower: String,
    /// The offsets in `lower` at which parts begin, with true if a run begins there as well.
    begins: Vec<(usize, bool)>,
}

impl Cut {
    fn read(&mut self, token: &str) {
        self.lower.clear();
        self.begins.clear();
        let bytes = token.as_bytes();
        for (place, byte) in bytes.iter().enumerate() {
            if !byte.is_ascii_alphanumeric() {
                continue;
            }
            let begins_run = place == 0 || !bytes[place - 1].is_ascii_alphanumeric();
            if begins_run || is_hump(bytes, place) {
                self.begins.push((self.lower.len(), begins_run));
            }
            self.lower.push(byte.to_ascii_lowercase().into());
        }
    }

    fn part(&self, at: usize) -> &str {
        let end = self.begins.get(at + 1).map_or(self.lower.len(), |next| next.0);
        &self.lower[self.begins[at].0..end]
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        (0..self.begins.len()).map(|at| self.part(at))
    }

    /// Visits the parts of each run that has several, each run if there are several, and the whole.
    fn spellings(&self, visit: &mut impl FnMut(&str)) {
        let mut from = 0;
        while from < self.begins.len() {
            let more = self.begins[from + 1..].iter().take_while(|(_, begins_run)| !begins_run);
            let to = from + 1 + more.count();
            if to - from > 1 {
                (from..to).for_each(|at| visit(self.part(at)));
            }
            if from > 0 || to < self.begins.len() {
                let end = self.begins.get(to).map_or(self.lower.len(), |next| next.0);
                visit(&self.lower[self.begins[from].0..end]);
            }
            from = to;
        }
        if !self.lower.is_empty() {
            visit(&self.lower);
        }
    }
}

/// Returns true if a new part of `camelCase` begins at this byte.
fn is_hump(bytes: &[u8], at: usize) -> bool {
    let before = bytes[at - 1];
    let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    bytes[at].is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_is_lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fast(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        split(text, |word| all.push(word.to_owned()));
        all.sort();
        all
    }

    /// Returns the spellings that [`split`] visits, made from [`tokens`] and sorted.
    fn slow(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        for token in text.split_whitespace().flat_map(tokens) {
            for run in &token.runs {
                if run.parts.len() > 1 {
                    all.extend(run.parts.iter().cloned());
                }
                if token.runs.len() > 1 {
                    all.push(run.whole.clone());
                }
            }
            all.push(token.whole);
        }
        all.sort();
        all
    }

    #[test]
    fn words_are_split_as_they_are_in_searches_for_tools() {
        let texts = "web-search|GitHub|mcp__GitHub__searchIssues|HTTPServer2|a.b_c-d|x|--||_|\
                     file.rs:42, (see `foo_bar`)|ABc aBC AbC|v1.2.3-rc1|__init__|\
                     Caf\u{e9} HTTPS-\u{c4}b";
        for text in texts.split('|') {
            assert_eq!(fast(text), slow(text), "{text}");
        }
        assert_eq!(fast("searchIssues"), ["issues", "search", "searchissues"]);
    }

    fn smallest(text: &str) -> [Vec<(String, String)>; 2] {
        let mut fast = Vec::new();
        parts_ascii(text, |whole, part| fast.push((whole.to_owned(), part.to_owned())));
        let parts = |token: super::super::words::Token| {
            let parts = token.runs.into_iter().flat_map(|run| run.parts);
            parts.map(|part| (token.whole.clone(), part)).collect::<Vec<_>>()
        };
        [fast, tokens(text).into_iter().flat_map(parts).collect()]
    }

    proptest::proptest! {
        #[test]
        fn any_ascii_has_the_same_smallest_parts(text in "[ -~]{0,100}") {
            let [fast, slow] = smallest(&text);
            proptest::prop_assert_eq!(fast, slow);
        }

        #[test]
        fn any_ascii_is_split_alike(text in "[ -~]{0,100}") {
            proptest::prop_assert_eq!(fast(&text), slow(&text));
        }
    }
}
