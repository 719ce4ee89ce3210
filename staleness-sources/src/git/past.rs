//! The first-parent history: its commits, and the versions of some files.

use staleness_core::time::Timestamp;

use super::changes::Changes;
use super::follow::{Follow, Trail};
use super::process::Process;
use super::raw::seconds;
use super::{Commit, GitError, Oid, Repo, Stage, Watch};
use staleness_core::hash::Map;

/// The commits from the checked-out one back along first parents: about 48 bytes each.
#[derive(Debug)]
pub(crate) struct Past {
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// Whether the last one is the first of all; else the history was cut off there.
    pub(crate) whole: bool,
    places: Map<Oid, u32>,
    /// What its latest commits changed, as far as that went by.
    pub(crate) changes: Changes,
}

impl Past {
    fn new(commits: Vec<Commit>, whole: bool) -> Self {
        Self { commits, whole, places: Map::default(), changes: Changes::default() }
    }

    /// The latest commit at or before a moment.
    pub(crate) fn at(&self, at: Timestamp) -> Option<usize> {
        self.commits.iter().position(|commit| commit.at <= at)
    }

    /// Where a commit is in the list.
    pub(crate) fn place(&mut self, id: Oid) -> Option<usize> {
        if self.places.is_empty() {
            self.places = (0..).zip(&self.commits).map(|(at, commit)| (commit.id, at)).collect();
        }
        self.places.get(&id).map(|at| *at as usize)
    }

    /// Whether nothing before this commit can be known.
    pub(crate) fn is_edge(&self, at: usize) -> bool {
        !self.whole && at + 1 == self.commits.len()
    }
}

impl Repo {
    /// The commit that was checked out at a moment, if the first parents of the present one are
    /// what was checked out then: the latest that was made at or before it.
    ///
    /// # Errors
    /// When git fails.
    pub fn commit_at(&mut self, at: Timestamp) -> Result<Option<Commit>, GitError> {
        let past = self.past()?;
        Ok(past.at(at).map(|place| past.commits[place]))
    }

    /// The list of commits, read once.
    pub(crate) fn past(&mut self) -> Result<&mut Past, GitError> {
        let past = match self.past.take() {
            Some(past) => past,
            None => self.list()?,
        };
        Ok(self.past.insert(past))
    }

    fn list(&mut self) -> Result<Past, GitError> {
        let (head, count) = (self.head.id.to_string(), self.count());
        let mut process =
            self.place.start(&["rev-list", "--first-parent", "--timestamp", &count, &head])?;
        let (mut commits, mut record) = (Vec::new(), Vec::new());
        let end = loop {
            match process.record(b'\n', &mut record) {
                Ok(true) => {}
                Ok(false) => break process.finish(),
                Err(_) => break Err(process.post_mortem()),
            }
            let space = record.iter().position(|byte| *byte == b' ').unwrap_or(record.len());
            let id = record.get(space + 1..).and_then(Oid::from_hex);
            let (Some(id), Some(at)) = (id, seconds(&record[..space])) else {
                break Err(GitError::garbled("a commit"));
            };
            commits.push(Commit { id, at });
        };
        self.ended(commits, end)
    }

    /// One commit more than the limit: only then is it known that there are more.
    fn count(&self) -> String {
        format!("--max-count={}", u64::from(self.limits.commits) + 1)
    }

    fn ended(
        &mut self,
        mut commits: Vec<Commit>,
        end: Result<(), GitError>,
    ) -> Result<Past, GitError> {
        let limit = self.limits.commits as usize;
        let whole = end.is_ok() && !self.is_shallow() && commits.len() <= limit;
        commits.truncate(limit.max(1));
        match end {
            Err(error) if commits.is_empty() => Err(error),
            // What git could read before it broke off still holds, but is not all.
            Err(_) => {
                self.objects.unread.damaged += 1;
                Ok(Past::new(commits, whole))
            }
            Ok(()) => Ok(Past::new(commits, whole)),
        }
    }

    /// Starts to list what each commit changed, before it is known what is asked of that: git works
    /// on it while others do something else. What goes wrong is told when the list is read.
    pub(crate) fn foresee(&mut self) {
        if self.past.is_none() && self.listing.is_none() {
            self.listing = self.start_listing().ok();
        }
    }

    fn start_listing(&self) -> Result<Process, GitError> {
        let (head, count) = (self.head.id.to_string(), self.count());
        let mut list = self.place.program.command(&self.place.folder);
        list.args(&["rev-list", "--first-parent", &count, &head]);
        let mut compare = self.place.program.command(&self.place.folder);
        compare.args(&["diff-tree", "--stdin", "--diff-merges=first-parent", "-r", "-z", "--raw"]);
        compare.args(&["--root", "--always", "--no-abbrev", "--no-renames", "--no-relative"]);
        compare.args(&["--no-ext-diff", "--no-textconv", "--format=%H %ct"]);
        // What a repository sets for its submodules hides no change of them.
        compare.args(&["--ignore-submodules=none"]);
        if !self.place.prefix.is_empty() {
            compare.args(&["--", "."]);
        }
        Process::start_fed(list, compare)
    }

    /// Reads the versions of these files, paths relative to the project.
    pub(crate) fn trails(
        &mut self,
        paths: &[&str],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Trail>, GitError> {
        let mut process = match self.listing.take() {
            Some(process) => process,
            None => self.start_listing()?,
        };
        let mut follow = Follow::new(&self.place, self.limits, paths);
        let mut told = 0;
        let end = loop {
            match follow.step(&mut process) {
                Ok(true) => {}
                Ok(false) => break process.finish(),
                Err(_) => break Err(process.post_mortem()),
            }
            if follow.is_done() {
                // All that was asked is known; the list of commits is quicker on its own.
                drop(process);
                let Follow { trails, commits, changes, .. } = follow;
                let changes = changes.end(commits.len());
                let past = self.past()?;
                if changes.upto() > past.changes.upto() {
                    past.changes = changes;
                }
                return Ok(trails);
            }
            if follow.commits.len() >= told + 512 {
                told = follow.commits.len();
                watch.tell(Stage::Listing, told, None)?;
            }
        };
        let Follow { commits, trails, changes, .. } = follow;
        let changes = changes.end(commits.len());
        self.past = Some(Past { changes, ..self.ended(commits, end)? });
        Ok(trails)
    }
}
