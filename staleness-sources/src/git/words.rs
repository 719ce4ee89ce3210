//! Words of documents, and whether the project has or had what they name.

use std::collections::HashMap;
use std::sync::Arc;

use staleness_core::knowledge::WordKind;
use staleness_core::time::Timestamp;

use super::found::Found;
use super::index::{Index, Seen, Tools};
use super::meaning::{Thing, meaning};
use super::tokens::Lexicon;
use super::{Commit, GitError, Oid, Repo, Stage, Watch};

/// A word of a document that names a thing of the project.
///
/// | kind | what counts as the thing itself |
/// |---|---|
/// | path | a tracked file or folder whose path ends so (`router.rs`, `core/router.rs`), or is so when the word begins with `./` or `/`; a folder only when the word ends in `/`; a file name alone (`router.rs`) also where code holds it between quotation marks |
/// | flag | the flag itself (`--dry-run`), its name after a quotation mark (`"dry-run"`, `"dry_run"`, `"dryRun"`), or a field that a library makes a flag of (`#[arg(long)] dry_run`) |
/// | identifier | the identifier as a whole word; of several joined by `::`, `.`, `->` or `#` each, in any file; a `()` or `!` at the end is left out; a file or folder of that name |
///
/// Flags and identifiers are looked for in the regular files that are no documents. That a project
/// *had* an identifier takes more: it was defined there, or, in capitals, read from the environment. A
/// lone one that begins with a small letter was a function, a type or another item, and no field or
/// parameter; a flag was offered, and not passed on to another program; of a file name alone there was
/// one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    /// What sort of thing it names.
    pub kind: WordKind,
    /// The word as it is written.
    pub text: String,
}

/// A point in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchor {
    /// A commit, by its full id.
    Commit(Oid),
    /// The commit that was checked out at this time: see [`Repo::commit_at`].
    At(Timestamp),
}

/// A word that the checked-out commit does not have, and when it was written.
#[derive(Clone, Copy, Debug)]
pub struct WordQuery<'a> {
    /// The word.
    pub word: &'a Word,
    /// When the block that holds it was last edited.
    pub anchor: Anchor,
}

/// What became of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// The project has it now.
    Here,
    /// The project had it then, and has it no more.
    Gone {
        /// The commit that removed it, when that was found.
        by: Option<Commit>,
        /// Where the file or folder is now, when it was renamed.
        renamed_to: Option<String>,
    },
    /// The project did not have it then either, or several files of the name: which is meant cannot
    /// be told.
    Never,
    /// It cannot be told: the anchor is not in the repository, something could not be read, or the
    /// word cannot be looked up.
    Unknown,
}

/// What the checked-out commit does not have, and what was looked at to say so.
#[derive(Debug)]
pub(crate) struct Searched {
    /// For every word the groups of things of which it has none; `None` for a word that cannot be
    /// looked up.
    lacks: HashMap<Word, Option<Vec<Vec<Thing>>>>,
    pub(crate) seen: Seen,
    /// True if some of it could not be looked at: then nothing is known to be missing.
    holes: bool,
    /// True if the contents of some file are not known: then no name is known to be missing.
    blind: bool,
}

impl Searched {
    /// Returns true if it may be where nobody looked.
    const fn is_hidden(&self, word: &Word) -> bool {
        self.holes || self.blind && !matches!(word.kind, WordKind::Path)
    }

    fn is_missing(&self, word: &Word) -> bool {
        !self.is_hidden(word)
            && matches!(self.lacks.get(word), Some(Some(groups)) if !groups.is_empty())
    }

    /// Returns true if the word was looked up.
    pub(crate) fn knows(&self, word: &Word) -> bool {
        self.lacks.contains_key(word)
    }

    /// What is looked for in earlier commits; `None` when the answer is plain.
    pub(crate) fn lack(&self, word: &Word) -> Result<&[Vec<Thing>], Trace> {
        match self.lacks.get(word) {
            Some(Some(groups)) if groups.is_empty() => Err(Trace::Here),
            Some(Some(groups)) if !self.is_hidden(word) => Ok(groups),
            _ => Err(Trace::Unknown),
        }
    }
}

/// The things of a word, and their numbers.
type Meaning = (Vec<Vec<Thing>>, Numbered);

/// A word as numbers of things: it exists when of each group one does.
pub(crate) type Numbered = Vec<Vec<u32>>;

/// What shows that an earlier commit had what these things are.
pub(crate) fn earlier(groups: &[Vec<Thing>]) -> Vec<Vec<Thing>> {
    groups.iter().map(|group| group.iter().filter_map(Thing::earlier).flatten().collect()).collect()
}

/// Gives numbers to the things of a word.
pub(crate) fn number(groups: &[Vec<Thing>], lexicon: &mut Lexicon) -> Numbered {
    groups.iter().map(|group| group.iter().map(|thing| thing.enter(lexicon)).collect()).collect()
}

/// Returns true if a word exists among what was found.
pub(crate) fn exists(word: &Numbered, found: &Found) -> bool {
    word.iter().all(|group| group.iter().any(|thing| found.holds(*thing)))
}

impl Repo {
    /// Which of these words the checked-out commit does not have. Words that cannot be looked up
    /// are not among them, and nothing is when a part of the commit cannot be read.
    ///
    /// `is_document` tells the documents among the tracked files, by path relative to the project.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn missing(
        &mut self,
        words: &[Word],
        is_document: &dyn Fn(&str) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<bool>, GitError> {
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
        let mut index = Index::new(Arc::new(lexicon), Seen::default());
        let head = self.head.id;
        let (mut bytes, mut visits) = (self.limits.searched_bytes, self.limits.visited);
        index.look(
            &[head],
            &mut Tools {
                place: &self.place,
                objects: &mut self.objects,
                is_document,
                watch,
                stage: Stage::Searching,
                bytes: &mut bytes,
                visits: &mut visits,
            },
        )?;
        self.cut |= index.cut;
        // A folder that is not in the commit holds nothing.
        let found = index.found(head).unwrap_or_default();
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
        let blind = index.blind;
        let searched = Searched { lacks, seen: index.into_seen(), holes: found.holes, blind };
        let missing = words.iter().map(|word| searched.is_missing(word)).collect();
        self.searched = Some(searched);
        Ok(missing)
    }
}
