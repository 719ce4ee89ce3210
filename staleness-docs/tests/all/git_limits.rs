//! Repositories that would take all memory or time.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use staleness_core::knowledge::{Gap, Lines};
use staleness_core::time::Timestamp;
use staleness_docs::git::{
    DatingQuery, GitError, LazyRepo, Limits, ProcessLimits, Program, Repo, Unread, Watchdog,
};
use staleness_docs::project::ProjectPlace;
use staleness_docs::{CheckOptions, check};
use tempfile::TempDir;

use crate::git_repo::Git;

/// Writes an object as it is.
fn object(git: &Git, kind: &str, bytes: &[u8]) -> String {
    let mut command = Command::new("git");
    command.current_dir(&git.root).args(["hash-object", "-w", "-t", kind, "--stdin"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// Entries of a tree: the mode, the name and the id of each.
fn tree(git: &Git, entries: &[(&str, String, &str)]) -> String {
    let byte = |at: &str| u8::from_str_radix(at, 16).unwrap();
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend(format!("{mode} {name}\0").bytes());
        bytes.extend((0..id.len() / 2).map(|at| byte(&id[2 * at..2 * at + 2])));
    }
    object(git, "tree", &bytes)
}

/// A folder of ten entries that are all the same folder, ten levels deep: 100,000,000,000 paths.
fn bomb(git: &Git) -> String {
    let file = object(git, "blob", b"fn x() {}\n");
    let ten = |mode, id: &str| {
        let entries: Vec<_> = (0..10).map(|at| (mode, format!("f{at}"), id)).collect();
        tree(git, &entries)
    };
    (0..10).fold(ten("100644", &file), |below, _| ten("40000", &below))
}

/// A repository with a document, of which the second commit has a bomb, and perhaps a third has it no more.
fn bombed(in_head: bool) -> Git {
    let git = Git::new();
    git.save("a.md", "one\n");
    let document = git.run(&["rev-parse", "HEAD:a.md"]);
    let bomb = bomb(&git);
    let entries =
        [("100644", "a.md".to_owned(), document.as_str()), ("40000", "d".to_owned(), &bomb)];
    for root in
        [tree(&git, &entries), tree(&git, &entries[..1])].iter().take(2 - usize::from(in_head))
    {
        let commit = git.run(&["commit-tree", root, "-p", "HEAD", "-m", "x"]);
        git.run(&["update-ref", "HEAD", &commit]);
    }
    git
}

fn date(repo: &mut Repo) -> Result<(), GitError> {
    let blocks = [Lines { first: 1, last: 1 }];
    let query = DatingQuery { path: "a.md", text: b"one\n", blocks: &blocks };
    repo.date(&[query], &mut |_, _| Ok(())).map(drop)
}

fn open(git: &Git, limits: ProcessLimits) -> Repo {
    let program = Program::of_environment().unwrap().with_limits(limits);
    Repo::open(&program, &git.root, Limits::default()).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_history_that_takes_all_memory_is_cut_and_the_cut_is_told() {
    let git = bombed(false);
    let limits = ProcessLimits { memory: 32 * 1024 * 1024, ..ProcessLimits::default() };
    let mut repo = open(&git, limits);
    assert!(!repo.is_cut());
    date(&mut repo).unwrap();
    assert_eq!((repo.is_cut(), repo.unread()), (true, Unread::default()));
    // Other questions are answered.
    assert_eq!(repo.tracked().unwrap().iter().count(), 1);
}

#[test]
fn a_commit_of_ever_so_many_files_is_listed_up_to_a_bound() {
    let git = bombed(true);
    let repo = open(&git, ProcessLimits::default());
    let tracked = repo.tracked().unwrap();
    assert_eq!((tracked.iter().count(), tracked.cut), (1_000_000, true));
    assert!(tracked.holds("a.md") && tracked.holds("d/f0") && !tracked.holds("d/f"));
    assert_eq!(tracked.kind("d/f0/f0/f0/f0/f0/f0/f0/f0/f0/f0"), None, "a folder");
}

/// A program that is taken for git.
fn script(text: &str) -> (TempDir, Program) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("git");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let program = Program::find(folder.path().as_os_str()).unwrap();
    (folder, program)
}

#[test]
fn a_git_that_works_and_never_answers_is_ended() {
    let (folder, program) = script("while :; do :; done");
    let silence = Duration::from_millis(200);
    let program = program.with_limits(ProcessLimits { silence, ..ProcessLimits::default() });
    let git = Git::new();
    assert_eq!(Repo::open(&program, &git.root, Limits::default()).unwrap_err(), GitError::TooMuch);
    drop(folder);
}

#[test]
fn a_repository_that_git_cannot_open_is_told_as_a_gap() {
    let git = Git::new();
    git.save("a.md", "See [it](gone.md).\n");
    let place = ProjectPlace::of_folder(&git.root);
    let silence = Duration::from_millis(200);
    let limits = ProcessLimits { silence, ..ProcessLimits::default() };
    let with = |text: &str| {
        let (folder, program) = script(text);
        (Some(folder), Some(program.with_limits(limits)))
    };
    for ((folder, program), kind) in [
        (with("while :; do :; done"), Gap::Stopped),
        (with("echo 'fatal: detected dubious ownership' >&2; exit 128"), Gap::Untrusted),
        (with("echo 'fatal: bad object HEAD' >&2; exit 128"), Gap::Unreadable),
        ((None, None), Gap::NoGit),
    ] {
        let check = |place: &ProjectPlace| {
            let mut repo = LazyRepo::new(program.clone(), &place.folder, Limits::default());
            let options = CheckOptions::new(Timestamp::default());
            check(place, &mut repo, &options, &mut |_| ControlFlow::Continue(())).unwrap().blind
        };
        let blind = check(&place);
        let told: Vec<_> = blind.iter().map(|it| (it.kind, &*it.path)).collect();
        assert_eq!(told, [(kind, ".git")]);
        // There is no history to miss in a folder without a repository.
        let bare = tempfile::tempdir().unwrap();
        assert_eq!(check(&ProjectPlace::of_folder(bare.path())), []);
        drop(folder);
    }
}

#[test]
fn gits_that_are_waited_for_too_long_together_are_ended_and_nothing_more_is_asked() {
    let (folder, program) = script("while :; do :; done");
    let silence = Duration::from_millis(200);
    let limits = ProcessLimits { silence, wait: silence * 2, ..ProcessLimits::default() };
    let program = program.with_limits(limits);
    let git = Git::new();
    let mut ends = (0..3).map(|_| Repo::open(&program, &git.root, Limits::default()).unwrap_err());
    assert_eq!(ends.next(), Some(GitError::TooMuch));
    assert_eq!(ends.by_ref().last(), Some(GitError::NoAnswer));
    drop(folder);
}

#[test]
fn an_answer_that_never_ends_is_heard_up_to_a_bound() {
    let (folder, program) = script("while :; do echo true; done");
    let limits = ProcessLimits { answer_bytes: 4 * 1024 * 1024, ..ProcessLimits::default() };
    let git = Git::new();
    let opened = Repo::open(&program.with_limits(limits), &git.root, Limits::default());
    assert_eq!(opened.unwrap_err(), GitError::TooMuch);
    drop(folder);
}

#[test]
fn a_watchdog_that_ended_starts_no_git() {
    let git = Git::new();
    git.save("a.md", "one\n");
    let watchdog = Watchdog::default();
    let program = Program::of_environment().unwrap().with_watchdog(watchdog.clone());
    let mut repo = Repo::open(&program, &git.root, Limits::default()).unwrap();
    watchdog.end();
    assert!(watchdog.is_ended());
    assert_eq!(date(&mut repo).unwrap_err(), GitError::Cancelled);
    assert_eq!(repo.tracked().unwrap_err(), GitError::Cancelled);
}
