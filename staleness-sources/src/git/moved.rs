//! Where removed files and folders are now.

use std::collections::HashMap;

use super::changes::{Held, Known};
use super::moves::Moves;
use super::renames::{Asker, Renames};
use super::tokens::WantedPath;
use super::trace::between;
use super::{GitError, Oid, Repo};

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
    /// Where the file or folder is in the checked-out commit, which the commit at this place of the
    /// list of commits removed.
    pub(crate) fn find(
        &mut self,
        repo: &mut Repo,
        path: &WantedPath,
        removed: usize,
    ) -> Result<Option<String>, GitError> {
        let mut removed = removed;
        let Some(mut now) = self.of(repo, removed)?.and_then(|renames| renames.of_path(path))
        else {
            return Ok(None);
        };
        for _ in 0..MAX_MOVES {
            if repo.exists_at(0, &now)? {
                return Ok(Some(now));
            }
            let Some(next) = repo.removal(&now, removed)? else { return Ok(None) };
            removed = next;
            match self.of(repo, removed)?.and_then(|renames| renames.target(&now)) {
                Some(next) => now = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn of(&mut self, repo: &mut Repo, place: usize) -> Result<Option<&Moves>, GitError> {
        let Some(commit) = repo.past()?.commits.get(place).copied() else { return Ok(None) };
        if !self.renames.contains_key(&commit.id) {
            if self.renames.len() >= MAX_ASKED {
                return Ok(None);
            }
            let is_whole = repo.place.prefix.is_empty();
            let arrivals = repo.past()?.changes.arrivals(place);
            let renames = match arrivals.and_then(|all| Renames::plain(all, is_whole)) {
                Some(plain) => plain,
                None => Renames::of_commit(&repo.place, &mut self.asker, commit.id)?,
            };
            self.renames.insert(commit.id, Moves::of(renames));
        }
        Ok(self.renames.get(&commit.id))
    }
}

impl Repo {
    /// Returns true if a path exists in the commit at this place of the list of commits.
    pub(crate) fn exists_at(&mut self, place: usize, path: &str) -> Result<bool, GitError> {
        Ok(self.held_at(place, path)?.is_some())
    }

    /// What a path is in the commit at this place of the list of commits.
    pub(crate) fn held_at(&mut self, place: usize, path: &str) -> Result<Option<Held>, GitError> {
        let past = self.past()?;
        let Some(commit) = past.commits.get(place).copied() else { return Ok(None) };
        let commit = match past.changes.at(place, path) {
            Known::As(held) => return Ok(held),
            Known::AsNow => self.head.id,
            Known::Unknown => commit.id,
        };
        self.trees.find(&mut self.objects, &self.place, commit, path)
    }

    /// A commit that removed a path: it is there at `there` and not in the checked-out commit. Of
    /// several it is the last, where the list of changes goes that far.
    pub(crate) fn removal(&mut self, path: &str, there: usize) -> Result<Option<usize>, GitError> {
        if !self.exists_at(there, path)? {
            return Ok(None);
        }
        if let Some(last) = self.past()?.changes.removal(path, there) {
            return Ok(Some(last));
        }
        let (mut there, mut gone) = (there, 0);
        while let Some(middle) = between(gone, there) {
            if self.exists_at(middle, path)? { there = middle } else { gone = middle }
        }
        Ok(Some(gone))
    }
}
