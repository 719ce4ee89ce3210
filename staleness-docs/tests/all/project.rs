//! A project with a history, in a temporary folder.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use staleness_core::knowledge::{Document, Fact};
use staleness_core::time::Timestamp;
use staleness_docs::git::{LazyRepo, Limits, Program};
use staleness_docs::project::ProjectPlace;
use staleness_docs::{CheckOptions, Report, check};
use tempfile::TempDir;

pub(crate) struct Project {
    _temp: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) place: ProjectPlace,
    commits: u32,
    program: Program,
}

pub(crate) fn now() -> Timestamp {
    "2026-10-01T00:00:00Z".parse().unwrap()
}

fn program() -> Program {
    Program::of_environment().expect("git is installed")
}

impl Project {
    /// A project without git.
    pub(crate) fn bare() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let home = base.join("home");
        let folder = base.join("work/project");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("README.md"), "x").unwrap();
        let place = ProjectPlace::of_folder(folder);
        Self { _temp: temp, home, place, commits: 0, program: program() }
    }

    /// A project with an empty repository.
    pub(crate) fn new() -> Self {
        let project = Self::bare();
        project.git(&["init", "--quiet"]);
        project
    }

    /// A project with a commit of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut project = Self::new();
        project.commit_files(files);
        project
    }

    /// Writes these files and commits everything. Gives the commit's id.
    pub(crate) fn commit_files(&mut self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            self.write(path, text);
        }
        self.commit()
    }

    /// Runs git, and gives what it says.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let day = format!("2026-01-{:02}T00:00:00Z", self.commits + 1);
        let output = Command::new("git")
            .current_dir(&self.place.folder)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", &day)
            .env("GIT_COMMITTER_DATE", &day)
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.place.folder.join(path), text.as_ref())
    }

    /// Writes a file of the user.
    pub(crate) fn user(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.home.join(path), text.as_ref())
    }

    /// The project's path as text.
    pub(crate) fn folder(&self) -> &str {
        self.place.folder.to_str().unwrap()
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.place.folder.join(path)).unwrap();
    }

    /// Commits everything, a day after the last time; the first is of 2026-01-01. Gives its id.
    pub(crate) fn commit(&mut self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
        self.commits += 1;
        self.git(&["rev-parse", "HEAD"])
    }

    /// The program that asks.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn check(&self) -> Report {
        self.check_with(|_| {})
    }

    /// Its repository; without `git` there is none.
    pub(crate) fn repo(&self, git: bool) -> LazyRepo {
        let program = git.then(|| self.program.clone());
        LazyRepo::new(program, &self.place.folder, Limits::default())
    }

    pub(crate) fn check_with<'a>(&'a self, change: impl FnOnce(&mut CheckOptions<'a>)) -> Report {
        self.check_in(true, change)
    }

    pub(crate) fn check_in<'a>(
        &'a self,
        git: bool,
        change: impl FnOnce(&mut CheckOptions<'a>),
    ) -> Report {
        let mut options = CheckOptions::new(now());
        options.home = Some(&self.home);
        change(&mut options);
        let place = &self.place;
        check(place, &mut self.repo(git), &options, &mut |_| ControlFlow::Continue(())).unwrap()
    }
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
    path.to_path_buf()
}

/// A report with what is new alone, where it tells that.
pub(crate) fn only_new(mut report: Report) -> Report {
    report.documents = report.new_since.take().expect("what is new is known");
    report
}

/// Sets when a file was written.
pub(crate) fn touch(path: &Path, at: &str) {
    let millis = u64::try_from(at.parse::<Timestamp>().unwrap().as_millis()).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_millis(millis)).unwrap();
}

/// The facts about one document, without temporal words.
pub(crate) fn facts(report: &Report, path: &str) -> Vec<Fact> {
    let of = report.documents.iter().filter(|document| document.key.path == path);
    of.flat_map(|document| &document.found)
        .flat_map(|block| &block.evidence)
        .map(|evidence| evidence.fact.clone())
        .filter(|fact| !matches!(fact, Fact::TemporalMarker { .. }))
        .collect()
}

/// Returns the findings in one document, without temporal words: `LINE:COLUMN WHAT`.
pub(crate) fn found(report: &Report, path: &str) -> Vec<String> {
    let facts = |document: &Document| {
        let blocks = document.found.clone().into_iter();
        let all = blocks.flat_map(|block| block.evidence).filter_map(|evidence| {
            let what = match evidence.fact {
                Fact::TemporalMarker { .. } => return None,
                Fact::ReferenceDrift { word, renamed_to, .. } => {
                    format!("drift {word}{}{}", arrow(renamed_to), near(&evidence.near))
                }
                Fact::SourceMissing { citation, gone, renamed_to, .. } => {
                    format!(
                        "missing {gone:?} {citation}{}{}",
                        arrow(renamed_to),
                        near(&evidence.near)
                    )
                }
                Fact::SourceChanged { citation, .. } => format!("changed {citation}"),
                Fact::BrokenLink { citation, .. } => {
                    format!("broken {citation}{}", near(&evidence.near))
                }
                fact => fact.kind().as_str().to_owned(),
            };
            Some(format!("{}:{} {what}", evidence.line.unwrap(), evidence.column.unwrap()))
        });
        all.collect::<Vec<_>>()
    };
    report.documents.iter().find(|document| document.key.path == path).map_or_else(Vec::new, facts)
}

fn arrow(to: Option<String>) -> String {
    to.map_or_else(String::new, |to| format!(" -> {to}"))
}

fn near(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!(" ~ {name}"))
}

/// The paths of the documents that were checked.
pub(crate) fn paths(report: &Report) -> Vec<&str> {
    report.documents.iter().map(|document| &*document.key.path).collect()
}

#[test]
fn documents_in_many_lots_are_told_of_as_in_one() {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_name() {}\nfn other_name() {}\n");
    let text =
        |at: usize| format!("Call `old_name()` {at}.\n\nOr `other_name()`, [x](src/a.rs#L1).\n");
    (0..5).for_each(|at| drop(project.write(&format!("docs/{at}.md"), text(at))));
    project.commit();
    project.write("src/a.rs", "\n");
    project.write("docs/4.md", text(4) + "\nAnd more.\n");
    project.commit();
    let whole = project.check().documents;
    assert_eq!(whole.iter().map(|document| document.found.len()).sum::<usize>(), 10);
    for held_bytes in [0, 1_000] {
        let lots = project.check_with(|options| options.held_bytes = held_bytes).documents;
        assert_eq!(lots, whole, "{held_bytes}");
    }
}
