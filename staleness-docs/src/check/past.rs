//! The history of the project, if there is one.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use staleness_core::knowledge::{Block, Document, Fact, Lines};
use staleness_core::time::Timestamp;

use super::manifests::Manifests;
use super::{Cancelled, blind};
use crate::git::{
    self, Anchor, CitationQuery, Cite, GitError, LazyRepo, Oid, Origin, PartFate, PartQuery, Repo,
    Since, Store, Trace, Tracked, Watch, Word, WordQuery,
};
use crate::report::{Blind, HISTORY, WHOLE};
use crate::{Note, Progress, Skipped};

/// A callback that receives the progress of a check and may cancel it.
pub(crate) type Watcher<'p> = &'p mut dyn FnMut(Progress) -> ControlFlow<()>;

/// A repository with cached answers.
pub(crate) struct Past<'p> {
    pub(super) repo: Option<&'p mut Repo>,
    pub(super) folder: PathBuf,
    /// A value that identifies the end of a truncated history.
    pub(super) boundary: u128,
    /// True if git failed during the check.
    pub(super) failed: bool,
    /// Gaps encountered by the checks whose documents were reused: see [`super::blind`].
    pub(super) met: Cell<u8>,
    /// The gap, if there is a repository that cannot be opened.
    pub(super) unopened: Option<Blind>,
    pub(super) store: OnceCell<Store>,
    pub(super) manifests: Manifests,
    pub(crate) notes: Vec<Note>,
    watcher: Watcher<'p>,
}

pub(crate) fn commit_text(commit: &git::Commit) -> String {
    commit.id.to_string()
}

impl<'p> Past<'p> {
    /// Opens the repository of a project. If there is no usable repository, adds a note with the reason.
    pub(crate) fn of(
        folder: &Path,
        repo: &'p mut LazyRepo,
        watcher: Watcher<'p>,
    ) -> Result<Self, Cancelled> {
        let mut past = Self {
            repo: None,
            folder: folder.to_owned(),
            boundary: 0,
            failed: false,
            met: Cell::new(0),
            unopened: None,
            store: OnceCell::new(),
            manifests: Manifests::default(),
            notes: Vec::new(),
            watcher,
        };
        repo.renew();
        let listed = repo.get().and_then(|repo| {
            repo.tracked()?;
            Ok(repo)
        });
        match listed {
            Ok(repo) => {
                past.boundary = repo.history.boundary();
                past.repo = Some(repo);
            }
            Err(GitError::Cancelled) => return Err(Cancelled),
            Err(why) => {
                past.unopened = blind::unopened(folder, &why);
                past.note(format!("without git history, fewer problems are found: {why}"));
            }
        }
        Ok(past)
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(Note { path: None, line: None, text: text.into() });
    }

    pub(super) fn tell(&mut self, now: Progress) -> Result<(), Cancelled> {
        if (self.watcher)(now).is_break() { Err(Cancelled) } else { Ok(()) }
    }

    pub(crate) fn head(&self) -> Option<String> {
        self.head_commit().as_ref().map(commit_text)
    }

    /// Returns the checked-out commit, if the head is a commit of the files on disk.
    pub(super) fn committed(&self) -> Option<String> {
        self.repo.as_ref()?.history.committed.as_ref().map(commit_text)
    }

    pub(super) fn head_commit(&self) -> Option<git::Commit> {
        self.repo.as_ref().map(|repo| repo.head())
    }

    pub(crate) fn is_head(&self, anchor: Anchor) -> bool {
        self.repo.as_ref().is_some_and(|repo| match anchor {
            Anchor::Commit(id) => id == repo.head().id,
            Anchor::At(at) => at >= repo.head().at,
        })
    }

    pub(crate) fn tracked(&self) -> Option<&Tracked> {
        self.repo.as_ref().and_then(|repo| repo.tracked().ok())
    }

    pub(crate) const fn is_there(&self) -> bool {
        self.repo.is_some()
    }

    /// Starts reading the history of documents in the background.
    pub(super) fn foresee(&mut self) {
        if let Some(repo) = &mut self.repo {
            repo.history.foresee();
        }
    }

    /// Queries the repository. Returns `none` without a repository, or if git fails. A failure adds a note.
    pub(crate) fn ask<T>(
        &mut self,
        none: T,
        question: impl FnOnce(&mut Repo, &mut Watch<'_>) -> Result<T, GitError>,
    ) -> Result<T, Cancelled> {
        let Some(repo) = &mut self.repo else { return Ok(none) };
        let mut watcher = |done, of: Option<usize>| {
            let now = Progress::Tracing { done, of: of.unwrap_or(0) };
            if (self.watcher)(now).is_break() { Err(GitError::Cancelled) } else { Ok(()) }
        };
        match question(repo, &mut watcher) {
            Ok(answer) => Ok(answer),
            Err(GitError::Cancelled) => Err(Cancelled),
            Err(why) => {
                self.failed = true;
                self.note(format!("the history could not be read: {why}"));
                Ok(none)
            }
        }
    }

    /// Looks up a single thing. Returns `None` without a repository, or if git fails.
    pub(super) fn look_up<T>(
        &mut self,
        question: impl FnOnce(&mut Repo) -> Result<Option<T>, GitError>,
    ) -> Option<T> {
        let answer = question(self.repo.as_mut()?);
        self.failed |= answer.is_err();
        answer.ok().flatten()
    }

    /// Returns the commit that was checked out at a time.
    pub(super) fn commit_at(&mut self, at: Timestamp) -> Option<git::Commit> {
        self.look_up(|repo| repo.commit_at(at))
    }

    pub(crate) fn trace(&mut self, words: &[WordQuery<'_>]) -> Result<Vec<Trace>, Cancelled> {
        let unknown = vec![Trace::Unknown; words.len()];
        self.ask(unknown, |repo, watch| repo.trace(words, watch))
    }

    pub(crate) fn ever(&mut self, words: &[Word]) -> Result<Vec<Trace>, Cancelled> {
        let unknown = vec![Trace::Unknown; words.len()];
        self.ask(unknown, |repo, watch| repo.ever(words, watch))
    }

    /// Returns true for each word that the checked-out commit lacks.
    pub(crate) fn missing(&mut self, words: &[Word]) -> Result<Vec<bool>, Cancelled> {
        let none = vec![false; words.len()];
        self.ask(none, |repo, watch| repo.missing(words, watch))
    }

    pub(crate) fn cited(
        &mut self,
        citations: &[CitationQuery<'_>],
    ) -> Result<Vec<Cite>, Cancelled> {
        let unknown = vec![Cite::Unknown; citations.len()];
        self.ask(unknown, |repo, watch| repo.cited(citations, watch))
    }

    pub(crate) fn parts(
        &mut self,
        files: &[PartQuery<'_>],
    ) -> Result<Vec<Vec<PartFate>>, Cancelled> {
        let unknown = files.iter().map(|file| vec![PartFate::Unknown; file.names.len()]).collect();
        self.ask(unknown, |repo, watch| repo.parts(files, watch))
    }

    /// Looks up missing paths in all commits.
    pub(super) fn removals(&mut self, paths: &[&str]) -> Result<Vec<Cite>, Cancelled> {
        let unknown = vec![Cite::Unknown; paths.len()];
        self.ask(unknown, |repo, watch| repo.removals(paths, watch))
    }

    /// Returns the remote from which the repository was cloned. `None` without a repository.
    pub(super) fn origin(&self) -> Option<Origin> {
        Some(self.repo.as_ref()?.history.origin())
    }

    /// Makes the next query read the complete history.
    pub(super) fn look_far(&mut self) {
        if let Some(repo) = &mut self.repo {
            repo.history.lists_all = true;
        }
    }

    /// Returns the changes since a revision, or `None` if they are unknown.
    pub(super) fn since(&mut self, revision: &str) -> Result<Option<Since>, Cancelled> {
        let Some(repo) = &mut self.repo else {
            self.note("without git history, everything counts as new");
            return Ok(None);
        };
        match repo.since(revision) {
            Ok(since) => Ok(Some(since)),
            Err(GitError::Cancelled) => Err(Cancelled),
            Err(why) => {
                self.note(format!("the findings since that revision cannot be determined: {why}"));
                Ok(None)
            }
        }
    }

    /// Reports the contents that exceeded a limit.
    pub(super) fn tell_unread(&mut self, skipped: &mut Vec<Skipped>) {
        let Some(tracked) = self.tracked() else { return };
        let mut skip = |path: &str, reason: &str| {
            skipped.push(Skipped { path: path.to_owned(), reason: reason.to_owned() });
        };
        for path in self.repo.iter().flat_map(|repo| &repo.history.unread) {
            skip(path, "cannot be read by git, so its committed version was checked");
        }
        if self.has_met(blind::CUT) {
            let reason = "the project or its history is too large or too deep to search \
                          completely, so removed names may be missed";
            skip(HISTORY, reason);
        }
        if tracked.cut {
            skip(WHOLE, "has too many files: the rest were left out");
        }
        if tracked.iter().any(|(_, kind)| kind == git::TrackedKind::Submodule) {
            self.note(
                "a name that was removed when a submodule was added is not reported, because it may \
                 be in the submodule",
            );
        }
        if self.has_met(blind::TOO_LARGE) {
            self.note(
                "files that are too large to search may still contain names that were removed elsewhere",
            );
        }
    }
}

/// Removes the id of a private commit from evidence.
pub(super) fn forget(id: &str, documents: &mut [Document]) {
    for block in documents.iter_mut().flat_map(|document| &mut document.found) {
        block.anchor.take_if(|commit| commit == id);
        for evidence in &mut block.evidence {
            match &mut evidence.fact {
                Fact::SourceMissing { commit, .. }
                | Fact::ReferenceDrift { commit, .. }
                | Fact::SourceChanged { commit, .. }
                | Fact::BrokenLink { commit, .. } => drop(commit.take_if(|commit| commit == id)),
                _ => {}
            }
        }
    }
}

/// Returns the documents with only the findings that are new since a revision: references removed by a later commit,
/// documents superseded by a changed document, and findings in changed lines.
pub(super) fn new_since(since: &Since, documents: &[Document]) -> Vec<Document> {
    let changed: HashMap<&str, &[Lines]> =
        since.changed.iter().map(|each| (&*each.path, &*each.lines)).collect();
    let mut documents = documents.to_vec();
    for document in &mut documents {
        let lines = changed.get(&*document.key.path).copied().unwrap_or_default();
        for block in &mut document.found {
            let edited = |block: &Block| {
                lines.iter().any(|l| l.first <= block.last_line && block.line <= l.last)
            };
            if !edited(block) {
                block.evidence.retain(|evidence| {
                    match &evidence.fact {
                        Fact::Expired { at } => return *at > since.commit.at,
                        Fact::Superseded { by } => return changed.contains_key(&**by),
                        _ => {}
                    }
                    let commit = evidence.fact.commit();
                    let commit = commit.and_then(|id| Oid::from_hex(id.as_bytes()));
                    commit.is_some_and(|id| since.new.contains(&id))
                });
            }
        }
        document.found.retain(|block| !block.evidence.is_empty());
    }
    documents
}
