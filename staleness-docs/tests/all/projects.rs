use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use staleness_docs::project::{ProjectPlace, discover};
use tempfile::TempDir;

use crate::project::write;

struct Repos {
    _temp: TempDir,
    base: PathBuf,
}

impl Repos {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        write(&base.join("main/.git/HEAD"), b"ref: refs/heads/main\n");
        write(&base.join("main/src/lib.rs"), b"");
        Self { _temp: temp, base }
    }

    /// A linked work tree as git makes it.
    fn link(&self, name: &str) -> PathBuf {
        let folder = self.base.join(name);
        let gitdir = self.base.join("main/.git/worktrees").join(name);
        write(&folder.join(".git"), format!("gitdir: {}\n", gitdir.display()).as_bytes());
        write(&gitdir.join("commondir"), b"../..\n");
        write(&gitdir.join("gitdir"), format!("{}\n", folder.join(".git").display()).as_bytes());
        folder
    }
}

#[track_caller]
fn is_its_own(folder: &Path) {
    let expected = ProjectPlace::of_folder(folder.canonicalize().unwrap());
    assert_eq!(discover(folder, true), expected);
}

#[test]
fn the_nearest_git_root_is_the_project() {
    let repos = Repos::new();
    let place = discover(&repos.base.join("main/src"), true);
    assert_eq!(place, ProjectPlace::of_folder(repos.base.join("main")));
    assert_eq!(place.id(), place.project_ref().id);
}

#[test]
fn without_git_the_folder_is_the_project() {
    let temp = tempfile::tempdir().unwrap();
    is_its_own(temp.path());
    let gone = Path::new("/nonexistent/folder");
    assert_eq!(discover(gone, true), ProjectPlace::of_folder(gone));
}

#[test]
fn linked_work_trees_share_an_identity() {
    let repos = Repos::new();
    let folder = repos.link("feature");
    fs::create_dir(folder.join("src")).unwrap();
    let place = discover(&folder.join("src"), true);
    assert_eq!(place.folder, folder);
    assert_eq!(place.root, repos.base.join("main"));
    assert_eq!(place.id(), discover(&repos.base.join("main"), true).id());
    assert_eq!(discover(&folder, false), ProjectPlace::of_folder(folder));
}

#[test]
fn work_trees_of_a_bare_repository_share_an_identity() {
    let repos = Repos::new();
    let bare = repos.base.join("bare.git");
    for name in ["a", "b"] {
        let folder = repos.base.join(name);
        let gitdir = bare.join("worktrees").join(name);
        write(&gitdir.join("commondir"), b"../..\n");
        write(&folder.join(".git"), format!("gitdir: {}", gitdir.display()).as_bytes());
    }
    let (a, b) = (discover(&repos.base.join("a"), true), discover(&repos.base.join("b"), true));
    assert_eq!(a.root, bare);
    assert_eq!(a.id(), b.id());
    assert_ne!(a.folder, b.folder);
}

#[test]
fn a_submodule_is_a_project_of_its_own() {
    let repos = Repos::new();
    write(&repos.base.join("main/.git/modules/sub/HEAD"), b"x");
    let sub = repos.base.join("main/sub");
    write(&sub.join(".git"), b"gitdir: ../.git/modules/sub\n");
    is_its_own(&sub);
}

#[test]
fn a_folder_cannot_claim_to_be_another_project() {
    let repos = Repos::new();
    let feature = repos.link("feature");
    let hostile = repos.base.join("hostile");
    let pointer = fs::read_to_string(feature.join(".git")).unwrap();
    // The work tree that git knows is another one.
    write(&hostile.join(".git"), pointer.as_bytes());
    is_its_own(&hostile);
    // The registration is a fake.
    write(&hostile.join("fake/worktrees/x/commondir"), b"../../../../main/.git");
    write(&hostile.join(".git"), b"gitdir: fake/worktrees/x");
    is_its_own(&hostile);
}

#[test]
fn malformed_git_files_make_the_folder_the_project() {
    let repos = Repos::new();
    let folder = repos.base.join("odd");
    for bytes in [
        &b""[..],
        b"gitdir:",
        b"gitdir: /nonexistent",
        b"gitdir: .",
        b"gitdir: .git",
        b"nonsense",
        b"\xff\xfe",
        b"gitdir: a\nb",
        b"gitdir: \0",
        &[b'x'; 100_000],
    ] {
        write(&folder.join(".git"), bytes);
        is_its_own(&folder);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_in_the_files_of_git_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let temp = tempfile::tempdir().unwrap();
        write(&temp.path().join(".git"), &bytes);
        let _ = discover(temp.path(), true);
        write(&temp.path().join("w/.git"), b"gitdir: ../common/worktrees/w");
        write(&temp.path().join("common/worktrees/w/commondir"), &bytes);
        write(&temp.path().join("common/worktrees/w/gitdir"), &bytes);
        let _ = discover(&temp.path().join("w"), true);
    }
}
