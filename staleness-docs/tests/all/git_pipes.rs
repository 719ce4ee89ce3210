//! Repositories in which git would wait for ever.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use staleness_core::knowledge::WordKind;
use staleness_docs::git::{GitError, Limits, ProcessLimits, Program, Repo};

use crate::git_repo::{Git, go, word};

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Opens it; a git that idles for so long is ended.
fn open(root: &Path, idle: Duration) -> Result<Repo, GitError> {
    let limits = ProcessLimits { idle, ..ProcessLimits::default() };
    let program = Program::of_environment().unwrap().with_limits(limits);
    Repo::open(&program, root, Limits::default())
}

fn refused(root: &Path) -> Result<Repo, GitError> {
    open(root, Duration::from_secs(3_600))
}

/// The loose object of a revision.
fn object(git: &Git, revision: &str) -> std::path::PathBuf {
    let id = git.run(&["rev-parse", revision]);
    git.root.join(".git/objects").join(&id[..2]).join(&id[2..])
}

#[test]
fn a_repository_of_pipes_is_refused_before_git_waits_for_them() {
    let is_refused = |git: &Git, path: &Path| {
        pipe(path);
        let GitError::Failed(why) = refused(&git.root).unwrap_err() else { panic!("{path:?}") };
        assert!(why.ends_with("of git is not a file"), "{why}");
    };
    for name in [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "refs/heads/main",
        "objects/info/alternates",
        "objects/info/commit-graphs/graph-x.graph",
        "objects/pack/pack-x.idx",
    ] {
        let git = Git::new();
        git.save("a.md", "x\n");
        is_refused(&git, &git.root.join(".git").join(name));
    }
    let git = Git::new();
    git.save("a.md", "x\n");
    git.write(".git/refs/heads/main", "ref: refs/heads/other\n");
    is_refused(&git, &git.root.join(".git/refs/heads/other"));
    let git = Git::new();
    git.save("a.md", "x\n");
    is_refused(&git, &object(&git, "HEAD"));
    // Folders of objects may name others, which may name others.
    let git = Git::new();
    git.save("a.md", "x\n");
    git.write(".git/objects/info/alternates", "../../one\n");
    git.write("one/info/alternates", "# another one\n../two\n../two\n");
    is_refused(&git, &git.root.join("two/info/alternates"));
    fs::remove_file(git.root.join("two/info/alternates")).unwrap();
    assert!(refused(&git.root).is_ok());
    is_refused(&git, &git.root.join("two/pack/pack-x.pack"));

    let folder = tempfile::tempdir().unwrap();
    pipe(&folder.path().join("HEAD"));
    assert!(matches!(refused(folder.path()), Err(GitError::Failed(_))));
    fs::remove_file(folder.path().join("HEAD")).unwrap();
    pipe(&folder.path().join(".git"));
    assert!(matches!(refused(folder.path()), Err(GitError::Failed(_))));
}

#[test]
fn a_git_that_waits_for_ever_is_ended_and_nothing_more_is_asked_of_it() {
    let soon = Duration::from_millis(500);
    // Before anything is answered.
    let git = Git::new();
    git.save("a.md", "x\n");
    git.run(&["config", "include.path", "more"]);
    pipe(&git.root.join(".git/more"));
    assert_eq!(open(&git.root, soon).unwrap_err(), GitError::NoAnswer);
    // In the middle of a conversation.
    let git = Git::new();
    git.save("a.rs", "one\n");
    let mut repo = open(&git.root, soon).unwrap();
    pipe(&object(&git, "HEAD:a.rs"));
    let one = word(WordKind::Identifier, "one");
    let missing = repo.missing(&[one], &mut go);
    assert_eq!(missing.unwrap_err(), GitError::NoAnswer);
    assert_eq!(repo.tracked().unwrap_err(), GitError::NoAnswer);
}
