//! The first-parent history: its commits, and the versions of some files.

use foldhash::HashMap as Map;
use staleness_core::time::Timestamp;

use super::changes::Changes;
use super::follow::{Follow, Trail};
use super::process::Process;
use super::raw::seconds;
use super::{Commit, GitError, Oid, Repo, Stage, Watch};

/// Commits whose changes one git lists: it keeps some kilobytes of each until it ends.
const BATCH: usize = 4_096;

/// The commits from the checked-out one back along first parents: about 48 bytes each.
#[derive(Debug)]
pub(crate) struct Past {
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// True if the last one is the first of all; else the history was cut off there.
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

    /// Returns true if nothing before this commit can be known.
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
            Err(why) if commits.is_empty() || why.is_final() => Err(why),
            // What git could read before it broke off still holds, but is not all.
            Err(why) => {
                self.broke_off(&why);
                Ok(Past::new(commits, whole))
            }
            Ok(()) => Ok(Past::new(commits, whole)),
        }
    }

    /// Notes that a part of the history was not read. What was too much is noted by the watchdog.
    fn broke_off(&mut self, why: &GitError) {
        self.objects.unread.damaged += u64::from(*why != GitError::TooMuch);
    }

    /// Starts to list what each commit changed, before it is known what is asked of that: git works
    /// on it while others do something else. What goes wrong is told when the list is read.
    pub(crate) fn foresee(&mut self) {
        if self.past.is_none() && self.listing.is_none() && self.past().is_ok() {
            self.listing = self.start_listing(0).ok();
        }
    }

    /// Lists what some commits changed, from a place in the list of commits on.
    fn start_listing(&self, from: usize) -> Result<Process, GitError> {
        let mut compare = self.place.program.command(&self.place.folder);
        compare.args(&["diff-tree", "--stdin", "--diff-merges=first-parent", "-r", "-z", "--raw"]);
        compare.args(&["--root", "--always", "--no-abbrev", "--no-renames", "--no-relative"]);
        compare.args(&["--no-ext-diff", "--no-textconv", "--format=%H %ct"]);
        // What a repository sets for its submodules hides no change of them.
        compare.args(&["--ignore-submodules=none"]);
        if !self.place.prefix.is_empty() {
            compare.args(&["--", "."]);
        }
        let commits = self.past.as_ref().map_or(&[][..], |past| &past.commits);
        let some: Vec<Oid> =
            commits.iter().skip(from).take(BATCH).map(|commit| commit.id).collect();
        Process::start_ahead(compare, move |stdin| {
            some.iter().try_for_each(|id| writeln!(stdin, "{id}"))
        })
    }

    /// Reads the versions of these files, paths relative to the project.
    pub(crate) fn trails(
        &mut self,
        paths: &[&str],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Trail>, GitError> {
        let of = self.past()?.commits.len();
        let mut process = match self.listing.take() {
            Some(process) => process,
            None => self.start_listing(0)?,
        };
        let mut follow = Follow::new(&self.place, self.limits, paths);
        let (mut told, mut batch) = (0, 0);
        let end = loop {
            match follow.step(&mut process) {
                Ok(true) => {}
                Ok(false) => {
                    let next = process.finish().and_then(|()| match follow.commits.len() {
                        at if at >= of => Ok(None),
                        at if at == batch => Err(GitError::garbled("nothing")),
                        at => {
                            batch = at;
                            self.start_listing(at).map(Some)
                        }
                    });
                    process = match next {
                        Ok(Some(next)) => next,
                        Ok(None) => break Ok(()),
                        Err(why) => break Err(why),
                    };
                    continue;
                }
                Err(_) => break Err(process.post_mortem()),
            }
            if follow.is_done() {
                // All that was asked is known.
                drop(process);
                break Ok(());
            }
            if follow.commits.len() >= told + 512 {
                told = follow.commits.len();
                watch.tell(Stage::Listing, told, Some(of))?;
            }
        };
        let Follow { commits, trails, changes, .. } = follow;
        let changes = changes.end(commits.len());
        if let Err(why) = end {
            if why.is_final() || commits.is_empty() && why != GitError::TooMuch {
                return Err(why);
            }
            // Nothing before the last commit that git told of is known.
            self.broke_off(&why);
            let mut known = self.past.take().map_or_else(Vec::new, |past| past.commits);
            known.truncate(commits.len().max(1));
            self.past = Some(Past::new(known, false));
        }
        let past = self.past()?;
        if changes.upto() >= past.changes.upto() {
            past.changes = changes;
        }
        Ok(trails)
    }
}
