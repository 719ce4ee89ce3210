use std::collections::HashSet;
use std::ops::ControlFlow;

use staleness_core::knowledge::Lines;

use super::raw::{Raw, Reader};
use super::renames::merge_base;
use super::timeline::History;
use crate::git::lines::Numbers;
use crate::git::objects::{Commit, Oid};
use crate::git::process::GitError;
use crate::nature::is_document;

/// The longest revision name to look up, in bytes.
const MAX_REVISION: usize = 512;
/// Maximum number of changed files to list.
const MAX_CHANGED: usize = 50_000;
/// Square root of the number of file pairs that git may compare to find renames.
const MAX_RENAMES: usize = 2_000;

/// A regular file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Path of the file, relative to the project. For a removed file, its old path.
    pub path: String,
    /// The old path, if it differs from `path`.
    pub was: Option<String>,
    /// Contents before the change. `None` for an added file.
    pub old: Option<Oid>,
    /// Contents after the change. `None` for a removed file.
    pub new: Option<Oid>,
}

/// A document that changed since a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedDocument {
    /// Path of the document, relative to the project.
    pub path: String,
    /// Added and changed lines, numbered as in the checked-out commit. Deleted lines do not count.
    pub lines: Vec<Lines>,
}

/// The changes since a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// The commit that the revision names.
    pub commit: Commit,
    /// The commits that are reachable only from the checked-out commit.
    pub new: HashSet<Oid>,
    /// Documents added or changed since the common ancestor, by path.
    pub changed: Vec<ChangedDocument>,
    /// All files changed since the common ancestor, in git's order.
    pub files: Vec<ChangedFile>,
    /// Descriptions of changes that were omitted because of a limit. Each completes a sentence that begins with the
    /// project.
    pub gaps: Vec<String>,
}

impl History {
    pub(crate) fn revision(&mut self, name: &str) -> Result<Commit, GitError> {
        let bad =
            name.is_empty() || name.len() > MAX_REVISION || name.chars().any(char::is_control);
        if bad {
            return Err(GitError::UnknownRevision);
        }
        let name = format!("{name}^{{commit}}");
        let answer = self
            .place
            .start(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?
            .all();
        let id = answer.ok().and_then(|answer| Oid::from_hex(answer.trim_ascii()));
        let commit = id.map(|id| self.commit(id)).transpose()?.flatten();
        commit.ok_or(GitError::UnknownRevision)
    }

    pub(crate) fn since(&mut self, revision: &str) -> Result<Since, GitError> {
        let commit = self.revision(revision)?;
        let (old, new) = (commit.id.to_string(), self.head.id.to_string());
        let commits = self.commits_since(&old, &new)?;
        // Histories without a common ancestor are compared directly.
        let base = merge_base(&self.place, [commit.id, self.head.id]);
        let old = base.map_or(old, |base| base.to_string());
        let mut arguments = vec!["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff"];
        let most = format!("-l{MAX_RENAMES}");
        arguments.extend(["--no-textconv", "--no-relative", "-M", &most, &old, &new]);
        if !self.place.prefix.is_empty() {
            arguments.extend(["--", "."]);
        }
        let mut process = self.place.start(&arguments)?;
        let mut reader = Reader::default();
        let own = |path: &[u8]| std::str::from_utf8(self.place.own(path)?).ok().map(str::to_owned);
        let (mut files, mut left_out): (Vec<ChangedFile>, usize) = (Vec::new(), 0);
        loop {
            match reader.next(&mut process) {
                Ok(Some(Raw::Change(change))) => {
                    let moved = matches!(change.status, b'R' | b'C');
                    let path = if moved { &reader.target } else { &reader.path };
                    if files.len() >= MAX_CHANGED {
                        left_out += 1;
                        continue;
                    }
                    let Some(path) = own(path) else { continue };
                    let was = (change.status == b'R').then(|| own(&reader.path)).flatten();
                    let old = change.was_file().then_some(change.old);
                    let new = change.is_file().then_some(change.new);
                    if old.or(new).is_some() {
                        files.push(ChangedFile { path, was, old, new });
                    }
                }
                Ok(Some(Raw::Commit(_))) => {}
                Ok(None) => break,
                Err(_) => return Err(process.post_mortem()),
            }
        }
        process.finish()?;
        let mut gaps = Vec::new();
        if left_out > 0 {
            gaps.push(format!(
                "has more than {MAX_CHANGED} changed files: {left_out} were left out"
            ));
        }
        let of = |is: fn(&ChangedFile) -> bool| files.iter().filter(|file| is(file)).count();
        let (added, removed) = (of(|file| file.old.is_none()), of(|file| file.new.is_none()));
        // Git compares all removed files with all added ones.
        if added * removed > MAX_RENAMES * MAX_RENAMES {
            gaps.push(format!(
                "has {removed} removed and {added} new files: renames with edits were not detected"
            ));
        }
        let mut changed = Vec::with_capacity(files.len());
        for file in files.iter().filter(|file| is_document(&file.path)) {
            let Some(new) = file.new else { continue };
            let before = file.old.map_or(Ok(Some(Vec::new())), |old| self.text(old))?;
            let (Some(before), Some(after)) = (before, self.text(new)?) else { continue };
            let mut numbers = Numbers::default();
            let (before, after) = (numbers.text(&before), numbers.text(&after));
            let path = file.path.clone();
            changed.push(ChangedDocument { path, lines: after.changed(&before) });
        }
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Since { commit, new: commits, changed, files, gaps })
    }

    fn commits_since(&self, old: &str, new: &str) -> Result<HashSet<Oid>, GitError> {
        let most = format!("--max-count={}", self.limits.commits);
        let process = self.place.start(&["rev-list", &most, new, &format!("^{old}")])?;
        let mut commits = HashSet::new();
        process.each_record(b'\n', |record| {
            commits.extend(Oid::from_hex(record));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(commits)
    }

    pub(crate) fn latest_version_tag(&self) -> Result<Option<String>, GitError> {
        let process = self.place.start(&["for-each-ref", "--format=%(refname)", "refs/tags/"])?;
        let mut best = None;
        process.each_record(b'\n', |record| {
            let tag = std::str::from_utf8(record).ok().and_then(|it| it.strip_prefix("refs/tags/"));
            if let Some(tag) = tag
                && let Some(version) = crate::version::semver(tag)
            {
                let text = tag.strip_prefix('v').unwrap_or(tag).to_owned();
                best = best.take().max(Some((version, text)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(best.map(|(_, text)| text))
    }
}
