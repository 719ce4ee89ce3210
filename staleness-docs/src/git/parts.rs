//! Follows parts of files through the history: headings of a document, targets of a manifest.
//!
//! A [`Reader`] finds the parts of one version of a file, each with a name and perhaps a digest of its
//! contents. Pass all missing names of a file in one query: its versions are read once, newest first and
//! across renames, until every name is found.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::citations::Citations;
use super::history::History;
use super::lines::is_text;
use super::objects::{Commit, Object, Oid, Sort, TrackedKind, Wanted};
use super::process::{GitError, Watch};

/// Maximum number of versions to read per file.
const MAX_VERSIONS: usize = 4_000;
/// Maximum number of earlier names to follow per file and per part.
const MAX_NAMES: usize = 16;

/// A part of one version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the part, equal in every version.
    pub name: String,
    /// Digest of the contents, which identifies a renamed part. `None` if the contents are not distinctive.
    pub digest: Option<u128>,
}

/// A function that finds the parts of a version of a file. The bytes are untrusted, so the function must bound its
/// result.
pub type Reader<'a> = &'a dyn Fn(&[u8]) -> Vec<Part>;

/// Part names to look up in one file.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct PartQuery<'a> {
    /// Path of the file, relative to the project. The file may be deleted.
    pub path: &'a str,
    /// The names of the parts.
    pub names: &'a [String],
    /// Finds the parts of each version of the file.
    pub read: Reader<'a>,
}

/// The state of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartFate {
    /// The checked-out commit has the part.
    Holds,
    /// Only earlier versions of the file have the part.
    Gone {
        /// The commit that last removed the part.
        commit: Commit,
        /// Current name, if that commit added exactly one part with the same contents. Later renames are
        /// followed.
        renamed_to: Option<String>,
    },
    /// No version of the file has the part.
    NeverThere,
    /// The state cannot be determined: a version could not be read, or there are too many versions.
    Unknown,
}

struct Version {
    file: Oid,
    /// Index of the commit that replaced this version. `None` for the version in the checked-out commit.
    replaced: Option<usize>,
}

impl Citations<'_> {
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
            watch(fates.len(), Some(queries.len()))?;
            fates.push(self.of_file(query, is_whole)?);
        }
        Ok(fates)
    }

    fn of_file(
        &mut self,
        query: &PartQuery<'_>,
        is_whole: bool,
    ) -> Result<Vec<PartFate>, GitError> {
        let mut sought = PartSearch::new(query.names);
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

    /// Returns the versions of a file, newest first, and true if the list is complete as far as the changes are known.
    fn versions(&mut self, path: &str) -> Result<(Vec<Version>, bool), GitError> {
        let mut versions = Vec::new();
        match self.history.held_at(0, path)? {
            Some((TrackedKind::File, file)) => versions.push(Version { file, replaced: None }),
            None => {}
            Some(_) => return Ok((versions, false)),
        }
        let (mut name, mut since) = (path.to_owned(), 0);
        for _ in 0..MAX_NAMES {
            let past = self.history.past()?;
            let Some(changed) = past.changes.of(&name) else { return Ok((versions, true)) };
            for spell in changed.spells(past.changes.upto()) {
                let (TrackedKind::File, file) = spell.held else { continue };
                if spell.newest <= since {
                    continue;
                }
                if versions.len() == MAX_VERSIONS {
                    return Ok((versions, false));
                }
                versions.push(Version { file, replaced: Some(spell.newest as usize - 1) });
            }
            // Nothing precedes the first commit.
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

/// The names to find while the versions of a file are read.
struct PartSearch<'a> {
    fates: Vec<PartFate>,
    /// Names not found yet, each with the indices of its queries.
    open: HashMap<&'a str, Vec<usize>>,
    /// Part names in the checked-out commit.
    now: HashSet<String>,
    /// The parts of the version that was read last.
    newer: HashMap<String, Option<u128>>,
    /// The last new name of each renamed part.
    moves: HashMap<String, String>,
}

impl<'a> PartSearch<'a> {
    fn new(names: &'a [String]) -> Self {
        let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            open.entry(name).or_default().push(at);
        }
        let fates = vec![PartFate::Unknown; names.len()];
        let (now, newer) = (HashSet::new(), HashMap::new());
        Self { fates, open, now, newer, moves: HashMap::new() }
    }

    /// Processes the parts of one version. `replaced` is the commit that replaced it, or `None` for the
    /// checked-out version.
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

    /// Records parts with the same contents under a new name, if exactly one part on each side has them.
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

    /// Returns the answers. `is_all` is true if every version was read.
    fn end(mut self, is_all: bool) -> Vec<PartFate> {
        if is_all {
            for at in self.open.into_values().flatten() {
                self.fates[at] = PartFate::NeverThere;
            }
        }
        self.fates
    }
}

/// Returns the parts that only one version has, by digest. Digests that several parts share map to `None`.
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
