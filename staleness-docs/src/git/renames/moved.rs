//! Finding removed files and folders under their present paths.

use std::collections::HashMap;

use super::moves::Moves;
use crate::git::history::{Asker, History, Renames};
use crate::git::objects::Oid;
use crate::git::process::GitError;
use crate::git::symbols::WantedPath;

/// The longest chain of renames that is followed.
const MAX_MOVES: usize = 16;
/// The most commits whose renames are asked for.
const MAX_ASKED: usize = 2_000;

/// Follows renames, and remembers those of the commits that were asked about.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    renames: HashMap<Oid, Moves>,
    asker: Asker,
}

impl Moved {
    /// Returns the present path of a file or folder that the commit at this place of the list removed.
    pub(crate) fn find(
        &mut self,
        history: &mut History,
        path: &WantedPath,
        removed: usize,
    ) -> Result<Option<String>, GitError> {
        let mut removed = removed;
        let Some(mut now) = self.of(history, removed)?.and_then(|renames| renames.of_path(path))
        else {
            return Ok(None);
        };
        for _ in 0..MAX_MOVES {
            if history.exists_at(0, &now)? {
                return Ok(Some(now));
            }
            let Some(next) = history.removal(&now, removed)? else { return Ok(None) };
            removed = next;
            match self.of(history, removed)?.and_then(|renames| renames.target(&now)) {
                Some(next) => now = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the earlier path of a file that the commit at this place of the list added.
    pub(crate) fn origin(
        &mut self,
        history: &mut History,
        path: &str,
        added: usize,
    ) -> Result<Option<String>, GitError> {
        Ok(self.of(history, added)?.and_then(|moves| moves.origin(path)))
    }

    fn of(&mut self, history: &mut History, place: usize) -> Result<Option<&Moves>, GitError> {
        let Some(commit) = history.past()?.commits.get(place).copied() else { return Ok(None) };
        if !self.renames.contains_key(&commit.id) {
            if self.renames.len() >= MAX_ASKED {
                return Ok(None);
            }
            let is_whole = history.place.prefix.is_empty();
            let arrivals = history.past()?.changes.arrivals(place);
            let renames = match arrivals.and_then(|all| Renames::plain(all, is_whole)) {
                Some(plain) => plain,
                None => Renames::of_commit(&history.place, &mut self.asker, commit.id)?,
            };
            self.renames.insert(commit.id, Moves::of(renames));
        }
        Ok(self.renames.get(&commit.id))
    }
}
