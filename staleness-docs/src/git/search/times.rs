//! Finds the commits in which things existed, from the list of changes.
//!
//! A version of a file exists from the commit that created it up to the next change, so each version is read once for
//! any number of commits, and no tree is read. Files that never changed are the same as in the checked-out commit,
//! which contains no wanted thing.

use foldhash::{HashMap as Map, HashSet as Set};

use super::files::{Finder, Tools, WantedFile, is_searched, read};
use super::found::Numbered;
use super::starts::Starts;
use crate::git::history::{Changed, Changes};
use crate::git::objects::{Oid, TrackedKind, name_of};
use crate::git::process::GitError;
use crate::symbols::{Lexicon, Naming};

/// Maximum number of ranges in memory, at 8 bytes each. Only a hostile history exceeds it. Things that do not fit stay
/// unknown.
const MAX_RANGES: usize = 4_000_000;

/// Ranges of commits, each with its first and last index.
#[derive(Clone, Debug, Default)]
struct Ranges {
    all: Vec<(u32, u32)>,
    /// True if the ranges are sorted and disjoint.
    apart: bool,
}

impl Ranges {
    fn add(&mut self, ranges: &[(u32, u32)]) {
        self.all.extend_from_slice(ranges);
        self.apart = false;
    }

    /// Sorts the ranges and merges adjacent ones.
    fn settle(&mut self) {
        if self.apart {
            return;
        }
        self.apart = true;
        self.all.sort_unstable();
        let mut kept: Vec<(u32, u32)> = Vec::with_capacity(self.all.len());
        for (first, last) in self.all.drain(..) {
            match kept.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => kept.push((first, last)),
            }
        }
        self.all = kept;
    }

    /// Returns the ranges covered by at least two of the given ranges.
    fn twice(mut all: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        all.sort_unstable();
        let (mut twice, mut end) = (Vec::new(), None);
        for (first, last) in all {
            if let Some(end) = end.filter(|end| first <= *end) {
                twice.push((first, last.min(end)));
            }
            end = end.max(Some(last));
        }
        twice
    }

    fn holds(&self, place: u32) -> bool {
        let after = self.all.partition_point(|(first, _)| *first <= place);
        after.checked_sub(1).is_some_and(|at| place <= self.all[at].1)
    }
}

/// An old version of a file.
#[derive(Debug)]
struct Version {
    file: WantedFile,
    is_read: bool,
    places: Vec<(u32, u32)>,
}

/// The commits in which the things of a lexicon existed.
#[derive(Debug)]
pub(crate) struct Times<'l> {
    lexicon: &'l Lexicon,
    /// The ranges of each thing, by its number.
    found: Vec<Ranges>,
    /// Commits in which something could not be searched.
    holes: Ranges,
    /// Versions of one path are adjacent, because git stores them as differences.
    versions: Vec<Version>,
    /// True if anything was omitted because a limit was reached.
    pub(crate) cut: bool,
    /// Number of ranges that may still be stored.
    ranges: usize,
}

impl<'l> Times<'l> {
    pub(crate) fn new(lexicon: &'l Lexicon, changes: &Changes, seen: &Set<Oid>) -> Self {
        let found = vec![Ranges::default(); lexicon.len()];
        let (holes, versions) = (Ranges::default(), Vec::new());
        let mut starts = Starts::new(lexicon);
        let mut times = Self { lexicon, found, holes, versions, cut: false, ranges: MAX_RANGES };
        let (mut numbers, mut bearers) = (Map::default(), Map::<u32, Vec<_>>::default());
        for file in changes.files() {
            let text = String::from_utf8_lossy(&file.path);
            let is_searched = is_searched(lexicon, &text);
            let naming = Naming::of(&text);
            if let Some(twice) = lexicon.share(name_of(&file.path)) {
                let spells = file.spells(changes.upto()).map(|spell| (spell.newest, spell.oldest));
                bearers.entry(twice).or_default().extend(spells);
            }
            times.names(file, &mut starts, changes.upto(), is_searched);
            if !is_searched {
                continue;
            }
            for spell in file.spells(changes.upto()) {
                let (TrackedKind::File, id) = spell.held else { continue };
                if seen.contains(&id) {
                    continue;
                }
                let versions = &mut times.versions;
                let at = *numbers.entry(id).or_insert_with(|| {
                    versions.push(Version {
                        file: (id, naming),
                        is_read: false,
                        places: Vec::new(),
                    });
                    versions.len() - 1
                });
                // A file that is the project's own in one place counts as its own everywhere.
                versions[at].file.1 = versions[at].file.1.min(naming);
                versions[at].places.push((spell.newest, spell.oldest));
            }
        }
        for (twice, bearers) in bearers {
            times.take_up(&[twice], &Ranges::twice(bearers));
        }
        times
    }

    /// Returns the newest commit in which a word is known to exist. This is always the start of a range.
    pub(crate) fn newest(&self, word: &Numbered) -> Option<usize> {
        let ranges = word.iter().flatten().flat_map(|thing| &self.found[*thing as usize].all);
        let mut places: Vec<usize> = ranges.map(|(first, _)| *first as usize).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().find(|place| self.has(word, *place) == Some(true))
    }

    /// Returns true if everything could be searched.
    pub(crate) fn is_whole(&self) -> bool {
        !self.cut && self.holes.all.is_empty()
    }

    /// Records the things that a path and its folders name.
    fn names(&mut self, file: &Changed, starts: &mut Starts<'_>, upto: usize, is_searched: bool) {
        // Adjacent versions form one range, because only the kind of a path determines which things it names.
        let mut ranges: Vec<(TrackedKind, Vec<(u32, u32)>)> = Vec::new();
        for spell in file.spells(upto) {
            let at = ranges.iter().position(|(kind, _)| *kind == spell.held.0);
            let at = at.unwrap_or_else(|| {
                ranges.push((spell.held.0, Vec::new()));
                ranges.len() - 1
            });
            match ranges[at].1.last_mut() {
                Some((_, oldest)) if oldest.saturating_add(1) == spell.newest => {
                    *oldest = spell.oldest;
                }
                _ => ranges[at].1.push((spell.newest, spell.oldest)),
            }
        }
        for (kind, places) in ranges {
            match starts.named_by(&file.path, kind, is_searched) {
                Some(things) => self.take_up(&things, &places),
                None => {
                    self.cut = true;
                    self.holes.add(&places);
                }
            }
        }
    }

    /// Records the commits in which things existed. If the limit is reached, records that they may have
    /// existed there.
    fn take_up(&mut self, things: &[u32], places: &[(u32, u32)]) {
        match self.ranges.checked_sub(things.len().saturating_mul(places.len())) {
            Some(left) => {
                self.ranges = left;
                for thing in things {
                    self.found[*thing as usize].add(places);
                }
            }
            None => {
                self.cut = true;
                self.holes.add(places);
            }
        }
    }
}

impl Finder for Times<'_> {
    fn look(&mut self, places: &[usize], tools: &mut Tools<'_, '_>) -> Result<(), GitError> {
        let is_asked = |(first, last): &(u32, u32)| {
            let at = places.partition_point(|place| *place < *first as usize);
            places.get(at).is_some_and(|place| *place <= *last as usize)
        };
        let is_wanted = |version: &Version| !version.is_read && version.places.iter().any(is_asked);
        let wanted: Vec<usize> =
            (0..self.versions.len()).filter(|at| is_wanted(&self.versions[*at])).collect();
        let files: Vec<WantedFile> = wanted.iter().map(|at| self.versions[*at].file).collect();
        let cut = read(&files, self.lexicon, tools, &mut |at, file| {
            let version = &mut self.versions[wanted[at]];
            version.is_read = true;
            let places = std::mem::take(&mut version.places);
            self.take_up(&file.things, &places);
            if file.holes {
                self.holes.add(&places);
            }
            self.versions[wanted[at]].places = places;
        })?;
        self.cut |= cut;
        for at in wanted {
            let version = &mut self.versions[at];
            if !std::mem::replace(&mut version.is_read, true) {
                self.holes.add(&version.places);
            }
        }
        self.found.iter_mut().for_each(Ranges::settle);
        self.holes.settle();
        Ok(())
    }

    fn has(&self, word: &Numbered, place: usize) -> Option<bool> {
        let place = u32::try_from(place).ok()?;
        let is_there = |thing: &u32| self.found[*thing as usize].holds(place);
        if word.iter().all(|group| group.iter().any(is_there)) {
            Some(true)
        } else {
            (!self.holes.holds(place)).then_some(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_finds_no_room_is_left_open() {
        let mut lexicon = Lexicon::default();
        let (kept, crowded) = (lexicon.identifier(b"kept"), lexicon.identifier(b"crowded"));
        let mut times = Times {
            found: vec![Ranges::default(); lexicon.len()],
            lexicon: &lexicon,
            holes: Ranges::default(),
            versions: Vec::new(),
            cut: false,
            ranges: 3,
        };
        times.take_up(&[kept, crowded], &[(0, 1)]);
        assert!(!times.cut);
        times.take_up(&[kept, crowded], &[(4, 5)]);
        times.found.iter_mut().for_each(Ranges::settle);
        times.holes.settle();
        assert!(times.cut);
        for thing in [kept, crowded] {
            let has = |place: usize| times.has(&vec![vec![thing]], place);
            assert_eq!([0, 2, 4, 6].map(has), [Some(true), Some(false), None, Some(false)]);
        }
    }

    proptest! {
        #[test]
        fn ranges_hold_what_was_added(
            added in prop::collection::vec((0_u32..40, 0_u32..6), 0..20),
            more in prop::collection::vec((0_u32..40, 0_u32..6), 0..5),
        ) {
            let ranges = |all: &[(u32, u32)]| -> Vec<(u32, u32)> {
                all.iter().map(|(first, length)| (*first, first + length)).collect()
            };
            let mut held = Ranges::default();
            held.add(&ranges(&added));
            held.settle();
            held.add(&ranges(&more));
            held.settle();
            for place in 0..50 {
                let all = [ranges(&added), ranges(&more)].concat();
                let expected = all.iter().any(|(first, last)| (first..=last).contains(&&place));
                prop_assert_eq!(held.holds(place), expected, "{} {:?}", place, held);
            }
            let all = ranges(&added);
            let mut twice = Ranges::default();
            twice.add(&Ranges::twice(all.clone()));
            twice.settle();
            for place in 0..50 {
                let count = all.iter().filter(|(first, last)| (first..=last).contains(&&place)).count();
                prop_assert_eq!(twice.holds(place), count > 1, "{} {:?}", place, twice);
            }
        }
    }
}
