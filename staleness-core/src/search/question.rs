//! A question, split into words that an index can look up.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::stem::stem;
use crate::refusal::{Invalid, Refusal};
use crate::text::{Token, tokens, words};

/// Maximum number of compound words that are also looked up as one word, such as `websearch` for
/// `web-search`. Each costs a search, and real questions have fewer.
const MAX_WHOLES: usize = 8;

/// Number of words in a tool name that is recognised within a longer question. Two words may occur together by
/// chance: "add a table" to a page does not mean `add_table` of a word processor.
const NAME_WORDS: RangeInclusive<usize> = 3..=8;

/// Filler words in requests. They do not describe the wanted tool.
const TALK: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "d", "did", "do", "does", "for", "from", "get", "give", "had", "has", "have",
    "having", "hello", "help", "hi", "how", "i", "if", "im", "in", "into", "is", "it", "its",
    "just", "know", "let", "lets", "like", "ll", "looking", "m", "me", "my", "need", "of", "on",
    "one", "or", "our", "out", "please", "re", "s", "show", "so", "some", "t", "tell", "than",
    "that", "thats", "the", "their", "them", "then", "there", "these", "they", "this", "to", "up",
    "us", "use", "using", "ve", "want", "was", "we", "were", "what", "whats", "when", "where",
    "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Words of prompts about code, which an agent reads and edits without a suggestion.
const CODE: &[&str] = &[
    "bug", "build", "change", "class", "code", "error", "fail", "file", "fix", "function",
    "method", "module", "test", "type", "value", "variable", "work",
];

/// Words that join two requests.
const JOINTS: &[&str] = &[
    "additionally",
    "afterwards",
    "also",
    "and",
    "finally",
    "furthermore",
    "plus",
    "then",
    "while",
];
/// Maximum number of parts of a question. Each costs a search.
const MAX_PARTS: usize = 4;
/// Minimum number of words of more than three bytes in a part. Shorter parts are often not separate requests.
const PART_WORDS: usize = 4;

/// A caller's question, split into words and stems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question and its phrases that may be tool names, reduced to letters and digits.
    pub(super) names: Vec<String>,
    /// The words as a person would count them, sorted and without duplicates.
    pub(super) asked: Vec<Asked>,
    /// The stems of the smallest parts of its words, each with the indices in `asked` of its words.
    pub(super) stems: BTreeMap<Box<str>, Vec<usize>>,
    /// The stems of the filler words, such as `please`. Empty if there are no other words.
    pub(super) talk: BTreeSet<Box<str>>,
    /// True if the question contains only filler words.
    is_talk: bool,
    /// Its sentences and clauses that may ask for different tools. Empty if there is only one.
    pub(super) parts: Vec<Self>,
}

/// One word of a question, such as `web-search`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The word without separators, for reports.
    pub(super) shown: String,
    /// Stem of the word without separators, if it has several parts.
    pub(super) whole: Option<Box<str>>,
}

impl Question {
    /// The longest question, in bytes. Only the first 4,096 characters are read. For a longer prompt, pass
    /// its beginning.
    pub const MAX_BYTES: usize = 64 * 1024;

    /// Returns the error for a question without a letter or digit.
    pub(crate) fn empty() -> Refusal {
        Invalid::NoWords.into()
    }

    /// Parses a question.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a text without a letter or digit, [`Refusal::TooLarge`] for one over
    /// [`Self::MAX_BYTES`].
    pub fn new(text: &str) -> Result<Self, Refusal> {
        let whole = Self::undivided(text)?;
        let parts = parts(text).iter().filter_map(|part| Self::undivided(part).ok()).collect();
        Ok(Self { parts, ..whole })
    }

    /// Works like [`Question::new`], but the question has no parts.
    pub(crate) fn undivided(text: &str) -> Result<Self, Refusal> {
        Refusal::check_size("query", text.len(), Self::MAX_BYTES)?;
        let all = tokens(text);
        if all.is_empty() {
            return Err(Self::empty());
        }
        let mut names = vec![all.iter().map(Token::as_str).collect()];
        let (talk, others): (Vec<Token>, Vec<_>) =
            all.into_iter().partition(|token| is_talk(&token.whole));
        let is_talk = others.is_empty();
        let (mut all, talk) = if is_talk { (talk, others) } else { (others, talk) };
        names.extend(phrases(&all));
        all.sort_unstable();
        all.dedup();
        let talk = talk.iter().flat_map(stems_of).collect();
        let (asked, stems) = (Vec::new(), BTreeMap::new());
        let mut question = Self { names, asked, stems, talk, is_talk, parts: Vec::new() };
        let mut wholes = 0;
        for (at, token) in all.into_iter().enumerate() {
            let mut parts = 0;
            for part in stems_of(&token) {
                parts += 1;
                let places = question.stems.entry(part).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
            let whole = (parts > 1 && wholes < MAX_WHOLES).then(|| stem(&token.whole).into());
            wholes += usize::from(whole.is_some());
            question.asked.push(Asked { shown: token.whole, whole });
        }
        question.talk.retain(|stem| !question.stems.contains_key(stem));
        Ok(question)
    }
}

impl Question {
    /// Returns true if the question contains only filler words, as in "can you help".
    pub(crate) const fn is_talk(&self) -> bool {
        self.is_talk
    }
}

/// Splits a text at the ends of sentences and at joining words. Returns at most [`MAX_PARTS`] parts, and none for a
/// text without a place to split it.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut long) = (vec![String::new()], 0);
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let joins = JOINTS.binary_search(&bare.as_str()).is_ok();
        if !joins {
            let part = parts.last_mut().expect("there is at least one part");
            part.push_str(word);
            part.push(' ');
            long += usize::from(word.len() > 3);
        }
        if long >= PART_WORDS && (joins || word.ends_with(['.', '?', '!', ';', ':'])) {
            parts.push(String::new());
            long = 0;
        }
    }
    if long < PART_WORDS {
        let rest = parts.pop().unwrap_or_default();
        parts.last_mut().iter_mut().for_each(|last| last.push_str(&rest));
    }
    parts.truncate(if parts.len() > 1 { MAX_PARTS } else { 0 });
    parts
}

/// Calls `visit` with the stems of a learned query, in no particular order and perhaps repeatedly. The flag is
/// true for filler words in a query that also has other words.
pub(super) fn each_learned_stem(text: &str, mut visit: impl FnMut(&str, bool)) {
    let tells = words(text).any(|word| !is_talk(word.whole()));
    for word in words(text) {
        let is_talk = tells && is_talk(word.whole());
        word.parts().for_each(|part| visit(stem(part), is_talk));
    }
}

/// Returns every run of consecutive words with a length in [`NAME_WORDS`], joined without spaces.
fn phrases(all: &[Token]) -> Vec<String> {
    let mut phrases = Vec::new();
    for from in 0..all.len() {
        let (mut phrase, mut words) = (String::new(), 0);
        for token in &all[from..] {
            phrase.push_str(&token.whole);
            words += token.runs.iter().map(|run| run.parts.len()).sum::<usize>();
            if NAME_WORDS.contains(&words) {
                phrases.push(phrase.clone());
            } else if words > *NAME_WORDS.end() {
                break;
            }
        }
    }
    phrases
}

/// Returns true for a filler word.
pub(super) fn is_talk(word: &str) -> bool {
    TALK.binary_search(&word).is_ok()
}

/// Returns true for the stem of a word about code.
pub(super) fn is_code(asked: &str) -> bool {
    CODE.iter().any(|word| stem(word) == asked)
}

fn stems_of(token: &Token) -> impl Iterator<Item = Box<str>> + '_ {
    token.runs.iter().flat_map(|run| &run.parts).map(|part| stem(part).into())
}

/// Reduces a text to letters and digits.
pub(super) fn squashed(text: &str) -> String {
    if text.is_ascii() {
        let told = text.bytes().filter(u8::is_ascii_alphanumeric);
        return told.map(|byte| byte.to_ascii_lowercase() as char).collect();
    }
    tokens(text).iter().map(Token::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_words_are_sorted() {
        assert!(TALK.is_sorted() && JOINTS.is_sorted());
    }

    #[test]
    fn a_question_has_parts_where_it_may_ask_for_several_tools() {
        let one = "Merge the pull request and close it.";
        let two = "Translate this letter into French and send it to everybody in the main office";
        for (text, expected) in [
            ("", &[][..]),
            (one, &[]),
            (
                two,
                &["Translate this letter into French ", "send it to everybody in the main office "],
            ),
            (
                &format!("{two}. Thank you!"),
                &["Translate", "send it to everybody in the main office. Thank you! "],
            ),
        ] {
            let parts = parts(text);
            assert_eq!(parts.len(), expected.len(), "{parts:?}");
            assert!(parts.iter().zip(expected).all(|(a, b)| a.starts_with(b)), "{parts:?}");
        }
        let many = parts(&"Read the whole file aloud today. ".repeat(100));
        assert_eq!(many.len(), MAX_PARTS);
    }

    proptest::proptest! {
        #[test]
        fn a_query_that_was_learned_has_the_stems_of_the_question(
            text in "((the|what|web-search|GitHub|is|[a-zA-Z0-9_.-]{1,6}|caf\u{e9}) ?){0,6}",
        ) {
            let (mut stems, mut talk) = (BTreeSet::new(), BTreeSet::new());
            each_learned_stem(&text, |stem, is_talk| {
                let stems = if is_talk { &mut talk } else { &mut stems };
                stems.insert(Box::from(stem));
            });
            talk.retain(|stem| !stems.contains(stem));
            let asked = Question::new(&text).map_or_else(
                |_| Default::default(),
                |asked| (asked.stems.into_keys().collect(), asked.talk),
            );
            proptest::prop_assert_eq!((stems, talk), asked);
        }
    }

    #[test]
    fn bad_questions_are_refused_with_the_bound() {
        for text in ["", " ", "?!", "\u{1f680}", "\u{301}"] {
            assert_eq!(Question::new(text), Err(Question::empty()), "{text:?}");
        }
        let long = "a ".repeat(512 * 1024);
        let error = Question::new(&long).unwrap_err();
        assert_eq!(error.to_string(), "the query is 1048576 bytes long; at most 65536 are allowed");
        assert!(Question::new(&long[..Question::MAX_BYTES]).is_ok());
    }

    #[test]
    fn a_question_of_many_compounds_costs_no_more_searches_than_an_ordinary_one() {
        // `c-on`, `co-n`, `c-o-n` and so on: every way to split a few letters.
        let cut = |bits: u32| -> String {
            let mut word = String::new();
            for (at, letter) in "conservations".chars().enumerate() {
                word.push(letter);
                if bits >> at & 1 == 1 {
                    word.push('-');
                }
            }
            word
        };
        let text: Vec<String> = (1..256).map(cut).collect();
        let question = Question::new(&text.join(" ")).unwrap();
        assert!(question.asked.len() > 200);
        let wholes = question.asked.iter().filter(|asked| asked.whole.is_some()).count();
        assert_eq!(wholes, MAX_WHOLES);
    }

    #[test]
    fn phrases_are_as_long_as_names() {
        let names = |text: &str| Question::new(text).unwrap().names;
        assert_eq!(
            names("Open the pull request now"),
            ["openthepullrequestnow", "openpullrequest", "openpullrequestnow", "pullrequestnow",]
        );
        assert_eq!(names("use read_text_file here")[1..], ["readtextfile", "readtextfilehere"]);
        let long = Question::new(&"word ".repeat(13_000)).unwrap();
        assert!(long.names.len() < 6_000, "{}", long.names.len());
    }

    #[test]
    fn talk_says_nothing_unless_it_is_all_there_is() {
        let stems = |text: &str| -> Vec<Box<str>> {
            Question::new(text).unwrap().stems.into_keys().collect()
        };
        let all = |words: &[&str]| words.iter().map(|word| (*word).into()).collect::<Vec<_>>();
        assert_eq!(stems("Could you please search the web for me?"), all(&["search", "web"]));
        assert_eq!(stems("how do I"), all(&["do", "how", "i"]));
        assert_eq!(stems("web-search websearch"), all(&["search", "web", "websearch"]));
    }
}
