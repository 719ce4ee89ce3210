//! The words of a name, a description or a question, whatever their spelling.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::fold::{is_ignorable, push_folded};

/// The maximum number of characters of a text to read.
const MAX_CHARS: usize = 4_096;
/// The minimum length of a prefix that counts as a match, in characters.
pub(crate) const MIN_PREFIX: usize = 3;
/// The maximum number of words of a question.
const MAX_ASKED: usize = 64;

/// Words that say nothing about a tool.
const FILLERS: &[&str] = &[
    "a", "about", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "how", "i", "in", "is", "it", "its", "me", "my",
    "of", "on", "or", "our", "please", "should", "that", "the", "their", "there", "these", "they",
    "this", "those", "to", "us", "use", "using", "want", "was", "we", "were", "what", "when",
    "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// A run of letters and digits, such as `searchIssues`: the whole word and its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) whole: String,
    pub(crate) parts: Vec<String>,
}

/// A word as a person would count it, such as `web-search`: the whole word and its runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Token {
    pub(crate) whole: String,
    pub(crate) runs: Vec<Run>,
}

impl Token {
    pub(crate) fn as_str(&self) -> &str {
        &self.whole
    }

    pub(crate) fn is_filler(&self) -> bool {
        FILLERS.contains(&self.as_str())
    }
}

/// Returns the tokens of a text, with accents folded. Texts that `fold_query` treats as equal have the same tokens.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let plain = plain(text);
    plain
        .split("__")
        .flat_map(|part| part.split(|c| !joins(c)))
        .filter_map(|token| {
            let runs: Vec<Run> = token
                .split(|c: char| !c.is_alphanumeric())
                .filter(|run| !run.is_empty())
                .map(|run| Run { whole: lower(run), parts: camel(run) })
                .collect();
            let whole = runs.iter().map(|run| run.whole.as_str()).collect::<String>();
            (!runs.is_empty()).then_some(Token { whole, runs })
        })
        .collect()
}

/// Returns true for the characters of words: letters, digits and the characters that join them.
pub(super) fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Returns the beginning of a text without accents and invisible characters.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text[..text.len().min(MAX_CHARS)].into();
    }
    // An iota subscript is a letter, not an accent: next to a capital it is written as a letter of its own.
    let iota = |c| if c == '\u{345}' { 'ι' } else { c };
    let letters = text.chars().take(MAX_CHARS).nfkd().map(iota);
    letters.filter(|c| !is_combining_mark(*c) && !is_ignorable(*c)).collect()
}

fn lower(run: &str) -> String {
    let mut lower = String::with_capacity(run.len());
    run.chars().for_each(|c| push_folded(c, &mut lower));
    lower
}

/// Returns the parts of `camelCase`, in lower case. A run of characters that are written without spaces is split into
/// overlapping pairs, because nothing marks the ends of its words.
fn camel(run: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before: Option<char> = None;
    let mut chars = run.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = before.is_some_and(|last| {
            let hump = c.is_uppercase() && (!last.is_uppercase() || next_is_lower);
            hump && last.is_alphanumeric() || is_unspaced(last) != is_unspaced(c)
        });
        if starts {
            add_part(&mut parts, std::mem::take(&mut part));
        }
        push_folded(c, &mut part);
        before = Some(c);
    }
    add_part(&mut parts, part);
    parts
}

fn add_part(parts: &mut Vec<String>, part: String) {
    if !part.starts_with(is_unspaced) || part.chars().nth(2).is_none() {
        parts.push(part);
        return;
    }
    let pairs = part.chars().zip(part.chars().skip(1));
    parts.extend(pairs.map(|(first, second)| String::from_iter([first, second])));
}

/// Returns true for Chinese and Japanese characters, which are written without spaces.
const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns the words of a text, with accents and case folded and `camelCase`, hyphens and underscores split.
pub fn terms(text: &str) -> Vec<String> {
    tokens(text).into_iter().flat_map(|token| token.runs).flat_map(|run| run.parts).collect()
}

/// Returns the distinct tokens of a question, at most [`MAX_ASKED`]. Fillers are dropped unless there are only fillers.
pub(crate) fn question(text: &str) -> Vec<Token> {
    let mut all = tokens(text);
    all.sort_unstable();
    all.dedup_by(|a, b| a.whole == b.whole);
    let telling = |token: &Token| !token.is_filler();
    if all.iter().any(telling) {
        all.retain(telling);
    }
    all.truncate(MAX_ASKED);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold_query;

    #[test]
    fn hyphens_accents_and_camel_case_are_read_as_a_person_means_them() {
        assert_eq!(terms("mcp__GitHub__searchIssues"), ["mcp", "git", "hub", "search", "issues"]);
        assert_eq!(terms("Café-Créme HTTPServer2"), ["cafe", "creme", "http", "server2"]);
    }

    fn wholes(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.whole).collect()
    }

    #[test]
    fn what_is_one_query_has_one_set_of_words() {
        for (text, same) in [
            ("\u{39f}\u{394}\u{39f}\u{3a3}", "\u{3bf}\u{3b4}\u{3bf}\u{3c2}"),
            ("stra\u{df}e finden", "STRASSE FINDEN"),
            ("STRA\u{1e9e}E", "strasse"),
            ("x\u{ad}yz\u{200b} soft", "xyz soft"),
            ("\u{fb01}nd", "FIND"),
            ("pa\u{17f}s", "pass"),
            ("\u{1fbc}\u{3b4}\u{3c9}", "\u{391}\u{399}\u{394}\u{3a9}"),
        ] {
            assert_eq!(wholes(text), wholes(same), "{text}");
            assert_eq!(terms(&text.to_lowercase()), terms(&same.to_lowercase()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_words_of_a_query_are_those_of_its_identity(
            text in "[aStsxX\u{df}\u{1e9e}\u{17f}\u{3a3}\u{3c3}\u{3c2}\u{39f}\u{fb01}\u{e9}\u{c9}\u{301}\u{345}\u{130}\u{131}\u{ad}\u{200b}\u{feff}\u{ff21}\u{ff41}\u{3000} ?_.-]{0,40}|\\PC{0,40}",
        ) {
            proptest::prop_assert_eq!(wholes(&fold_query(&text)), wholes(&text));
        }
    }

    #[test]
    fn what_is_written_without_spaces_is_read_in_pairs() {
        assert_eq!(
            terms("\u{641c}\u{7d22}\u{4ee3}\u{7801}"),
            ["\u{641c}\u{7d22}", "\u{7d22}\u{4ee3}", "\u{4ee3}\u{7801}"]
        );
        assert_eq!(terms("GitHub\u{4ed3}\u{5e93}2"), ["git", "hub", "\u{4ed3}\u{5e93}", "2"]);
        assert_eq!(terms("\u{5e93} \u{30b5}\u{30fc}"), ["\u{5e93}", "\u{30b5}\u{30fc}"]);
    }

    #[test]
    fn fillers_are_left_out_unless_alone() {
        let asked = |text: &str| -> Vec<String> {
            question(text).iter().map(|token| token.as_str().to_owned()).collect()
        };
        assert_eq!(asked("how to search the web"), ["search", "web"]);
        assert_eq!(asked("the"), ["the"]);
        assert!(asked(" ?! ").is_empty());
    }
}
