//! Repositories in temporary folders, made by the git program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use staleness_core::knowledge::{Lines, WordKind};
use staleness_core::time::Timestamp;
use staleness_docs::git::{
    Anchor, CitationQuery, Cite, Dated, DatingQuery, GitError, Limits, Oid, Program, Repo, Trace,
    Word, WordQuery,
};
use tempfile::TempDir;

pub(crate) struct Git {
    _temp: Option<TempDir>,
    pub(crate) root: PathBuf,
    commits: std::cell::Cell<i64>,
}

impl Git {
    /// A repository without a commit.
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let git = Self { _temp: Some(temp), root, commits: 0.into() };
        git.run(&["init", "-q", "-b", "main"]);
        git
    }

    /// Another work tree or clone beside.
    pub(crate) fn beside(&self, name: &str) -> Self {
        let root = self.root.parent().unwrap().join(name);
        Self { _temp: None, root, commits: self.commits.clone() }
    }

    /// Runs git, and returns what it says.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let folder = if self.root.is_dir() { &self.root } else { self.root.parent().unwrap() };
        let at = format!("{} +0000", self.seconds());
        let mut command = Command::new("git");
        command.current_dir(folder).stdin(Stdio::null());
        command.env("GIT_AUTHOR_DATE", &at).env("GIT_COMMITTER_DATE", &at);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        command.args(["-c", "protocol.file.allow=always", "-c", "core.autocrlf=false"]);
        let out = command.args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "git {arguments:?}: {said}");
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    }

    fn seconds(&self) -> i64 {
        1_700_000_000 + self.commits.get() * Timestamp::DAY / 1000
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root.join(path)).unwrap();
    }

    /// Commits everything, one day after the last commit.
    pub(crate) fn commit(&self) -> Oid {
        self.commits.set(self.commits.get() + 1);
        self.run(&["add", "-A"]);
        self.run(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self.id("HEAD")
    }

    /// Writes one file and commits.
    pub(crate) fn save(&self, path: &str, text: impl AsRef<[u8]>) -> Oid {
        self.write(path, text);
        self.commit()
    }

    pub(crate) fn id(&self, revision: &str) -> Oid {
        Oid::from_hex(self.run(&["rev-parse", revision]).as_bytes()).unwrap()
    }

    pub(crate) fn open(&self) -> Repo {
        open(&self.root).unwrap()
    }

    /// The commits of single lines of a document, as it is on disk.
    pub(crate) fn dates(&self, path: &str) -> Vec<Dated> {
        dates(&mut self.open(), &self.root, path)
    }
}

pub(crate) fn open(root: &Path) -> Result<Repo, GitError> {
    Repo::open(&Program::of_environment().unwrap(), root, Limits::default())
}

pub(crate) fn go(_: usize, _: Option<usize>) -> Result<(), GitError> {
    Ok(())
}

pub(crate) fn dates(repo: &mut Repo, root: &Path, path: &str) -> Vec<Dated> {
    let text = fs::read(root.join(path)).unwrap();
    let count = text.split_inclusive(|byte| *byte == b'\n').count();
    let count = u32::try_from(count).unwrap();
    let blocks: Vec<Lines> = (1..=count).map(|line| Lines { first: line, last: line }).collect();
    let query = DatingQuery { path, text: &text, blocks: &blocks };
    repo.date(&[query], &mut go).unwrap().remove(0)
}

pub(crate) fn ids(dates: &[Dated]) -> Vec<Option<Oid>> {
    dates.iter().map(|date| date.commit().map(|commit| commit.id)).collect()
}

pub(crate) fn word(kind: WordKind, text: &str) -> Word {
    Word { kind, text: text.to_owned() }
}

pub(crate) fn trace(repo: &mut Repo, word: &Word, anchor: Oid) -> Trace {
    let query = WordQuery { word, anchor: Anchor::Commit(anchor) };
    repo.trace(&[query], &mut go).unwrap().remove(0)
}

pub(crate) fn cite(
    repo: &mut Repo,
    citation: &staleness_core::knowledge::Citation,
    verified: Oid,
) -> Cite {
    let query = CitationQuery { citation, verified: Anchor::Commit(verified) };
    repo.cited(&[query], &mut go).unwrap().remove(0)
}

/// The moment of the n-th commit.
pub(crate) fn day(n: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + n * Timestamp::DAY)
}
