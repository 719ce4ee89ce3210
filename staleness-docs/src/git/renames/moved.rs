use std::collections::HashMap;

use super::moves::Moves;
use crate::git::history::{Asker, History, Renames, merge_base};
use crate::git::objects::{Oid, sides};
use crate::git::process::GitError;
use crate::symbols::WantedPath;

/// The longest chain of renames to follow.
const MAX_MOVES: usize = 16;
/// Maximum number of commits to query for renames, and of merges to query for renames on the other side.
const MAX_ASKED: usize = 2_000;
const MAX_SIDES: usize = 64;

/// Follows renames and caches them by commit.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    renames: HashMap<Oid, Moves>,
    /// The renames on the other sides of merges. `None` for other commits.
    sides: HashMap<Oid, Moves>,
    /// Number of merges in `sides`.
    merges: usize,
    asker: Asker,
}

impl Moved {
    /// Returns the current path of a file or folder that the commit at this index removed.
    pub(crate) fn find(
        &mut self,
        history: &mut History,
        path: &WantedPath,
        removed: usize,
    ) -> Result<Option<String>, GitError> {
        let mut removed = removed;
        let target = self.target(history, removed, &|renames| renames.of_path(path))?;
        let Some(mut now) = target else { return Ok(None) };
        for _ in 0..MAX_MOVES {
            if history.held_at(0, &now)?.is_some() {
                return Ok(Some(now));
            }
            let Some(next) = history.removal(&now, removed)? else { return Ok(None) };
            removed = next;
            match self.target(history, removed, &|renames| renames.target(&now))? {
                Some(next) => now = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the earlier path of a file that the commit at this index added.
    pub(crate) fn origin(
        &mut self,
        history: &mut History,
        path: &str,
        added: usize,
    ) -> Result<Option<String>, GitError> {
        Ok(self.of(history, added)?.and_then(|moves| moves.origin(path)))
    }

    /// Returns the new path that the commit at this index gave to the file or folder that `look` finds. If the commit
    /// is a merge, its other side may have made the rename.
    fn target(
        &mut self,
        history: &mut History,
        place: usize,
        look: &dyn Fn(&Moves) -> Option<String>,
    ) -> Result<Option<String>, GitError> {
        if let Some(found) = self.of(history, place)?.and_then(look) {
            return Ok(Some(found));
        }
        let Some(commit) = history.past()?.commits.get(place).copied() else { return Ok(None) };
        if !self.sides.contains_key(&commit.id) && self.merges < MAX_SIDES {
            let sides = sides(&mut history.objects, commit.id)?;
            self.merges += usize::from(sides.is_some());
            let side = sides.and_then(|it| Some([merge_base(&history.place, it)?, it[1]]));
            let renames = side.map(|it| Renames::between(&history.place, &mut self.asker, it));
            self.sides.insert(commit.id, Moves::of(renames.transpose()?.unwrap_or_default()));
        }
        Ok(self.sides.get(&commit.id).and_then(look))
    }

    fn of(&mut self, history: &mut History, place: usize) -> Result<Option<&Moves>, GitError> {
        let Some(commit) = history.past()?.commits.get(place).copied() else { return Ok(None) };
        if !self.renames.contains_key(&commit.id) {
            if self.renames.len() >= MAX_ASKED {
                return Ok(None);
            }
            let arrivals = history.past()?.changes.arrivals(place);
            let adds_none = arrivals.is_some_and(|mut all| all.all(|it| it.old.is_some()));
            let mut renames = if adds_none {
                Renames::default()
            } else {
                Renames::of_commit(&history.place, &mut self.asker, commit.id)?
            };
            if let Some(arrivals) = history.past()?.changes.arrivals(place) {
                renames.decide(arrivals);
            }
            self.renames.insert(commit.id, Moves::of(renames));
        }
        Ok(self.renames.get(&commit.id))
    }
}
