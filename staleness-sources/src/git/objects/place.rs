//! A project within a repository.

use std::path::PathBuf;

use crate::git::process::{GitError, Process, Program};

/// A project's folder within a repository, and the program to ask about it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) program: Program,
    /// The project's folder.
    pub(crate) folder: PathBuf,
    /// The project's path within the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
}

impl Place {
    /// The project's path within the repository as a path of git's: without the `/` at its end.
    pub(crate) fn within(&self) -> &str {
        self.prefix.strip_suffix('/').unwrap_or(&self.prefix)
    }

    /// Starts git with these arguments, which are fixed or ids.
    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Process, GitError> {
        let mut command = self.program.command(&self.folder);
        command.args(arguments);
        Process::start(command)
    }

    /// Starts git with these arguments, to be asked through its standard input.
    pub(crate) fn start_asked(&self, arguments: &[&str]) -> Result<Process, GitError> {
        let mut command = self.program.command(&self.folder);
        command.args(arguments);
        Process::start_asked(command)
    }

    /// The path of a file of the project, relative to the project; `None` for other files.
    pub(crate) fn own<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        path.strip_prefix(self.prefix.as_bytes())
    }
}
