//! The words of an item, as an index takes them.

use crate::report::words::tokens;

/// Calls `visit` with every way in which each word of a text may be asked for: `web-search` as `web`,
/// `search` and `websearch`, `GitHub` as `git`, `hub` and `github`. Returns how many words there are.
///
/// It says what [`tokens`] says, without making a string of each word of plain ASCII, which is most
/// of them; and it reads the whole text.
pub(crate) fn split(text: &str, mut visit: impl FnMut(&str)) -> usize {
    let mut lower = Vec::new();
    if text.is_ascii() {
        return split_ascii(text, &mut lower, &mut visit);
    }
    let mut words = 0;
    for chunk in text.split_whitespace() {
        if chunk.is_ascii() {
            words += split_ascii(chunk, &mut lower, &mut visit);
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

fn split_ascii(text: &str, lower: &mut Vec<u8>, visit: &mut impl FnMut(&str)) -> usize {
    let bytes = text.as_bytes();
    let (mut words, mut at) = (0, 0);
    while at < bytes.len() {
        let from = at;
        let mut sorts = 0;
        while at < bytes.len() && SORTS[usize::from(bytes[at])] != 0 {
            sorts |= SORTS[usize::from(bytes[at])];
            at += 1;
        }
        let token = &text[from..at];
        if sorts == PLAIN {
            visit(token);
            words += 1;
        } else if sorts != 0 {
            words += if token.contains("__") {
                token.split("__").filter(|piece| ascii(piece, lower, visit)).count()
            } else {
                usize::from(ascii(token, lower, visit))
            };
        }
        at += 1;
    }
    words
}

/// Visits the spellings of one token; whether it has any.
fn ascii(token: &str, lower: &mut Vec<u8>, visit: &mut impl FnMut(&str)) -> bool {
    lower.clear();
    let alphanumeric = token.bytes().filter(u8::is_ascii_alphanumeric);
    lower.extend(alphanumeric.map(|byte| byte.to_ascii_lowercase()));
    // It is ASCII: this looks, and copies nothing.
    let Ok(lower) = std::str::from_utf8(lower) else { return false };
    if lower.is_empty() {
        return false;
    }
    let bytes = token.as_bytes();
    let (mut run_from, mut part_from, mut at) = (0, 0, 0);
    for (place, byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            continue;
        }
        let run_begins = place == 0 || !bytes[place - 1].is_ascii_alphanumeric();
        if run_begins {
            visit_run(lower, run_from, part_from, at, visit);
            (run_from, part_from) = (at, at);
        } else if is_hump(bytes, place) {
            visit(&lower[part_from..at]);
            part_from = at;
        }
        at += 1;
    }
    if part_from > run_from {
        visit(&lower[part_from..at]);
    }
    if run_from > 0 {
        visit(&lower[run_from..at]);
    }
    visit(lower);
    true
}

/// Visits a run that is followed by another one of the same token.
fn visit_run(lower: &str, from: usize, part: usize, to: usize, visit: &mut impl FnMut(&str)) {
    if part > from {
        visit(&lower[part..to]);
    }
    if to > from {
        visit(&lower[from..to]);
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

    proptest::proptest! {
        #[test]
        fn any_ascii_is_split_alike(text in "[ -~]{0,40}") {
            proptest::prop_assert_eq!(fast(&text), slow(&text));
        }
    }
}
