//! Reports the progress of a query to the caller.

use std::fmt;
use std::ops::ControlFlow;

use super::error::GitError;

/// The kind of work in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Searching files of the checked-out commit for words.
    Searching,
    /// Reading the list of commits.
    Listing,
    /// Dating documents.
    Dating,
    /// Looking up words in earlier commits.
    Tracing,
    /// Comparing citations.
    Comparing,
}

/// Progress of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current kind of work.
    pub stage: Stage,
    /// Number of completed steps.
    pub done: u64,
    /// Total number of steps, if known.
    pub of: Option<u64>,
}

/// A callback that receives the progress of a query and may cancel it.
pub struct Watch<'a>(&'a mut dyn FnMut(Progress) -> ControlFlow<()>);

impl<'a> Watch<'a> {
    /// Wraps a callback. If it breaks, the query fails with [`GitError::Cancelled`].
    pub fn new(watcher: &'a mut dyn FnMut(Progress) -> ControlFlow<()>) -> Self {
        Self(watcher)
    }

    pub(crate) fn tell(
        &mut self,
        stage: Stage,
        done: usize,
        of: Option<usize>,
    ) -> Result<(), GitError> {
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
