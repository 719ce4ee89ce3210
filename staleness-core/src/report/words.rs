//! Words: what a name, a description or a question says, whatever its spelling.

use std::collections::BTreeSet;
use std::ops::Bound;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest text that is looked at, in characters.
const MAX_CHARS: usize = 4_096;
/// A prefix counts from this many characters on.
pub(crate) const MIN_PREFIX: usize = 3;
/// Words of a question that are looked for.
const MAX_ASKED: usize = 64;

/// Words that say nothing about a tool.
const FILLERS: &[&str] = &[
    "a", "an", "and", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in", "is",
    "it", "me", "my", "of", "on", "or", "please", "that", "the", "this", "to", "use", "using",
    "want", "when", "which", "with", "you", "your",
];

/// Letters and digits that belong together, such as `searchIssues`: in one word, and in its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) whole: String,
    pub(crate) parts: Vec<String>,
}

/// What a person would call one word, such as `web-search`: in one word, and in its runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Token {
    pub(crate) whole: String,
    pub(crate) runs: Vec<Run>,
}

impl Token {
    /// The token in one word.
    pub(crate) fn as_str(&self) -> &str {
        &self.whole
    }

    /// Whether it says nothing about anything.
    pub(crate) fn is_filler(&self) -> bool {
        FILLERS.contains(&self.as_str())
    }
}

/// The tokens of a text, accents folded.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let folded: String =
        text.chars().take(MAX_CHARS).nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    folded
        .split("__")
        .flat_map(|part| part.split(|c| !joins(c)))
        .filter_map(|token| {
            let runs: Vec<Run> = token
                .split(|c: char| !c.is_alphanumeric())
                .filter(|run| !run.is_empty())
                .map(|run| Run { whole: run.to_lowercase(), parts: camel(run) })
                .collect();
            let whole = runs.iter().map(|run| run.whole.as_str()).collect::<String>();
            (!runs.is_empty()).then_some(Token { whole, runs })
        })
        .collect()
}

/// The parts of `camelCase`, in lower case.
fn camel(run: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before: Option<char> = None;
    let mut chars = run.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = before.is_some_and(|last| {
            c.is_uppercase() && (!last.is_uppercase() || next_is_lower) && last.is_alphanumeric()
        });
        if starts {
            parts.push(std::mem::take(&mut part));
        }
        part.extend(c.to_lowercase());
        before = Some(c);
    }
    parts.push(part);
    parts
}

/// The words of a text: accents and case folded, `camelCase`, hyphens and underscores split.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    tokens(text).into_iter().flat_map(|token| token.runs).flat_map(|run| run.parts).collect()
}

/// The words of one text, for being asked.
#[derive(Clone, Debug, Default)]
pub struct Words {
    strong: BTreeSet<String>,
    weak: BTreeSet<String>,
}

impl Words {
    /// A thing with a name, whose words count in full, and a description, whose words count less.
    #[must_use]
    pub fn new(name: &str, description: Option<&str>) -> Self {
        Self { strong: spellings(name), weak: spellings(description.unwrap_or("")) }
    }

    /// How well one word is met, 0..=1: in the name exactly 1, by prefix 0.7; in the description
    /// 0.6 and 0.4.
    #[must_use]
    pub fn meets(&self, term: &str) -> f64 {
        if self.strong.contains(term) {
            1.0
        } else if has_prefix(&self.strong, term) {
            0.7
        } else if self.weak.contains(term) {
            0.6
        } else if has_prefix(&self.weak, term) {
            0.4
        } else {
            0.0
        }
    }

    /// How well a token is met, 0..=1: in one word, or else by the mean over its parts.
    pub(super) fn meets_token(&self, token: &Token) -> f64 {
        let by_runs = mean(token.runs.iter().map(|run| {
            let by_parts = mean(run.parts.iter().map(|part| self.meets(part)));
            self.meets(&run.whole).max(by_parts)
        }));
        self.meets(&token.whole).max(by_runs)
    }
}

/// Every way in which the words of a text may be asked for: `web-search` as `web`, `search` and
/// `websearch`, `GitHub` as `git`, `hub` and `github`.
fn spellings(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for token in tokens(text) {
        for run in token.runs {
            all.extend(run.parts);
            all.insert(run.whole);
        }
        all.insert(token.whole);
    }
    all
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

fn has_prefix(words: &BTreeSet<String>, term: &str) -> bool {
    let from = (Bound::Included(term), Bound::Unbounded);
    term.chars().count() >= MIN_PREFIX
        && words.range::<str, _>(from).next().is_some_and(|word| word.starts_with(term))
}

/// The tokens of a question, each once, without fillers unless nothing else is left; at most
/// [`MAX_ASKED`].
#[must_use]
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

    #[test]
    fn hyphens_accents_prefixes_and_camel_case_find_what_a_person_means() {
        assert_eq!(terms("mcp__GitHub__searchIssues"), ["mcp", "git", "hub", "search", "issues"]);
        assert_eq!(terms("Café-Créme HTTPServer2"), ["cafe", "creme", "http", "server2"]);
        let words = Words::new("web-search", Some("Look things up"));
        for (term, met) in [
            ("web", 1.0),
            ("websearch", 1.0),
            ("sear", 0.7),
            ("things", 0.6),
            ("thi", 0.4),
            ("x", 0.0),
        ] {
            assert!((words.meets(term) - met).abs() < 1e-9, "{term}");
        }
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
