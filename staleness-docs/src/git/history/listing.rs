//! Reads the list of changes.

use super::changes::Changes;
use super::commits::Past;
use super::raw::{Raw, Reader};
use super::timeline::History;
use crate::git::objects::Oid;
use crate::git::process::{GitError, Process, Watch};

/// Number of commits per git process, which keeps some kilobytes for each until it ends.
const BATCH: usize = 4_096;

/// Arguments that list changes. They override settings that hide changes of submodules.
#[rustfmt::skip]
const LISTING: [&str; 15] = [
    "diff-tree", "--stdin", "--diff-merges=first-parent", "-r", "-z", "--raw", "--root", "--always",
    "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv",
    "--format=%H", "--ignore-submodules=none",
];

impl History {
    /// Reads the whole list of changes. Returns true if it covers every commit back to the first.
    pub(crate) fn list_all(&mut self, watch: &mut Watch<'_>) -> Result<bool, GitError> {
        let last = self.past()?.commits.len().saturating_sub(1);
        self.list_to(last, watch)?;
        let past = self.past()?;
        Ok(past.whole && past.changes.upto() + 1 >= past.commits.len())
    }

    /// Reads the list of changes back to the commit at an index, unless that was done.
    pub(crate) fn list_to(&mut self, place: usize, watch: &mut Watch<'_>) -> Result<(), GitError> {
        let past = self.past()?;
        if past.is_listed && (past.changes.upto() >= place || past.changes.is_full()) {
            return Ok(());
        }
        let ids: Vec<Oid> = past.commits.iter().take(place + 1).map(|commit| commit.id).collect();
        let (changes, commits) = self.changes(&ids, watch)?;
        if commits < ids.len() && !changes.is_full() {
            // History before the last reported commit is unknown.
            let mut known = self.past.take().map_or_else(Vec::new, |past| past.commits);
            known.truncate(commits.max(1));
            self.past = Some(Past::new(known, false));
            self.anchors.clear();
        }
        let past = self.past()?;
        (past.changes, past.is_listed) = (changes, true);
        Ok(())
    }

    /// Lists what differs between each of these commits and the next one, and what the last one changed. Returns
    /// the number of commits that were read, too.
    pub(crate) fn changes(
        &mut self,
        commits: &[Oid],
        watch: &mut Watch<'_>,
    ) -> Result<(Changes, usize), GitError> {
        let (mut changes, mut reader, mut done) = (Changes::default(), Reader::default(), 0_usize);
        let mut process = self.start_listing(commits)?;
        let mut batch = 0;
        let end = loop {
            match reader.next(&mut process) {
                Ok(Some(Raw::Commit)) => {
                    done += 1;
                    if done.is_multiple_of(512) {
                        watch(done, Some(commits.len()))?;
                    }
                }
                Ok(Some(Raw::Change(change))) => {
                    if let Some(path) = self.place.own(&reader.path) {
                        changes.note(done.saturating_sub(1), path, &change);
                    }
                }
                Ok(None) => {
                    let next = process.finish().and_then(|()| match done {
                        _ if done >= commits.len() => Ok(None),
                        _ if done == batch => Err(GitError::garbled("nothing")),
                        _ => self.start_listing(&commits[done..]).map(Some),
                    });
                    batch = done;
                    process = match next {
                        Ok(Some(next)) => next,
                        Ok(None) => break Ok(()),
                        Err(why) => break Err(why),
                    };
                }
                Err(_) => break Err(process.post_mortem()),
            }
            if changes.is_full() {
                break Ok(());
            }
        };
        if let Err(why) = end {
            if why.is_final() || done == 0 && why != GitError::TooMuch {
                return Err(why);
            }
            self.broke_off(&why);
        }
        Ok((changes.end(done), done))
    }

    /// Starts listing the first of these commits.
    fn start_listing(&self, commits: &[Oid]) -> Result<Process, GitError> {
        let mut arguments = LISTING.to_vec();
        if !self.place.prefix.is_empty() {
            arguments.extend(["--", "."]);
        }
        let some = commits[..commits.len().min(BATCH + 1)].to_vec();
        Process::start_told(self.place.command(&arguments), move |stdin| {
            some.windows(2).try_for_each(|pair| writeln!(stdin, "{} {}", pair[0], pair[1]))?;
            match some.last() {
                Some(last) if some.len() <= BATCH => writeln!(stdin, "{last}"),
                _ => Ok(()),
            }
        })
    }
}
