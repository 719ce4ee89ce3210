//! Words of documents, and whether the project has or had what they name.

use staleness_core::knowledge::WordKind;
use staleness_core::time::Timestamp;

use super::{Commit, GitError, Oid, Repo, Watch};

/// A word of a document that names a thing of the project.
///
/// | kind | what counts as the thing itself |
/// |---|---|
/// | path | a tracked file or folder whose path ends so (`router.rs`, `core/router.rs`), or is so when the word begins with `./` or `/`; a folder only when the word ends in `/` |
/// | flag | the flag itself (`--dry-run`), its name after a quotation mark (`"dry-run"`), or the same in one word (`dry_run`, `dryRun`) |
/// | identifier | the identifier as a whole word; of several joined by `::`, `.`, `->` or `#` each, in any file; a `()` or `!` at the end is left out |
///
/// Flags and identifiers are looked for in the regular files that are no documents.
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
    /// The project did not have it then either.
    Never,
    /// It cannot be told: the anchor is not in the repository, something could not be read, or the
    /// word cannot be looked up.
    Unknown,
}

impl Repo {
    /// Which of these words the checked-out commit does not have. Words that cannot be looked up
    /// are not among them.
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
        let _ = (is_document, watch);
        Ok(vec![false; words.len()])
    }

    /// What became of these words; the answers are in the order of the questions.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn trace(
        &mut self,
        words: &[WordQuery<'_>],
        is_document: &dyn Fn(&str) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Trace>, GitError> {
        let _ = (is_document, watch);
        Ok(vec![Trace::Unknown; words.len()])
    }
}
