//! Finds the things that exist in single commits, from the list of their files.
//!
//! A file that several commits share is read once. Files of the checked-out commit are already known not to match, and
//! cost nothing in older commits.

use std::ops::ControlFlow;

use foldhash::{HashMap as Map, HashSet as Set};

use super::files::{Finder, Tools, WantedFile, is_searched, read};
use super::found::{Found, Numbered, exists};
use super::starts::Starts;
use crate::git::objects::{Commit, Listed, Oid, TrackedKind, name_of};
use crate::git::process::GitError;
use crate::symbols::{Lexicon, Naming};

/// Maximum number of files of one commit to list.
const MAX_FILES: u64 = 1_000_000;

/// Searches single commits for the things of a lexicon.
pub(crate) struct Snapshots<'a> {
    lexicon: &'a Lexicon,
    starts: Starts<'a>,
    /// Files that are known to hold no wanted thing.
    seen: &'a Set<Oid>,
    past: &'a [Commit],
    /// The things in each searched commit. `None` if the commit does not contain the project's folder.
    commits: Map<Oid, Option<Found>>,
    /// The things found in each file, and the owner that was assumed for its names.
    pub(crate) files: Map<Oid, (Found, Naming)>,
    /// Files with unknown contents.
    pub(crate) unread: Set<Oid>,
    pub(crate) submodule: bool,
    /// True if the files of a commit could not all be listed.
    pub(crate) holes: bool,
    /// True if something was left out because a limit was reached.
    pub(crate) cut: bool,
}

impl<'a> Snapshots<'a> {
    pub(crate) fn new(lexicon: &'a Lexicon, seen: &'a Set<Oid>, past: &'a [Commit]) -> Self {
        Self {
            lexicon,
            starts: Starts::new(lexicon),
            seen,
            past,
            commits: Map::default(),
            files: Map::default(),
            unread: Set::default(),
            submodule: false,
            holes: false,
            cut: false,
        }
    }

    /// Returns the things in a searched commit, or `None` if the commit does not contain the project's folder.
    pub(crate) fn found(&self, commit: Oid) -> Option<&Found> {
        self.commits.get(&commit)?.as_ref()
    }

    /// Returns true if a word exists in a searched commit, or `None` if this is unknown.
    pub(crate) fn has_in(&self, word: &Numbered, commit: Oid) -> Option<bool> {
        let found = self.found(commit)?;
        if exists(word, found) { Some(true) } else { (!found.holes).then_some(false) }
    }

    pub(crate) fn look_at(
        &mut self,
        commits: impl Iterator<Item = Oid>,
        tools: &mut Tools<'_, '_>,
    ) -> Result<(), GitError> {
        for commit in commits {
            if !self.commits.contains_key(&commit) {
                (tools.watch)(self.commits.len(), None)?;
                let found = self.search(commit, tools)?;
                self.commits.insert(commit, found);
            }
        }
        Ok(())
    }

    fn search(
        &mut self,
        commit: Oid,
        tools: &mut Tools<'_, '_>,
    ) -> Result<Option<Found>, GitError> {
        let (mut things, mut files): (Set<u32>, _) = (Set::default(), Vec::new());
        let (mut is_there, mut is_whole) = (tools.place.prefix.is_empty(), true);
        let (mut shared, mut left) = (Set::default(), tools.visits.min(MAX_FILES));
        tools.visits -= left;
        let listed = tools.place.list(commit)?.each_record(0, |record| {
            let Listed { kind, id, path } = Listed::parse(record)?;
            let Some(path) = tools.place.own(path) else { return Ok(ControlFlow::Continue(())) };
            if left == 0 {
                is_whole = false;
                return Ok(ControlFlow::Break(()));
            }
            (is_there, left) = (true, left - 1);
            let text = String::from_utf8_lossy(path);
            let is_searched = kind == TrackedKind::File && is_searched(self.lexicon, &text);
            let Some(named) = self.starts.named_by(path, kind, is_searched) else {
                is_whole = false;
                return Ok(ControlFlow::Continue(()));
            };
            things.extend(named);
            let twice = self.lexicon.share(name_of(path));
            things.extend(twice.filter(|twice| !shared.insert(*twice)));
            self.submodule |= kind == TrackedKind::Submodule;
            if is_searched && !self.seen.contains(&id) {
                files.push((id, Naming::of(&text)));
            }
            Ok(ControlFlow::Continue(()))
        });
        tools.visits += left;
        self.cut |= !is_whole;
        if let Err(why) = listed {
            if why.is_final() {
                return Err(why);
            }
            tools.objects.unread.damaged += u64::from(why != GitError::TooMuch);
            is_whole = false;
        }
        self.holes |= !is_whole;
        self.read(&files, tools)?;
        let mut holes = !is_whole;
        for (id, _) in &files {
            match self.files.get(id) {
                Some((file, _)) => {
                    things.extend(&*file.things);
                    holes |= file.holes;
                }
                None => holes = true,
            }
        }
        let mut things = things.into_iter().collect();
        Ok(is_there.then(|| Found::of(&mut things, holes)))
    }

    /// Searches the files that are not known yet.
    fn read(&mut self, files: &[WantedFile], tools: &mut Tools<'_, '_>) -> Result<(), GitError> {
        let mut wanted: Vec<WantedFile> = Vec::new();
        let mut listed: Map<Oid, usize> = Map::default();
        for (id, naming) in files {
            if self.files.get(id).is_some_and(|(_, known)| known <= naming) {
                continue;
            }
            let at = *listed.entry(*id).or_insert(wanted.len());
            // A file that is the project's own in one place counts as its own everywhere.
            match wanted.get_mut(at) {
                Some((_, known)) => *known = (*known).min(*naming),
                None => wanted.push((*id, *naming)),
            }
        }
        let (files, unread) = (&mut self.files, &mut self.unread);
        let mut found = |at: usize, found: Found| {
            let (id, naming): WantedFile = wanted[at];
            if found.unread {
                unread.insert(id);
            }
            files.insert(id, (found, naming));
        };
        self.cut |= read(&wanted, self.lexicon, tools, &mut found)?;
        Ok(())
    }
}

impl Finder for Snapshots<'_> {
    fn look(&mut self, places: &[usize], tools: &mut Tools<'_, '_>) -> Result<(), GitError> {
        let past = self.past;
        self.look_at(places.iter().map(|place| past[*place].id), tools)
    }

    fn has(&self, word: &Numbered, place: usize) -> Option<bool> {
        self.has_in(word, self.past[place].id)
    }
}
