//! Words: what a name, a description or a question says, whatever its spelling.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest text that is looked at, in characters.
const MAX_CHARS: usize = 4_096;
/// A prefix counts from this many characters on.
const MIN_PREFIX: usize = 3;

/// Words that say nothing about a tool.
const FILLERS: &[&str] = &[
    "a", "an", "and", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in", "is",
    "it", "me", "my", "of", "on", "or", "please", "that", "the", "this", "to", "use", "using",
    "want", "when", "which", "with", "you", "your",
];

/// The words of a text: accents and case folded, `camelCase`, hyphens and underscores split.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut chars =
        text.chars().take(MAX_CHARS).nfkd().filter(|c| !is_combining_mark(*c)).peekable();
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = match before {
            Some(last) if c.is_uppercase() => {
                last.is_lowercase() || last.is_numeric() || (last.is_uppercase() && next_is_lower)
            }
            _ => false,
        };
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            terms.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !word.is_empty() {
        terms.push(word);
    }
    terms
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
        let mut strong: BTreeSet<String> = terms(name).into_iter().collect();
        // The whole name in one word finds `web-search` by `websearch`.
        strong.insert(terms(name).concat());
        Self { strong, weak: terms(description.unwrap_or("")).into_iter().collect() }
    }

    /// How well a question's word is met, 0..=1: in the name exactly 1, by prefix 0.7; in the
    /// description 0.6 and 0.4.
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
}

fn has_prefix(words: &BTreeSet<String>, term: &str) -> bool {
    term.chars().count() >= MIN_PREFIX
        && words.range(term.to_owned()..).next().is_some_and(|word| word.starts_with(term))
}

/// The words of a question, without fillers unless nothing else is left.
#[must_use]
pub(super) fn question(text: &str) -> Vec<String> {
    let mut all = terms(text);
    all.sort_unstable();
    all.dedup();
    let telling: Vec<String> =
        all.iter().filter(|term| !FILLERS.contains(&term.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
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
        assert_eq!(question("how to search the web"), ["search", "web"]);
        assert_eq!(question("the"), ["the"]);
    }
}
