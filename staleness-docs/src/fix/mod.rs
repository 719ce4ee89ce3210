//! Replaces old names in documents by current ones.
//!
//! Turns a document and the evidence against it into edits. A name is replaced only if its new name is certain: the
//! evidence contains the new name, the old name is at the evidence's position, and parsing the edited text finds the
//! new name. Everything else stays the same, byte for byte. Quoted or struck-out text refers to the past and is never
//! edited. A paragraph that contains both names is not edited either.

mod reading;
mod written;

use std::collections::BTreeMap;
use std::ops::Range;

use staleness_core::knowledge::{Cited, Evidence, Fact, WordKind};

use crate::draft::names::NameSort;
use crate::draft::place::Lines;
use crate::draft::plain::Plain;
use crate::draft::target;
use crate::nature::is_markdown;
use crate::paths;
use reading::{Named, Reading};

/// A replacement for a range of a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Offset of the first replaced byte.
    pub start: usize,
    /// Offset after the last replaced byte, in the same line.
    pub end: usize,
    /// Replacement text.
    pub new: String,
    /// Line of the range, counted from 1.
    pub line: u32,
    /// First column of the range, counted from 1 in characters.
    pub column: u32,
    /// Column after the range, counted from 1 in characters.
    pub end_column: u32,
}

/// The edits for one piece of evidence, or the reason why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// The evidence gives no new name.
    NoName,
    /// A new name is known but cannot be written. The text is the reason, to be read after the old name.
    Left(&'static str),
    /// At least one replacement. A block may contain the name several times.
    Edits(Vec<Edit>),
}

const NO_MARKDOWN: &str = "is in a document that is not Markdown; only Markdown can be fixed";
const QUOTED: &str = "is in a quotation";
const BESIDE: &str = "is next to its new name, as in a sentence about the change";
const IN_HEADING: &str = "is in a heading; a new heading would break the links to it";
const NOT_FOUND: &str = "is not where the check found it";
const UNWRITABLE: &str = "has a new name that would be read differently there";
const ESCAPED: &str = "is written with escapes";

/// Returns the result for each piece of evidence about a document.
///
/// # Examples
/// ```
/// use staleness_core::knowledge::{Citation, Cited, Evidence, Fact};
/// use staleness_docs::{Mend, mend, mended};
///
/// let text = "See [the router](../src/router.rs#L3).\n";
/// let fact = Fact::SourceMissing {
///     citation: Citation::of_path("src/router.rs"),
///     gone: Cited::Path,
///     renamed_to: Some("src/net/routing.rs".into()),
///     commit: None,
/// };
/// let evidence = Evidence { line: Some(1), column: Some(5), ..Evidence::from(fact) };
/// let mends = mend("docs/guide.md", text, &[&evidence]);
/// let Mend::Edits(edits) = &mends[0] else { panic!("{mends:?}") };
/// assert_eq!(mended(text, edits), "See [the router](../src/net/routing.rs#L3).\n");
/// ```
pub fn mend(path: &str, text: &str, evidence: &[&Evidence]) -> Vec<Mend> {
    let new_names = evidence.iter().map(|each| each.fact.renamed_to()).collect::<Vec<_>>();
    if new_names.iter().all(Option::is_none) {
        return vec![Mend::NoName; evidence.len()];
    }
    if !is_markdown(path) {
        return vec![Mend::Left(NO_MARKDOWN); evidence.len()];
    }
    let plain = Plain::of(path, text).text;
    let Some(reading) = Reading::of(&plain) else {
        return vec![Mend::Left(NOT_FOUND); evidence.len()];
    };
    let mut lines = Lines::new(text);
    let mut mends: Vec<Mend> = evidence
        .iter()
        .zip(&new_names)
        .map(|(each, new)| match new {
            None => Mend::NoName,
            Some(new) => match changes(path, text, &reading, each, new) {
                Ok(changes) => {
                    Mend::Edits(changes.into_iter().map(|it| edit(&mut lines, it)).collect())
                }
                Err(why) => Mend::Left(why),
            },
        })
        .collect();
    leave_contradictions(&mut mends);
    leave_unreadable(path, text, &reading, &mut mends);
    mends
}

/// Applies edits to a text. If several edits have the same range, only the first applies.
pub fn mended<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort();
    let (mut new, mut at) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let is_whole = text.is_char_boundary(edit.end);
        if let Some(before) = text.get(at..edit.start).filter(|_| is_whole) {
            new.push_str(before);
            new.push_str(&edit.new);
            at = edit.end;
        }
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

/// A replacement with byte offsets only.
type Change = (Range<usize>, String);

/// Returns the replacements for one piece of evidence.
fn changes(
    path: &str,
    text: &str,
    reading: &Reading<'_>,
    evidence: &Evidence,
    new: &str,
) -> Result<Vec<Change>, &'static str> {
    let (line, column) = (evidence.line.unwrap_or(1), evidence.column.unwrap_or(1));
    let at = reading.offset(line, column).ok_or(NOT_FOUND)?;
    let (folder, mut found) = (paths::folder_of(path), Vec::new());
    for mention in reading.like(at, |sort| names(&evidence.fact, sort)) {
        if reading.is_quoted(mention.at) {
            return Err(QUOTED);
        }
        if reading.is_in_heading(mention.at) && mention.sort != NameSort::Link {
            return Err(IN_HEADING);
        }
        // A sentence about the rename: `a.rs` was renamed to `b.rs`
        if reading.beside(&mention).any(|other| is_called(other, new)) {
            return Err(BESIDE);
        }
        found.push(match mention.sort {
            NameSort::Link => {
                let range = reading.destination(mention.at).ok_or(ESCAPED)?;
                let raw = text.get(range.clone()).ok_or(NOT_FOUND)?;
                let (part, new) =
                    written::link(folder, &evidence.fact, raw, new).ok_or(UNWRITABLE)?;
                (range.start + part.start..range.start + part.end, new)
            }
            _ => {
                // The text may contain options that are missing from the parsed command.
                if !text.get(mention.at..).is_some_and(|rest| rest.starts_with(mention.text)) {
                    return Err(ESCAPED);
                }
                let (length, new) =
                    written::word(folder, mention.sort, &evidence.fact, mention.text, new)
                        .ok_or(UNWRITABLE)?;
                (mention.at..mention.at + length, new)
            }
        });
    }
    if found.is_empty() {
        found.extend(cited(text, reading, &evidence.fact, new));
    }
    if found.is_empty() { Err(NOT_FOUND) } else { Ok(found) }
}

/// Returns true if a name equals the new name or its end.
fn is_called(named: Named<'_>, new: &str) -> bool {
    let path = match named.sort {
        NameSort::Link => target::of_link(named.text),
        NameSort::Word(WordKind::Path) => target::of_path(named.text),
        _ => return named.text == new,
    };
    let path =
        path.and_then(|target| paths::resolve("", target.path.trim_start_matches("../")).ok());
    path.filter(|path| !path.is_empty()).is_some_and(|path| {
        new.strip_suffix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })
}

/// Returns true if a fact may apply to a name of this sort.
fn names(fact: &Fact, sort: NameSort) -> bool {
    match (fact, sort) {
        (
            Fact::SourceMissing { .. },
            NameSort::Link | NameSort::Import | NameSort::Word(WordKind::Path),
        ) => true,
        (Fact::ReferenceDrift { sort: kind, .. }, NameSort::Word(word)) => *kind == word,
        _ => false,
    }
}

/// Returns the replacement of a citation in the front matter, as a path from the project's root.
fn cited(text: &str, reading: &Reading<'_>, fact: &Fact, new: &str) -> Option<Change> {
    let Fact::SourceMissing { citation, gone: Cited::Path, .. } = fact else { return None };
    let is_it = |cite: &&(String, u32)| {
        let named = target::of_cite(&cite.0).map(|target| paths::resolve("", &target.path));
        named == Some(Ok(citation.path.clone()))
    };
    let mut all = reading.cites().iter().filter(is_it);
    let (Some((cite, line)), None) = (all.next(), all.next()) else { return None };
    let old = target::of_cite(cite)?.path;
    let start = reading.offset(*line, 1)?;
    let row = text[start..].lines().next()?;
    let mut places = row.match_indices(&*old);
    let (Some((at, _)), None) = (places.next(), places.next()) else { return None };
    let joins = |c: char| c.is_alphanumeric() || "._-/\\".contains(c);
    if row[..at].ends_with(joins) || row[at + old.len()..].starts_with(joins) {
        return None;
    }
    let is_plain = new.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    let prefix = if old.starts_with("./") { "./" } else { "" };
    is_plain.then(|| (start + at..start + at + old.len(), format!("{prefix}{new}")))
}

/// Rejects edits that overlap with different ones.
fn leave_contradictions(mends: &mut [Mend]) {
    let mut all: Vec<(Edit, usize)> = Vec::new();
    for (at, mend) in mends.iter().enumerate() {
        if let Mend::Edits(edits) = mend {
            all.extend(edits.iter().map(|edit| (edit.clone(), at)));
        }
    }
    all.sort();
    let clash = |pair: &[(Edit, usize)]| {
        let ((a, first), (b, second)) = (&pair[0], &pair[1]);
        (a != b && b.start < a.end).then_some([*first, *second])
    };
    for at in all.windows(2).filter_map(clash).flatten() {
        mends[at] = Mend::Left("has two different new names");
    }
}

/// Parses the edited text, and rejects edits that do not produce the new name.
fn leave_unreadable(path: &str, text: &str, before: &Reading<'_>, mends: &mut [Mend]) {
    let mut places: BTreeMap<&Edit, usize> = BTreeMap::new();
    for mend in mends.iter() {
        if let Mend::Edits(edits) = mend {
            places.extend(edits.iter().map(|edit| (edit, 0)));
        }
    }
    let (mut longer, mut shorter) = (0, 0);
    for (edit, at) in &mut places {
        *at = edit.start + longer - shorter;
        longer += edit.new.len();
        shorter += edit.end - edit.start;
    }
    let new = mended(text, places.keys().copied());
    let new = Plain::of(path, &new).text;
    let after = Reading::of(&new);
    let reads = |edit: &Edit| {
        let Some(after) = &after else { return false };
        // Front matter is parsed elsewhere.
        let Some((sort, rest)) = before.from(edit.start) else { return true };
        let behind = rest.get(edit.end - edit.start..).unwrap_or_default();
        places.get(edit).and_then(|at| after.from(*at)).is_some_and(|(now, rest)| {
            let rest = rest.strip_prefix(edit.new.as_str());
            now == sort && rest.is_some_and(|rest| rest.chars().next() == behind.chars().next())
        })
    };
    let is_bad = |mend: &Mend| matches!(mend, Mend::Edits(edits) if !edits.iter().all(reads));
    let bad: Vec<bool> = mends.iter().map(is_bad).collect();
    for (mend, _) in mends.iter_mut().zip(bad).filter(|(_, bad)| *bad) {
        *mend = Mend::Left(UNWRITABLE);
    }
}

fn edit(lines: &mut Lines<'_>, (range, new): Change) -> Edit {
    let (line, column) = lines.place(range.start);
    let (_, end_column) = lines.place(range.end);
    Edit { start: range.start, end: range.end, new, line, column, end_column }
}

#[cfg(test)]
mod tests;
