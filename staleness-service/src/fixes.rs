//! Fixes: replaces old names in documents with their current names.
//!
//! Only regular files that git tracks in the project are changed, never through links. Each file is written whole or
//! not at all, and only if it has not changed since it was read.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use staleness::knowledge::{Evidence, Fact};
use staleness_core::knowledge::{Cited, WordKind};
use staleness_core::verdict::SignalKind;
use staleness_docs::git::TrackedKind;
use staleness_docs::{Edit, Mend, Report, mend, mended};

use crate::findings::Findings;
use crate::save::{Prepared, Turn};
use crate::settings::Settings;

/// The reason why a finding without a new name is not fixed.
const NO_NAME: &str = "has no certain new name";

/// Evidence with the edits that fix it.
type Mended = (Evidence, Vec<Edit>);

/// A document's text and the edits to make.
#[derive(Clone, Debug)]
pub struct FixedDocument {
    file: PathBuf,
    /// The current text.
    pub before: String,
    /// The edits, in order of position.
    pub edits: BTreeSet<Edit>,
    /// Evidence and the edits that fix it, by line and column.
    mends: BTreeMap<(u32, u32), Vec<Mended>>,
}

impl FixedDocument {
    /// Returns the text with all edits applied.
    pub fn after(&self) -> String {
        mended(&self.before, &self.edits)
    }

    /// Writes the text with all edits applied.
    ///
    /// # Errors
    /// If the file was changed since it was read, or cannot be written. The reason follows the file's name.
    pub fn write(&self) -> Result<(), String> {
        put(self)
    }

    /// Returns a document that restores the current text, to undo this one after it was written.
    pub fn undone(&self) -> Self {
        let before = self.after();
        let (start, end, new) = (0, before.len(), self.before.clone());
        let edits = [Edit { start, end, new, line: 1, column: 1, end_column: 1 }].into();
        Self { file: self.file.clone(), before, edits, mends: BTreeMap::new() }
    }

    /// Returns the number of changed lines.
    pub fn lines(&self) -> usize {
        self.edits.iter().map(|edit| edit.line).collect::<BTreeSet<_>>().len()
    }
}

/// A finding that is not fixed automatically.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unfixed {
    /// The path of the document.
    pub path: String,
    /// The line, if known.
    pub line: Option<u32>,
    /// The name that no longer exists.
    pub name: String,
    /// The new name, or `None` if it is not certain.
    pub new: Option<String>,
    /// The reason, worded to follow the name in a sentence.
    pub reason: String,
}

/// The edits for a check's findings.
#[derive(Clone, Debug, Default)]
pub struct Fixes {
    /// Documents to edit, by path.
    pub documents: BTreeMap<String, FixedDocument>,
    /// Findings that are not fixed, in order.
    pub left: Vec<Unfixed>,
    /// Number of documents that could not be written.
    pub failed: usize,
}

impl Fixes {
    /// Computes the edits for all findings, and lists the findings that cannot be fixed. Reads each document
    /// with a renamed name, unless its text is given.
    pub fn of(
        settings: &Settings,
        found: &Findings,
        report: &Report,
        unsaved: Option<&str>,
    ) -> Self {
        let mut fixes = Self::default();
        for group in &found.groups {
            let all = group.found.iter().flat_map(|each| each.told_evidence());
            let evidence: Vec<&Evidence> = all.filter(|each| is_of_name(&each.fact)).collect();
            if evidence.iter().all(|each| each.fact.renamed_to().is_none()) {
                fixes.left.extend(evidence.iter().map(|each| unfixed(&group.path, each, NO_NAME)));
                continue;
            }
            let read = if report.history.contains(&group.path) {
                Err("describes the past".to_owned())
            } else {
                read(settings, &group.path)
            };
            let given = |(file, text)| (file, unsaved.map_or(text, str::to_owned));
            match read.map(given) {
                Ok((file, text)) => fixes.take(settings, &group.path, file, text, &evidence),
                Err(why) => {
                    let reason = format!("is named in a file that {why}");
                    fixes
                        .left
                        .extend(evidence.iter().map(|each| unfixed(&group.path, each, &reason)));
                }
            }
        }
        fixes.left.sort();
        fixes.left.dedup();
        fixes
    }

    fn take(
        &mut self,
        settings: &Settings,
        path: &str,
        file: PathBuf,
        text: String,
        evidence: &[&Evidence],
    ) {
        let mut document =
            FixedDocument { file, before: text, edits: BTreeSet::new(), mends: BTreeMap::new() };
        for (each, mend) in evidence.iter().zip(mend(path, &document.before, evidence)) {
            let is_there = |new: &str| settings.place.folder.join(new).symlink_metadata().is_ok();
            let is_path = match each.fact {
                Fact::SourceMissing { gone, .. } => gone == Cited::Path,
                Fact::ReferenceDrift { sort, .. } => sort == WordKind::Path,
                _ => false,
            };
            let is_gone = is_path && each.fact.renamed_to().is_some_and(|new| !is_there(new));
            let why = match mend {
                Mend::Edits(_) if is_gone => "was renamed to a file that is not on disk",
                Mend::Edits(edits) => {
                    document.edits.extend(edits.iter().cloned());
                    let place = (each.line.unwrap_or(0), each.column.unwrap_or(0));
                    document.mends.entry(place).or_default().push(((*each).clone(), edits));
                    continue;
                }
                Mend::Left(why) => why,
                Mend::NoName => NO_NAME,
            };
            self.left.push(unfixed(path, each, why));
        }
        if !document.edits.is_empty() {
            self.documents.insert(path.to_owned(), document);
        }
    }

    /// Returns the edits that fix one piece of evidence in a document.
    pub fn for_evidence(&self, path: &str, evidence: &Evidence) -> &[Edit] {
        let place = (evidence.line.unwrap_or(0), evidence.column.unwrap_or(0));
        let mends = self.documents.get(path).and_then(|document| document.mends.get(&place));
        let found = mends.into_iter().flatten().find(|(other, _)| other == evidence);
        found.map_or(&[], |(_, edits)| edits)
    }

    /// Writes all documents. If one cannot be written, or has changed since it was read, its findings move to
    /// `left`.
    pub fn write(&mut self) {
        let failed: Vec<(String, String)> = self
            .documents
            .iter()
            .filter_map(|(path, document)| Some((path.clone(), put(document).err()?)))
            .collect();
        self.failed = failed.len();
        for (path, reason) in failed {
            let Some(document) = self.documents.remove(&path) else { continue };
            let reason = format!("is named in a file that {reason}");
            let evidence = document.mends.values().flatten().map(|(each, _)| each);
            self.left.extend(evidence.map(|each| unfixed(&path, each, &reason)));
        }
        self.left.sort();
        self.left.dedup();
    }

    /// Returns the number of changed lines in all documents.
    pub fn lines(&self) -> usize {
        self.documents.values().map(FixedDocument::lines).sum()
    }
}

/// Returns the comment that marks a paragraph as still true, to be written after its last line. `None` if that line
/// cannot take one.
pub fn verified_comment(path: &str, last: &str, date: &str) -> Option<String> {
    let last = last.trim_start_matches([' ', '>']).trim_end();
    let is_fence = ["```", "~~~"].iter().any(|fence| last.starts_with(fence));
    let is_underline = ['=', '-'].iter().any(|c| last.chars().all(|each| each == *c));
    // In front of a paragraph, the comment could apply to the whole document, or split a table or list.
    let takes = path.ends_with(".md") && !is_fence && (last.is_empty() || !is_underline);
    takes.then(|| format!(" <!-- staleness: verified {date} -->"))
}

/// Returns the document with a comment that marks a paragraph as still true. `line` is the paragraph's last line.
///
/// # Errors
/// If the paragraph cannot be marked, or the document cannot be changed. The reason is a sentence.
pub fn verified(settings: &Settings, path: &str, line: u32) -> Result<FixedDocument, String> {
    let (file, before) = read(settings, path).map_err(|why| format!("{path} {why}"))?;
    let mut lines = before.split_inclusive('\n');
    let above: usize = lines.by_ref().take(line.saturating_sub(1) as usize).map(str::len).sum();
    let last = lines.next().unwrap_or_default().trim_end_matches(['\n', '\r']);
    let comment = verified_comment(path, last, &settings.now.date());
    let new = comment.ok_or_else(|| {
        format!("no comment can be added at {path}:{line}; edit the file by hand")
    })?;
    let (at, column) = (above + last.len(), last.chars().count() as u32 + 1);
    let edits = [Edit { start: at, end: at, new, line, column, end_column: column }].into();
    Ok(FixedDocument { file, before, edits, mends: BTreeMap::new() })
}

/// Returns true if the fact says that a name no longer exists.
fn is_of_name(fact: &Fact) -> bool {
    matches!(fact.kind(), SignalKind::SourceMissing | SignalKind::ReferenceDrift)
}

/// Returns the name that no longer exists; empty if the fact is not about a name.
fn name(fact: &Fact) -> String {
    match fact {
        Fact::SourceMissing { citation, .. } => citation.to_string(),
        Fact::ReferenceDrift { word, .. } => word.clone(),
        _ => String::new(),
    }
}

fn unfixed(path: &str, evidence: &Evidence, reason: &str) -> Unfixed {
    let new = evidence.fact.renamed_to().map(str::to_owned);
    let name = name(&evidence.fact);
    Unfixed { path: path.to_owned(), line: evidence.line, name, new, reason: reason.to_owned() }
}

/// Reads a document that may be changed. The error is a reason, worded to end a sentence.
fn read(settings: &Settings, path: &str) -> Result<(PathBuf, String), String> {
    if path.starts_with("~/") || Path::new(path).is_absolute() {
        return Err("is not part of the project".to_owned());
    }
    let kind = {
        let mut repo = settings.repo();
        repo.get().and_then(|repo| repo.tracked()).ok().and_then(|tracked| tracked.kind(path))
    };
    if kind != Some(TrackedKind::File) {
        return Err("git does not track".to_owned());
    }
    let words = |error: io::Error| format!("cannot be read: {}", crate::error::in_words(&error));
    let folder = &settings.place.folder;
    let file = folder.join(path).canonicalize().map_err(words)?;
    if folder.canonicalize().map_err(words)?.join(path) != file {
        return Err("is reached through a link".to_owned());
    }
    let meta = file.symlink_metadata().map_err(words)?;
    if !meta.is_file() || meta.permissions().readonly() {
        return Err("is read-only".to_owned());
    }
    let limit = settings.configured.policy.documents.max_file_bytes;
    if meta.len() > limit {
        return Err(format!("is larger than {limit} bytes"));
    }
    let text = std::fs::read_to_string(&file).map_err(words)?;
    Ok((file, text))
}

fn put(document: &FixedDocument) -> Result<(), String> {
    let file = &document.file;
    let words = |error: io::Error| format!("cannot be written: {}", crate::error::in_words(&error));
    let turn = Turn::new(file.parent().unwrap_or(Path::new("."))).map_err(words)?;
    let text = document.after();
    let prepared = Prepared::new(&turn, file, text.as_bytes(), file, false).map_err(words)?;
    let is_same = std::fs::read(file).is_ok_and(|bytes| bytes == document.before.as_bytes());
    let is_link = file.canonicalize().is_ok_and(|it| it != *file);
    if !is_same || is_link {
        return Err("changed in the meantime".to_owned());
    }
    prepared.put().map_err(words)
}

#[cfg(test)]
mod tests {
    use staleness::knowledge::Citation;

    use super::*;

    #[test]
    fn nothing_is_written_behind_a_fence_or_the_underline_of_a_heading() {
        let takes = |path, line| verified_comment(path, line, "2026-12-01").is_some();
        for line in ["```", "> ~~~~", "  ```  ", "=====", "---"] {
            assert!(!takes("a.md", line), "{line}");
        }
        for line in ["", "a", "- a", "| --- |", "a ```b```"] {
            assert!(takes("a.md", line) && !takes("a.rst", line), "{line}");
        }
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.md");
        let fact = Fact::SourceMissing {
            citation: Citation::of_path("a.rs"),
            gone: Cited::Path,
            renamed_to: Some("b.rs".into()),
            commit: None,
        };
        let evidence = Evidence { line: Some(1), column: Some(5), ..Evidence::from(fact) };
        let before = "In `a.rs`.\n".to_owned();
        let Some(Mend::Edits(edits)) = mend("a.md", &before, &[&evidence]).pop() else { panic!() };
        let fixes = Fixes {
            failed: 0,
            documents: BTreeMap::from([(
                "a.md".to_owned(),
                FixedDocument {
                    file: file.clone(),
                    before,
                    edits: edits.iter().cloned().collect(),
                    mends: BTreeMap::from([((1, 5), vec![(evidence, edits)])]),
                },
            )]),
            left: Vec::new(),
        };
        for (now, written, left) in
            [("In `a.rs`.\n", "In `b.rs`.\n", 0), ("In `a.rs`!\n", "In `a.rs`!\n", 1)]
        {
            std::fs::write(&file, now).unwrap();
            let mut fixes = fixes.clone();
            fixes.write();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
            assert_eq!((fixes.left.len(), fixes.documents.len()), (left, 1 - left));
        }
        std::fs::remove_file(&file).unwrap();
        let mut fixes = fixes;
        fixes.write();
        assert_eq!(fixes.left[0].reason, "is named in a file that changed in the meantime");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }
}
