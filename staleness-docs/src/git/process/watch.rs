//! Telling a caller how far a question is.

use std::fmt;
use std::ops::ControlFlow;

use super::error::GitError;

/// Kind of work that is being done.
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

/// Progress of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Kind of work.
    pub stage: Stage,
    /// Number of steps that are done.
    pub done: u64,
    /// Number of all steps, when that is known.
    pub of: Option<u64>,
}

/// A watcher that hears of the progress of a question, and may end it.
pub struct Watch<'a>(&'a mut dyn FnMut(Progress) -> ControlFlow<()>);

impl<'a> Watch<'a> {
    /// Breaking ends the question with [`GitError::Cancelled`].
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
