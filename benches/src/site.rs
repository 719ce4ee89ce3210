//! A project, a user's home folder, and the user's registry.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use staleness::Registry;
use staleness::scan::ProjectRef;
use tempfile::TempDir;

use crate::process::run;
use crate::{fill, registry};

/// A project folder, and a home folder with a registry.
#[derive(Debug)]
pub struct Site {
    project: Rc<TempDir>,
    home: TempDir,
    backend: &'static str,
    program: &'static str,
}

impl Site {
    /// Creates an empty project and an empty home. `program` is the path of the `staleness` program.
    pub fn new(backend: &'static str, program: &'static str) -> Self {
        let project = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(project.path().join("project").join(".git")).expect("a folder");
        let home = tempfile::tempdir().expect("a folder");
        Self { project: Rc::new(project), home, backend, program }
    }

    /// Returns the same project with a new home without a registry.
    pub fn newcomer(&self) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        Self { project: Rc::clone(&self.project), home, ..*self }
    }

    /// Returns the folder of the project.
    pub fn project(&self) -> PathBuf {
        self.project.path().join("project").canonicalize().expect("a path")
    }

    /// Returns the project's id and root.
    pub fn place(&self) -> ProjectRef {
        ProjectRef::of_root(self.project().display().to_string())
    }

    /// Returns the home folder.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the path of the store.
    pub fn store(&self) -> PathBuf {
        self.home().join("registry.db")
    }

    /// Returns the URL of the store.
    pub fn url(&self) -> String {
        format!("{}:{}", self.backend, self.store().display())
    }

    /// Opens the registry.
    pub fn registry(&self) -> Registry {
        registry(&self.url())
    }

    /// Records outcomes of this number of tools.
    pub fn fill(&self, tools: usize, outcomes: usize) {
        fill(&self.registry(), &self.place(), tools, 0..outcomes);
    }

    /// Imports lines of another system.
    pub fn import(&self, lines: &[String]) {
        let path = self.home().join("lines.jsonl");
        std::fs::write(&path, lines.join("\n")).expect("a file");
        run(self.cli(&["import", "--from", "jsonl"]).arg(path), "");
    }

    /// Returns a `staleness` command in the project, with this home and store.
    pub fn cli(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("HOME", self.home()).env("PATH", path);
        command.env("STALENESS_STORE", self.url()).args(args).current_dir(self.project());
        command
    }

    /// Returns a hook's payload: event name, session number, and other fields as JSON.
    pub fn event(&self, name: &str, session: usize, fields: &str) -> String {
        format!(
            r#"{{"session_id":"bench-{session}","cwd":{:?},"hook_event_name":"{name}",{fields}}}"#,
            self.project().display().to_string(),
        )
    }

    /// Returns the payload of a session start. A repeated session is told everything again, so use a new
    /// number each time.
    pub fn start(&self, session: usize) -> String {
        self.event("SessionStart", session, r#""source":"startup""#)
    }
}
