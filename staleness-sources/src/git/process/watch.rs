//! Telling a caller how far a question is.

use std::fmt;
use std::ops::ControlFlow;

use super::error::GitError;

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
