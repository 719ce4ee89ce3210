//! The history of a project: its commits and their contents.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use staleness_core::ids::stable_hash;
use staleness_core::time::Timestamp;

use super::changes::{Held, Known};
use super::commits::{Past, between};
use super::disk::{OnDisk, Scratch};
use super::limits::Limits;
use super::raw::seconds;
use crate::git::lines::is_text;
use crate::git::objects::{
    Commit, Object, Objects, Oid, Place, Sort, TrackedKind, Trees, Unread, Wanted, commit, head,
};
use crate::git::process::{GitError, Process, Program, check_files, check_work_tree};

/// The largest list of boundary commits to read, in bytes.
const MAX_BOUNDARY: u64 = 1024 * 1024;

/// A point in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchor {
    /// A commit with its full id.
    Commit(Oid),
    /// The commit that was checked out at a time: see [`Repo::commit_at`](crate::git::Repo::commit_at).
    At(Timestamp),
}

/// A project in a repository, as in the checked-out commit and the commits before it. Files on disk do not
/// count.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) place: Place,
    pub(crate) limits: Limits,
    pub(crate) head: Commit,
    pub(crate) objects: Objects,
    pub(crate) past: Option<Past>,
    /// The running git that lists changes, until its output is read.
    pub(super) listing: Option<Process>,
    /// True if the list of changes is always read completely.
    pub(crate) lists_all: bool,
    trees: Trees,
    /// Earlier names of the dated documents: see [`Trail::names`](super::follow::Trail).
    pub(super) names: HashMap<String, Vec<(u32, String)>>,
    /// Cached commits of anchors, with their indices in the list of commits.
    pub(super) anchors: HashMap<Anchor, Option<(Oid, Option<usize>)>>,
    /// True if anything was omitted because a limit was reached.
    pub(crate) cut: bool,
    pub(crate) shallow: bool,
    /// The checked-out commit, if the head is a commit of the files on disk: see [`History::take_disk`].
    pub(crate) committed: Option<Commit>,
    /// Files on disk that git could not read for that commit.
    pub(crate) unread: Vec<String>,
    /// The objects of that commit. Must be dropped last.
    pub(super) scratch: Option<Scratch>,
}

impl History {
    pub(crate) fn open(program: &Program, root: &Path, limits: Limits) -> Result<Self, GitError> {
        if !root.is_dir() {
            return Err(GitError::NoRepository);
        }
        check_files(root)?;
        let (program, folder) = (program.clone(), root.to_path_buf());
        let (git, common) = (PathBuf::new(), PathBuf::new());
        let mut place =
            Place { program, folder, git, common, prefix: String::new(), objects: None };
        let answer = place
            .start(&[
                "rev-parse",
                "--is-inside-work-tree",
                "--is-shallow-repository",
                "--show-prefix",
                "--absolute-git-dir",
                "--git-common-dir",
            ])?
            .all()?;
        let answer =
            String::from_utf8(answer).map_err(|_| GitError::garbled("a malformed path"))?;
        let lines: Vec<&str> = answer.split_terminator('\n').collect();
        if lines.first() != Some(&"true") {
            return Err(GitError::NoRepository);
        }
        let [_, shallow, prefix, git, common] = lines[..] else {
            return Err(GitError::garbled("a malformed path"));
        };
        check_work_tree(root, prefix, Path::new(git))?;
        prefix.clone_into(&mut place.prefix);
        (place.git, place.common) = (git.into(), root.join(common));
        let mut objects = Objects::new(place.clone(), limits.object_bytes);
        let named = || place.start(&["rev-parse", "--verify", "--quiet", "HEAD"])?.all();
        let head = head(&mut objects, || named().is_ok_and(|id| !id.is_empty()))?;
        objects.unread = Unread::default();
        Ok(Self {
            place,
            limits,
            head,
            objects,
            past: None,
            listing: None,
            lists_all: false,
            trees: Trees::default(),
            names: HashMap::new(),
            anchors: HashMap::new(),
            cut: false,
            shallow: shallow == "true",
            committed: None,
            unread: Vec::new(),
            scratch: None,
        })
    }

    /// Makes a private commit of the given files on disk, on top of the checked-out commit: see [`OnDisk::commit`]. The
    /// private commit becomes the head of this history. Returns false if nothing changed.
    pub(crate) fn take_disk(
        &mut self,
        paths: Vec<String>,
        at: Timestamp,
    ) -> Result<bool, GitError> {
        let taken = OnDisk::commit(&self.place, self.head, paths, at)?;
        self.unread = taken.unread;
        let Some((commit, scratch)) = taken.commit else { return Ok(false) };
        self.place.objects = Some(scratch.objects());
        self.objects = Objects::new(self.place.clone(), self.limits.object_bytes);
        self.committed = Some(std::mem::replace(&mut self.head, commit));
        self.scratch = Some(scratch);
        Ok(true)
    }

    /// Returns a hash of the boundary commits of a shallow history, or 0 for a complete one.
    pub(crate) fn boundary(&self) -> u128 {
        if !self.shallow {
            return 0;
        }
        let read = crate::disk::read_small(&self.place.common.join("shallow"), MAX_BOUNDARY);
        stable_hash(read.unwrap_or_default().as_bytes()).max(1)
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut || self.place.program.watchdog().is_cut()
    }

    /// Returns a commit with its time, or `None` if the repository does not have it.
    pub(crate) fn commit(&mut self, id: Oid) -> Result<Option<Commit>, GitError> {
        commit(&mut self.objects, Wanted::Commit(id))
    }

    /// Returns the latest commit at or before a time.
    pub(crate) fn commit_at(&mut self, at: Timestamp) -> Result<Option<Commit>, GitError> {
        let past = self.past()?;
        Ok(past.at(at).map(|place| past.commits[place]))
    }

    /// Returns the list of commits, which is read once.
    pub(crate) fn past(&mut self) -> Result<&mut Past, GitError> {
        let past = match self.past.take() {
            Some(past) => past,
            None => self.list()?,
        };
        Ok(self.past.insert(past))
    }

    fn list(&mut self) -> Result<Past, GitError> {
        let limit = self.limits.commits as usize;
        // Ask for one commit more than the limit, to learn if the history continues.
        let count = format!("--max-count={}", u64::from(self.limits.commits) + 1);
        let head = self.head.id.to_string();
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
                break Err(GitError::garbled("a malformed commit"));
            };
            commits.push(Commit { id, at });
        };
        let whole = end.is_ok() && !self.shallow && commits.len() <= limit;
        commits.truncate(limit.max(1));
        if let Err(why) = end {
            if commits.is_empty() || why.is_final() {
                return Err(why);
            }
            // The commits read so far are valid but incomplete.
            self.broke_off(&why);
        }
        Ok(Past::new(commits, whole))
    }

    /// Records that part of the history was not read. Exceeded limits are recorded by the watchdog itself.
    pub(super) fn broke_off(&mut self, why: &GitError) {
        self.objects.unread.damaged += u64::from(*why != GitError::TooMuch);
    }

    /// Returns the commit of an anchor and its index in the list. If the list does not contain the commit, the index is
    /// that of the commit checked out at the same time.
    pub(crate) fn anchor(
        &mut self,
        anchor: Anchor,
    ) -> Result<Option<(Oid, Option<usize>)>, GitError> {
        if let Some(known) = self.anchors.get(&anchor) {
            return Ok(*known);
        }
        let past = self.past()?;
        let found = match anchor {
            Anchor::At(at) => past.at(at).map(|place| (past.commits[place].id, Some(place))),
            Anchor::Commit(id) => match past.place(id) {
                Some(place) => Some((id, Some(place))),
                None => match self.commit(id)? {
                    Some(commit) => Some((id, self.past()?.at(commit.at))),
                    None => None,
                },
            },
        };
        self.anchors.insert(anchor, found);
        Ok(found)
    }

    /// Returns the kind and id of a path in a commit, or `None` if it does not exist.
    pub(crate) fn look_up(&mut self, commit: Oid, path: &str) -> Result<Option<Held>, GitError> {
        match self.past.as_mut().and_then(|past| past.place(commit)) {
            Some(place) => self.held_at(place, path),
            None => self.trees.find(&mut self.objects, &self.place, commit, path),
        }
    }

    pub(crate) fn text_at(&mut self, commit: Oid, path: &str) -> Result<Option<String>, GitError> {
        let Some((TrackedKind::File, file)) = self.look_up(commit, path)? else { return Ok(None) };
        Ok(self.text(file)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Returns the contents of a file, or `None` if it is not text.
    pub(crate) fn text(&mut self, file: Oid) -> Result<Option<Vec<u8>>, GitError> {
        self.objects.one(Wanted::Object(file), |object| match object {
            Object::Found(_, Sort::Blob, bytes) if is_text(bytes) => Some(bytes.to_vec()),
            _ => None,
        })
    }

    /// Returns the contents of files in order: empty for a binary file, `None` for one that cannot be read or does
    /// not fit into the rest of `room`, in bytes.
    pub(crate) fn texts(
        &mut self,
        files: &[Oid],
        mut room: usize,
    ) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let wanted: Vec<Wanted> = files.iter().map(|id| Wanted::Object(*id)).collect();
        let mut texts = vec![None; files.len()];
        self.objects.each(&wanted, &mut |at, object| {
            if let Object::Found(_, Sort::Blob, bytes) = object {
                let bytes = if is_text(bytes) { bytes } else { &[] };
                texts[at] = (bytes.len() <= room).then(|| bytes.to_vec());
                room -= texts[at].as_ref().map_or(0, Vec::len);
            }
            ControlFlow::Continue(())
        })?;
        Ok(texts)
    }

    /// Returns the kind and id of a path in the commit at an index, or `None` if it does not exist.
    pub(crate) fn held_at(&mut self, place: usize, path: &str) -> Result<Option<Held>, GitError> {
        let past = self.past()?;
        let Some(commit) = past.commits.get(place).copied() else { return Ok(None) };
        let commit = match past.changes.at(place, path) {
            Known::As(held) => return Ok(held),
            Known::AsNow => self.head.id,
            Known::Unknown => commit.id,
        };
        self.trees.find(&mut self.objects, &self.place, commit, path)
    }

    /// Returns the index of a commit that removed a path. The path must exist at `there` and not in the checked-out
    /// commit. If it was removed several times, returns the last removal, as far back as the list of changes goes.
    pub(crate) fn removal(&mut self, path: &str, there: usize) -> Result<Option<usize>, GitError> {
        if self.held_at(there, path)?.is_none() {
            return Ok(None);
        }
        if let Some(last) = self.past()?.changes.removal(path, there) {
            return Ok(Some(last));
        }
        let (mut there, mut gone) = (there, 0);
        while let Some(middle) = between(gone, there) {
            match self.held_at(middle, path)? {
                Some(_) => there = middle,
                None => gone = middle,
            }
        }
        Ok(Some(gone))
    }
}
