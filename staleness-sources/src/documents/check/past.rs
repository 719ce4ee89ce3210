//! The history of the project, where there is one.

use std::collections::HashMap;
use std::ops::ControlFlow;

use staleness_core::knowledge::{Block, Document, Fact, Lines};

use super::Cancelled;
use crate::documents::nature::is_document;
use crate::documents::report::WHOLE;
use crate::documents::{Note, Progress, Skipped};
use crate::git::{
    self, Anchor, CitationQuery, Cite, Dated, DatingQuery, GitError, Life, LifeQuery, Limits, Oid,
    Program, Repo, Trace, Tracked, Watch, Word, WordQuery,
};
use crate::project::ProjectPlace;

/// A repository, and what was asked of it once.
pub(in crate::documents) struct Past {
    repo: Option<(Repo, Tracked)>,
    /// How far back the history goes: a hash of the commits where it was cut, 0 when it is whole.
    boundary: u128,
    /// True if git failed on the way.
    failed: bool,
}

/// A commit as evidence names it.
pub(in crate::documents) fn commit_text(commit: &git::Commit) -> String {
    commit.id.to_string()
}

fn note(notes: &mut Vec<Note>, text: String) {
    notes.push(Note { path: None, line: None, text });
}

impl Past {
    /// Opens the repository of a project; why there is none is noted.
    pub(in crate::documents) fn open(
        place: &ProjectPlace,
        program: Option<&Program>,
        notes: &mut Vec<Note>,
    ) -> Result<Self, Cancelled> {
        let opened = program.ok_or(GitError::NoProgram).and_then(|program| {
            let repo = Repo::open(program, &place.folder, Limits::default())?;
            let tracked = repo.tracked()?;
            Ok((repo, tracked))
        });
        match opened {
            Ok((repo, tracked)) => {
                if repo.is_shallow() {
                    let text = "the history is shallow: what is older than it was not seen";
                    note(notes, text.to_owned());
                }
                let boundary = repo.boundary();
                Ok(Self { repo: Some((repo, tracked)), boundary, failed: false })
            }
            Err(GitError::Cancelled) => Err(Cancelled),
            Err(why) => {
                note(notes, format!("there is no history to ask, and so less evidence: {why}"));
                Ok(Self { repo: None, boundary: 0, failed: false })
            }
        }
    }

    pub(in crate::documents) fn head(&self) -> Option<String> {
        self.head_commit().as_ref().map(commit_text)
    }

    pub(super) fn head_commit(&self) -> Option<git::Commit> {
        self.repo.as_ref().map(|(repo, _)| repo.head())
    }

    /// Returns true if a moment is one of the checked-out commit.
    pub(in crate::documents) fn is_head(&self, anchor: Anchor) -> bool {
        self.repo.as_ref().is_some_and(|(repo, _)| match anchor {
            Anchor::Commit(id) => id == repo.head().id,
            Anchor::At(at) => at >= repo.head().at,
        })
    }

    pub(in crate::documents) fn tracked(&self) -> Option<&Tracked> {
        self.repo.as_ref().map(|(_, tracked)| tracked)
    }

    pub(in crate::documents) const fn is_there(&self) -> bool {
        self.repo.is_some()
    }

    /// How far back the history goes, as a number that another end of it would change.
    pub(super) const fn boundary(&self) -> u128 {
        self.boundary
    }

    /// Returns true if something could not be looked at, so that an answer may be missing.
    pub(super) fn is_doubtful(&self) -> bool {
        let unread =
            |(repo, _): &(Repo, Tracked)| repo.is_cut() || repo.unread() != git::Unread::default();
        self.failed || self.repo.as_ref().is_some_and(unread)
    }

    /// The version that the tags of the project name.
    pub(in crate::documents) fn version(&self) -> Option<String> {
        self.repo.as_ref().and_then(|(repo, _)| repo.latest_version_tag().ok().flatten())
    }

    /// Lets git begin with what will be asked about the history of documents.
    pub(super) fn foresee(&mut self) {
        if let Some((repo, _)) = &mut self.repo {
            repo.foresee();
        }
    }

    /// Asks the repository. When git fails there is no answer, and a note.
    fn ask<T>(
        &mut self,
        notes: &mut Vec<Note>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        question: impl FnOnce(&mut Repo, &mut Watch<'_>) -> Result<T, GitError>,
    ) -> Result<Option<T>, Cancelled> {
        let Some((repo, _)) = &mut self.repo else { return Ok(None) };
        let mut watcher = |now: git::Progress| {
            let of = usize::try_from(now.of.unwrap_or(0)).unwrap_or(usize::MAX);
            let done = usize::try_from(now.done).unwrap_or(usize::MAX);
            progress(Progress::Tracing { done, of })
        };
        match question(repo, &mut Watch::new(&mut watcher)) {
            Ok(answer) => Ok(Some(answer)),
            Err(GitError::Cancelled) => Err(Cancelled),
            Err(why) => {
                self.failed = true;
                note(notes, format!("the history could not be read: {why}"));
                Ok(None)
            }
        }
    }

    /// Which of these words are nowhere in the checked-out commit.
    pub(in crate::documents) fn missing(
        &mut self,
        words: &[Word],
        notes: &mut Vec<Note>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<bool>, Cancelled> {
        let none = || vec![false; words.len()];
        if words.is_empty() {
            return Ok(none());
        }
        let answer =
            self.ask(notes, progress, |repo, watch| repo.missing(words, &is_document, watch))?;
        Ok(answer.unwrap_or_else(none))
    }

    /// When these blocks were last edited.
    pub(in crate::documents) fn date(
        &mut self,
        documents: &[DatingQuery<'_>],
        notes: &mut Vec<Note>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Vec<Dated>>, Cancelled> {
        let answer = self.ask(notes, progress, |repo, watch| repo.date(documents, watch))?;
        let unknown = || documents.iter().map(|each| vec![Dated::Unknown; each.blocks.len()]);
        Ok(answer.unwrap_or_else(|| unknown().collect()))
    }

    /// When these files came, and when they were edited last.
    pub(super) fn lives(
        &mut self,
        files: &[LifeQuery<'_>],
        notes: &mut Vec<Note>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Option<Life>>, Cancelled> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let answer = self.ask(notes, progress, |repo, watch| repo.lives(files, watch))?;
        Ok(answer.unwrap_or_else(|| vec![None; files.len()]))
    }

    /// What became of these words.
    pub(in crate::documents) fn trace(
        &mut self,
        words: &[WordQuery<'_>],
        notes: &mut Vec<Note>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Trace>, Cancelled> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let answer =
            self.ask(notes, progress, |repo, watch| repo.trace(words, &is_document, watch))?;
        Ok(answer.unwrap_or_else(|| vec![Trace::Unknown; words.len()]))
    }

    /// The name that a document had at a moment, if that was another one, and the commit that gave it
    /// the present one.
    pub(super) fn name_at(&mut self, path: &str, at: Anchor) -> Option<(String, git::Commit)> {
        let (repo, _) = self.repo.as_mut()?;
        let answer = repo.name_at(path, at);
        self.failed |= answer.is_err();
        answer.ok().flatten()
    }

    /// What became of these citations.
    pub(in crate::documents) fn cited(
        &mut self,
        citations: &[CitationQuery<'_>],
        notes: &mut Vec<Note>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Cite>, Cancelled> {
        if citations.is_empty() {
            return Ok(Vec::new());
        }
        let answer = self.ask(notes, progress, |repo, watch| repo.cited(citations, watch))?;
        Ok(answer.unwrap_or_else(|| vec![Cite::Unknown; citations.len()]))
    }

    /// Where the lines of a citation are in a text of its file.
    pub(in crate::documents) fn follow(
        &mut self,
        citation: &CitationQuery<'_>,
        text: &[u8],
    ) -> Option<Lines> {
        let (repo, _) = self.repo.as_mut()?;
        let answer = repo.follow(citation, text);
        self.failed |= answer.is_err();
        answer.ok().flatten()
    }

    /// The texts of files in a commit, those that it has.
    pub(super) fn texts(&mut self, commit: Oid, paths: &[String]) -> Vec<(String, String)> {
        let Some((repo, _)) = &mut self.repo else { return Vec::new() };
        let mut texts = Vec::new();
        for path in paths {
            match repo.text_at(commit, path) {
                Ok(text) => texts.extend(text.map(|text| (path.clone(), text))),
                Err(_) => self.failed = true,
            }
        }
        texts
    }

    /// The commit that was checked out at a time.
    pub(in crate::documents) fn commit_at(
        &mut self,
        at: staleness_core::time::Timestamp,
    ) -> Option<git::Commit> {
        let (repo, _) = self.repo.as_mut()?;
        let answer = repo.commit_at(at);
        self.failed |= answer.is_err();
        answer.ok().flatten()
    }

    /// The documents with what is new since a revision alone: what went missing in a later commit,
    /// what a document that was changed stands for, and what stands in lines that were changed. `None`
    /// when that is not known.
    pub(super) fn new_since(
        &mut self,
        revision: &str,
        documents: &[Document],
        notes: &mut Vec<Note>,
    ) -> Result<Option<Vec<Document>>, Cancelled> {
        let Some((repo, _)) = &mut self.repo else {
            note(notes, "without a history everything is new".to_owned());
            return Ok(None);
        };
        let since = match repo.since(revision, &is_document) {
            Ok(since) => since,
            Err(GitError::Cancelled) => return Err(Cancelled),
            Err(why) => {
                note(notes, format!("what is new since that revision is not known: {why}"));
                return Ok(None);
            }
        };
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
                        commit_of(&evidence.fact)
                            .and_then(|id| Oid::from_hex(id.as_bytes()))
                            .is_some_and(|id| since.new.contains(&id))
                    });
                }
            }
            document.found.retain(|block| !block.evidence.is_empty());
        }
        Ok(Some(documents))
    }

    /// Says what could not be looked at, and what was too much.
    pub(super) fn tell_unread(&self, notes: &mut Vec<Note>, skipped: &mut Vec<Skipped>) {
        let mut skip = |path: &str, reason: &str| {
            skipped.push(Skipped { path: path.to_owned(), reason: reason.to_owned() });
        };
        if let Some((repo, tracked)) = &self.repo {
            if repo.unread() != git::Unread::default() {
                let text =
                    "parts of the history could not be read; nothing was concluded from them";
                note(notes, text.to_owned());
            }
            if repo.is_cut() {
                let reason = "the project or its history is too large or too deep to be searched as a \
                              whole: what is gone may not be found";
                skip(".git", reason);
            }
            if tracked.iter().any(|(_, kind)| kind == git::TrackedKind::Submodule) {
                let text = "a submodule may hold any name: no flag or identifier is told as gone";
                note(notes, text.to_owned());
            }
            if tracked.cut {
                skip(WHOLE, "has more files than are listed: the rest was left out");
            }
        }
    }
}

fn commit_of(fact: &Fact) -> Option<&str> {
    match fact {
        Fact::SourceMissing { commit, .. }
        | Fact::ReferenceDrift { commit, .. }
        | Fact::SourceChanged { commit, .. } => commit.as_deref(),
        _ => None,
    }
}
