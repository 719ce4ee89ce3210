//! Finds the files that a commit renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use super::changes::Arrival;
use super::raw::{Raw, Reader};
use crate::git::objects::{Oid, Place, TrackedKind, name_of};
use crate::git::process::{GitError, Process};

/// Maximum number of renames to keep per commit.
const MAX_RENAMES: usize = 100_000;

#[rustfmt::skip]
const ARGUMENTS: [&str; 16] = [
    "diff-tree", "--stdin", "--diff-merges=first-parent", "-r", "-z", "--raw", "--root",
    "--no-abbrev", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--no-relative", "-M",
    "-l2000", "--no-rename-empty", "--diff-filter=R",
];

/// A git process that lists the renames of commits. Git echoes a line that is not an id, so an empty line after each
/// query marks the end of its answer.
#[derive(Debug, Default)]
pub(crate) struct Asker {
    process: Option<Process>,
}

/// Returns the best common ancestor of two commits. `None` if they have none, or git fails.
pub(crate) fn merge_base(place: &Place, [one, other]: [Oid; 2]) -> Option<Oid> {
    let asked = ["merge-base", &one.to_string(), &other.to_string()];
    Oid::from_hex(place.start(&asked).ok()?.all().ok()?.trim_ascii())
}

/// Minimum similarity, in percent, at which a file that git also paired with another name counts as the same file.
const SIMILAR: u8 = 60;

/// The renames of one commit, detected by contents. Paths are relative to the project. Renames into or out of
/// the project are not included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renames {
    /// Maps each new path to the old path and the old contents.
    pub(crate) from: BTreeMap<Vec<u8>, (Vec<u8>, Oid)>,
    /// New paths that may be different files, because their contents are only slightly similar or also exist elsewhere.
    pub(crate) unsure: BTreeSet<Vec<u8>>,
    /// Removed files without any new path.
    pub(crate) lost: Vec<Vec<u8>>,
}

impl Renames {
    /// Asks git for the renames of a commit. Returns none if git fails, as in a partial clone without the
    /// contents.
    pub(crate) fn of_commit(
        place: &Place,
        asker: &mut Asker,
        commit: Oid,
    ) -> Result<Self, GitError> {
        Self::answer(place, asker, &commit.to_string())
    }

    /// Asks git for the renames from one commit to another.
    pub(crate) fn between(
        place: &Place,
        asker: &mut Asker,
        [from, to]: [Oid; 2],
    ) -> Result<Self, GitError> {
        Self::answer(place, asker, &format!("{to} {from}"))
    }

    /// Asks git for the files that both sides of a merge renamed: maps each path on the second side to that on
    /// the first.
    pub(crate) fn of_both_sides(
        place: &Place,
        asker: &mut Asker,
        [first, second]: [Oid; 2],
    ) -> Result<Self, GitError> {
        let mut both = Self::between(place, asker, [first, second])?;
        if !both.from.is_empty() {
            let Some(base) = merge_base(place, [first, second]) else { return Ok(Self::default()) };
            let [one, other] =
                [first, second].map(|side| Self::between(place, asker, [base, side]));
            let (one, other) = (one?.from, other?.from);
            both.from.retain(|new, (old, _)| {
                one.get(old).zip(other.get(new)).is_some_and(|(one, other)| one.0 == other.0)
            });
        }
        Ok(both)
    }

    fn answer(place: &Place, asker: &mut Asker, question: &str) -> Result<Self, GitError> {
        let mut process = match asker.process.take() {
            Some(process) => process,
            None => Process::start_asked(place.command(&ARGUMENTS))?,
        };
        let mut renames = Self::default();
        if renames.ask(place, &mut process, question).is_ok() {
            asker.process = Some(process);
        } else {
            let why = process.post_mortem();
            if why.is_final() {
                return Err(why);
            }
        }
        Ok(renames)
    }

    /// Chooses among the files that the commit added. If contents do not pair two files uniquely, a file with the same
    /// name and another extension in the same folder is the new path, even if git paired it differently. If several
    /// files have the same contents, only one with the same name counts.
    pub(crate) fn decide<'a>(&mut self, arrivals: impl Iterator<Item = Arrival<'a>>) {
        let mut neighbours: BTreeMap<&[u8], Option<&[u8]>> = BTreeMap::new();
        let mut copies: BTreeMap<Oid, Vec<&[u8]>> = BTreeMap::new();
        let mut ids: BTreeMap<&[u8], Oid> = BTreeMap::new();
        let mut removed = Vec::new();
        for arrival in arrivals {
            match (arrival.old, arrival.new) {
                (None, Some((TrackedKind::File, id))) => {
                    let only = neighbours.entry(without_ending(arrival.path));
                    only.and_modify(|known| *known = None).or_insert(Some(arrival.path));
                    copies.entry(id).or_default().push(arrival.path);
                    ids.insert(arrival.path, id);
                }
                (Some((_, id)), None) => removed.push((arrival.path, id)),
                _ => {}
            }
        }
        let mut decided = BTreeMap::new();
        let mut stems: BTreeMap<&[u8], usize> = BTreeMap::new();
        for (path, id) in &removed {
            *stems.entry(without_ending(path)).or_default() += 1;
            copies.entry(*id).or_default().push(path);
        }
        for (new, (old, id)) in std::mem::take(&mut self.from) {
            let equal = copies.get(&id).map_or(&[][..], Vec::as_slice);
            let is_exact = ids.get(&*new) == Some(&id);
            // Only the old path and the new path have these contents.
            let is_pair = is_exact && equal.len() == 2;
            let is_same = |path: &&&[u8]| name_of(path) == name_of(&old);
            let is_unsure = is_exact
                && !is_pair
                && (name_of(&new) != name_of(&old) || equal.iter().filter(is_same).count() > 2);
            let stem = without_ending(&old);
            let neighbour = neighbours.get(stem).copied().flatten();
            match neighbour.filter(|_| !is_pair && stems.get(stem) == Some(&1)) {
                Some(neighbour) => {
                    self.unsure.remove(neighbour);
                    decided.insert(neighbour.to_vec(), (old, id));
                }
                None => {
                    self.unsure.extend(is_unsure.then(|| new.clone()));
                    decided.entry(new).or_insert((old, id));
                }
            }
        }
        self.from = decided;
        let kept: BTreeSet<&[u8]> = self.from.values().map(|(old, _)| &**old).collect();
        let lost = removed.into_iter().map(|(path, _)| path).filter(|path| !kept.contains(path));
        self.lost = lost.map(<[u8]>::to_vec).collect();
    }

    fn ask(&mut self, place: &Place, process: &mut Process, question: &str) -> io::Result<()> {
        process.ask(format!("{question}\n\n").as_bytes())?;
        let mut reader = Reader::default();
        loop {
            match process.answers().fill_buf()?.first() {
                Some(b'\n') => {
                    process.answers().consume(1);
                    return Ok(());
                }
                Some(_) => {}
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
            let Some(Raw::Change(change)) = reader.next(process)? else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            if change.status != b'R'
                || !change.was_file()
                || change.old.is_blank()
                || self.from.len() >= MAX_RENAMES
            {
                continue;
            }
            if let (Some(old), Some(new)) = (place.own(&reader.path), place.own(&reader.target)) {
                if change.score < SIMILAR
                    && without_ending(name_of(old)) != without_ending(name_of(new))
                {
                    self.unsure.insert(new.to_vec());
                }
                self.from.insert(new.to_vec(), (old.to_vec(), change.old));
            }
        }
    }
}

fn without_ending(path: &[u8]) -> &[u8] {
    let name = name_of(path);
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
    dot.map_or(path, |dot| &path[..path.len() - name.len() + dot])
}
