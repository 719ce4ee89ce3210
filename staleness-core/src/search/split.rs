//! The words of an item, as an index takes them.

use crate::report::words::tokens;

/// Calls `visit` with every way in which each word of a text may be asked for: `web-search` as `web`,
/// `search` and `websearch`, `GitHub` as `git`, `hub` and `github`. Returns how many words there are.
///
/// It says what [`tokens`] says, without making a string of each word of plain ASCII, which is most
/// of them; and it reads the whole text.
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

/// The same for who wants few words: of a word of ASCII no spelling is visited unless one may begin with
/// two bytes that are wanted. Every word counts. Most words are passed over without being cut out.
pub(crate) fn split_wanted(
    text: &str,
    cut: &mut Cut,
    wants: impl Fn(u8, u8) -> bool,
    mut visit: impl FnMut(&str),
) -> usize {
    if !text.is_ascii() {
        return split(text, visit);
    }
    let bytes = text.as_bytes();
    let sort = |byte: &u8| SORTS[usize::from(*byte)];
    let (mut words, mut from) = (0, 0);
    while from < bytes.len() {
        let plain = bytes[from..].iter().position(|byte| sort(byte) != PLAIN);
        let mut end = plain.map_or(bytes.len(), |plain| from + plain);
        if bytes.get(end).is_none_or(|byte| sort(byte) == 0) {
            words += usize::from(from < end);
            if end - from == 1 || from < end && wants(bytes[from], bytes[from + 1]) {
                visit(&text[from..end]);
            }
        } else {
            let gap = bytes[end..].iter().position(|byte| sort(byte) == 0);
            end = gap.map_or(bytes.len(), |gap| end + gap);
            let token = &text[from..end];
            match passed_over(token.as_bytes(), &wants) {
                Some(count) => words += count,
                None => words += split_token(token, cut, &mut visit),
            }
        }
        from = end + 1;
    }
    words
}

/// How many words a token is, unless a part of it may begin with two bytes that are wanted. What follows a
/// part of one letter in the whole word is not looked at.
fn passed_over(token: &[u8], wants: &impl Fn(u8, u8) -> bool) -> Option<usize> {
    // `__` parts words.
    let (mut words, mut in_word, mut before) = (0, false, b'-');
    for (at, byte) in token.iter().enumerate() {
        if byte.is_ascii_alphanumeric() {
            if !before.is_ascii_alphanumeric() || is_hump(token, at) {
                let next = token.get(at + 1).copied().unwrap_or(b'-');
                let goes_on = match SORTS[usize::from(next)] {
                    PLAIN => true,
                    _ => next.is_ascii_uppercase() && !is_hump(token, at + 1),
                };
                if !goes_on || wants(byte.to_ascii_lowercase(), next.to_ascii_lowercase()) {
                    return None;
                }
            }
            words += usize::from(!in_word);
            in_word = true;
        } else if *byte == b'_' && before == b'_' {
            in_word = false;
        }
        before = *byte;
    }
    Some(words)
}

/// Calls `visit` with the smallest parts of each word of a text of ASCII, each after the whole word:
/// `webSearch x` as (`websearch`, `web`), (`websearch`, `search`), (`x`, `x`).
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

/// What a byte is within a word: nothing of one, a letter or digit as it is asked for, or a capital or
/// a joint.
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

/// Calls `visit` with each run of letters, digits and joints, and whether it is plain.
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

/// Visits the spellings of a token that is not plain; how many words it is.
fn split_token(token: &str, cut: &mut Cut, visit: &mut impl FnMut(&str)) -> usize {
    let mut words = 0;
    each_piece(token, |piece| {
        cut.read(piece);
        words += usize::from(!cut.lower.is_empty());
        cut.spellings(visit);
    });
    words
}

/// Calls `visit` with what `__` parts. Few tokens have any.
fn each_piece(token: &str, visit: impl FnMut(&str)) {
    if token.as_bytes().windows(2).any(|pair| pair == b"__") {
        token.split("__").for_each(visit);
    } else {
        [token].into_iter().for_each(visit);
    }
}

/// A token of ASCII, cut into its parts: memory for one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    /// Its letters and digits, in lower case.
    lower: String,
    /// Where parts begin in them, and whether a run does.
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

    /// Visits the parts of runs that have several, the runs where there are several, and the whole.
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

/// Whether a part of `camelCase` begins within a run.
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

    /// What the search over tools would make of the same text, each spelling of a word once.
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
        for text in [
            "web-search",
            "GitHub",
            "mcp__GitHub__searchIssues",
            "HTTPServer2",
            "a.b_c-d",
            "x",
            "--",
            "",
            "_",
            "file.rs:42, (see `foo_bar`)",
            "ABc aBC AbC",
            "v1.2.3-rc1",
            "__init__",
            "Caf\u{e9} HTTPS-\u{c4}b",
        ] {
            assert_eq!(fast(text), slow(text), "{text}");
        }
        assert_eq!(fast("searchIssues"), ["issues", "search", "searchissues"]);
    }

    fn smallest(text: &str) -> [Vec<(String, String)>; 2] {
        let mut fast = Vec::new();
        parts_ascii(text, |whole, part| fast.push((whole.to_owned(), part.to_owned())));
        let parts = |token: crate::report::words::Token| {
            let parts = token.runs.into_iter().flat_map(|run| run.parts);
            parts.map(|part| (token.whole.clone(), part)).collect::<Vec<_>>()
        };
        [fast, tokens(text).into_iter().flat_map(parts).collect()]
    }

    proptest::proptest! {
        #[test]
        fn what_is_wanted_is_found_among_everything(text in "[abB_. 7-]{0,100}|[abB]{9,30}(_{2,4}[ab]{0,20}){0,4}|[a-c]{0,3}é[aB_]{0,4}") {
            let wants = |first: u8, second: u8| first == b'b' && second == b'a';
            let may_be = |word: &String| word.starts_with("ba") || word.len() == 1;
            let mut wanted = Vec::new();
            let words = split_wanted(&text, &mut Cut::default(), wants, |word| wanted.push(word.to_owned()));
            wanted.retain(may_be);
            wanted.sort();
            let mut all = fast(&text);
            all.retain(may_be);
            proptest::prop_assert_eq!(wanted, all);
            proptest::prop_assert_eq!(words, split(&text, |_| ()));
        }

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
