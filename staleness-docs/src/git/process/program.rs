//! The `git` program, started in such a way that a repository can only make it answer queries.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::watchdog::{ProcessLimits, Watchdog};

/// Settings that override those of the repository.
const SETTINGS: [&str; 8] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.pager=cat",
    "core.untrackedCache=false",
    "core.bigFileThreshold=16m",
    "core.deltaBaseCacheLimit=96m",
    "log.showSignature=false",
];

/// Environment variables that are passed on. They locate git and the settings of the user and the system.
const KEPT: [&str; 6] = [
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Environment variables that are set for every git process.
const SET: [(&str, &str); 9] = [
    // Messages are recognised by their English text.
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    // Objects missing from a partial clone count as missing. Versions of git that do not know the first variable would
    // fetch them, but are not allowed any protocol.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];

/// The `git` program, its limits and its watchdog.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    limits: ProcessLimits,
    watchdog: Watchdog,
}

/// A git command that has not been started yet.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) command: Command,
    pub(crate) watchdog: Watchdog,
    pub(crate) limits: ProcessLimits,
}

impl Program {
    /// Looks for `git` in the folders of a `PATH`. Skips relative folders, because they depend on the current
    /// folder.
    pub fn find(folders: &OsStr) -> Option<Self> {
        let name = format!("git{}", env::consts::EXE_SUFFIX);
        env::split_paths(folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|path| is_program(path))
            .map(Self::at)
    }

    /// Looks for `git` in this process's `PATH`.
    pub fn of_environment() -> Option<Self> {
        Self::find(&env::var_os("PATH")?)
    }

    fn at(path: PathBuf) -> Self {
        Self { path, limits: ProcessLimits::default(), watchdog: Watchdog::default() }
    }

    /// Returns the program with a watchdog that the caller can end.
    #[must_use]
    pub fn with_watchdog(self, watchdog: Watchdog) -> Self {
        Self { watchdog, ..self }
    }

    /// Returns the program with other limits.
    #[must_use]
    pub fn with_limits(self, limits: ProcessLimits) -> Self {
        Self { limits, ..self }
    }

    pub(crate) const fn watchdog(&self) -> &Watchdog {
        &self.watchdog
    }

    /// Prepares a command to run in `folder`.
    pub(crate) fn command(&self, folder: &Path) -> Call {
        let mut command = Command::new(&self.path);
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        // This process may run in a hook of another repository, and tracing writes files.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("GIT_") && !KEPT.contains(&&*text) {
                command.env_remove(&name);
            }
        }
        command.envs(SET);
        command.args(["--no-pager", "--no-optional-locks"]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        Call { command, watchdog: self.watchdog.clone(), limits: self.limits }
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_the_path_that_is_not_absolute_is_not_searched() {
        assert!(Program::find(OsStr::new("")).is_none());
        assert!(Program::find(OsStr::new(".:bin:nowhere")).is_none());
    }

    #[test]
    fn settings_of_a_hook_do_not_reach_git() {
        let command = Program::at(PathBuf::from("/bin/git")).command(Path::new("/")).command;
        let value = |name: &str| {
            command
                .get_envs()
                .find(|(key, _)| *key == OsStr::new(name))
                .and_then(|(_, value)| value)
        };
        assert_eq!(value("GIT_NO_LAZY_FETCH"), Some(OsStr::new("1")));
        assert_eq!(value("GIT_DIR"), None);
    }
}
