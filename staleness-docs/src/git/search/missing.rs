//! Checks if the project has or had the things that the words of documents name.

use std::collections::HashMap;

use foldhash::HashSet as Set;

use super::files::Tools;
use super::found::{Numbered, number};
use super::snapshots::Snapshots;
use super::veil::Veil;
use crate::git::history::{Anchor, History};
use crate::git::objects::{Commit, Oid};
use crate::git::process::{GitError, Watch};
use crate::git::renames::Moved;
use crate::symbols::{Lexicon, Thing, Word, meaning};

/// A word that the checked-out commit lacks, and the time at which it was written.
#[derive(Clone, Copy, Debug)]
pub struct WordQuery<'a> {
    /// The word.
    pub word: &'a Word,
    /// The last edit of the block that contains the word.
    pub anchor: Anchor,
}

/// The fate of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// The project has the word now.
    Here,
    /// The project had the word at the anchor, but no longer has it.
    Gone {
        /// The commit that removed the word, if it was found.
        by: Option<Commit>,
        /// Current path of the file or folder, if it was renamed.
        renamed_to: Option<String>,
    },
    /// The project did not have the word at the anchor, or had several files of that name, so that the word is
    /// ambiguous.
    Never,
    /// The fate cannot be determined: the anchor is not in the repository, something could not be read, or
    /// the word cannot be looked up.
    Unknown,
}

/// Words that were looked up in the checked-out commit, and the contents that were searched for them.
#[derive(Debug)]
pub(crate) struct Searched {
    /// For each word, the groups of things that do not exist. `None` for a word that cannot be looked up.
    lacks: HashMap<Word, Option<Vec<Vec<Thing>>>>,
    /// Files that hold none of the missing things.
    pub(super) seen: Set<Oid>,
    /// True if some files could not be listed. In that case no word counts as missing.
    holes: bool,
    /// Unreadable places that may contain a missing name.
    pub(super) veil: Veil,
}

impl Searched {
    fn is_missing(&self, word: &Word) -> bool {
        !self.holes && matches!(self.lacks.get(word), Some(Some(groups)) if !groups.is_empty())
    }

    pub(crate) fn knows(&self, word: &Word) -> bool {
        self.lacks.contains_key(word)
    }

    /// Returns the things to find in earlier commits, or the answer as an error if it is already known.
    pub(crate) fn lack(&self, word: &Word) -> Result<&[Vec<Thing>], Trace> {
        match self.lacks.get(word) {
            Some(Some(groups)) if groups.is_empty() => Err(Trace::Here),
            Some(Some(groups)) if !self.holes => Ok(groups),
            _ => Err(Trace::Unknown),
        }
    }
}

/// The groups of things of a word, and their numbers.
type Meaning = (Vec<Vec<Thing>>, Numbered);

/// Answers queries about words.
pub(crate) struct Search<'r, 'w> {
    pub(crate) history: &'r mut History,
    pub(crate) moved: &'r mut Moved,
    /// Result of the last search of the checked-out commit.
    pub(crate) searched: &'r mut Option<Searched>,
    /// Number of bytes in earlier commits that may still be searched, for all queries.
    pub(crate) left: &'r mut u64,
    pub(crate) watch: &'r mut Watch<'w>,
}

impl Search<'_, '_> {
    pub(crate) fn missing(&mut self, words: &[Word]) -> Result<Vec<bool>, GitError> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut lexicon = Lexicon::default();
        let mut meanings: HashMap<&Word, Option<Meaning>> = HashMap::new();
        for word in words {
            meanings.entry(word).or_insert_with(|| {
                meaning(word).map(|groups| {
                    let numbers = number(&groups, &mut lexicon);
                    (groups, numbers)
                })
            });
        }
        let none = Set::default();
        let mut commit = Snapshots::new(&lexicon, &none, &[]);
        let History { place, objects, limits, head, .. } = &mut *self.history;
        let head = head.id;
        let mut bytes = limits.searched_bytes;
        commit.look_at(
            [head].into_iter(),
            &mut Tools {
                place,
                objects,
                watch: self.watch,
                bytes: &mut bytes,
                visits: limits.visited,
            },
        )?;
        self.history.cut |= commit.cut;
        // A project folder that is not in the commit contains nothing.
        let found = commit.found(head).cloned().unwrap_or_default();
        let lacks = meanings
            .into_iter()
            .map(|(word, meaning)| {
                let lack = meaning.map(|(groups, numbers)| {
                    let has = |group: &Vec<u32>| group.iter().any(|thing| found.holds(*thing));
                    let pairs = groups.into_iter().zip(&numbers);
                    pairs.filter(|(_, group)| !has(group)).map(|(things, _)| things).collect()
                });
                (word.clone(), lack)
            })
            .collect();
        let holes = commit.holes || commit.cut;
        let veil = Veil::new(commit.unread, commit.submodule);
        let seen = commit.files.into_keys().collect();
        let searched = Searched { lacks, seen, holes, veil };
        let missing = words.iter().map(|word| searched.is_missing(word)).collect();
        *self.searched = Some(searched);
        Ok(missing)
    }
}
