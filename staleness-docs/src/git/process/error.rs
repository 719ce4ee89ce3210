//! Errors of git.

use std::io;

/// Maximum length of an error message to keep, in characters.
const MAX_MESSAGE: usize = 200;

/// Messages of git when it runs out of memory.
const OUT_OF_MEMORY: [&str; 3] = ["ut of memory", "unable to mmap", "mmap failed"];

/// The reason why git gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no program `git`, or it cannot be started.
    #[error("the program git was not found")]
    NoProgram,
    /// The folder belongs to no repository, or to one without a work tree.
    #[error("this is not the work tree of a git repository")]
    NoRepository,
    /// The repository has no commit yet.
    #[error("the repository has no commit yet")]
    NoCommits,
    /// The repository belongs to another user, and git does not trust it: see `safe.directory`.
    #[error("git does not trust this repository, which belongs to another user (safe.directory)")]
    NotTrusted,
    /// The revision that was asked for does not exist.
    #[error("no commit has this name")]
    UnknownRevision,
    /// Git failed. The text is the first line of its message that names a problem, without control
    /// characters.
    #[error("{0}")]
    Failed(String),
    /// Git did not answer within the time limit of [`ProcessLimits`](super::ProcessLimits), so it was stopped.
    #[error("git did not answer and was stopped")]
    NoAnswer,
    /// Git exceeded the limits on time, memory or answer size for one query in [`ProcessLimits`](super::ProcessLimits).
    #[error("git needed too much time or memory")]
    TooMuch,
    /// The caller cancelled the query.
    #[error("cancelled")]
    Cancelled,
}

impl GitError {
    /// Message for a git process that failed without an error message.
    pub(crate) const SILENT: &'static str = "git failed without an error message";

    /// Classifies the error that git wrote to its standard error.
    pub(crate) fn from_stderr(stderr: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stderr);
        if text.contains("dubious ownership") {
            Self::NotTrusted
        } else if OUT_OF_MEMORY.iter().any(|each| text.contains(each)) {
            Self::TooMuch
        } else if text.contains("not a git repository")
            || text.contains("must be run in a work tree")
        {
            Self::NoRepository
        } else {
            Self::Failed(message(&text))
        }
    }

    /// Returns true if every other query will fail as well.
    pub(crate) const fn is_final(&self) -> bool {
        matches!(self, Self::NotTrusted | Self::NoAnswer | Self::Cancelled)
    }

    pub(crate) fn not_started(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Self::NoProgram,
            kind => Self::Failed(format!("git cannot be started: {kind}")),
        }
    }

    pub(crate) fn no_thread(error: io::Error) -> Self {
        Self::Failed(format!("no thread can be started: {}", error.kind()))
    }

    /// Returns the error for unexpected output of git.
    pub(crate) fn garbled(what: &str) -> Self {
        Self::Failed(format!("git returned {what}"))
    }
}

/// Returns the first line that names a problem, safe to print.
fn message(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines()
        .find(|line| line.starts_with("fatal:") || line.starts_with("error:"))
        .or_else(|| lines().next())
        .unwrap_or(GitError::SILENT);
    line.chars().take(MAX_MESSAGE).map(|c| if is_plain(c) { c } else { '?' }).collect()
}

/// Returns true if a character has no effect other than its own glyph.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_cut_and_made_printable() {
        let said = format!("warning: x\nfatal: \u{1b}[31mbad \u{202e}{}\n", "y".repeat(9_000));
        let GitError::Failed(message) = GitError::from_stderr(said.as_bytes()) else { panic!() };
        assert!(message.starts_with("fatal: ?[31mbad ?yyy"), "{message}");
        assert_eq!(message.chars().count(), MAX_MESSAGE);
        assert_eq!(
            GitError::from_stderr(b"fatal: detected dubious ownership in repository at '/x'"),
            GitError::NotTrusted
        );
    }
}
