//! Result of a check.

use std::fmt;

use staleness_core::knowledge::{Document, Item, SignalSet};

/// The project as a whole, as a path.
pub(crate) const WHOLE: &str = ".";
/// The history of the project, as a path.
pub(crate) const HISTORY: &str = ".git";

/// A file that was not checked, or not all of it. `.` is the project as a whole, `.git` its history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file, as in [`staleness_core::ids::DocumentKey::path`], or as it was given.
    pub path: String,
    /// Why, as the end of a sentence that begins with the path.
    pub reason: String,
}

/// Something that a check could not look at and should: what went there was not found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blind {
    /// Kind of the gap.
    pub kind: BlindKind,
    /// `.git` for the history, else the path of a submodule.
    pub path: String,
    /// Description of the gap, as the end of a sentence that begins with the path.
    pub reason: String,
}

/// Kind of a gap in what a check looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlindKind {
    /// The repository holds only the latest commits.
    Shallow,
    /// The repository lacks files of earlier commits, which it would fetch when they are needed.
    Partial,
    /// Objects are missing, or git cannot read them.
    Unreadable,
    /// A submodule is not checked out.
    Submodule,
}

impl BlindKind {
    /// Returns the kind as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Partial => "partial",
            Self::Unreadable => "unreadable",
            Self::Submodule => "submodule",
        }
    }

    /// Returns what mends it, as a sentence without its full stop.
    #[must_use]
    pub const fn mend(self) -> &'static str {
        match self {
            Self::Shallow => "run `git fetch --unshallow`; in CI, check out with `fetch-depth: 0`",
            Self::Partial => {
                "run `git fetch --refetch --no-filter`; in CI, check out without a `filter`"
            }
            Self::Unreadable => "run `git fetch --refetch`; `git fsck` names what is damaged",
            Self::Submodule => {
                "run `git submodule update --init`; in CI, check out with `submodules: true`"
            }
        }
    }
}

/// Something that was noticed and left aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The file that it is about; `None` for the check as a whole.
    pub path: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// Text of the note. It holds no text of the document but names, paths and dates.
    pub text: String,
}

/// Blocks of a document that are not listed: it has many with the same sorts of evidence, of which the
/// first are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlisted {
    /// The document, as in [`staleness_core::ids::DocumentKey::path`].
    pub path: String,
    /// The sorts of evidence against each of them.
    pub sorts: SignalSet,
    /// Number of such blocks.
    pub blocks: usize,
}

/// Name in a document of something that a diff changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedName {
    /// The line, counted from 1.
    pub line: u32,
    /// The name as it is looked up.
    pub name: String,
    /// Path of the changed file that it is about, or that was removed.
    pub file: String,
}

/// Document that names something that a diff changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The document, as in [`staleness_core::ids::DocumentKey::path`].
    pub path: String,
    /// True if the diff changes the document too.
    pub edited: bool,
    /// The names, by line, each once.
    pub names: Vec<TouchedName>,
}

/// Documents that a diff touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// The commit from which the diff goes.
    pub from: String,
    /// The commit to which it goes; `None` for the files on disk.
    pub to: Option<String>,
    /// Number of files that the diff changes.
    pub files: usize,
    /// The documents, by path.
    pub touched: Vec<Touched>,
}

/// Numbers of documents and blocks that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Documents.
    pub documents: usize,
    /// Documents taken over from an earlier check.
    pub reused: usize,
    /// Documents that are history by nature, and left out of drift.
    pub history: usize,
    /// Blocks.
    pub blocks: usize,
    /// Blocks, or instances of evidence, left aside because a directive says so.
    pub ignored: usize,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Every document that was checked, by path, those without findings included.
    pub documents: Vec<Document>,
    /// The documents with nothing but what is new since [`CheckOptions::since`]; `None` without it, and
    /// when that cannot be told: then everything is new.
    ///
    /// [`CheckOptions::since`]: crate::CheckOptions::since
    pub new_since: Option<Vec<Document>>,
    /// The documents that name something that changed since then, if [`CheckOptions::impact`] asks for it.
    ///
    /// [`CheckOptions::impact`]: crate::CheckOptions::impact
    pub impact: Option<Impact>,
    /// The items that live in files of their own, by path. The evidence about each is the one block
    /// of the document with the path that the item names. The store's counters are not in them.
    pub items: Vec<Item>,
    /// Findings that are not listed in the documents.
    pub unlisted: Vec<Unlisted>,
    /// Files that were not checked, by path.
    pub skipped: Vec<Skipped>,
    /// Gaps in what was looked at, by kind.
    pub blind: Vec<Blind>,
    /// Notes on what was left aside.
    pub notes: Vec<Note>,
    /// The documents that are history by nature.
    pub history: Vec<String>,
    /// The commit that is checked out; `None` without git.
    pub head: Option<String>,
    /// The version of the project: the one that was given, else the one that it declares.
    pub version: Option<String>,
    /// Numbers of documents and blocks.
    pub counts: Counts,
}

/// Progress of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Documents are being read.
    Reading {
        /// Documents read so far.
        done: usize,
        /// All documents.
        of: usize,
    },
    /// Names are being looked up in the commit that is checked out.
    Looking {
        /// Number of names.
        names: usize,
    },
    /// The history of documents is being read.
    Tracing {
        /// Documents traced so far.
        done: usize,
        /// All documents.
        of: usize,
    },
}

/// The caller ended the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the check was ended before it was done")
    }
}

impl std::error::Error for Cancelled {}
