//! The renames of one commit, indexed by old path.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::history::Renames;
use crate::symbols::WantedPath;

/// New paths of the files and folders that one commit moved.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// Maps each old path to the new path.
    to: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Reversed old paths and their parent folders. All matches of a partial path are adjacent in this order.
    ends: BTreeSet<Vec<u8>>,
    /// Old paths of removed files without a certain new path.
    lost: BTreeSet<Vec<u8>>,
}

impl Moves {
    pub(crate) fn of(renames: Renames) -> Self {
        let mut moves = Self { lost: renames.lost.into_iter().collect(), ..Self::default() };
        for (new, (old, _)) in renames.from {
            let folders = old.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
            moves.ends.insert(reversed(&old));
            for (upto, _) in folders {
                // The parents of this folder are already in the set.
                if !moves.ends.insert(reversed(&old[..upto])) {
                    break;
                }
            }
            if !renames.unsure.contains(&new) {
                moves.to.entry(old).or_insert(new);
            }
        }
        moves
    }

    /// Returns the new path of the removed file or folder that `path` matches, if it matches exactly one.
    pub(crate) fn of_path(&self, path: &WantedPath) -> Option<String> {
        let mut end = reversed(&path.parts.join(&b'/'));
        let whole = self.ends.get(&end).cloned();
        end.push(b'/');
        let below = self.ends.range(end.clone()..).take_while(|other| other.starts_with(&end));
        let below = below.take(if path.anchored { 0 } else { 2 }).cloned();
        let mut roots = whole.into_iter().chain(below);
        match (roots.next(), roots.next()) {
            (Some(only), None) => self.target(std::str::from_utf8(&reversed(&only)).ok()?),
            _ => None,
        }
    }

    /// Returns the old path of a renamed file.
    pub(crate) fn origin(&self, new: &str) -> Option<String> {
        let (old, _) = self.to.iter().find(|(_, to)| **to == new.as_bytes())?;
        String::from_utf8(old.clone()).ok()
    }

    /// Returns the new path of a removed file or folder. A folder has a new path if all its files that kept their names
    /// moved to one folder, and at least as many files moved as were lost.
    pub(crate) fn target(&self, old: &str) -> Option<String> {
        if let Some(new) = self.to.get(old.as_bytes()) {
            return String::from_utf8(new.clone()).ok();
        }
        let below = format!("{old}/").into_bytes();
        let files = self.to.range(below.clone()..).take_while(|(old, _)| old.starts_with(&below));
        let folders: Vec<&[u8]> = files
            .filter_map(|(old, new)| new.strip_suffix(&old[below.len()..])?.strip_suffix(b"/"))
            .collect();
        let lost = self.lost.range(below.clone()..).take_while(|old| old.starts_with(&below));
        let folder = *folders.first()?;
        let is_one = folders.iter().all(|other| *other == folder);
        (is_one && folders.len() >= lost.count())
            .then(|| String::from_utf8(folder.to_vec()).ok())?
    }
}

fn reversed(path: &[u8]) -> Vec<u8> {
    path.iter().rev().copied().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::git::objects::Oid;

    /// Checks every rename. A slow reference implementation.
    fn plainly(renames: &Renames, path: &WantedPath) -> BTreeSet<Vec<u8>> {
        let end = path.parts.join(&b'/');
        let mut roots = BTreeSet::new();
        for (from, _) in renames.from.values() {
            let ends = from.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
            for upto in ends.chain([from.len()]) {
                let before = from[..upto].strip_suffix(&*end);
                let fits =
                    |before: &[u8]| before.is_empty() || !path.anchored && before.ends_with(b"/");
                if before.is_some_and(fits) {
                    roots.insert(from[..upto].to_vec());
                }
            }
        }
        roots
    }

    fn path() -> impl Strategy<Value = String> {
        prop::collection::vec("[ab]{1,2}", 1..4).prop_map(|parts| parts.join("/"))
    }

    #[test]
    fn a_folder_whose_files_parted_is_nowhere() {
        let id = Oid::from_bytes(&[1; 20]).unwrap();
        for (news, expected) in
            [(["x/a", "x/b"], Some("x")), (["x/a", "y/b"], None), (["x/a", "x/c"], Some("x"))]
        {
            let pairs = news.iter().zip(["old/a", "old/b"]);
            let from =
                pairs.map(|(new, old)| (new.as_bytes().to_vec(), (old.as_bytes().to_vec(), id)));
            let moves = Moves::of(Renames { from: from.collect(), ..Renames::default() });
            assert_eq!(moves.target("old").as_deref(), expected, "{news:?}");
        }
    }

    proptest! {
        #[test]
        fn what_a_path_means_is_found_without_a_look_at_every_rename(
            olds in prop::collection::btree_set(path(), 0..12),
            wanted in path(),
            anchored: bool,
        ) {
            let id = Oid::from_bytes(&[1; 20]).unwrap();
            let moved = |old: &String| (format!("new/{old}").into_bytes(), (old.clone().into_bytes(), id));
            let renames =
                Renames { from: olds.iter().map(moved).collect(), ..Renames::default() };
            let parts = wanted.split('/').map(|part| part.as_bytes().into()).collect();
            let wanted = WantedPath { parts, anchored, folder: false };
            let roots = plainly(&renames, &wanted);
            let found = Moves::of(renames).of_path(&wanted);
            match (roots.len(), roots.first()) {
                (1, Some(root)) => {
                    let new = format!("new/{}", String::from_utf8(root.clone()).unwrap());
                    prop_assert_eq!(found, Some(new));
                }
                _ => prop_assert_eq!(found, None),
            }
        }
    }
}
