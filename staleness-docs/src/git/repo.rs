//! A repository that questions are asked of.

use std::cell::OnceCell;
use std::path::Path;

use staleness_core::knowledge::Lines;
use staleness_core::time::Timestamp;

use super::citations::{CitationQuery, Citations, Cite, Room};
use super::history::{
    Anchor, Dated, DatingQuery, History, Life, LifeQuery, Limits, Origin, Since, Tracked,
};
use super::objects::{Commit, Oid, Store, Unread};
use super::parts::{PartFate, PartQuery, Parts};
use super::process::{GitError, Program, Watch};
use super::renames::Moved;
use super::search::{Search, Searched, Trace, WordQuery};
use super::symbols::Word;

/// A project inside a repository, as its checked-out commit and the commits before it hold it. Its
/// files on disk are not looked at.
#[derive(Debug)]
pub struct Repo {
    history: History,
    tracked: OnceCell<Tracked>,
    moved: Moved,
    searched: Option<Searched>,
    left: u64,
    room: Room,
}

impl Repo {
    /// Opens the repository that the project's folder lies in. The folder may be the root of the
    /// work tree or any folder below, of a linked work tree or a submodule as well.
    ///
    /// # Errors
    /// Why there is no history to ask.
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

    /// Gives back what was spent of the budgets that all questions share.
    pub(super) const fn renew(&mut self) {
        let limits = self.history.limits;
        (self.left, self.room) = (limits.searched_bytes, Room::of(limits.compared_bytes));
    }

    /// The commit that is checked out.
    #[must_use]
    pub const fn head(&self) -> Commit {
        self.history.head
    }

    /// The checked-out commit, if the head is one of the files on disk: see [`Repo::take_disk`].
    pub(crate) const fn committed(&self) -> Option<Commit> {
        self.history.committed
    }

    /// The files that could not be taken as they are on disk: see [`Repo::take_disk`].
    pub(crate) fn not_taken(&self) -> &[String] {
        &self.history.unread
    }

    /// Takes files of the project as they are on disk for a commit of this process alone, made at this time, after
    /// the checked-out one: it is the head from now on. Returns false if all are as they were committed. To
    /// be called before any question. `paths` are relative to the project, each a regular file, a link, or
    /// gone.
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

    /// The texts of files of some commits, in their order, and how many found no room: empty, as those are that
    /// are no text.
    pub(crate) fn texts(
        &mut self,
        files: &[Oid],
        room: usize,
    ) -> Result<(Vec<Vec<u8>>, usize), GitError> {
        self.history.texts(files, room)
    }

    /// Returns true if the repository holds only the latest part of its history.
    #[must_use]
    pub const fn is_shallow(&self) -> bool {
        self.history.shallow
    }

    /// Returns a hash of the commits at which a shallow history ends; 0 for a history that is whole.
    pub(crate) fn boundary(&self) -> u128 {
        self.history.boundary()
    }

    /// Counts what could not be looked at so far.
    #[must_use]
    pub const fn unread(&self) -> Unread {
        self.history.objects.unread
    }

    /// Looks at the folders in which the repository keeps its objects.
    pub(crate) fn store(&self) -> Store {
        Store::of(&self.history.place)
    }

    /// Returns true if a git was ended so far because it needed more than it may. That depends on more than the
    /// repository.
    pub(crate) fn is_ended(&self) -> bool {
        self.history.place.program.watchdog().is_cut()
    }

    /// Returns true if something was left out so far because there is too much of it, or because it is too
    /// deep. Nothing is said to be missing then that may be there.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.history.is_cut()
    }

    /// A commit by its full id, such as one that was recorded earlier; `None` when the repository
    /// does not hold it.
    ///
    /// # Errors
    /// When git fails.
    pub fn commit(&mut self, id: Oid) -> Result<Option<Commit>, GitError> {
        self.history.commit(id)
    }

    /// The commit that was checked out at a moment, if the first parents of the present one are
    /// what was checked out then: the latest that was made at or before it.
    ///
    /// # Errors
    /// When git fails.
    pub fn commit_at(&mut self, at: Timestamp) -> Result<Option<Commit>, GitError> {
        self.history.commit_at(at)
    }

    /// The text of a file in a commit, if there is one.
    pub(crate) fn text_at(&mut self, commit: Oid, path: &str) -> Result<Option<String>, GitError> {
        self.history.text_at(commit, path)
    }

    /// The files that are tracked in the checked-out commit, listed once.
    ///
    /// # Errors
    /// When git fails.
    pub fn tracked(&self) -> Result<&Tracked, GitError> {
        if let Some(tracked) = self.tracked.get() {
            return Ok(tracked);
        }
        let tracked = self.history.tracked()?;
        Ok(self.tracked.get_or_init(|| tracked))
    }

    /// The latest version among the tags: the highest of those that read `1.2.3` or `v1.2.3`.
    /// Previews count only when there is nothing else.
    ///
    /// # Errors
    /// When git fails.
    pub fn latest_version_tag(&self) -> Result<Option<String>, GitError> {
        self.history.latest_version_tag()
    }

    /// The commit that a person names: the one text of somebody else's that git is given. It is
    /// looked up before anything else is done with it, and only its id is used.
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`] when there is no such commit; else when git fails.
    pub fn revision(&mut self, name: &str) -> Result<Commit, GitError> {
        self.history.revision(name)
    }

    /// The commits that came since a revision that a person names, and the documents that differ
    /// between the last commit that both have and the checked-out one.
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`] when there is no such commit; else when git fails.
    pub fn since(
        &mut self,
        revision: &str,
        is_document: &dyn Fn(&str) -> bool,
    ) -> Result<Since, GitError> {
        self.history.since(revision, is_document)
    }

    /// Starts to list what each commit changed, before it is known what is asked of that.
    pub(crate) fn foresee(&mut self) {
        self.history.foresee();
    }

    /// The place that the repository was cloned from, as far as git tells.
    pub(crate) fn origin(&self) -> Origin {
        self.history.origin()
    }

    /// Reads the list of changes to its end, whatever is asked of it first.
    pub(crate) const fn look_far(&mut self) {
        self.history.lists_all = true;
    }

    /// Tells of paths that the checked-out commit lacks if any commit had them; the answers are in the order
    /// of the paths, and are never [`Cite::Holds`].
    pub(crate) fn removals(
        &mut self,
        paths: &[&str],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        self.citations().removals(paths, watch)
    }

    /// Dates blocks of documents; the answers are in the order of the questions. Empty lines belong
    /// to nobody: they are left out of a block that has others.
    ///
    /// The history is read once for all documents, and of each document only as many versions as it
    /// takes to date its blocks, past its renames.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn date(
        &mut self,
        documents: &[DatingQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<Dated>>, GitError> {
        self.history.date(documents, watch)
    }

    /// The name that a document which was dated had at a moment, if that was another one, and the
    /// commit that gave it the present one.
    pub(crate) fn name_at(
        &mut self,
        path: &str,
        at: Anchor,
    ) -> Result<Option<(String, Commit)>, GitError> {
        self.history.name_at(path, at)
    }

    /// When these files came, and when they were edited last; the answers are in the order of the
    /// questions. `None` for a file that the checked-out commit does not hold. The history is read
    /// once for all files, as far back as the oldest of them.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn lives(
        &mut self,
        files: &[LifeQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Option<Life>>, GitError> {
        self.history.lives(files, watch)
    }

    /// Tells for each word if the checked-out commit lacks it, as far as its files can be read. A word that
    /// cannot be looked up is not missing, and no word is when a folder of the commit cannot be listed.
    ///
    /// `is_document` tells the documents among the tracked files, by path relative to the project.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn missing(
        &mut self,
        words: &[Word],
        is_document: &dyn Fn(&str) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<bool>, GitError> {
        self.search(is_document, watch).missing(words)
    }

    /// Traces words through the history; the answers are in the order of the questions. Words that
    /// [`Repo::missing`] was not asked about are looked up in the checked-out commit first.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn trace(
        &mut self,
        words: &[WordQuery<'_>],
        is_document: &dyn Fn(&str) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Trace>, GitError> {
        self.search(is_document, watch).trace(words)
    }

    /// Looks for words in the whole history; the answers are in the order of the questions.
    ///
    /// [`Trace::Never`] means that no commit of the list of first parents had the word. What cannot be told,
    /// as where the history is shallow, is [`Trace::Unknown`].
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn ever(
        &mut self,
        words: &[Word],
        is_document: &dyn Fn(&str) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Trace>, GitError> {
        self.search(is_document, watch).ever(words)
    }

    /// Follows citations through the history; the answers are in the order of the questions.
    ///
    /// The lines of a citation are those of its file when it was verified. They are followed to
    /// where they are now: lines that only moved are not changed, nor are those whose ends differ
    /// in white space. What was seen may be committed later only: the digest of a citation tells in which
    /// version it stands. A symbol stands for its item, from its first line to the end of its block,
    /// where that can be told; else only its disappearance counts.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn cited(
        &mut self,
        citations: &[CitationQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        self.citations().cited(citations, watch)
    }

    /// Follows parts of files through the history; the answers are in the order of the questions and of
    /// the names in each. Of one file at most [`Limits::document_bytes`] of its versions are read.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn parts(
        &mut self,
        files: &[PartQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<PartFate>>, GitError> {
        let Self { history, moved, room, .. } = self;
        Parts { history, moved, room }.fates(files, watch)
    }

    /// Returns the place of cited lines in a text of their file, or of what replaced them: the lines
    /// between the ones that stood around them. `None` when that cannot be told.
    pub(crate) fn follow(
        &mut self,
        query: &CitationQuery<'_>,
        text: &[u8],
    ) -> Result<Option<Lines>, GitError> {
        self.citations().follow(query, text)
    }

    const fn search<'r, 'w>(
        &'r mut self,
        is_document: &'r dyn Fn(&str) -> bool,
        watch: &'r mut Watch<'w>,
    ) -> Search<'r, 'w> {
        let Self { history, moved, searched, left, .. } = self;
        Search { history, moved, searched, left, is_document, watch }
    }

    const fn citations(&mut self) -> Citations<'_> {
        let Self { history, moved, room, .. } = self;
        Citations { history, moved, room }
    }
}
