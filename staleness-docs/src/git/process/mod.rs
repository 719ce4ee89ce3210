//! Runs `git`: starts it, watches over it, reads its output and ends it. Does not depend on the git commands.

mod answers;
mod child;
mod error;
mod program;
mod special_files;
mod watchdog;

pub use error::GitError;
pub use program::Program;
pub use watchdog::{ProcessLimits, Watchdog};

pub(crate) use child::Process;
pub(crate) use program::Call;
pub(crate) use special_files::{check_files, check_work_tree, object_folders};

/// A callback that receives the number of completed steps and, if known, the total. If it returns an error, for example
/// [`GitError::Cancelled`], the query fails with that error.
pub type Watch<'a> = dyn FnMut(usize, Option<usize>) -> Result<(), GitError> + 'a;
