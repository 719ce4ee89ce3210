use std::path::PathBuf;

use super::oid::Oid;
use crate::git::process::{Call, GitError, Process, Program};

/// The location of a project in a repository, and the git program to use.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) program: Program,
    /// The project's folder.
    pub(crate) folder: PathBuf,
    /// The git directory of the work tree.
    pub(crate) git: PathBuf,
    /// The git directory that all work trees of the repository share.
    pub(crate) common: PathBuf,
    /// The project's path within the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
    /// An object folder that names the repository's own as its alternate.
    pub(crate) objects: Option<PathBuf>,
}

impl Place {
    /// Returns the project's path within the repository without the `/` at the end.
    pub(crate) fn within(&self) -> &str {
        self.prefix.strip_suffix('/').unwrap_or(&self.prefix)
    }

    /// Prepares a git call. The arguments must be fixed, ids, or output of git.
    pub(crate) fn command(&self, arguments: &[&str]) -> Call {
        let mut call = self.program.command(&self.folder);
        call.command.args(arguments);
        if let Some(objects) = &self.objects {
            call.command.env("GIT_OBJECT_DIRECTORY", objects);
        }
        call
    }

    /// Starts git with these arguments, which must be fixed or ids.
    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Process, GitError> {
        Process::start(self.command(arguments))
    }

    /// Starts listing the project's files in a commit.
    pub(crate) fn list(&self, commit: Oid) -> Result<Process, GitError> {
        let commit = commit.to_string();
        let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", &commit];
        if !self.prefix.is_empty() {
            arguments.extend(["--", &self.prefix]);
        }
        self.start(&arguments)
    }

    /// Returns a path relative to the project, or `None` for files outside it.
    pub(crate) fn own<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        path.strip_prefix(self.prefix.as_bytes())
    }
}
