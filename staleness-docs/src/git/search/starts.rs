//! The things that the paths of files name.

use foldhash::HashMap as Map;

use crate::git::objects::{TrackedKind, name_of};
use crate::symbols::{Lexicon, WantedPath, is_folder_of_others, is_shown_in};

/// Limits of the depth and the length of a path.
const MAX_DEPTH: usize = 128;
const MAX_PATH: usize = 4_096;
/// Maximum number of path comparisons. Only a hostile history exceeds it.
const MAX_COMPARED: usize = 400_000_000;

/// The wanted paths and names.
pub(crate) struct Starts<'l> {
    lexicon: &'l Lexicon,
    /// Paths by their first part.
    first: Map<&'l [u8], Vec<(&'l WantedPath, u32)>>,
    /// Paths by all their parts, and the number of parts in the longest.
    whole: Map<Vec<u8>, Vec<(&'l WantedPath, u32)>>,
    longest: usize,
    /// Number of path comparisons that may still be made.
    left: usize,
}

impl<'l> Starts<'l> {
    pub(crate) fn new(lexicon: &'l Lexicon) -> Self {
        let (mut first, mut whole): (Map<_, Vec<_>>, Map<_, Vec<_>>) = Default::default();
        let mut longest = 0;
        for (path, number) in lexicon.paths() {
            first.entry(&*path.parts[0]).or_default().push((path, number));
            whole.entry(path.parts.join(&b'/')).or_default().push((path, number));
            longest = longest.max(path.parts.len());
        }
        Self { lexicon, first, whole, longest, left: MAX_COMPARED }
    }

    /// Returns the numbers of the things that exist if there is a file, link or submodule at this path: those that the
    /// path or one of its folders names. `None` if the path is too long, or a limit is reached.
    pub(crate) fn named_by(
        &mut self,
        path: &[u8],
        kind: TrackedKind,
        is_searched: bool,
    ) -> Option<Vec<u32>> {
        let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        if parts.len() > MAX_DEPTH || path.len() > MAX_PATH {
            return None;
        }
        self.left = self.left.checked_sub(self.compared(&parts, kind))?;
        let mut things = self.of(path, &parts, kind);
        for folder in &parts[..parts.len() - 1] {
            self.lexicon.named(folder, &mut things);
        }
        if is_searched && kind == TrackedKind::File {
            self.lexicon.named(name_of(path), &mut things);
        }
        things.sort_unstable();
        things.dedup();
        Some(things)
    }

    /// Returns the number of comparisons that a path needs.
    fn compared(&self, parts: &[&[u8]], kind: TrackedKind) -> usize {
        let known = (0..parts.len()).filter_map(|from| Some((from, self.first.get(parts[from])?)));
        known
            .map(|(from, all)| match kind {
                TrackedKind::Submodule => all.len(),
                _ => self.longest.min(parts.len() - from),
            })
            .sum()
    }

    /// Returns the numbers of the wanted paths. In an earlier commit, no wanted path begins below a folder of vendored
    /// code or examples.
    fn of(&self, path: &[u8], parts: &[&[u8]], kind: TrackedKind) -> Vec<u32> {
        let (mut all, mut begin) = (Vec::new(), 0);
        let is_of_others = |folder: &[u8]| is_shown_in(folder) || is_folder_of_others(folder);
        for from in 0..parts.len() {
            if from > 0 && self.lexicon.is_of_past() && is_of_others(parts[from - 1]) {
                break;
            }
            let rest = &parts[from..];
            let take = |(wanted, number): &(&WantedPath, u32)| {
                (from == 0 || !wanted.anchored).then_some(*number)
            };
            if kind == TrackedKind::Submodule {
                // The contents of a submodule are unknown, so any wanted path below it may exist.
                let known = self.first.get(rest[0]).into_iter().flatten();
                let shared = known.filter(|(wanted, _)| {
                    wanted.parts.iter().zip(rest).all(|(wanted, part)| **wanted == **part)
                });
                all.extend(shared.filter_map(take));
            } else if self.first.contains_key(rest[0]) {
                let mut end = begin;
                for (at, part) in rest.iter().enumerate().take(self.longest) {
                    end += part.len() + usize::from(at > 0);
                    // A proper prefix of the path is a parent folder.
                    let is_folder = at + 1 < rest.len();
                    let known = self.whole.get(&path[begin..end]).into_iter().flatten();
                    let leading = known.filter(|(wanted, _)| is_folder || !wanted.folder);
                    all.extend(leading.filter_map(take));
                }
            }
            begin += rest[0].len() + 1;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    /// Compares with every wanted path. A slow reference implementation.
    fn plainly(lexicon: &Lexicon, parts: &[&[u8]], kind: TrackedKind) -> Vec<u32> {
        let leads = |path: &WantedPath, from: usize| {
            let rest = &parts[from..];
            let may = match path.parts.len().cmp(&rest.len()) {
                Ordering::Less => true,
                Ordering::Equal => !path.folder || kind == TrackedKind::Submodule,
                Ordering::Greater => kind == TrackedKind::Submodule,
            };
            may && path.parts.iter().zip(rest).all(|(wanted, part)| **wanted == **part)
                && (from == 0 || !path.anchored)
        };
        let paths = lexicon.paths();
        let mut all: Vec<u32> = paths
            .filter(|(path, _)| (0..parts.len()).any(|from| leads(path, from)))
            .map(|(_, number)| number)
            .collect();
        all.sort_unstable();
        all
    }

    fn parts() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[ab]{1,2}", 1..5)
    }

    proptest! {
        #[test]
        fn what_leads_to_a_path_is_found_without_a_look_at_each(
            wanted in prop::collection::vec((parts(), any::<bool>(), any::<bool>()), 0..12),
            path in parts(),
            of in 0..2_usize,
        ) {
            let kind = [TrackedKind::File, TrackedKind::Submodule][of];
            let mut lexicon = Lexicon::default();
            for (parts, anchored, folder) in wanted {
                let parts = parts.iter().map(|part| part.as_bytes().into()).collect();
                lexicon.path(WantedPath { parts, anchored, folder });
            }
            let whole = path.join("/");
            let parts: Vec<&[u8]> = path.iter().map(|part| part.as_bytes()).collect();
            let mut found = Starts::new(&lexicon).of(whole.as_bytes(), &parts, kind);
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found, plainly(&lexicon, &parts, kind));
        }
    }
}
