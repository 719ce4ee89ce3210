//! Checks a text outside the project for names that were removed or never existed.
//!
//! The text is new, so every name missing from the work tree counts, even if it was never committed. The complete
//! history shows which of these names existed before. A name that no commit ever had is invented, but only if it is in
//! a code span or a link target. In prose, too many words look like names.

mod commands;
mod near;
mod tree;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use staleness_core::knowledge::{Citation, Cited, Fact, WordKind};

use crate::check::{Past, fact_of_word, word_of};
use crate::disk::exists;
use crate::draft::names::{NameSort, Names};
use crate::draft::place::Lines;
use crate::draft::{self, MAX_PLACES, Mention, Origin, target};
use crate::git::{LazyRepo, Trace, Word};
use crate::paths;
use crate::project::ProjectPlace;
use crate::{Cancelled, Note, Progress, remedy};
use tree::Tree;

/// Maximum number of names to look up per text.
const MAX_NAMES: usize = 2_000;
/// Maximum number of commands to look up per text.
const MAX_COMMANDS: usize = 100;
/// Maximum number of names per text for which to suggest a similar one.
const MAX_NEAREST: usize = 100;

/// The fate of a name that the work tree lacks.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// The name existed and was removed.
    Went(Fact),
    /// The name never existed.
    Invented {
        /// The most similar name that exists. `None` if no name is similar enough.
        nearest: Option<String>,
    },
}

/// A name in a text that the work tree lacks.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingName {
    /// Line of the name, counted from 1.
    pub line: u32,
    /// Column of the name, counted from 1 in characters.
    pub column: u32,
    /// The name as written.
    pub name: String,
    /// Kind of name.
    pub kind: WordKind,
    /// Fate of the name.
    pub fate: Fate,
}

/// The result of checking a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextReport {
    /// Names that the work tree lacks, in the order of the text and without duplicates.
    pub found: Vec<MissingName>,
    /// Number of names looked up.
    pub names: usize,
    /// Notes on parts that could not be checked.
    pub notes: Vec<Note>,
    /// The checked-out commit. `None` without git.
    pub head: Option<String>,
}

struct Lookup {
    mention: Mention,
    /// The name as written.
    name: String,
    word: Word,
}

/// Checks a text against the work tree, including uncommitted files. Paths are relative to the project's
/// root. Nothing is stored.
///
/// # Errors
/// If `progress` breaks.
pub fn check_text(
    place: &ProjectPlace,
    repo: &mut LazyRepo,
    text: &str,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<TextReport, Cancelled> {
    let mut report = TextReport::default();
    let note = |text: String| Note { path: None, line: None, text };
    let mut names = Names::default();
    let draft = match draft::read("", text, &mut names, &mut MAX_PLACES.clone()) {
        Ok(draft) => draft,
        Err(why) => {
            report.notes.push(note(format!("the text {why}")));
            return Ok(report);
        }
    };
    let mut past = Past::of(&place.folder, repo, progress)?;
    report.head = past.head();
    let (mut asked, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut places, mut calls) = (Vec::new(), Vec::new());
    for mention in &draft.mentions {
        let (sort, name) = names.get(mention.name);
        if sort == NameSort::Word(WordKind::Command) {
            if let Some(call) = commands::call_of(name)
                && seen.insert((WordKind::Command, call.text.clone()))
            {
                places.push(mention.at);
                calls.push(call);
            }
        } else if let Some((name, word)) = asked_of(sort, name)
            && seen.insert((word.kind, name.clone()))
        {
            asked.push(Lookup { mention: *mention, name, word });
        }
    }
    let left = asked.len().saturating_sub(MAX_NAMES)
        + calls.len().saturating_sub(MAX_COMMANDS)
        + draft.left_out;
    if left > 0 {
        report.notes.push(note(format!("{left} more names were not checked")));
    }
    asked.truncate(MAX_NAMES);
    calls.truncate(MAX_COMMANDS);
    report.names = asked.len() + calls.len();
    asked.retain(|it| {
        let is_path = it.word.kind == WordKind::Path;
        !(is_path && exists(&place.folder, it.word.text.trim_start_matches("./")))
    });
    let words: Vec<Word> = asked.iter().map(|it| it.word.clone()).collect();
    let traces = past.ever(&words)?;
    let mut lines = Lines::new(text);
    for (at, fact) in commands::gone(place, &mut past, &calls)? {
        let (line, column) = lines.place(places[at]);
        let (name, kind) = (calls[at].text.clone(), WordKind::Command);
        report.found.push(MissingName { line, column, name, kind, fate: Fate::Went(fact) });
    }
    report.notes.append(&mut past.notes);
    let unseen = past.blind().into_iter();
    report
        .notes
        .extend(unseen.map(|it| note(format!("{} {}: {}", it.path, it.reason, remedy(it.kind)))));
    let is_gone = |trace: &Trace| matches!(trace, Trace::Gone { .. } | Trace::Never);
    let mut all: Vec<(Lookup, Trace)> =
        asked.into_iter().zip(traces).filter(|(_, trace)| is_gone(trace)).collect();
    all.sort_by_key(|(asked, _)| asked.mention.at);
    let tree = if all.is_empty() { Tree::default() } else { Tree::of(place) };
    let mut left = MAX_NEAREST;
    for (Lookup { mention, name, word }, trace) in all {
        let is_sure = mention.origin != Origin::Prose;
        let fate = match trace {
            _ if tree.has(&word) => continue,
            Trace::Gone { by, renamed_to } => {
                let fact =
                    fact_of_word(&Word { text: name.clone(), ..word.clone() }, by, renamed_to);
                Fate::Went(if is_sure { as_cited(fact) } else { fact })
            }
            Trace::Never if is_sure => {
                let nearest = (left > 0).then(|| tree.nearest(&word)).flatten();
                left = left.saturating_sub(1);
                Fate::Invented { nearest }
            }
            _ => continue,
        };
        let (line, column) = lines.place(mention.at);
        report.found.push(MissingName { line, column, name, kind: word.kind, fate });
    }
    report.found.sort_by_key(|it| (it.line, it.column));
    Ok(report)
}

/// Converts a missing path to a missing citation, for code spans and links.
fn as_cited(fact: Fact) -> Fact {
    match fact {
        Fact::ReferenceDrift { word, sort: WordKind::Path, renamed_to, commit, .. } => {
            let citation = Citation::of_path(word);
            Fact::SourceMissing { citation, gone: Cited::Path, renamed_to, commit }
        }
        other => other,
    }
}

/// Returns the name to display and the word to look up. A link names one exact path, and a word any path with this
/// ending.
fn asked_of(sort: NameSort, text: &str) -> Option<(String, Word)> {
    match sort {
        NameSort::Link => {
            let target = target::of_link(text)?;
            let path = paths::resolve("", &target.path).ok().filter(|path| !path.is_empty())?;
            let word = Word { kind: WordKind::Path, text: format!("./{path}") };
            Some((path, word))
        }
        NameSort::Import => None,
        NameSort::Word(_) => word_of(sort, text).map(|word| (word.text.clone(), word)),
    }
}
