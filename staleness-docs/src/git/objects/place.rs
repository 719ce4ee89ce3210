//! A project within a repository.

use std::path::PathBuf;

use crate::git::process::{Call, GitError, Process, Program};

/// A project's folder within a repository, and the program to ask about it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) program: Program,
    /// The project's folder.
    pub(crate) folder: PathBuf,
    /// The project's path within the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
    /// A folder of objects that names the repository's own as its alternates.
    pub(crate) objects: Option<PathBuf>,
}

impl Place {
    /// The path of a file or folder of the repository's own, as git gives it.
    pub(crate) fn git_path(&self, name: &str) -> Option<PathBuf> {
        let path = self.start(&["rev-parse", "--git-path", name]).ok()?.all().ok()?;
        Some(self.folder.join(String::from_utf8(path).ok()?.strip_suffix('\n')?))
    }

    /// The project's path within the repository as a path of git's: without the `/` at its end.
    pub(crate) fn within(&self) -> &str {
        self.prefix.strip_suffix('/').unwrap_or(&self.prefix)
    }

    /// A git that is to be started with these arguments, which must be fixed, ids, or come from git itself.
    pub(crate) fn command(&self, arguments: &[&str]) -> Call {
        let mut call = self.program.command(&self.folder);
        call.command.args(arguments);
        if let Some(objects) = &self.objects {
            call.command.env("GIT_OBJECT_DIRECTORY", objects);
        }
        call
    }

    /// Starts git with these arguments, which are fixed or ids.
    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Process, GitError> {
        Process::start(self.command(arguments))
    }

    /// Starts git with these arguments, to be asked through its standard input.
    pub(crate) fn start_asked(&self, arguments: &[&str]) -> Result<Process, GitError> {
        Process::start_asked(self.command(arguments))
    }

    /// The path of a file of the project, relative to the project; `None` for other files.
    pub(crate) fn own<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        path.strip_prefix(self.prefix.as_bytes())
    }
}
