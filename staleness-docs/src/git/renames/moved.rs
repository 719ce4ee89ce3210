use std::collections::HashMap;

use super::moves::Moves;
use crate::git::history::{Asker, Held, History, Known, Renames, Trail, Version, merge_base};
use crate::git::objects::{Oid, TrackedKind, name_of, sides};
use crate::git::process::GitError;
use crate::symbols::WantedPath;

/// The longest chain of renames to follow.
const MAX_MOVES: usize = 16;
/// The most commits whose renames are asked for, and the most merges whose other side is: by removed files, and
/// before them by files that were added.
const MAX_ASKED: usize = 2_000;
const MAX_SIDES: usize = 256;
const MAX_SIDES_OF_ADDED: usize = 192;

/// Follows renames and caches them by commit.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    renames: HashMap<Oid, Moves>,
    /// The renames on the other sides of merges. `None` for other commits.
    sides: HashMap<Oid, Moves>,
    /// Number of commits that git was asked about, and number of merges in `sides`.
    asked: usize,
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
        let target = self.at(history, removed, MAX_SIDES, &|renames| renames.of_path(path))?;
        let Some(mut now) = target else { return Ok(None) };
        for _ in 0..MAX_MOVES {
            if history.held_at(0, &now)?.is_some() {
                return Ok(Some(now));
            }
            let next = history.past()?.changes.last_removal(&now).filter(|next| *next < removed);
            let Some(next) = next else { return Ok(None) };
            removed = next;
            match self.at(history, removed, MAX_SIDES, &|renames| renames.target(&now))? {
                Some(next) => now = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the earlier path of a file that the commit at this index added, and what was there. Of several files with
    /// the same contents, only one of the same name is the file.
    pub(crate) fn origin(
        &mut self,
        history: &mut History,
        path: &str,
        added: usize,
    ) -> Result<Option<(String, Oid)>, GitError> {
        let changes = &history.past()?.changes;
        // Nothing precedes the first commit.
        if added >= changes.upto() {
            return Ok(None);
        }
        let file = |held: Held| Some(held.1).filter(|_| held.0 == TrackedKind::File);
        let removed = changes.arrivals(added).into_iter().flatten();
        let removed = removed.filter(|it| it.new.is_none());
        let removed = removed.filter_map(|it| Some((it.path, file(it.old?)?)));
        let new = match changes.at(added, path) {
            Known::As(Some(held)) => file(held),
            _ => None,
        };
        let mut same: Vec<_> = removed.filter(|(_, id)| Some(*id) == new).collect();
        if same.len() > 1 {
            same.retain(|(old, _)| name_of(old) == name_of(path.as_bytes()));
        }
        match same.first() {
            Some((old, id)) => Ok(String::from_utf8(old.to_vec()).ok().map(|old| (old, *id))),
            None => self.at(history, added, MAX_SIDES_OF_ADDED, &|moves| moves.origin(path)),
        }
    }

    /// Returns the versions of a file, as far as the list of changes goes.
    pub(crate) fn trail(&mut self, history: &mut History, path: &str) -> Result<Trail, GitError> {
        let (mut trail, mut name, mut since) = (Trail::default(), path.to_owned(), None);
        loop {
            let Some(changed) = history.past()?.changes.of(&name) else { return Ok(trail) };
            let (mut after, mut added) = (changed.now(), None);
            for (commit, before) in changed.before() {
                let now = std::mem::replace(&mut after, before);
                if since.is_some_and(|since| commit <= since) || before == now {
                    continue;
                }
                match before {
                    Some((TrackedKind::File, old)) => trail.versions.push(Version { commit, old }),
                    _ => {
                        added = now.map(|(_, new)| (commit, new));
                        break;
                    }
                }
            }
            let Some((commit, new)) = added else { return Ok(trail) };
            let origin = self.origin(history, &name, commit as usize)?;
            let old = origin.as_ref().map_or_else(|| Oid::null_like(new), |(_, old)| *old);
            trail.versions.push(Version { commit, old });
            let Some((from, _)) = origin else { return Ok(trail) };
            trail.names.push((commit, from.clone()));
            (name, since) = (from, Some(commit));
        }
    }

    /// Returns what `look` finds among the renames of the commit at this index, or of the other side of a merge.
    fn at<T>(
        &mut self,
        history: &mut History,
        place: usize,
        most: usize,
        look: &dyn Fn(&Moves) -> Option<T>,
    ) -> Result<Option<T>, GitError> {
        if let Some(found) = self.of(history, place)?.and_then(look) {
            return Ok(Some(found));
        }
        let Some(commit) = history.past()?.commits.get(place).copied() else { return Ok(None) };
        if !self.sides.contains_key(&commit.id) && self.merges < most {
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
            let is_whole = history.place.prefix.is_empty();
            let arrivals = history.past()?.changes.arrivals(place);
            let mut renames = match arrivals.and_then(|all| Renames::plain(all, is_whole)) {
                Some(plain) => plain,
                None if self.asked >= MAX_ASKED => return Ok(None),
                None => {
                    self.asked += 1;
                    Renames::of_commit(&history.place, &mut self.asker, commit.id)?
                }
            };
            if let Some(arrivals) = history.past()?.changes.arrivals(place) {
                renames.decide(arrivals);
            }
            self.renames.insert(commit.id, Moves::of(renames));
        }
        Ok(self.renames.get(&commit.id))
    }
}
