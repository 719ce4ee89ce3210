//! Searches the whole history for words that the checked-out commit lacks.

use staleness_core::knowledge::WordKind;

use super::files::{Finder, Tools};
use super::found::{Numbered, earlier, number};
use super::missing::{Search, Trace};
use super::times::Times;
use crate::git::history::History;
use crate::git::process::GitError;
use crate::symbols::{Lexicon, Word, path};

impl Search<'_, '_> {
    /// Finds for each word the commit that last removed it. A name that was used but never defined belongs to
    /// another project, so its answer is unknown. `Never` requires that every commit could be searched.
    pub(crate) fn ever(&mut self, words: &[Word]) -> Result<Vec<Trace>, GitError> {
        let mut answers = vec![Trace::Unknown; words.len()];
        if words.is_empty() {
            return Ok(answers);
        }
        self.missing(words)?;
        self.history.list_all(self.watch)?;
        let mut open: Vec<usize> = Vec::new();
        for (at, answer) in answers.iter_mut().enumerate() {
            match self.searched.as_ref().map(|searched| searched.lack(&words[at])) {
                Some(Ok(_)) => open.push(at),
                Some(Err(plain)) => *answer = plain,
                None => {}
            }
        }
        // A removed name needs a definition in the past. A name that never existed must not even be
        // mentioned.
        let mut gone: Vec<(usize, usize)> = Vec::new();
        for is_made in [true, false] {
            let mut lexicon = if is_made { Lexicon::of_past() } else { Lexicon::default() };
            let History { place, objects, past, limits, cut, shallow, .. } = &mut *self.history;
            let (Some(past), Some(searched)) = (&*past, &*self.searched) else { break };
            let numbered = |at: &usize| {
                let groups = searched.lack(&words[*at]).map(<[_]>::to_vec).unwrap_or_default();
                let groups = if is_made { earlier(&groups) } else { groups };
                (*at, number(&groups, &mut lexicon))
            };
            let asked: Vec<(usize, Numbered)> =
                std::mem::take(&mut open).iter().map(numbered).collect();
            if asked.is_empty() {
                break;
            }
            let mut tools = Tools {
                place,
                objects,
                watch: self.watch,
                bytes: self.left,
                visits: limits.visited,
            };
            let upto = past.changes.upto();
            let mut times = Times::new(&lexicon, &past.changes, &searched.seen);
            times.look(&(0..=upto).collect::<Vec<_>>(), &mut tools)?;
            *cut |= times.cut;
            let is_whole =
                past.whole && !*shallow && upto + 1 >= past.commits.len() && times.is_whole();
            for (at, word) in asked {
                match times.newest(&word) {
                    Some(there) if is_made => gone.push((at, there.saturating_sub(1))),
                    None if is_made => open.push(at),
                    None if is_whole => answers[at] = Trace::Never,
                    _ => {}
                }
            }
        }
        for (at, place) in gone {
            answers[at] = self.gone(&words[at], place)?;
        }
        Ok(answers)
    }

    /// Returns the answer for a word that the commit at this index removed.
    pub(super) fn gone(&mut self, word: &Word, place: usize) -> Result<Trace, GitError> {
        let renamed_to = match path(&word.text) {
            Some(path) if word.kind == WordKind::Path => {
                self.moved.find(self.history, &path, place)?
            }
            _ => None,
        };
        let by = self.history.past.as_ref().and_then(|past| past.commits.get(place).copied());
        Ok(Trace::Gone { by, renamed_to })
    }
}
