//! Reads the versions of files from the list of changes.

use super::commits::Past;
use super::follow::{Follow, Trail};
use super::timeline::History;
use crate::git::objects::Oid;
use crate::git::process::{GitError, Process, Watch};

/// Number of commits per git process. Git keeps a few kilobytes for each commit until it exits.
const BATCH: usize = 4_096;

/// Arguments that list changes. They override settings that hide changes of submodules.
#[rustfmt::skip]
const LISTING: [&str; 15] = [
    "diff-tree", "--stdin", "--diff-merges=first-parent", "-r", "-z", "--raw", "--root", "--always",
    "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv",
    "--format=%H %ct %P", "--ignore-submodules=none",
];

impl History {
    /// Starts listing the changes of each commit before they are needed, so that git works in the background. Errors
    /// are reported when the list is read.
    pub(crate) fn foresee(&mut self) {
        if self.past.is_none() && self.listing.is_none() && self.past().is_ok() {
            self.listing = self.start_listing(0).ok();
        }
    }

    /// Lists the changes of a batch of commits that begins at index `from`.
    fn start_listing(&self, from: usize) -> Result<Process, GitError> {
        let mut arguments = LISTING.to_vec();
        if !self.place.prefix.is_empty() {
            arguments.extend(["--", "."]);
        }
        let compare = self.place.command(&arguments);
        let commits = self.past.as_ref().map_or(&[][..], |past| &past.commits);
        let some: Vec<Oid> =
            commits.iter().skip(from).take(BATCH).map(|commit| commit.id).collect();
        Process::start_told(compare, true, move |stdin| {
            some.iter().try_for_each(|id| writeln!(stdin, "{id}"))
        })
    }

    /// Reads the whole list of changes. Returns true if it covers every commit back to the first.
    pub(crate) fn list_all(&mut self, watch: &mut Watch<'_>) -> Result<bool, GitError> {
        self.lists_all = true;
        let past = self.past()?;
        if past.changes.upto() + 1 < past.commits.len() && !past.changes.is_full() {
            self.trails(&[], watch)?;
        }
        let past = self.past()?;
        Ok(past.whole && past.changes.upto() + 1 >= past.commits.len())
    }

    /// Reads the versions of these files. Paths are relative to the project.
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
                        at if at == batch => Err(GitError::garbled("no answer")),
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
            if follow.is_done() && !self.lists_all {
                // All files have been followed to their beginning.
                drop(process);
                break Ok(());
            }
            if follow.commits.len() >= told + 512 {
                told = follow.commits.len();
                watch(told, Some(of))?;
            }
        };
        let Follow { commits, trails, changes, .. } = follow;
        let changes = changes.end(commits.len());
        if let Err(why) = end {
            if why.is_final() || commits.is_empty() && why != GitError::TooMuch {
                return Err(why);
            }
            // History before the last reported commit is unknown.
            self.broke_off(&why);
            let mut known = self.past.take().map_or_else(Vec::new, |past| past.commits);
            known.truncate(commits.len().max(1));
            self.past = Some(Past::new(known, false));
            self.anchors.clear();
        }
        let past = self.past()?;
        if changes.upto() >= past.changes.upto() {
            past.changes = changes;
        }
        Ok(trails)
    }
}
