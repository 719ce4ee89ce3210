//! A home and a project in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};

use staleness_core::ids::Level;
use staleness_core::scan::{Found, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState;
use staleness_docs::project::ProjectPlace;
use staleness_sources::clients::{self, Readings, ScanRequest};
use tempfile::TempDir;

pub(crate) struct Tree {
    _temp: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) project: ProjectPlace,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let home = base.join("home");
        let folder = base.join("work/project");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&folder).unwrap();
        fs::write(home.join(".profile"), "").unwrap();
        fs::write(folder.join("README.md"), "x").unwrap();
        Self { _temp: temp, home, project: ProjectPlace::of_folder(folder) }
    }

    /// Writes a file of the user.
    pub(crate) fn user(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.home.join(path), text.as_ref())
    }

    /// Writes a file of the project.
    pub(crate) fn own(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.project.folder.join(path), text.as_ref())
    }

    /// The project's path as it stands in JSON.
    pub(crate) fn folder(&self) -> String {
        self.project.folder.to_str().unwrap().replace('\\', "\\\\")
    }

    pub(crate) fn read(&self) -> Readings {
        clients::read(&ScanRequest::new(&self.home, &self.project))
    }

    /// One source of a fresh reading.
    pub(crate) fn source(&self, client: &str, level: Level, part: &str) -> SourceReading {
        of(&self.read(), client, level, part)
    }
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    path.to_path_buf()
}

/// The one source with this identity.
pub(crate) fn of(readings: &Readings, client: &str, level: Level, part: &str) -> SourceReading {
    let mut all = readings.sources.iter().filter(|source| {
        source.id.client == client && source.id.level == level && source.id.part == part
    });
    let found = all
        .next()
        .unwrap_or_else(|| panic!("no source {client}/{}/{part}", level.as_str()))
        .clone();
    assert!(all.next().is_none(), "{} comes twice", found.id);
    found
}

/// Names, sorted; those that are switched off with a `-` before them, and those that are refused with a `!`.
pub(crate) fn names(source: &SourceReading) -> Vec<String> {
    let name = |found: &Found| {
        let mark = match found.state {
            ListingState::Off => "-",
            ListingState::Refused => "!",
            _ => "",
        };
        format!("{mark}{}", found.name)
    };
    let mut names: Vec<_> = source.found.iter().map(name).collect();
    names.sort();
    names
}

/// Asserts that a source was read completely and lists these names.
#[track_caller]
pub(crate) fn lists(source: &SourceReading, expected: &[&str]) {
    assert_eq!(source.state, SourceState::Read, "{source:?}");
    assert_eq!(names(source), expected, "{source:?}");
}
