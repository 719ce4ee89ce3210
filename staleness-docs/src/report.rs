use staleness_core::knowledge::{Document, Gap, Item, SignalSet};

/// Path that stands for the whole project.
pub(crate) const WHOLE: &str = ".";
/// Path that stands for the history of the project.
pub(crate) const HISTORY: &str = ".git";

/// A file that was not checked, or was only checked in part. The path `.` stands for the whole project, and `.git` for
/// its history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file, as in [`staleness_core::ids::DocumentKey::path`], or as given.
    pub path: String,
    /// The reason, to be read after the path.
    pub reason: String,
}

/// A part of the project that a check could not read. Removals in it may be missed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blind {
    /// Kind of the gap.
    pub kind: Gap,
    /// `.git` for the history, otherwise the path of a submodule.
    pub path: String,
    /// Description of the gap, to be read after the path.
    pub reason: String,
}

/// Returns a way to close a gap, as a sentence without its full stop.
pub const fn remedy(gap: Gap) -> &'static str {
    match gap {
        Gap::Shallow => "run `git fetch --unshallow`; in CI, check out with `fetch-depth: 0`",
        Gap::Partial => {
            "run `git fetch --refetch --no-filter`; in CI, check out without a `filter`"
        }
        Gap::Unreadable => "run `git fetch --refetch`; `git fsck` lists the damage",
        Gap::Submodule => {
            "run `git submodule update --init`; in CI, check out with `submodules: true`"
        }
        Gap::Untrusted => {
            "run `git config --global --add safe.directory \"$PWD\"` in the repository if you trust it"
        }
        Gap::Stopped => "run `git log -1` to see if git works, and check again",
        Gap::NoGit => "install git",
    }
}

/// A remark about content that the check ignored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The file concerned. `None` for the whole check.
    pub path: Option<String>,
    /// Line of the file, counted from 1.
    pub line: Option<u32>,
    /// Text of the note. It quotes only names, paths and dates from documents.
    pub text: String,
}

/// Blocks of a document that are not listed, because too many have the same kinds of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlisted {
    /// The document, as in [`staleness_core::ids::DocumentKey::path`].
    pub path: String,
    /// The kinds of evidence against each block.
    pub sorts: SignalSet,
    /// Number of these blocks.
    pub blocks: usize,
}

/// A name in a document for a symbol or file that a diff changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedName {
    /// Line of the name, counted from 1.
    pub line: u32,
    /// The name as looked up.
    pub name: String,
    /// Path of the changed or removed file.
    pub file: String,
}

/// A document that names symbols or files that a diff changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The document, as in [`staleness_core::ids::DocumentKey::path`].
    pub path: String,
    /// True if the diff also changes the document.
    pub edited: bool,
    /// The names, by line and without duplicates.
    pub names: Vec<TouchedName>,
}

/// The documents that a diff affects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// The commit that the diff starts from.
    pub from: String,
    /// The commit that the diff ends at. `None` for the files on disk.
    pub to: Option<String>,
    /// Number of files in the diff.
    pub files: usize,
    /// The affected documents, by path.
    pub touched: Vec<Touched>,
}

/// Numbers of documents and blocks in a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of checked documents.
    pub documents: usize,
    /// Number of documents with a reused result.
    pub reused: usize,
    /// Number of documents that count as history and are not checked for drift.
    pub history: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Number of blocks or pieces of evidence that directives suppress.
    pub ignored: usize,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// All checked documents by path, including those without findings.
    pub documents: Vec<Document>,
    /// The documents with only the findings that are new since [`CheckOptions::since`]. `None` if that option is not
    /// set or the new findings cannot be determined. In the second case, everything counts as new.
    ///
    /// [`CheckOptions::since`]: crate::CheckOptions::since
    pub new_since: Option<Vec<Document>>,
    /// The documents that name changed symbols or files, if [`CheckOptions::impact`] is set.
    ///
    /// [`CheckOptions::impact`]: crate::CheckOptions::impact
    pub impact: Option<Impact>,
    /// The items that are whole files, by path. The evidence against an item is in the single block of the document
    /// with the item's path. Counters of the store are not included.
    pub items: Vec<Item>,
    /// Findings that are not listed in the documents.
    pub unlisted: Vec<Unlisted>,
    /// Files that were not checked, by path.
    pub skipped: Vec<Skipped>,
    /// Gaps of the check, by kind.
    pub blind: Vec<Blind>,
    /// Notes on ignored content.
    pub notes: Vec<Note>,
    /// The documents that count as history.
    pub history: Vec<String>,
    /// The checked-out commit. `None` without git.
    pub head: Option<String>,
    /// Version of the project: the version given in the options, or otherwise the declared version.
    pub version: Option<String>,
    /// Numbers of documents and blocks.
    pub counts: Counts,
}

/// Progress of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Reading documents.
    Reading {
        /// Number of documents read so far.
        done: usize,
        /// Number of all documents.
        of: usize,
    },
    /// Looking up names in the checked-out commit.
    Looking {
        /// Number of names.
        names: usize,
    },
    /// Reading the history of documents.
    Tracing {
        /// Number of documents traced so far.
        done: usize,
        /// Number of all documents.
        of: usize,
    },
}

/// The caller cancelled the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the check was stopped before it finished")]
pub struct Cancelled;
