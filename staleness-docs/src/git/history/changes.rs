//! The changes of recent commits by path. They show the contents of a path at a commit, so that no tree must be read.

use foldhash::HashMap as Map;

use super::raw::Change;
use crate::git::objects::{Oid, TrackedKind};

/// Limits of the changes in memory, at about 40 bytes each, and of the bytes of their paths. Older changes
/// are looked up in the trees of commits.
const MAX_STEPS: usize = 500_000;
const MAX_PATHS: usize = 16 * 1024 * 1024;

/// Kind and id of a tracked path.
pub(crate) type Held = (TrackedKind, Oid);

/// One change to a path.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Index of the commit in the list of commits.
    commit: u32,
    /// Contents before the change. `None` if the path did not exist.
    old: Option<Held>,
}

#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) path: Box<[u8]>,
    /// Contents in the checked-out commit.
    now: Option<Held>,
    /// The changes, newest first.
    steps: Vec<Step>,
}

/// A run of commits in which a path has the same contents, with the newest and the oldest index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spell {
    pub(crate) held: Held,
    pub(crate) newest: u32,
    pub(crate) oldest: u32,
}

impl Changed {
    fn at(&self, place: usize) -> Option<Held> {
        let newer = self.steps.partition_point(|step| (step.commit as usize) < place);
        newer.checked_sub(1).map_or(self.now, |last| self.steps[last].old)
    }

    /// Returns the index of the commit that added the path, if the list reaches that far.
    pub(crate) fn added(&self) -> Option<usize> {
        self.steps.last().filter(|step| step.old.is_none()).map(|step| step.commit as usize)
    }

    pub(crate) const fn now(&self) -> Option<Held> {
        self.now
    }

    /// Returns the commits that changed the path, newest first, each with the contents before it.
    pub(crate) fn before(&self) -> impl Iterator<Item = (usize, Option<Held>)> {
        self.steps.iter().map(|step| (step.commit as usize, step.old))
    }

    /// Returns the earlier contents, newest first, up to the commit at `upto`.
    pub(crate) fn spells(&self, upto: usize) -> impl Iterator<Item = Spell> {
        let upto = u32::try_from(upto).unwrap_or(u32::MAX);
        let ends = self.steps.iter().skip(1).map(|step| step.commit).chain([upto]);
        self.steps.iter().zip(ends).filter_map(move |(step, end)| {
            let (newest, oldest) = (step.commit + 1, end.min(upto));
            (newest <= oldest).then_some(Spell { held: step.old?, newest, oldest })
        })
    }
}

/// The state of a path at a commit, as far as known from the list of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The contents at that commit. `None` if the path did not exist.
    As(Option<Held>),
    /// The path and everything below it were the same as in the checked-out commit.
    AsNow,
    /// The tree of the commit must be read.
    Unknown,
}

/// A file that a commit added or removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) path: &'a [u8],
    /// Contents before the commit. `None` for an added file.
    pub(crate) old: Option<Held>,
    /// Contents after the commit. `None` for a removed file.
    pub(crate) new: Option<Held>,
}

/// The changes of the most recent commits.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Sorted by path once the list is complete.
    files: Vec<Changed>,
    numbers: Map<Box<[u8]>, u32>,
    steps: usize,
    bytes: usize,
    /// Index of the first commit that did not fit.
    full: Option<usize>,
    /// The oldest commit at which the contents of each path are known.
    upto: usize,
    /// Additions and removals in the order of commits: indices of the commit, the path and the step.
    arrivals: Vec<(u32, u32, u32)>,
}

impl Changes {
    /// Records a change by the commit at an index. Commits must come newest first.
    pub(crate) fn note(&mut self, commit: usize, path: &[u8], change: &Change) {
        if self.full.is_some() {
            return;
        }
        if self.steps >= MAX_STEPS || self.bytes >= MAX_PATHS {
            self.full = Some(commit);
            return;
        }
        let held = |kind: Option<TrackedKind>, id| kind.map(|kind| (kind, id));
        let number = match self.numbers.get(path) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
                let now = held(change.is, change.new);
                self.files.push(Changed { path: path.into(), now, steps: Vec::new() });
                self.numbers.insert(path.into(), number);
                self.bytes += path.len();
                number
            }
        };
        self.steps += 1;
        let commit = u32::try_from(commit).unwrap_or(u32::MAX);
        let step = Step { commit, old: held(change.was, change.old) };
        self.files[number as usize].steps.push(step);
    }

    /// Completes the list after this many commits. The changes of the last one may be incomplete.
    pub(crate) fn end(mut self, commits: usize) -> Self {
        let last = commits.saturating_sub(1);
        self.upto = self.full.map_or(last, |full| full.min(last));
        self.numbers = Map::default();
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        for (path, file) in (0..).zip(&self.files) {
            let mut after = file.now;
            for (number, step) in (0..).zip(&file.steps) {
                if after.is_none() != step.old.is_none() {
                    self.arrivals.push((step.commit, path, number));
                }
                after = step.old;
            }
        }
        self.arrivals.sort_unstable();
        self
    }

    pub(crate) const fn upto(&self) -> usize {
        self.upto
    }

    /// Returns every changed path, sorted.
    pub(crate) fn files(&self) -> &[Changed] {
        &self.files
    }

    /// Returns true if some changes did not fit.
    pub(crate) const fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// Returns the changes of a path, or `None` if no listed commit changed it.
    pub(crate) fn of(&self, path: &str) -> Option<&Changed> {
        self.find(path.as_bytes()).ok().map(|at| &self.files[at])
    }

    pub(crate) fn at(&self, place: usize, path: &str) -> Known {
        let path = path.as_bytes();
        let odd = path.is_empty() || path.split(|byte| *byte == b'/').any(<[u8]>::is_empty);
        if place > self.upto || odd {
            return Known::Unknown;
        }
        let found = self.find(path);
        let held = found.ok().and_then(|at| self.files[at].at(place));
        let below = [path, b"/"].concat();
        let first = self.files.partition_point(|file| *file.path < *below);
        let is_folder = self.files.get(first).is_some_and(|file| file.path.starts_with(&below));
        match found {
            Ok(_) if held.is_some() || !is_folder => Known::As(held),
            Err(_) if !is_folder => Known::AsNow,
            _ => Known::Unknown,
        }
    }

    fn find(&self, path: &[u8]) -> Result<usize, usize> {
        self.files.binary_search_by(|file| (*file.path).cmp(path))
    }

    /// Returns the commit that removed a file that existed at `there`. `None` if the file exists now.
    pub(crate) fn removal(&self, path: &str, there: usize) -> Option<usize> {
        let file = self.of(path)?;
        let last = file.steps.first().filter(|_| file.now.is_none())?;
        let removed = matches!(last.old, Some((TrackedKind::File, _)));
        let commit = last.commit as usize;
        (removed && commit < there && there <= self.upto).then_some(commit)
    }

    /// Returns true for a file that was removed and added again at least three times, like a tool's temporary
    /// file.
    pub(crate) fn comes_and_goes(&self, path: &[u8]) -> bool {
        let steps = self.find(path).map(|at| &*self.files[at].steps).unwrap_or_default();
        steps.iter().filter(|step| step.old.is_none()).count() > 3
    }

    /// Returns the commit that last removed a file at this path or below it. Files that exist now do not
    /// count.
    pub(crate) fn last_removal(&self, path: &str) -> Option<usize> {
        let removal = |file: &Changed| {
            let last = file.steps.first().filter(|step| file.now.is_none() && step.old.is_some());
            last.map(|step| step.commit as usize)
        };
        let below = [path.as_bytes(), b"/"].concat();
        let first = self.files.partition_point(|file| *file.path < *below);
        let folder = self.files[first..].iter().take_while(|file| file.path.starts_with(&below));
        self.of(path).into_iter().chain(folder).filter_map(removal).min()
    }

    /// Returns the additions and removals of a commit, or `None` if they are unknown.
    pub(crate) fn arrivals(&self, place: usize) -> Option<impl Iterator<Item = Arrival<'_>>> {
        let commit = u32::try_from(place).ok().filter(|_| place < self.upto)?;
        let first = self.arrivals.partition_point(|(other, ..)| *other < commit);
        let all = self.arrivals[first..].iter().take_while(move |(other, ..)| *other == commit);
        Some(all.map(|(_, path, step)| {
            let file = &self.files[*path as usize];
            let old = file.steps[*step as usize].old;
            let before = step.checked_sub(1).map(|newer| file.steps[newer as usize].old);
            Arrival { path: &file.path, old, new: before.unwrap_or(file.now) }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(byte: u8) -> Oid {
        Oid::from_bytes(&[byte; 20]).unwrap()
    }

    fn change(was: Option<u8>, is: Option<u8>) -> Change {
        let kind = |byte: Option<u8>| byte.map(|_| TrackedKind::File);
        let of = |byte: Option<u8>| id(byte.unwrap_or(0));
        Change { was: kind(was), is: kind(is), old: of(was), new: of(is), status: b'M', score: 0 }
    }

    fn changes() -> Changes {
        let mut changes = Changes::default();
        // Newest first: 1 and 3 edited `a`, and 4 added it; 2 removed `b/c`, and 4 added it.
        changes.note(1, b"a", &change(Some(2), Some(3)));
        changes.note(2, b"b/c", &change(Some(9), None));
        changes.note(3, b"a", &change(Some(1), Some(2)));
        changes.note(4, b"a", &change(None, Some(1)));
        changes.note(4, b"b/c", &change(None, Some(9)));
        changes.end(6)
    }

    #[test]
    fn what_was_at_a_path_is_known_at_every_place() {
        let changes = changes();
        let at = |place, path: &str| match changes.at(place, path) {
            Known::As(held) => held.map(|(_, id)| id.as_bytes()[0]),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (0..=5).map(|place| at(place, "a")).collect::<Vec<_>>(),
            [Some(3), Some(3), Some(2), Some(2), Some(1), None]
        );
        let removed = (0..=5).map(|place| at(place, "b/c"));
        assert_eq!(removed.collect::<Vec<_>>(), [None, None, None, Some(9), Some(9), None]);
        assert_eq!(changes.at(3, "other"), Known::AsNow);
        for (place, path) in [(3, "b"), (6, "a"), (3, ""), (3, "b//c"), (3, "/a")] {
            assert_eq!(changes.at(place, path), Known::Unknown, "{place} {path}");
        }
    }

    #[test]
    fn each_version_has_its_places() {
        let changes = changes();
        let spells = |at: usize| -> Vec<_> {
            let spells = changes.files()[at].spells(changes.upto());
            spells.map(|it| (it.held.1.as_bytes()[0], it.newest, it.oldest)).collect()
        };
        assert_eq!(spells(0), [(2, 2, 3), (1, 4, 4)]);
        assert_eq!(spells(1), [(9, 3, 4)]);
    }

    #[test]
    fn what_a_commit_added_and_removed_is_known() {
        let changes = changes();
        let told = |place| {
            changes.arrivals(place).map(|all| {
                let all = all.map(|it| (it.path[0], it.old.is_some(), it.new.is_some()));
                all.collect::<Vec<_>>()
            })
        };
        assert_eq!(told(1).unwrap(), []);
        assert_eq!(told(2).unwrap(), [(b'b', true, false)]);
        assert_eq!(told(4).unwrap(), [(b'a', false, true), (b'b', false, true)]);
        assert_eq!(told(5), None);
        assert_eq!(changes.removal("b/c", 4), Some(2));
        assert_eq!(changes.removal("b/c", 2), None);
        assert_eq!(changes.removal("a", 4), None);
    }
}
