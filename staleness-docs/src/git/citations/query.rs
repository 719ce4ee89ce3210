//! Questions about citations, and their answers.

use staleness_core::knowledge::{Citation, Cited};

use crate::git::history::Anchor;
use crate::git::objects::Commit;

/// A citation, and when it was seen to hold.
#[derive(Clone, Copy, Debug)]
pub struct CitationQuery<'a> {
    /// The citation.
    pub citation: &'a Citation,
    /// When it was verified, or written.
    pub verified: Anchor,
}

/// The fate of a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cite {
    /// It is there, and as it was then.
    Holds,
    /// The cited lines, or the item that the symbol names, were changed.
    Changed {
        /// The first commit that changed them, when that was found.
        commit: Option<Commit>,
        /// Whole days between the verification and that commit.
        days_after: Option<i64>,
    },
    /// A part of it was there then and is gone.
    Missing {
        /// Which part.
        gone: Cited,
        /// Present path of the file, when it was renamed.
        renamed_to: Option<String>,
        /// The commit that removed it, when that was found.
        commit: Option<Commit>,
    },
    /// A part of it is not there, and was not there then either.
    NeverThere(Cited),
    /// It cannot be told.
    Unknown,
}
