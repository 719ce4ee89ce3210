//! Builds blocks for the report.

use pulldown_cmark::{Event, Parser};
use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Block, Document, WordKind};

use super::doc::Doc;
use super::open::Open;
use crate::draft::place::{Lines, title};
use crate::draft::{markdown, target};
use crate::symbols::{Word, extent};

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

/// Returns true if the document itself defines the word, or says that the named thing is gone.
pub(super) fn explains(open: &Open<'_>, word: &Word) -> bool {
    word.kind == WordKind::Identifier && open.text.len() <= MAX_MADE_IN && open.knows(&word.text)
}

fn fences(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").skip(1).step_by(2)
}

/// Returns the text before and after each occurrence of a name as a whole word.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let places = text.match_indices(name).map(|(at, _)| (&text[..at], &text[at + name.len()..]));
    places.filter(move |(before, behind)| !before.ends_with(joins) && !behind.starts_with(joins))
}

/// Returns true if a fenced block of the document defines an item of this name, with a body.
fn is_defined_in(text: &str, name: &str) -> bool {
    fences(text).any(|code| {
        extent(code.as_bytes(), name).is_some_and(|lines| {
            let lines: Vec<&str> = code.lines().take(lines.end).skip(lines.start).collect();
            let is_elided = |line: &&str| {
                matches!(line.trim_matches(|c: char| " \t/#*".contains(c)), "..." | "…")
            };
            lines.len() > 2 && !lines.iter().any(is_elided)
        })
    })
}

/// Returns true if code in the document reads an environment variable of this name, or sets and uses it in a shell.
fn is_read_in(text: &str, name: &str) -> bool {
    let is_read = |before: &str| {
        let quoted = before.strip_suffix(['"', '\'']);
        let calls = ["environ[", "environ.get(", "getenv("];
        before.ends_with("process.env.")
            || quoted.is_some_and(|before| calls.iter().any(|call| before.ends_with(call)))
    };
    let is_constant = name.contains('_') && !name.contains(char::is_lowercase);
    let is_used = |code: &str| {
        places(code, name).any(|(before, _)| before.ends_with(['$', '{']))
            && places(code, name).any(|(_, behind)| behind.starts_with('='))
    };
    is_constant
        && (text.match_indices(name).any(|(at, _)| is_read(&text[..at]))
            || fences(text).any(is_used))
}

/// Returns true if a line assigns the result of a call to a variable of this name: `page = Page("x")`.
fn is_made_in(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let words = ["const ", "let mut ", "let ", "var "];
        let line = words.iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
        let rest = line.strip_prefix(name).unwrap_or_default().trim_start();
        let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('='));
        value.is_some_and(|value| {
            let end = value.find(|c: char| !(c.is_alphanumeric() || " _.:&".contains(c)));
            end.is_some_and(|end| end > 0 && value[end..].starts_with('('))
        })
    })
}

/// Words that show that a text refers to removed files or symbols on purpose.
#[rustfmt::skip]
const OF_THE_PAST: [&str; 11] = [
    "deprecated", "dropped", "formerly", "instead of", "no longer", "obsolete", "previously", "removed", "renamed",
    "replaced", "used to",
];

impl Open<'_> {
    /// Returns true if the block says that its subject no longer exists. A fenced block never counts, because its lines
    /// are meant to be typed.
    pub(super) fn speaks_of_the_past(&self, block: Option<usize>) -> bool {
        let range = block.and_then(|at| self.doc.draft.blocks.get(at)).map(|it| it.range.clone());
        let text = range.and_then(|range| self.text.get(range)).unwrap_or_default();
        let text = text.get(..MAX_EXPLAINED).unwrap_or(text).to_lowercase();
        let fenced = text.starts_with("```") || text.starts_with("~~~");
        !fenced && OF_THE_PAST.iter().any(|word| text.contains(word))
    }

    /// Returns true if the document says that a name no longer exists, or its code assigns, defines or reads it.
    fn knows(&self, name: &str) -> bool {
        if let Some(known) = self.known.borrow().get(name) {
            return *known;
        }
        let gone = self.gone.get_or_init(|| {
            let blocks = self.doc.draft.blocks.iter();
            let texts = blocks.filter_map(|block| self.text.get(block.range.clone()));
            let said = texts.filter(|text| text.len() <= MAX_EXPLAINED).flat_map(sentences);
            said.filter(|it| says(it, &GONE)).collect::<Vec<_>>().join("\n")
        });
        let is_known = places(gone, name).next().is_some()
            || is_made_in(&self.text, name)
            || is_defined_in(&self.text, name)
            || is_read_in(&self.text, name);
        self.known.borrow_mut().insert(name.to_owned(), is_known);
        is_known
    }

    /// Returns true if the sentence at an offset in the document says that its subject no longer exists, or that a file
    /// given without a folder belongs to the reader.
    pub(super) fn says_otherwise(&self, block: Option<usize>, at: usize) -> bool {
        let range = block.and_then(|at| self.doc.draft.blocks.get(at)).map(|it| it.range.clone());
        let Some(range) = range.filter(|range| range.len() <= MAX_EXPLAINED) else { return false };
        let text = self.text.get(range.clone()).unwrap_or_default();
        let at = at.saturating_sub(range.start);
        let written = text.get(at..).and_then(|rest| rest.split(['`', ' ', '\n']).next());
        let is_file = written.is_some_and(|it| !it.contains('/') && target::has_extension(it));
        // The title of an example names its file.
        let is_title = written.is_some_and(|it| text.trim_matches(MARKS).trim() == it);
        let behind = text.get(at + written.map_or(0, str::len)..).unwrap_or_default();
        is_told_gone(text, at)
            || is_replaced(text, at)
            || behind.trim_start_matches(['`', ' ']).starts_with("(new")
            || is_file && (is_title || is_of_reader(text, at))
    }
}

/// Characters that may surround the only name of a block.
const MARKS: [char; 8] = ['#', '*', '`', ':', '=', '-', ' ', '\n'];
/// Maximum number of words between `your`, or a verb, and the name to which it refers.
const NEAR: usize = 4;

/// Phrases that say that the subject of a sentence no longer exists.
#[rustfmt::skip]
const GONE: [&str; 14] = [
    "been dropped", "been removed", "been renamed", "deprecated", "former `", "formerly", "obsolete", "removed in",
    "there is no `", "was dropped", "was removed", "was renamed", "→ deleted", "→ removed",
];
/// Phrases that say that the subject no longer exists, is elsewhere or is different now.
#[rustfmt::skip]
const CHANGED: [&str; 13] = [
    "been migrated", "been moved", "been replaced", "has migrated", "has moved", "have migrated", "have moved",
    "no longer", "replaced by", "replaced with", "supersedes", "was moved", "→ replaced",
];
/// Phrases directly before the name of a thing that was replaced.
const FOR: [&str; 4] = ["instead of", "rather than", "replaces", "replacing"];
/// Verbs in a heading before the name of a thing that was removed.
const TAKEN: [&str; 2] = ["deletes", "removes"];

/// Returns the sentence around an offset, split at the offset.
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

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (_, sentence) = sentence_at(text.get(at..)?, 0)?;
        at += sentence.len() + 1;
        Some(sentence)
    })
}

fn says(sentence: &str, phrases: &[&str]) -> bool {
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    phrases.iter().any(|phrase| sentence.contains(phrase))
}

/// Returns true if the sentence around an offset says that its subject no longer exists.
fn is_told_gone(text: &str, at: usize) -> bool {
    let Some((before, behind)) = sentence_at(text, at) else { return false };
    let sentence = format!("{before}{behind}");
    // `from a to b`
    let is_left = before.ends_with("from `") && behind.contains("` to `");
    is_left || says(&sentence, &GONE) || says(&sentence, &CHANGED)
}

/// Returns true if the clause before an offset names a replacement, or a heading says that the change removes the name.
fn is_replaced(text: &str, at: usize) -> bool {
    let Some((before, _)) = sentence_at(text, at) else { return false };
    let clause = before.rsplit([',', '(', ':']).next().unwrap_or_default().to_lowercase();
    let taken = TAKEN.iter().filter(|_| text.starts_with('#'));
    let mut verbs = FOR.iter().chain(taken).filter_map(|verb| clause.rsplit_once(verb));
    verbs.any(|(_, behind)| behind.trim_end_matches('`').split_whitespace().count() <= NEAR)
}

/// Returns true if the sentence before an offset tells the reader to create a file or how to name it, or says that the
/// file belongs to the reader: `your own ` before `shop.yml`.
fn is_of_reader(text: &str, at: usize) -> bool {
    let Some((before, _)) = sentence_at(text, at) else { return false };
    let words: Vec<String> =
        before.trim_end_matches('`').split_whitespace().map(str::to_lowercase).collect();
    let near = words.len().saturating_sub(NEAR);
    words[near..].iter().any(|word| word == "your")
        || words
            .iter()
            .any(|word| word.starts_with("creat") || word.starts_with("naming") || word == "write")
        || words.last().is_some_and(|word| word == "file")
            && words.iter().any(|word| word == "your")
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
    // The parser finds no text in HTML, so HTML is used unchanged.
    let title =
        if pieces.is_empty() { title([text]) } else { title(pieces.iter().map(String::as_str)) };
    // The `:::` of a container is not part of the title.
    if title.starts_with(":::") { title.trim_start_matches([':', ' ']).to_owned() } else { title }
}

#[cfg(test)]
mod tests {
    use super::{is_of_reader, is_replaced, is_told_gone};

    #[test]
    fn a_sentence_says_what_is_gone() {
        for text in [
            "Use b. The `old` flag was removed.",
            "`old` is\ndeprecated since 2.0, see c.md.",
            "There is no `old` in 3.4; so",
            "- Move it from `old` to `b`",
            "In 1.2 `old` has been\n  renamed.",
            "- the list `old` → replaced by `b`",
            "**Supersedes:** the `old` list",
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
    fn a_sentence_says_what_is_replaced() {
        let is = |text: &str| is_replaced(text, text.find("old").unwrap());
        for text in [
            "Call `b` instead of the `old` one",
            "## `b` (replaces `old`)",
            "## Phase 2 removes the `old` list",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "Call `old` instead of `b`",
            "Instead of `b`, call `old`",
            "It replaces rows. Call `old`",
            "# How the sweep removes rows: `old`",
            "# `old` removes rows",
            "Rather than waiting for all of the rows it calls `old`",
        ] {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_says_which_file_is_the_readers() {
        for text in [
            "Add it to your extension `a.yml`",
            "Create the following `a.yml` file:",
            "Example naming: `a.yml`",
            "Put them into your own small settings file `a.yml`",
        ] {
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
