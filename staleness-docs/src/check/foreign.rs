//! Names that belong to other projects, or to files.

use std::collections::HashSet;

use staleness_core::knowledge::WordKind;

use super::Check;
use crate::git::Word;

/// End of a directive that sets the module of the names after it.
const MODULE: &str = "module:: ";
/// Maximum number of bytes to search for such a directive.
const MAX_READ: usize = 256 * 1024;

impl Check<'_> {
    /// Returns true if a name is introduced by, or appears below, a directive that names a module of another project:
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

    /// Returns the names with a dot that are names of tracked files, such as `highlighting.goml`.
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
