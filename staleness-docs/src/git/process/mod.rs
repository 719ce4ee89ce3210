//! Runs `git`: starts it, watches over it, reads its output and ends it. Does not depend on the commands that
//! are run.

mod answers;
mod child;
mod error;
mod program;
mod special_files;
mod watch;
mod watchdog;

pub use error::GitError;
pub use program::Program;
pub use watch::{Progress, Stage, Watch};
pub use watchdog::{ProcessLimits, Watchdog};

pub(crate) use answers::{ahead, many};
pub(crate) use child::Process;
pub(crate) use program::Call;
pub(crate) use special_files::{check_files, check_work_tree, object_folders};
