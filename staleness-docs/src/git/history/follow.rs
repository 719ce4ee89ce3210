//! Follows files back through the list of changes and past their renames.

use std::collections::HashMap;
use std::io;

use super::changes::Changes;
use super::limits::Limits;
use super::raw::{Change, Raw, Reader};
use super::renames::{Asker, Renames};
use crate::git::objects::{Commit, Oid, Place, name_of};
use crate::git::process::Process;

/// Maximum number of versions per file, at 40 bytes each, and the maximum for each file once the total budget is used
/// up.
const MAX_VERSIONS: usize = 4_000;
const SOME: usize = 16;
/// Maximum number of commits for which git is asked to detect renames.
const MAX_RENAMING: usize = 256;
/// Maximum number of removed files of one commit to match with added ones.
const MAX_REMOVED: usize = 50_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    /// The commit that made this version, as an index into the list of commits.
    pub(crate) commit: u32,
    /// The previous contents. Null if the file was new.
    pub(crate) old: Oid,
}

/// The versions of one file, newest first, across renames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    pub(crate) versions: Vec<Version>,
    /// Earlier names of the file, newest first, each with the index of the commit that renamed it.
    pub(crate) names: Vec<(u32, String)>,
    /// True if older versions beyond the limit may exist.
    pub(crate) cut: bool,
}

impl Trail {
    /// Adds a version. Returns true if another one fits; `room` is the remaining budget for all files.
    fn add(&mut self, version: Version, room: &mut usize) -> bool {
        self.versions.push(version);
        *room = room.saturating_sub(1);
        self.cut = self.versions.len() >= if *room > 0 { MAX_VERSIONS } else { SOME };
        !self.cut
    }
}

/// Follows some files while the list of changes is read, and stores that list.
#[derive(Debug)]
pub(crate) struct Follow<'a> {
    place: &'a Place,
    limit: usize,
    /// Number of versions that may still be stored, for all files.
    room: usize,
    reader: Reader,
    /// The files that are still followed, by their names at this point of the history.
    open: HashMap<Vec<u8>, Vec<usize>>,
    pub(crate) trails: Vec<Trail>,
    pub(crate) commits: Vec<Commit>,
    /// The parents of the last commit, if it is a merge.
    sides: Option<[Oid; 2]>,
    /// Followed files that the current commit added.
    added: Vec<(Vec<u8>, Oid)>,
    removed: Vec<(Vec<u8>, Oid)>,
    renaming: usize,
    asker: Asker,
    /// All changes that were read.
    pub(crate) changes: Changes,
}

impl<'a> Follow<'a> {
    pub(crate) fn new(place: &'a Place, limits: Limits, paths: &[&str]) -> Self {
        let mut open: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (at, path) in paths.iter().enumerate() {
            open.entry(path.as_bytes().to_vec()).or_default().push(at);
        }
        Self {
            place,
            limit: limits.commits as usize,
            room: limits.versions,
            reader: Reader::default(),
            open,
            trails: vec![Trail::default(); paths.len()],
            commits: Vec::new(),
            sides: None,
            added: Vec::new(),
            removed: Vec::new(),
            renaming: 0,
            asker: Asker::default(),
            changes: Changes::default(),
        }
    }

    /// Returns true if the first version of every file was found.
    pub(crate) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Reads one record. Returns false at the end.
    pub(crate) fn step(&mut self, process: &mut Process) -> io::Result<bool> {
        match self.reader.next(process)? {
            Some(Raw::Commit(commit)) => {
                self.settle();
                self.commits.push(commit);
                self.sides = self.reader.sides;
                Ok(true)
            }
            Some(Raw::Change(change)) => {
                // A commit beyond the limit only shows that the history continues.
                if self.commits.len() <= self.limit {
                    self.change(change);
                }
                Ok(true)
            }
            None => {
                self.settle();
                Ok(false)
            }
        }
    }

    fn change(&mut self, change: Change) {
        let Some(path) = self.place.own(&self.reader.path) else { return };
        self.changes.note(self.commits.len().saturating_sub(1), path, &change);
        let is_followed = self.open.contains_key(path);
        match change.status {
            b'D' => {
                if change.was_file() && self.removed.len() < MAX_REMOVED {
                    self.removed.push((path.to_vec(), change.old));
                }
                // The commit removed this path, so it cannot be the followed file.
                self.open.remove(path);
            }
            _ if !is_followed => {}
            _ if !change.is_file() => drop(self.open.remove(path)),
            _ if change.old.is_null() || !change.was_file() => {
                self.added.push((path.to_vec(), change.new));
            }
            _ if change.old == change.new => {}
            _ => {
                let path = path.to_vec();
                self.record(&path, change.old);
            }
        }
    }

    fn record(&mut self, path: &[u8], old: Oid) {
        let commit = u32::try_from(self.commits.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let Some(followed) = self.open.get_mut(path) else { return };
        let (trails, room) = (&mut self.trails, &mut self.room);
        followed.retain(|at| trails[*at].add(Version { commit, old }, room));
        if followed.is_empty() {
            self.open.remove(path);
        }
    }

    /// Finds the origins of the files that the last commit added.
    fn settle(&mut self) {
        let (added, removed) = (std::mem::take(&mut self.added), std::mem::take(&mut self.removed));
        if added.is_empty() {
            return;
        }
        let (mut asked, mut both, gone) = (None, None, Removed::of(&removed));
        for (path, new) in added {
            let origin = gone.plain_origin(&path, new).or_else(|| {
                if removed.is_empty() || self.renaming >= MAX_RENAMING {
                    return None;
                }
                let commit = self.commits.last()?.id;
                let renames = asked.get_or_insert_with(|| {
                    self.renaming += 1;
                    Renames::of_commit(self.place, &mut self.asker, commit).unwrap_or_default()
                });
                renames.from.get(&path).cloned()
            });
            let origin = origin.or_else(|| {
                let sides = self.sides.filter(|_| self.renaming < MAX_RENAMING)?;
                let renames = both.get_or_insert_with(|| {
                    self.renaming += 1;
                    Renames::of_both_sides(self.place, &mut self.asker, sides).unwrap_or_default()
                });
                renames.from.get(&path).cloned()
            });
            match origin {
                Some((from, old)) => {
                    self.record(&path, old);
                    if let Some(trails) = self.open.remove(&path) {
                        let commit = u32::try_from(self.commits.len().saturating_sub(1));
                        let name = String::from_utf8_lossy(&from);
                        for at in &trails {
                            let name = (commit.unwrap_or(u32::MAX), name.clone().into_owned());
                            self.trails[*at].names.push(name);
                        }
                        self.open.entry(from).or_default().extend(trails);
                    }
                }
                None => {
                    self.record(&path, Oid::null_like(new));
                    self.open.remove(&path);
                }
            }
        }
    }
}

/// The removed files of a commit, indexed by contents.
struct Removed<'a> {
    /// One file with these contents, and true if it is the only one.
    same: HashMap<Oid, (&'a [u8], bool)>,
    /// The first file with these contents and this name.
    named: HashMap<(Oid, &'a [u8]), &'a [u8]>,
}

impl<'a> Removed<'a> {
    fn of(removed: &'a [(Vec<u8>, Oid)]) -> Self {
        let (mut same, mut named) = (HashMap::new(), HashMap::new());
        for (path, old) in removed {
            let path = path.as_slice();
            same.entry(*old).and_modify(|(_, only)| *only = false).or_insert((path, true));
            named.entry((*old, name_of(path))).or_insert(path);
        }
        Self { same, named }
    }

    /// Returns the removed file with the same contents, if there is only one, or one of the same name.
    fn plain_origin(&self, path: &[u8], new: Oid) -> Option<(Vec<u8>, Oid)> {
        let (one, is_only) = self.same.get(&new)?;
        let found = if *is_only { one } else { self.named.get(&(new, name_of(path)))? };
        Some((found.to_vec(), new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_bounded_for_each_file_and_for_all() {
        let version =
            |commit| Version { commit, old: Oid::null_like(Oid::from_hex(&[b'0'; 40]).unwrap()) };
        let filled = |room: &mut usize| {
            let mut trail = Trail::default();
            let kept = (0..).take_while(|commit| trail.add(version(*commit), room)).count() + 1;
            assert!(trail.cut);
            kept
        };
        let mut room = MAX_VERSIONS + SOME + 1;
        assert_eq!(filled(&mut room), MAX_VERSIONS);
        assert_eq!((filled(&mut room), room), (SOME + 1, 0), "the last that finds room ends it");
        assert_eq!((filled(&mut room), room), (SOME, 0));
    }

    #[test]
    fn a_file_comes_from_the_one_with_its_contents_or_with_its_name_as_well() {
        let id = |byte: u8| Oid::from_bytes(&[byte; 20]).unwrap();
        let removed = [("a/x", 1), ("b/y", 2), ("c/y", 2), ("d/z", 2)];
        let removed = removed.map(|(path, byte)| (path.as_bytes().to_vec(), id(byte)));
        let gone = Removed::of(&removed);
        let origin = |path: &str, byte| {
            let (path, old) = gone.plain_origin(path.as_bytes(), id(byte))?;
            assert_eq!(old, id(byte));
            Some(String::from_utf8(path).unwrap())
        };
        assert_eq!(origin("n/other", 1).as_deref(), Some("a/x"));
        assert_eq!(origin("n/y", 2).as_deref(), Some("b/y"), "the first of several");
        assert_eq!(origin("z", 2).as_deref(), Some("d/z"));
        assert_eq!(origin("n/x", 2), None);
        assert_eq!(origin("a/x", 3), None);
    }
}
