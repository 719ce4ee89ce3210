//! Names that belong to other projects.

use std::collections::HashSet;

use staleness_core::knowledge::WordKind;

use super::Check;
use super::dependencies::{Dependencies, is_manifest};
use super::doc::Doc;
use crate::draft::names::NameSort;
use crate::git::{Anchor, Oid, Trace, Word, WordQuery};

/// Maximum number of manifests to read per commit, nearest to the root first.
const MAX_MANIFESTS: usize = 40;
/// Maximum number of commits from which to read manifests. If there are more, a spread over the history is
/// read.
const MAX_COMMITS: usize = 64;

/// Modules of Python's standard library, with names from them that documents use.
#[rustfmt::skip]
const STANDARD: [&str; 14] = [
    "argparse", "asyncio", "collections", "concurrent", "contextlib", "dataclasses", "datetime", "logging", "pathlib",
    "subprocess", "threading", "types", "typing", "unittest",
];

/// End of a directive that sets the module of the names after it.
const MODULE: &str = "module:: ";
/// Number of bytes to search for such a directive.
const MAX_READ: usize = 256 * 1024;

/// Names of the project's dependencies, at present and at the times of edits.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    dependencies: Dependencies,
    /// Names that a document writes after a dependency, such as `ServiceBuilder`, with the index of the
    /// document.
    names: HashSet<(usize, String)>,
}

impl Foreign {
    /// Returns true if the word belongs to another project, in the document with this index.
    pub(super) fn owns(&self, document: usize, word: &Word) -> bool {
        word.kind == WordKind::Identifier
            && (self.names.contains(&(document, word.text.clone()))
                || self.dependencies.owned_by_others(&word.text).is_some())
    }
}

/// Returns at most `most` elements, evenly spread.
fn spread<T: Copy>(all: &[T], most: usize) -> impl Iterator<Item = T> + '_ {
    let count = all.len().min(most);
    (0..count).map(move |at| all[at * all.len() / count])
}

impl Check<'_> {
    /// Reads the manifests if identifiers seem to be removed. Names that a document writes after a dependency
    /// count for that document only.
    pub(super) fn foreign(
        &mut self,
        asked: &[WordQuery<'_>],
        traces: &[Trace],
        documents: &[&Doc],
    ) -> Foreign {
        let mut foreign = Foreign::default();
        let gone = asked.iter().zip(traces).filter(|(query, trace)| {
            query.word.kind == WordKind::Identifier && matches!(trace, Trace::Gone { .. })
        });
        let anchors: HashSet<Anchor> = gone.map(|(query, _)| query.anchor).collect();
        if anchors.is_empty() {
            return foreign;
        }
        let mut anchors: Vec<Anchor> = anchors.into_iter().collect();
        anchors.sort_unstable();
        let mut commits: Vec<Oid> = Vec::new();
        commits.extend(self.past.head_commit().map(|head| head.id));
        for anchor in spread(&anchors, MAX_COMMITS) {
            commits.extend(match anchor {
                Anchor::Commit(id) => Some(id),
                Anchor::At(at) => self.past.commit_at(at).map(|commit| commit.id),
            });
        }
        commits.sort_unstable();
        commits.dedup();
        let manifests = self.manifests();
        for commit in commits {
            for path in &manifests {
                if let Some(text) = self.past.look_up(|repo| repo.history.text_at(commit, path)) {
                    foreign.dependencies.read(path, &text);
                }
            }
        }
        let is_own = |module: &&&str| self.tree().is_module(module);
        foreign.dependencies.add(STANDARD.iter().filter(|it| !is_own(it)).copied());
        for (number, document) in documents.iter().enumerate() {
            for mention in &document.draft.mentions {
                if let (NameSort::Word(WordKind::Identifier), text) = self.names.get(mention.name)
                    && let Some(last) = foreign.dependencies.owned_by_others(text)
                {
                    foreign.names.insert((number, last.to_owned()));
                }
            }
        }
        foreign
    }

    /// Returns true if a name is introduced, or stands, below a directive that names a module of another project:
    /// `.. module:: net.http`, `.. class:: Client`.
    pub(super) fn is_of_foreign_module(&self, text: &str, at: usize, name: &str) -> bool {
        let first = name.split(['.', ':']).next().unwrap_or(name);
        let introduced = text.find(&format!(":: {first}"));
        let is_foreign = |at: usize| {
            let before = text.get(..at.min(MAX_READ)).unwrap_or_default();
            let module = before.rsplit_once(MODULE).map(|(_, rest)| rest.trim_start_matches(' '));
            let name = module.and_then(|rest| rest.split(['.', '\n', ' ']).next());
            name.filter(|it| !it.is_empty()).is_some_and(|name| !self.tree().is_module(name))
        };
        is_foreign(at) || introduced.is_some_and(is_foreign)
    }

    fn manifests(&self) -> Vec<String> {
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let mut paths: Vec<String> =
            tracked.map(|(path, _)| path.to_owned()).filter(|path| is_manifest(path)).collect();
        paths.sort_by_key(|path| (path.matches('/').count(), path.clone()));
        paths.truncate(MAX_MANIFESTS);
        paths
    }

    /// Returns the names with a dot that are file names, such as `highlighting.goml`.
    pub(super) fn files_of(&self, names: &[&Word]) -> HashSet<String> {
        let dotted = |word: &&&Word| word.kind == WordKind::Identifier && word.text.contains('.');
        let wanted: HashSet<&str> = names.iter().filter(dotted).map(|word| &*word.text).collect();
        if wanted.is_empty() {
            return HashSet::new();
        }
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let files = tracked.map(|(path, _)| path.rsplit('/').next().unwrap_or(path));
        files.filter(|name| wanted.contains(name)).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_some_from_all_over_are_taken() {
        let all: Vec<usize> = (0..130).collect();
        assert_eq!(spread(&all[..64], 64).collect::<Vec<_>>(), all[..64]);
        let some: Vec<usize> = spread(&all, 64).collect();
        assert_eq!((some.len(), some[0], some[32], some[63]), (64, 0, 65, 127));
        assert_eq!(spread(&all[..0], 64).count(), 0);
    }
}
