//! Traces words that the project used to have.

use std::collections::{HashMap, HashSet};

use staleness_core::knowledge::WordKind;

use super::files::{Finder, Tools};
use super::found::{Numbered, earlier, number};
use super::missing::{Search, Searched, Trace, WordQuery};
use super::snapshots::Snapshots;
use super::times::Times;
use crate::git::history::{Anchor, History, Past, between};
use crate::git::objects::Oid;
use crate::git::process::GitError;
use crate::symbols::{Lexicon, Word, path};

/// Minimum number of commits at which listing all changes takes less time than listing the files of each commit.
const MANY: usize = 16;

/// A word to trace.
struct Case<'a> {
    /// Index of the query.
    at: usize,
    word: &'a Word,
    numbers: usize,
    /// For a bare file name, the number that means "two files have this name".
    shared: Option<u32>,
    commit: Oid,
    /// Index of the anchor commit, or of the listed commit of the same time.
    place: Option<usize>,
}

/// A word that existed at one commit of the list, but not at a later commit.
struct Hunt {
    at: usize,
    numbers: usize,
    there: usize,
    gone: usize,
    lost: bool,
}

impl Search<'_, '_> {
    pub(crate) fn trace(&mut self, words: &[WordQuery<'_>]) -> Result<Vec<Trace>, GitError> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let known = |searched: &Searched| words.iter().all(|query| searched.knows(query.word));
        if !self.searched.as_ref().is_some_and(known) {
            let words: Vec<Word> = words.iter().map(|query| query.word.clone()).collect();
            self.missing(&words)?;
        }
        self.list_for(words)?;
        let mut answers = vec![Trace::Unknown; words.len()];
        let mut lexicon = Lexicon::of_past();
        let (mut numbered, mut numbers_of) = (Vec::new(), HashMap::new());
        let mut cases = Vec::new();
        for (at, query) in words.iter().enumerate() {
            let Some(searched) = &self.searched else { continue };
            let numbers = match searched.lack(query.word) {
                Err(plain) => {
                    answers[at] = plain;
                    continue;
                }
                Ok(groups) => *numbers_of.entry(query.word).or_insert_with(|| {
                    numbered.push(number(&earlier(groups), &mut lexicon));
                    numbered.len() - 1
                }),
            };
            if let Some((commit, place)) = self.history.anchor(query.anchor)? {
                let bare = (query.word.kind == WordKind::Path).then(|| path(&query.word.text));
                let shared = bare.flatten().and_then(|path| lexicon.shared(&path));
                cases.push(Case { at, word: query.word, numbers, shared, commit, place });
            }
        }
        cases.sort_by_key(|case| (case.place, case.at));
        self.settle(&cases, &numbered, &lexicon, &mut answers)?;
        Ok(answers)
    }

    /// Lists all changes if many words were written before the oldest listed one.
    fn list_for(&mut self, words: &[WordQuery<'_>]) -> Result<(), GitError> {
        let upto = self.history.past()?.changes.upto();
        let anchors: HashSet<Anchor> = words.iter().map(|query| query.anchor).collect();
        let mut older = 0;
        for anchor in anchors {
            let place = self.history.anchor(anchor)?.and_then(|(_, place)| place);
            older += usize::from(place.is_some_and(|place| place > upto));
        }
        if older >= MANY {
            self.history.list_all(self.watch)?;
        }
        Ok(())
    }

    fn settle(
        &mut self,
        cases: &[Case<'_>],
        numbered: &[Numbered],
        lexicon: &Lexicon,
        answers: &mut [Trace],
    ) -> Result<(), GitError> {
        let History { place, objects, past, limits, cut, .. } = &mut *self.history;
        let (Some(past), Some(searched)) = (&*past, &mut *self.searched) else { return Ok(()) };
        let mut tools =
            Tools { place, objects, watch: self.watch, bytes: self.left, visits: limits.visited };
        // Commits that the list of changes does not cover are searched one by one.
        let (listed, others): (Vec<&Case<'_>>, Vec<_>) =
            cases.iter().partition(|case| case.is_listed(past));
        let mut searches = Vec::new();
        if !listed.is_empty() {
            let mut times = Times::new(lexicon, &past.changes, &searched.seen);
            let mut places: Vec<usize> = listed.iter().filter_map(|case| case.place).collect();
            places.dedup();
            times.look(&places, &mut tools)?;
            for case in listed {
                let Some(there) = case.place else { continue };
                let has = times.has(&numbered[case.numbers], there);
                let has = case.is_one(has, |twice| times.has(twice, there));
                answers[case.at] = first_answer(has);
                if has == Some(true) {
                    searches.push(case.search(there, false));
                }
            }
            narrow(&mut searches, &mut times, numbered, &mut tools)?;
            *cut |= times.cut;
        }
        if !others.is_empty() {
            let mut commits = Snapshots::new(lexicon, &searched.seen, &past.commits);
            let mut aside = Vec::new();
            commits.look_at(others.iter().map(|case| case.commit), &mut tools)?;
            for case in others {
                let has = commits.has_in(&numbered[case.numbers], case.commit);
                let has = case.is_one(has, |twice| commits.has_in(twice, case.commit));
                answers[case.at] = first_answer(has);
                if has == Some(true)
                    && let Some(there) = case.place
                {
                    let lost = past.commits[there].id != case.commit;
                    aside.push(case.search(there, lost));
                }
            }
            begin_aside(&mut aside, &mut commits, numbered, &mut tools)?;
            narrow(&mut aside, &mut commits, numbered, &mut tools)?;
            *cut |= commits.cut;
            searches.extend(aside);
        }
        let words: HashMap<usize, &Word> = cases.iter().map(|case| (case.at, case.word)).collect();
        searched.veil.lift(&past.changes, tools.objects, tools.bytes)?;
        searches.retain(|search| !search.lost);
        let gone: HashMap<usize, usize> =
            searches.iter().map(|search| (search.at, search.gone)).collect();
        let passing = |word: &Word| past.changes.comes_and_goes(word.text.as_bytes());
        for case in cases.iter().filter(|case| passing(case.word)) {
            answers[case.at] = Trace::Unknown;
        }
        for case in cases.iter().filter(|case| case.word.kind != WordKind::Path) {
            let gone = gone.get(&case.at).copied().unwrap_or(0);
            let there = case.place.filter(|place| *place <= past.changes.upto());
            if answers[case.at] != Trace::Never && searched.veil.hides_name(gone, there) {
                answers[case.at] = Trace::Unknown;
            }
        }
        searches.retain(|search| answers[search.at] != Trace::Unknown);
        for search in &searches {
            answers[search.at] = self.gone(words[&search.at], search.gone)?;
        }
        Ok(())
    }
}

impl Case<'_> {
    /// Returns true if the list of changes covers the commit.
    fn is_listed(&self, past: &Past) -> bool {
        self.place.is_some_and(|place| {
            place <= past.changes.upto() && past.commits[place].id == self.commit
        })
    }

    /// Returns true if the word existed and was unambiguous. If several files have the name, the intended one is
    /// unknown.
    fn is_one(
        &self,
        has: Option<bool>,
        look: impl FnOnce(&Numbered) -> Option<bool>,
    ) -> Option<bool> {
        match self.shared {
            Some(twice) if has == Some(true) => look(&vec![vec![twice]]).map(|shared| !shared),
            _ => has,
        }
    }

    const fn search(&self, there: usize, lost: bool) -> Hunt {
        Hunt { at: self.at, numbers: self.numbers, there, gone: 0, lost }
    }
}

/// Returns the answer before the search for the commit that removed the word.
const fn first_answer(has: Option<bool>) -> Trace {
    match has {
        Some(true) => Trace::Gone { by: None, renamed_to: None },
        Some(false) => Trace::Never,
        None => Trace::Unknown,
    }
}

/// Looks up the word in a commit that is not in the list, because it may differ from the listed commit of the same
/// time.
fn begin_aside(
    searches: &mut [Hunt],
    finder: &mut impl Finder,
    numbered: &[Numbered],
    tools: &mut Tools<'_, '_>,
) -> Result<(), GitError> {
    let aside: Vec<usize> =
        searches.iter().filter(|search| search.lost).map(|search| search.there).collect();
    finder.look(&aside, tools)?;
    for search in searches.iter_mut().filter(|search| search.lost) {
        search.lost = finder.has(&numbered[search.numbers], search.there) != Some(true);
    }
    Ok(())
}

/// Finds the commit that removed each word, by bisecting between a commit that has it and a later one without
/// it. All words advance together.
fn narrow(
    searches: &mut [Hunt],
    finder: &mut impl Finder,
    numbered: &[Numbered],
    tools: &mut Tools<'_, '_>,
) -> Result<(), GitError> {
    loop {
        let mut asked: Vec<usize> = searches.iter().filter_map(Hunt::middle).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return Ok(());
        }
        finder.look(&asked, tools)?;
        for search in searches.iter_mut() {
            let Some(middle) = search.middle() else { continue };
            match finder.has(&numbered[search.numbers], middle) {
                Some(true) => search.there = middle,
                Some(false) => search.gone = middle,
                None => search.lost = true,
            }
        }
    }
}

impl Hunt {
    /// Returns the next index to check. Searches with similar bounds choose the same one.
    fn middle(&self) -> Option<usize> {
        if self.lost { None } else { between(self.gone, self.there) }
    }
}
