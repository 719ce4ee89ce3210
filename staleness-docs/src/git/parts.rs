//! Parts of files through their history: headings of a document, targets of a manifest.
//!
//! A [`Reader`] finds the parts of one version of a file, each with a name and perhaps a digest of what
//! it says. Ask for names that the caller found missing, all of one file together: each version of
//! the file is read once, newest first and past its renames, until every name was found.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::citations::Room;
use super::history::History;
use super::lines::is_text;
use super::objects::{Commit, EntryKind, Object, Oid, Sort, Wanted};
use super::process::{GitError, Stage, Watch};
use super::renames::Moved;

/// Most versions of one file that are read.
const MAX_VERSIONS: usize = 4_000;
/// Most earlier names of one file, and of one part, that are followed.
const MAX_NAMES: usize = 16;

/// A part of one version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, the same in each version.
    pub name: String,
    /// A digest of what it says, by which it is known again under another name; `None` if it says too
    /// little.
    pub digest: Option<u128>,
}

/// Finds the parts of a version of a file. The bytes are other people's: it must bound what it returns.
pub type Reader<'a> = &'a dyn Fn(&[u8]) -> Vec<Part>;

/// Names that are asked about in one file.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct PartQuery<'a> {
    /// Path of the file, relative to the project. The file itself may be gone.
    pub path: &'a str,
    /// The names.
    pub names: &'a [String],
    /// Finds the parts of a version of the file.
    pub read: Reader<'a>,
}

/// The fate of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartFate {
    /// The checked-out commit has it.
    Holds,
    /// An earlier version of the file had it.
    Gone {
        /// The last commit that removed it.
        commit: Commit,
        /// Its name now, if that commit has exactly one new part that says the same, and it is still
        /// there or was renamed in the same way.
        renamed_to: Option<String>,
    },
    /// No version of the file ever had it.
    NeverThere,
    /// It cannot be told: a version could not be read, or there are too many.
    Unknown,
}

/// Answers questions about parts.
pub(super) struct Parts<'r> {
    pub(super) history: &'r mut History,
    pub(super) moved: &'r mut Moved,
    pub(super) room: &'r mut Room,
}

/// A version of a file.
struct Version {
    file: Oid,
    /// Place of the commit that replaced it; `None` for the version of the checked-out commit.
    replaced: Option<usize>,
}

impl Parts<'_> {
    pub(super) fn fates(
        &mut self,
        queries: &[PartQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<PartFate>>, GitError> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let is_whole = self.history.list_all(watch)?;
        let mut fates = Vec::with_capacity(queries.len());
        for query in queries {
            watch.tell(Stage::Comparing, fates.len(), Some(queries.len()))?;
            fates.push(self.of_file(query, is_whole)?);
        }
        Ok(fates)
    }

    fn of_file(
        &mut self,
        query: &PartQuery<'_>,
        is_whole: bool,
    ) -> Result<Vec<PartFate>, GitError> {
        let mut sought = Sought::new(query.names);
        let (versions, mut is_sure) = self.versions(query.path)?;
        let wanted: Vec<Wanted> =
            versions.iter().map(|version| Wanted::Object(version.file)).collect();
        let History { objects, past, limits, cut, .. } = &mut *self.history;
        let (room, mut left) = (&mut *self.room, limits.document_bytes);
        let commits = past.as_ref().map_or(&[][..], |past| &past.commits);
        objects.each(&wanted, &mut |at, object| {
            let text = match object {
                Object::Found(_, Sort::Blob, bytes) if is_text(bytes) => Some(bytes),
                _ => None,
            };
            let size = text.map_or(0, |text| text.len() as u64);
            let is_full = room.take(size as usize).is_err();
            *cut |= is_full;
            let (Some(text), false, true) = (text, is_full, left > 0) else {
                is_sure = false;
                return ControlFlow::Break(());
            };
            left = left.saturating_sub(size);
            let commit = versions[at].replaced.and_then(|place| commits.get(place).copied());
            sought.see(commit, (query.read)(text));
            if sought.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(sought.end(is_sure && is_whole))
    }

    /// Returns the versions of a file, newest first, and true if these are all that the list of changes tells.
    fn versions(&mut self, path: &str) -> Result<(Vec<Version>, bool), GitError> {
        let mut versions = Vec::new();
        match self.history.held_at(0, path)? {
            Some((EntryKind::File, file)) => versions.push(Version { file, replaced: None }),
            None => {}
            Some(_) => return Ok((versions, false)),
        }
        let (mut name, mut since) = (path.to_owned(), 0);
        for _ in 0..MAX_NAMES {
            let past = self.history.past()?;
            let Some(changed) = past.changes.of(&name) else { return Ok((versions, true)) };
            for spell in changed.spells(past.changes.upto()) {
                let (EntryKind::File, file) = spell.held else { continue };
                if spell.newest <= since {
                    continue;
                }
                if versions.len() == MAX_VERSIONS {
                    return Ok((versions, false));
                }
                versions.push(Version { file, replaced: Some(spell.newest as usize - 1) });
            }
            // Nothing was there before the first commit.
            let added = changed.added().filter(|added| added + 1 < past.commits.len());
            let Some(added) = added else { return Ok((versions, true)) };
            match self.moved.origin(self.history, &name, added)? {
                Some(origin) => (name, since) = (origin, added as u32),
                None => return Ok((versions, true)),
            }
        }
        Ok((versions, false))
    }
}

/// The names that are looked for, while the versions of a file go by.
struct Sought<'a> {
    fates: Vec<PartFate>,
    /// Names that were not found yet, each with the numbers of its questions.
    open: HashMap<&'a str, Vec<usize>>,
    /// Names in the checked-out commit.
    now: HashSet<String>,
    /// The parts of the version that was seen last.
    newer: HashMap<String, Option<u128>>,
    /// The last new name of each part that got one.
    moves: HashMap<String, String>,
}

impl<'a> Sought<'a> {
    fn new(names: &'a [String]) -> Self {
        let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            open.entry(name).or_default().push(at);
        }
        let fates = vec![PartFate::Unknown; names.len()];
        let (now, newer) = (HashSet::new(), HashMap::new());
        Self { fates, open, now, newer, moves: HashMap::new() }
    }

    /// Takes in the parts of a version that `replaced` replaced, or those of the checked-out commit.
    fn see(&mut self, replaced: Option<Commit>, parts: Vec<Part>) {
        let mut older = HashMap::with_capacity(parts.len());
        for Part { name, digest } in parts {
            older.entry(name).or_insert(digest);
        }
        match replaced {
            None => self.now = older.keys().cloned().collect(),
            Some(_) => self.note_moves(&older),
        }
        let open = &mut self.open;
        let found: Vec<(&String, Vec<usize>)> =
            older.keys().filter_map(|name| Some((name, open.remove(&**name)?))).collect();
        for (name, questions) in found {
            let fate = match replaced {
                None => PartFate::Holds,
                Some(commit) => PartFate::Gone { commit, renamed_to: self.present_name(name) },
            };
            for at in questions {
                self.fates[at] = fate.clone();
            }
        }
        self.newer = older;
    }

    /// Notes parts that say the same under a new name, where there is only one of each.
    fn note_moves(&mut self, older: &HashMap<String, Option<u128>>) {
        let gone = only(older, &self.newer);
        if gone.is_empty() {
            return;
        }
        let new = only(&self.newer, older);
        for (digest, name) in gone {
            if let (Some(name), Some(Some(new))) = (name, new.get(&digest))
                && !self.moves.contains_key(name)
            {
                self.moves.insert(name.to_owned(), (*new).to_owned());
            }
        }
    }

    fn present_name(&self, name: &str) -> Option<String> {
        let mut name = self.moves.get(name)?;
        for _ in 0..MAX_NAMES {
            if self.now.contains(name) {
                return Some(name.clone());
            }
            name = self.moves.get(name)?;
        }
        None
    }

    /// The answers, once the versions are over; `is_all` if no version was left out.
    fn end(mut self, is_all: bool) -> Vec<PartFate> {
        if is_all {
            for at in self.open.into_values().flatten() {
                self.fates[at] = PartFate::NeverThere;
            }
        }
        self.fates
    }
}

/// The parts of one version that another one lacks, by digest; `None` for a digest that several have.
fn only<'v>(
    version: &'v HashMap<String, Option<u128>>,
    other: &HashMap<String, Option<u128>>,
) -> HashMap<u128, Option<&'v str>> {
    let mut only: HashMap<u128, Option<&str>> = HashMap::new();
    for (name, digest) in version {
        if let (Some(digest), false) = (digest, other.contains_key(name)) {
            only.entry(*digest).and_modify(|one| *one = None).or_insert(Some(name));
        }
    }
    only
}
