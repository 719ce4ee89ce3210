//! Traces words that the project used to have.

use std::collections::HashMap;
use std::sync::Arc;

use staleness_core::knowledge::WordKind;

use super::files::Tools;
use super::found::{Numbered, earlier, number};
use super::missing::{Search, Searched, Trace, WordQuery};
use super::times::Times;
use crate::git::history::{History, Past, between};
use crate::git::objects::Oid;
use crate::git::process::GitError;
use crate::symbols::{Lexicon, Word, path};

/// A word to trace.
struct Case<'a> {
    /// Index of the query.
    at: usize,
    word: &'a Word,
    numbers: usize,
    /// For a bare file name, the number of the thing that stands for two files of this name.
    shared: Option<u32>,
    commit: Oid,
    /// Index of the anchor commit, or of the listed commit of the same time.
    place: Option<usize>,
}

/// A word that existed at one commit of the list, but not at a later one.
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
        // Newest first, because recent commits share most contents with the checked-out one.
        cases.sort_by_key(|case| (case.place, case.at));
        self.settle(&cases, &numbered, lexicon, &mut answers)?;
        Ok(answers)
    }

    fn settle(
        &mut self,
        cases: &[Case<'_>],
        numbered: &[Numbered],
        lexicon: Lexicon,
        answers: &mut [Trace],
    ) -> Result<(), GitError> {
        let lexicon = Arc::new(lexicon);
        let past = self.history.past()?;
        let (listed, others): (Vec<&Case<'_>>, Vec<_>) =
            cases.iter().partition(|case| case.is_listed(past));
        let mut hunts = self.look_aside(&others, numbered, &lexicon, answers)?;
        if let Some(first) = hunts.iter().map(|hunt| hunt.there).max() {
            self.history.list_to(first, self.watch)?;
        }
        let History { objects, past, cut, .. } = &mut *self.history;
        let (Some(past), Some(searched)) = (&*past, &mut *self.searched) else { return Ok(()) };
        let mut tools = Tools { objects, watch: self.watch, bytes: self.left };
        let mut times = Times::new(lexicon, past.changes.past(), &searched.seen);
        hunts.iter_mut().for_each(|hunt| hunt.there = hunt.there.min(past.changes.upto()));
        let mut places: Vec<usize> = listed.iter().filter_map(|case| case.place).collect();
        places.extend(hunts.iter().map(|hunt| hunt.there));
        places.sort_unstable();
        places.dedup();
        times.look(&places, &mut tools)?;
        // A commit that is not in the list may differ from the listed commit of the same time.
        for hunt in &mut hunts {
            hunt.lost = times.has(&numbered[hunt.numbers], hunt.there) != Some(true);
        }
        for case in listed {
            let Some(there) = case.place else { continue };
            let has = case.is_one(&times, numbered, there);
            answers[case.at] = first_answer(has);
            if has == Some(true) {
                hunts.push(case.hunt(there));
            }
        }
        narrow(&mut hunts, &mut times, numbered, &mut tools)?;
        *cut |= times.cut;
        let words: HashMap<usize, &Word> = cases.iter().map(|case| (case.at, case.word)).collect();
        searched.veil.lift(&past.changes, tools.objects, tools.bytes)?;
        hunts.retain(|hunt| !hunt.lost);
        let gone: HashMap<usize, usize> = hunts.iter().map(|hunt| (hunt.at, hunt.gone)).collect();
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
        hunts.retain(|hunt| answers[hunt.at] != Trace::Unknown);
        for hunt in &hunts {
            answers[hunt.at] = self.gone(words[&hunt.at], hunt.gone)?;
        }
        Ok(())
    }

    /// Looks words up in commits that the list of changes does not cover, by what differs between them and the
    /// checked-out one. Returns those that were there.
    fn look_aside(
        &mut self,
        cases: &[&Case<'_>],
        numbered: &[Numbered],
        lexicon: &Arc<Lexicon>,
        answers: &mut [Trace],
    ) -> Result<Vec<Hunt>, GitError> {
        let mut hunts = Vec::new();
        if cases.is_empty() {
            return Ok(hunts);
        }
        let mut commits = vec![self.history.head.id];
        let mut places: HashMap<Oid, usize> = HashMap::new();
        for case in cases {
            places.entry(case.commit).or_insert_with(|| {
                commits.push(case.commit);
                commits.len() - 1
            });
        }
        let (changes, _) = self.history.changes(&commits, self.watch)?;
        let Some(searched) = &self.searched else { return Ok(hunts) };
        let History { objects, cut, .. } = &mut *self.history;
        let mut tools = Tools { objects, watch: self.watch, bytes: self.left };
        let mut times = Times::new(Arc::clone(lexicon), changes.past(), &searched.seen);
        times.look(&(1..=changes.upto()).collect::<Vec<_>>(), &mut tools)?;
        for case in cases {
            let there = places[&case.commit];
            let has = case.is_one(&times, numbered, there).filter(|_| there <= changes.upto());
            answers[case.at] = first_answer(has);
            if has == Some(true) {
                hunts.extend(case.place.map(|place| case.hunt(place)));
            }
        }
        *cut |= times.cut;
        Ok(hunts)
    }
}

impl Case<'_> {
    /// Returns true if the list of changes covers the commit.
    fn is_listed(&self, past: &Past) -> bool {
        self.place.is_some_and(|place| {
            place <= past.changes.upto() && past.commits[place].id == self.commit
        })
    }

    /// Returns true if the word existed and was unambiguous. If several files have the name, it is not known
    /// which one was meant.
    fn is_one(&self, times: &Times, numbered: &[Numbered], there: usize) -> Option<bool> {
        let has = times.has(&numbered[self.numbers], there);
        match self.shared {
            Some(twice) if has == Some(true) => {
                times.has(&vec![vec![twice]], there).map(|shared| !shared)
            }
            _ => has,
        }
    }

    const fn hunt(&self, there: usize) -> Hunt {
        Hunt { at: self.at, numbers: self.numbers, there, gone: 0, lost: false }
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

/// Finds the commit that removed each word, by bisecting between a commit that has it and a later one without
/// it. All words advance together.
fn narrow(
    hunts: &mut [Hunt],
    times: &mut Times,
    numbered: &[Numbered],
    tools: &mut Tools<'_, '_>,
) -> Result<(), GitError> {
    loop {
        let mut asked: Vec<usize> = hunts.iter().filter_map(Hunt::middle).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return Ok(());
        }
        times.look(&asked, tools)?;
        for hunt in hunts.iter_mut() {
            let Some(middle) = hunt.middle() else { continue };
            match times.has(&numbered[hunt.numbers], middle) {
                Some(true) => hunt.there = middle,
                Some(false) => hunt.gone = middle,
                None => hunt.lost = true,
            }
        }
    }
}

impl Hunt {
    /// Returns the index to check next. Searches with similar bounds choose the same one.
    fn middle(&self) -> Option<usize> {
        if self.lost { None } else { between(self.gone, self.there) }
    }
}
