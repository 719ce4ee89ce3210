//! A repository that answers queries.

use std::cell::OnceCell;
use std::path::Path;

use staleness_core::knowledge::Lines;
use staleness_core::time::Timestamp;

use super::citations::{CitationQuery, Citations, Cite, Room};
use super::history::{Dated, DatingQuery, History, Life, LifeQuery, Limits, Since, Tracked};
use super::objects::{Commit, Oid, Store, Unread};
use super::parts::{PartFate, PartQuery};
use super::process::{GitError, Program, Watch};
use super::renames::Moved;
use super::search::{Search, Searched, Trace, WordQuery};
use crate::symbols::Word;

/// A project in a repository, as in the checked-out commit and the commits before it. Files on disk do not
/// count.
///
/// Answers are in the order of the queries. All fail if git fails, or with the error of their [`Watch`].
#[derive(Debug)]
pub struct Repo {
    pub(crate) history: History,
    tracked: OnceCell<Tracked>,
    moved: Moved,
    searched: Option<Searched>,
    left: u64,
    room: Room,
}

impl Repo {
    /// Opens the repository that contains the project's folder. The folder may be the root of a work tree, of
    /// a linked one or of a submodule, or any folder below.
    ///
    /// # Errors
    /// If there is no usable repository.
    pub fn open(program: &Program, root: &Path, limits: Limits) -> Result<Self, GitError> {
        Ok(Self {
            history: History::open(program, root, limits)?,
            tracked: OnceCell::new(),
            moved: Moved::default(),
            searched: None,
            left: limits.searched_bytes,
            room: Room::of(limits.compared_bytes),
        })
    }

    /// Resets the budgets that all queries share.
    pub(super) const fn renew(&mut self) {
        let limits = self.history.limits;
        (self.left, self.room) = (limits.searched_bytes, Room::of(limits.compared_bytes));
    }

    /// Returns the checked-out commit.
    pub const fn head(&self) -> Commit {
        self.history.head
    }

    /// Makes a private commit of the given files on disk, on top of the checked-out commit and with the given time. The
    /// private commit becomes the head. Returns false if nothing changed. Call this before any query. Each path,
    /// relative to the project, must be a regular file, a symbolic link or missing.
    pub(crate) fn take_disk(
        &mut self,
        paths: Vec<String>,
        at: Timestamp,
    ) -> Result<bool, GitError> {
        let is_other = self.history.take_disk(paths, at)?;
        if is_other {
            self.tracked = OnceCell::new();
        }
        Ok(is_other)
    }

    /// Returns true if the repository has only the most recent part of its history.
    pub const fn is_shallow(&self) -> bool {
        self.history.shallow
    }

    /// Returns the numbers of objects that could not be read so far.
    pub const fn unread(&self) -> Unread {
        self.history.objects.unread
    }

    pub(crate) fn store(&self) -> Store {
        Store::of(&self.history.place)
    }

    /// Returns true if a git process was stopped because it exceeded its limits. The cause may lie outside the
    /// repository.
    pub(crate) fn is_ended(&self) -> bool {
        self.history.place.program.watchdog().is_cut()
    }

    /// Returns true if anything was omitted so far because it was too large or too deep. Things that may exist in the
    /// omitted part are not reported as missing.
    pub fn is_cut(&self) -> bool {
        self.history.is_cut()
    }

    /// Returns a commit by its full id, for example a stored one, or `None` if the repository does not have it.
    ///
    /// # Errors
    /// If git fails.
    pub fn commit(&mut self, id: Oid) -> Result<Option<Commit>, GitError> {
        self.history.commit(id)
    }

    /// Returns the commit that was checked out at a time: the latest commit at or before that time. Assumes that only
    /// first parents of the current commit were checked out.
    pub fn commit_at(&mut self, at: Timestamp) -> Result<Option<Commit>, GitError> {
        self.history.commit_at(at)
    }

    /// Returns the tracked files of the checked-out commit. They are listed only once.
    pub fn tracked(&self) -> Result<&Tracked, GitError> {
        if let Some(tracked) = self.tracked.get() {
            return Ok(tracked);
        }
        let tracked = self.history.tracked()?;
        Ok(self.tracked.get_or_init(|| tracked))
    }

    /// Returns the highest version among the tags of the form `1.2.3` or `v1.2.3`. Pre-releases count only if there are
    /// no releases.
    pub fn latest_version_tag(&self) -> Result<Option<String>, GitError> {
        self.history.latest_version_tag()
    }

    /// Returns the commit with a name given by the user. This is the only untrusted text that git receives. After that,
    /// only the resulting id is used.
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`] if there is no such commit; otherwise if git fails.
    pub fn revision(&mut self, name: &str) -> Result<Commit, GitError> {
        self.history.revision(name)
    }

    /// Returns the commits since a revision given by the user, and the documents that differ between the
    /// common ancestor and the checked-out commit.
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`] if there is no such commit; otherwise if git fails.
    pub fn since(&mut self, revision: &str) -> Result<Since, GitError> {
        self.history.since(revision)
    }

    /// Searches all commits for paths that the checked-out commit lacks. No answer is [`Cite::Holds`].
    pub(crate) fn removals(
        &mut self,
        paths: &[&str],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        self.citations().removals(paths, watch)
    }

    /// Finds the last edits of blocks of documents. Empty lines count only in blocks that contain nothing else. For
    /// each document, reads only the versions needed, across renames.
    pub fn date(
        &mut self,
        documents: &[DatingQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<Dated>>, GitError> {
        self.history.date(documents, watch)
    }

    /// Finds out when files were added and last edited. `None` for a file that is not in the checked-out commit.
    pub fn lives(
        &mut self,
        files: &[LifeQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Option<Life>>, GitError> {
        self.history.lives(files, watch)
    }

    /// Returns true for each word that the checked-out commit lacks, as far as its files can be read. A word that
    /// cannot be looked up does not count as missing. If a folder cannot be listed, no word does.
    pub fn missing(
        &mut self,
        words: &[Word],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<bool>, GitError> {
        self.search(watch).missing(words)
    }

    /// Traces words through the history. Words that were not passed to [`Repo::missing`] are first looked up in
    /// the checked-out commit.
    pub fn trace(
        &mut self,
        words: &[WordQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Trace>, GitError> {
        self.search(watch).trace(words)
    }

    /// Looks up words in the whole history. [`Trace::Never`] means that no commit along first parents had the
    /// word. If this cannot be determined, as in a shallow history, the answer is [`Trace::Unknown`].
    pub fn ever(&mut self, words: &[Word], watch: &mut Watch<'_>) -> Result<Vec<Trace>, GitError> {
        self.search(watch).ever(words)
    }

    /// Follows citations through the history.
    ///
    /// The lines of a citation are those of its file at the verification, and are followed to their current place.
    /// Lines that moved, or differ only in trailing white space, are unchanged. The verified text may have been
    /// committed later, so the digest of the citation is used to find its version. A symbol stands for its item, from
    /// the first line to the end of its block, if that can be determined; otherwise only its removal counts.
    pub fn cited(
        &mut self,
        citations: &[CitationQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        self.citations().cited(citations, watch)
    }

    /// Follows parts of files through the history. The fates for a file are in the order of its names. At most
    /// [`Limits::document_bytes`] of each file's versions are read.
    pub fn parts(
        &mut self,
        files: &[PartQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<PartFate>>, GitError> {
        self.citations().fates(files, watch)
    }

    /// Returns the range of cited lines in a text of their file, or the range that replaced them: the lines between the
    /// ones that surrounded them. `None` if the range cannot be determined.
    pub(crate) fn follow(
        &mut self,
        query: &CitationQuery<'_>,
        text: &[u8],
    ) -> Result<Option<Lines>, GitError> {
        self.citations().follow(query, text)
    }

    const fn search<'r, 'w>(&'r mut self, watch: &'r mut Watch<'w>) -> Search<'r, 'w> {
        let Self { history, moved, searched, left, .. } = self;
        Search { history, moved, searched, left, watch }
    }

    const fn citations(&mut self) -> Citations<'_> {
        let Self { history, moved, room, .. } = self;
        Citations { history, moved, room }
    }
}
