//! What the history of a project says, asked of the `git` program.
//!
//! Only what is committed counts: the commit that is checked out (`HEAD`) and its first parents.
//! Files on disk are never read here; where their lines matter, the caller hands in their text.
//!
//! | question | method |
//! |---|---|
//! | which files are tracked? | [`Repo::tracked`] |
//! | do these words exist in the project now? | [`Repo::missing`] |
//! | when did these files come, and when were they edited last? | [`Repo::lives`] |
//! | when was each of these blocks of a document last edited? | [`Repo::date`] |
//! | did these words exist then, and who removed them? | [`Repo::trace`] |
//! | does a citation still hold? | [`Repo::cited`] |
//! | what was checked out at that time? | [`Repo::commit_at`] |
//! | which documents and lines changed since a revision? | [`Repo::since`] |
//!
//! Every question is asked for many at once: git is slow to start and quick to stream. A long
//! question reports how far it is and can be ended: see [`Watch`].
//!
//! A repository is other people's work. Git is started with fixed arguments and ids of its own
//! only, with settings that keep a repository from running anything; what cannot be read is counted
//! in [`Unread`], and no answer is made from it.

mod answers;
mod calls;
mod changes;
mod cited;
mod compared;
mod dates;
mod defined;
mod error;
mod families;
mod filed;
mod files;
mod follow;
mod found;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod index;
mod items;
mod life;
mod lines;
mod meaning;
mod moved;
mod moves;
mod naming;
mod objects;
mod offered;
mod oid;
mod past;
mod process;
mod program;
mod raw;
mod regular;
mod renames;
mod repo;
mod scanner;
mod seen;
mod shapes;
mod since;
mod starts;
mod symbol;
mod times;
mod tokens;
mod trace;
mod tracked;
mod tree;
mod version;
mod watchdog;
mod words;

use std::fmt;
use std::ops::ControlFlow;

use staleness_core::time::Timestamp;

pub use cited::{CitationQuery, Cite};
pub use dates::{Dated, DatingQuery};
pub use error::GitError;
pub use life::{Life, LifeQuery, text_digest};
pub use objects::Unread;
pub use oid::Oid;
pub use program::Program;
pub use repo::Repo;
pub use seen::cited_digest;
pub(crate) use seen::seen_in;
pub use since::{ChangedDocument, Since};
pub use tracked::{Tracked, TrackedKind};
pub use watchdog::{ProcessLimits, Watchdog};
pub use words::{Anchor, Trace, Word, WordQuery};

/// A commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commit {
    /// Its id.
    pub id: Oid,
    /// When it was committed.
    pub at: Timestamp,
}

/// How much is looked at before an answer is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest file or folder of a commit that is read, in bytes.
    pub object_bytes: u64,
    /// How many commits are looked back.
    pub commits: u32,
    /// How many bytes of one document's earlier versions are compared.
    pub document_bytes: u64,
    /// How many bytes of files are searched for words: of the checked-out commit for each question, and
    /// as many of all earlier commits for all questions.
    pub searched_bytes: u64,
    /// How many bytes of files are read, compared and searched for symbols to tell whether citations of
    /// them hold, and lines where lines are looked for one by one: for all questions.
    pub compared_bytes: u64,
    /// How many versions of all documents together are followed; of each 16 all the same.
    pub versions: usize,
    /// Most entries of folders that are visited for one question, over all commits. A folder counts as
    /// several files.
    pub visited: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            object_bytes: 8 * 1024 * 1024,
            commits: 200_000,
            document_bytes: 32 * 1024 * 1024,
            searched_bytes: 4 * 1024 * 1024 * 1024,
            compared_bytes: 1024 * 1024 * 1024,
            versions: 2_000_000,
            visited: 1_000_000,
        }
    }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Files of the checked-out commit are searched for words.
    Searching,
    /// The list of commits is read.
    Listing,
    /// Documents are dated.
    Dating,
    /// Words are looked up in earlier commits.
    Tracing,
    /// Citations are compared.
    Comparing,
}

/// How far a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How many of it are done.
    pub done: u64,
    /// How many there are, when that is known.
    pub of: Option<u64>,
}

/// Somebody who is told how far a question is, and may end it.
pub struct Watch<'a>(&'a mut dyn FnMut(Progress) -> ControlFlow<()>);

impl<'a> Watch<'a> {
    /// Breaking ends the question with [`GitError::Cancelled`].
    pub fn new(watcher: &'a mut dyn FnMut(Progress) -> ControlFlow<()>) -> Self {
        Self(watcher)
    }

    fn tell(&mut self, stage: Stage, done: usize, of: Option<usize>) -> Result<(), GitError> {
        match (self.0)(Progress { stage, done: done as u64, of: of.map(|of| of as u64) }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(GitError::Cancelled),
        }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
