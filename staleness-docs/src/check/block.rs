//! Builds blocks for the report.

use pulldown_cmark::{Event, Parser};
use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Block, Document, WordKind};

use super::doc::Doc;
use super::open::Open;
use crate::draft::place::{Lines, title};
use crate::draft::{markdown, spans, target};
use crate::git::Word;

/// The longest block and the longest document to search for each missing name, in bytes.
const MAX_EXPLAINED: usize = 16 * 1024;
const MAX_MADE_IN: usize = 128 * 1024;

/// Returns a block for the report, without evidence.
pub(super) fn block_of(open: &Open<'_>, block: Option<usize>, lines: &mut Lines<'_>) -> Block {
    let draft = &open.doc.draft;
    let range = block.map_or(0..draft.body, |at| draft.blocks[at].range.clone());
    let text = open.text.get(range.clone()).unwrap_or_default();
    let (line, last_line) = lines.span(&range);
    let digest = if block.is_some() { digest(text) } else { 0 };
    let title = if block.is_some() { plain(text) } else { "front matter".to_owned() };
    Block { line, last_line, title, digest, anchored_at: None, anchor: None, evidence: Vec::new() }
}

/// Returns true if the block itself introduces the word as a parameter, or the document's code as a variable.
pub(super) fn explains(open: &Open<'_>, block: Option<usize>, word: &Word) -> bool {
    let range = block.and_then(|at| open.doc.draft.blocks.get(at)).map(|it| it.range.clone());
    let text = range.and_then(|range| open.text.get(range)).unwrap_or_default();
    word.kind == WordKind::Identifier
        && (text.len() <= MAX_EXPLAINED && spans::passes_on(text, &word.text)
            || open.text.len() <= MAX_MADE_IN && is_made_in(&open.text, &word.text))
}

/// Returns true if a line gives a variable of this name what a call returns: `page = Page("x")`.
fn is_made_in(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default().trim_start();
        let line = text[at + name.len()..].split('\n').next().unwrap_or_default();
        let rest = line.trim_start();
        let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('='));
        matches!(before, "" | "const " | "let " | "let mut " | "var ")
            && value.is_some_and(|value| {
                let end = value.find(|c: char| !(c.is_alphanumeric() || " _.:&".contains(c)));
                end.is_some_and(|end| end > 0 && value[end..].starts_with('('))
            })
    })
}

/// Words that show that a text refers to removed things on purpose.
#[rustfmt::skip]
const OF_THE_PAST: [&str; 11] = [
    "deprecated", "dropped", "formerly", "instead of", "no longer", "obsolete", "previously", "removed", "renamed",
    "replaced", "used to",
];

impl Open<'_> {
    /// Returns true if the block itself says that the thing is gone. A fenced block never does, because its
    /// lines are meant to be typed.
    pub(super) fn speaks_of_the_past(&self, block: Option<usize>) -> bool {
        let range = block.and_then(|at| self.doc.draft.blocks.get(at)).map(|it| it.range.clone());
        let text = range.and_then(|range| self.text.get(range)).unwrap_or_default();
        let text = text.get(..MAX_EXPLAINED).unwrap_or(text).to_lowercase();
        let fenced = text.starts_with("```") || text.starts_with("~~~");
        !fenced && OF_THE_PAST.iter().any(|word| text.contains(word))
    }

    /// Returns true if the sentence at an offset in the document says that what it names is gone, or that a file of no
    /// folder is the reader's own.
    pub(super) fn says_otherwise(&self, block: Option<usize>, at: usize) -> bool {
        let range = block.and_then(|at| self.doc.draft.blocks.get(at)).map(|it| it.range.clone());
        let Some(range) = range.filter(|range| range.len() <= MAX_EXPLAINED) else { return false };
        let text = self.text.get(range.clone()).unwrap_or_default();
        let at = at.saturating_sub(range.start);
        let written = text.get(at..).and_then(|rest| rest.split(['`', ' ', '\n']).next());
        let is_file = written.is_some_and(|it| !it.contains('/') && target::has_extension(it));
        // The title of an example names its file.
        let is_title = written.is_some_and(|it| text.trim_matches(MARKS).trim() == it);
        is_told_gone(text, at) || is_file && (is_title || is_of_reader(text, at))
    }
}

/// Signs around the only name of a block.
const MARKS: [char; 8] = ['#', '*', '`', ':', '=', '-', ' ', '\n'];
/// Number of words before a name in which `your` is about it.
const NEAR: usize = 4;

/// Phrases by which a sentence says that what it names is gone.
#[rustfmt::skip]
const GONE: [&str; 16] = [
    "been dropped", "been moved", "been removed", "been renamed", "been replaced", "deprecated", "formerly",
    "no longer", "obsolete", "removed in", "there is no `", "was dropped", "was moved", "was removed", "was renamed",
    "was replaced",
];

/// Returns the sentence around an offset, before and from the offset on.
fn sentence_at(text: &str, at: usize) -> Option<(&str, &str)> {
    let (before, behind) = text.split_at_checked(at)?;
    let ends = |(at, end): &(usize, &str)| {
        let rest = &text[at + end.len()..];
        rest.is_empty() || rest.starts_with(char::is_whitespace)
    };
    let is_end = ['.', '!', '?', ';'];
    let start = before.rmatch_indices(is_end).find(ends).map_or(0, |(at, _)| at + 1);
    let mut ends_behind = behind.match_indices(is_end).map(|(to, end)| (at + to, end));
    let end = ends_behind.find(ends).map_or(text.len(), |(to, _)| to);
    Some((&before[start..], &text[at..end]))
}

/// Returns true if the sentence around an offset says that what it names is gone.
fn is_told_gone(text: &str, at: usize) -> bool {
    let Some((before, behind)) = sentence_at(text, at) else { return false };
    let sentence = format!("{before}{behind}");
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    // `from a to b`
    let is_left = before.ends_with("from `") && behind.contains("` to `");
    is_left || GONE.iter().any(|phrase| sentence.contains(phrase))
}

/// Returns true if the sentence before an offset tells the reader to create a file, or ends in a file of theirs:
/// `your own ` before `shop.yml`.
fn is_of_reader(text: &str, at: usize) -> bool {
    let Some((before, _)) = sentence_at(text, at) else { return false };
    let words: Vec<String> = before.split_whitespace().map(str::to_lowercase).collect();
    let near = words.len().saturating_sub(NEAR);
    words[near..].iter().any(|word| word == "your")
        || words.iter().any(|word| word.starts_with("creat"))
}

/// Merges the blocks of an item into one, because an item is judged as a whole.
pub(super) fn as_one(document: &mut Document, doc: &Doc, open: Option<&Open<'_>>) {
    document.blocks = 1;
    let found = std::mem::take(&mut document.found);
    let Some(first) = found.first() else { return };
    let mut whole = Block { line: 1, ..first.clone() };
    whole.anchored_at = found.iter().filter_map(|block| block.anchored_at).max();
    if let Some(open) = open {
        whole.last_line = Lines::new(&open.text).line(open.text.trim_end().len());
        whole.digest = digest(&open.text);
        whole.title = plain(open.text.get(doc.draft.titled.clone()).unwrap_or_default());
    }
    whole.evidence = found.into_iter().flat_map(|block| block.evidence).collect();
    document.found.push(whole);
}

/// Hashes the text of a block. Line breaks do not matter. Never returns 0.
fn digest(text: &str) -> u64 {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        folded.push_str(word);
        folded.push(' ');
    }
    (stable_hash(folded.as_bytes()) as u64).max(1)
}

/// Returns the beginning of a block without its markup.
fn plain(text: &str) -> String {
    let row = text.trim_start().starts_with('|');
    let mut pieces: Vec<String> = Vec::new();
    for event in Parser::new_ext(text, markdown::dialect()) {
        match event {
            Event::Text(text) | Event::Code(text) if row => pieces.push(text.replace('|', " ")),
            Event::Text(text) | Event::Code(text) => pieces.push(text.into_string()),
            Event::SoftBreak | Event::HardBreak => pieces.push(" ".to_owned()),
            _ => {}
        }
    }
    // The parser finds no text in HTML, so use it as it is.
    if pieces.is_empty() { title([text]) } else { title(pieces.iter().map(String::as_str)) }
}

#[cfg(test)]
mod tests {
    use super::{is_of_reader, is_told_gone};

    #[test]
    fn a_sentence_says_what_is_gone() {
        for text in [
            "Use b. The `old` flag was removed.",
            "`old` is\ndeprecated since 2.0, see c.md.",
            "There is no `old` in 3.4; so",
            "- Move it from `old` to `b`",
            "In 1.2 `old` has been\n  renamed.",
        ] {
            assert!(is_told_gone(text, text.find("old").unwrap()), "{text}");
        }
        for text in [
            "Use `old`. The flag `b` was removed.",
            "Rows are removed by `old`.",
            "The flag was removed! Use `old`",
            "`old` is used to limit",
            "",
        ] {
            assert!(!is_told_gone(text, text.find("old").unwrap_or(3)), "{text}");
        }
    }

    #[test]
    fn a_sentence_says_which_file_is_the_readers() {
        for text in ["Add it to your extension `a.yml`", "Create the following `a.yml` file:"] {
            assert!(is_of_reader(text, text.find("a.yml").unwrap()), "{text}");
        }
        for text in [
            "Put your name and the day into the list in `a.yml`",
            "Create one. It is in `a.yml`",
            "See `a.yml` of your project",
        ] {
            assert!(!is_of_reader(text, text.find("a.yml").unwrap()), "{text}");
        }
    }
}
