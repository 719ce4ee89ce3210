//! Trees, and lookups of paths in the trees of commits.

use foldhash::HashMap as Map;

use super::database::Objects;
use super::oid::Oid;
use super::place::Place;
use super::question::{Object, Sort, Wanted};
use crate::git::process::GitError;

/// Maximum number of tree entries to cache.
const MAX_KEPT: usize = 500_000;

/// Kind of a path in a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackedKind {
    /// A regular file.
    File,
    /// A folder. Never in [`Tracked`](crate::git::Tracked).
    Folder,
    /// A symbolic link.
    Link,
    /// The root of a submodule, which is a separate repository.
    Submodule,
}

impl TrackedKind {
    /// Returns the kind for a mode in a tree or in a list printed by git.
    pub(crate) fn of_mode(mode: &[u8]) -> Self {
        match mode {
            b"40000" | b"040000" => Self::Folder,
            b"120000" => Self::Link,
            b"160000" => Self::Submodule,
            _ => Self::File,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: TrackedKind,
    pub(crate) id: Oid,
}

/// A file, a link or a submodule in the list of a commit's files.
pub(crate) struct Listed<'a> {
    pub(crate) kind: TrackedKind,
    pub(crate) id: Oid,
    /// Path in the repository.
    pub(crate) path: &'a [u8],
}

impl<'a> Listed<'a> {
    /// Parses `<mode> <sort> <id>\t<path>`.
    pub(crate) fn parse(record: &'a [u8]) -> Result<Self, GitError> {
        let parse = || {
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            let mut words = record[..tab].split(|byte| *byte == b' ');
            let (kind, id) = (TrackedKind::of_mode(words.next()?), Oid::from_hex(words.nth(1)?)?);
            Some(Self { kind, id, path: &record[tab + 1..] })
        };
        parse().ok_or_else(|| GitError::garbled("a malformed list of files"))
    }
}

pub(crate) fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Iterates over the entries of a tree. Stops at the first malformed entry.
pub(crate) fn entries(tree: &[u8], id_len: usize) -> impl Iterator<Item = Entry<'_>> {
    let mut rest = tree;
    std::iter::from_fn(move || {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let id = Oid::from_bytes(rest.get(end + 1..end + 1 + id_len)?)?;
        let name = rest.get(space + 1..end)?;
        let kind = TrackedKind::of_mode(&rest[..space]);
        rest = &rest[end + 1 + id_len..];
        Some(Entry { name, kind, id })
    })
}

/// Cached trees by id, each indexed by name.
type TreeCache = Map<Oid, Map<Box<[u8]>, (TrackedKind, Oid)>>;

/// Looks up paths in the trees of commits, and caches the trees.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    trees: TreeCache,
    roots: Map<Oid, Option<Oid>>,
    kept: usize,
}

impl Trees {
    /// Returns the kind and id of a path in a commit, or `None` if it does not exist.
    pub(crate) fn find(
        &mut self,
        objects: &mut Objects,
        place: &Place,
        commit: Oid,
        path: &str,
    ) -> Result<Option<(TrackedKind, Oid)>, GitError> {
        let Some(root) = self.root(objects, place, commit)? else { return Ok(None) };
        let mut at = (TrackedKind::Folder, root);
        for name in path.split('/').filter(|name| !name.is_empty()) {
            if at.0 != TrackedKind::Folder {
                return Ok(None);
            }
            self.load(objects, at.1)?;
            match self.trees.get(&at.1).and_then(|tree| tree.get(name.as_bytes())) {
                Some(entry) => at = *entry,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Returns the tree of the project's folder in a commit.
    fn root(
        &mut self,
        objects: &mut Objects,
        place: &Place,
        commit: Oid,
    ) -> Result<Option<Oid>, GitError> {
        if let Some(root) = self.roots.get(&commit) {
            return Ok(*root);
        }
        let wanted = Wanted::Tree(commit, place.within().to_owned());
        let root = objects.one(wanted, |object| match object {
            Object::Found(id, Sort::Tree, bytes) => Some((id, index(bytes, id))),
            _ => None,
        })?;
        let root = root.map(|(id, tree)| {
            self.keep(id, tree);
            id
        });
        self.roots.insert(commit, root);
        Ok(root)
    }

    fn load(&mut self, objects: &mut Objects, id: Oid) -> Result<(), GitError> {
        if !self.trees.contains_key(&id) {
            let tree = objects.one(Wanted::Object(id), |object| match object {
                Object::Found(id, Sort::Tree, bytes) => index(bytes, id),
                _ => Map::default(),
            })?;
            self.keep(id, tree);
        }
        Ok(())
    }

    fn keep(&mut self, id: Oid, tree: Map<Box<[u8]>, (TrackedKind, Oid)>) {
        if self.kept > MAX_KEPT {
            self.kept = 0;
            self.trees.clear();
            self.roots.clear();
        }
        self.kept += tree.len() + 1;
        self.trees.insert(id, tree);
    }
}

fn index(tree: &[u8], id: Oid) -> Map<Box<[u8]>, (TrackedKind, Oid)> {
    entries(tree, id.as_bytes().len())
        .map(|entry| (entry.name.into(), (entry.kind, entry.id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn entries_of_any_bytes_stand_apart(
            bytes in prop::collection::vec(prop_oneof![Just(0_u8), Just(b' '), any::<u8>()], 0..200),
            id_len in prop_oneof![Just(20_usize), Just(32)],
        ) {
            let taken = entries(&bytes, id_len).map(|entry| entry.name.len() + 2 + id_len);
            prop_assert!(taken.sum::<usize>() <= bytes.len());
            prop_assert!(entries(&bytes, id_len).all(|entry| !entry.name.contains(&0)));
        }
    }
}
