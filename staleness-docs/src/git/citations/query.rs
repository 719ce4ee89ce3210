//! Queries about citations, and their answers.

use staleness_core::knowledge::{Citation, Cited};

use crate::git::history::Anchor;
use crate::git::objects::Commit;

/// A citation and the time of its verification.
#[derive(Clone, Copy, Debug)]
pub struct CitationQuery<'a> {
    /// The citation.
    pub citation: &'a Citation,
    /// The point in the history at which the citation was verified or written.
    pub verified: Anchor,
}

/// The state of a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cite {
    /// The cited part exists and is unchanged.
    Holds,
    /// The cited lines or the cited item changed.
    Changed {
        /// The first commit that changed the cited lines or item, if it was found.
        commit: Option<Commit>,
        /// Whole days between the verification and that commit.
        days_after: Option<i64>,
    },
    /// A part of the citation existed at the verification and no longer does.
    Missing {
        /// The part that is missing.
        gone: Cited,
        /// Current path of the file, if it was renamed.
        renamed_to: Option<String>,
        /// The commit that removed the part, if it was found.
        commit: Option<Commit>,
    },
    /// A part of the citation does not exist now and did not exist at the verification either.
    NeverThere(Cited),
    /// The state cannot be determined.
    Unknown,
}
