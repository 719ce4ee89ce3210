//! Dating of lines: the commit that edited each of them last.

use std::fmt::Write as _;

use proptest::prelude::*;
use staleness_core::knowledge::Lines;
use staleness_docs::git::{
    Anchor, Dated, DatingQuery, LifeQuery, Limits, Program, Repo, text_digest,
};

use crate::git_repo::{Git, dates, day, go, ids, open};

#[test]
fn a_line_belongs_to_the_commit_that_changed_it_last() {
    let git = Git::new();
    let first = git.save("a.md", "one\ntwo\nthree\n");
    let second = git.save("a.md", "one\nTWO\nthree\nfour\n");
    git.save("other.rs", "x");
    git.write("a.md", "zero\none\nTWO\nthree\nfour now\n");
    let dates = git.dates("a.md");
    assert_eq!(ids(&dates), [None, Some(first), Some(second), Some(first), None]);
    assert_eq!(dates[0], Dated::Uncommitted);
    assert_eq!(dates[1].commit().unwrap().at, day(1));
}

#[test]
fn a_block_belongs_to_the_newest_of_its_lines_and_empty_lines_to_nobody() {
    let git = Git::new();
    let first = git.save("a.md", "one\ntwo\nthree\n");
    let second = git.save("a.md", "one\n\ntwo\nTHREE\n");
    let blocks =
        [Lines { first: 1, last: 3 }, Lines { first: 3, last: 4 }, Lines { first: 9, last: 9 }];
    let query = DatingQuery { path: "a.md", text: b"one\n\ntwo\nTHREE\n", blocks: &blocks };
    let dates = git.open().date(&[query], &mut go).unwrap().remove(0);
    assert_eq!(ids(&dates), [Some(first), Some(second), None]);
    assert_eq!(dates[2], Dated::Unknown);
}

#[test]
fn line_ends_and_white_space_after_a_line_are_no_edit() {
    let git = Git::new();
    let first = git.save("a.md", "one\ntwo\n");
    git.save("a.md", "one\r\ntwo  \r\n");
    git.write("a.md", "one\ntwo");
    assert_eq!(ids(&git.dates("a.md")), [Some(first); 2]);
}

#[test]
fn a_merge_counts_as_one_commit_of_the_branch_it_was_merged_into() {
    let git = Git::new();
    let first = git.save("a.md", "one\ntwo\nthree\n");
    git.run(&["checkout", "-q", "-b", "side"]);
    git.save("a.md", "one\ntwo\nTHREE\n");
    git.run(&["checkout", "-q", "main"]);
    let second = git.save("a.md", "ONE\ntwo\nthree\n");
    git.run(&["merge", "-q", "--no-ff", "-m", "m", "side"]);
    let merge = git.id("HEAD");
    assert_eq!(ids(&git.dates("a.md")), [Some(second), Some(first), Some(merge)]);
}

#[test]
fn a_document_is_followed_through_its_renames() {
    let git = Git::new();
    let text: String = (0..20).map(|n| format!("line {n}\n")).collect();
    let first = git.save("old.md", &text);
    git.run(&["mv", "old.md", "middle.md"]);
    git.commit();
    git.remove("middle.md");
    let third = git.save("docs/new.md", text.replace("line 3\n", "line three\n"));
    let dates = ids(&git.dates("docs/new.md"));
    assert_eq!((dates[0], dates[3]), (Some(first), Some(third)));
}

#[test]
fn what_was_deleted_and_added_again_is_as_old_as_its_return() {
    let git = Git::new();
    git.save("a.md", "one\n");
    git.remove("a.md");
    git.commit();
    let third = git.save("a.md", "one\n");
    assert_eq!(ids(&git.dates("a.md")), [Some(third)]);
}

#[test]
fn a_shallow_clone_dates_by_its_oldest_commit() {
    let git = Git::new();
    git.save("a.md", "one\n");
    let second = git.save("a.md", "one\ntwo\n");
    let third = git.save("a.md", "one\ntwo\nthree\n");
    let url = format!("file://{}", git.root.display());
    let clone = git.beside("shallow");
    clone.run(&["clone", "-q", "--depth", "2", &url, "shallow"]);
    let mut repo = clone.open();
    assert!(repo.is_shallow());
    let dates = dates(&mut repo, &clone.root, "a.md");
    assert_eq!(ids(&dates), [Some(second), Some(second), Some(third)]);
}

#[test]
fn a_history_that_is_cut_off_dates_by_its_oldest_commit() {
    let git = Git::new();
    git.save("a.md", "one\n");
    let second = git.save("b.md", "one\n");
    let third = git.save("c.md", "one\n");
    let limits = Limits { commits: 2, ..Limits::default() };
    let mut repo = Repo::open(&Program::of_environment().unwrap(), &git.root, limits).unwrap();
    assert_eq!(ids(&dates(&mut repo, &git.root, "a.md")), [Some(second)]);
    assert_eq!(ids(&dates(&mut repo, &git.root, "c.md")), [Some(third)]);
}

#[test]
fn a_file_with_more_versions_than_there_is_room_for_is_known_from_the_last_that_is_kept() {
    let git = Git::new();
    let only = git.save("one.md", "one\n");
    let mut text = String::new();
    let commits: Vec<_> = (0..20)
        .map(|at| {
            writeln!(text, "line {at}").unwrap();
            git.save("a.md", &text)
        })
        .collect();
    let limits = Limits { versions: 0, ..Limits::default() };
    let mut repo = Repo::open(&Program::of_environment().unwrap(), &git.root, limits).unwrap();
    let found = dates(&mut repo, &git.root, "a.md");
    let last = commits[20 - 16];
    assert_eq!(ids(&found[..4]), [Some(last); 4]);
    assert_eq!(ids(&found[4..]), commits[4..].iter().map(|id| Some(*id)).collect::<Vec<_>>());
    // Whatever others take up.
    assert_eq!(ids(&dates(&mut repo, &git.root, "one.md")), [Some(only)]);
    let queries = [("a.md", &*text), ("one.md", "one\n")]
        .map(|(path, text)| LifeQuery { path, text: text_digest(text.as_bytes()) });
    let lives = repo.lives(&queries, &mut go).unwrap();
    assert_eq!([0, 1].map(|at| lives[at].unwrap().first.id), [last, only]);
}

#[test]
fn the_commit_of_a_moment_is_the_latest_before_it() {
    let git = Git::new();
    let first = git.save("a.md", "one\n");
    let second = git.save("a.md", "two\n");
    let mut repo = git.open();
    assert_eq!(repo.head().id, second);
    assert_eq!(repo.commit_at(day(0)).unwrap(), None);
    assert_eq!(repo.commit_at(day(1)).unwrap().unwrap().id, first);
    assert_eq!(repo.commit_at(day(9)).unwrap().unwrap().id, second);
    let _ = Anchor::At(day(1));
}

#[test]
fn odd_names_are_names() {
    let git = Git::new();
    let names =
        ["a b.md", "quo\"te.md", "-rf.md", "\u{e9}t\u{e9}.md", "new\nline.md", "*.md", ":(top).md"];
    for name in names {
        git.write(name, "one\n");
    }
    let first = git.commit();
    for name in names {
        git.write(name, "one\ntwo\n");
    }
    let second = git.commit();
    let mut repo = git.open();
    for name in names {
        assert!(repo.tracked().unwrap().holds(name), "{name}");
        assert_eq!(ids(&dates(&mut repo, &git.root, name)), [Some(first), Some(second)], "{name}");
    }
}

#[test]
fn a_project_may_be_a_folder_of_a_repository() {
    let git = Git::new();
    git.save("README.md", "not ours\n");
    let second = git.save("sub dir/p/README.md", "ours\n");
    git.save("README.md", "not ours at all\n");
    let root = git.root.join("sub dir/p");
    let mut repo = open(&root).unwrap();
    let tracked = repo.tracked().unwrap();
    assert_eq!(tracked.iter().map(|(path, _)| path).collect::<Vec<_>>(), ["README.md"]);
    assert_eq!(ids(&dates(&mut repo, &root, "README.md")), [Some(second)]);
}

#[test]
fn linked_work_trees_and_submodules_are_projects_with_a_past() {
    let git = Git::new();
    let first = git.save("a.md", "one\n");
    let tree = git.beside("tree");
    git.run(&["worktree", "add", "-q", "--detach", "../tree"]);
    assert_eq!(ids(&tree.dates("a.md")), [Some(first)]);
    let outer = git.beside("outer");
    std::fs::create_dir(&outer.root).unwrap();
    outer.run(&["init", "-q", "-b", "main"]);
    let url = format!("file://{}", git.root.display());
    outer.run(&["submodule", "add", "-q", &url, "inner"]);
    outer.commit();
    let mut repo = open(&outer.root.join("inner")).unwrap();
    assert_eq!(ids(&dates(&mut repo, &outer.root.join("inner"), "a.md")), [Some(first)]);
    let repo = outer.open();
    let tracked = repo.tracked().unwrap();
    assert_eq!(tracked.kind("inner"), Some(staleness_docs::git::TrackedKind::Submodule));
}

/// One step of a random life: replace, insert or delete at a place.
#[derive(Clone, Debug)]
enum Edit {
    Replace(usize),
    Insert(usize),
    Delete(usize),
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let edit = prop_oneof![
        any::<usize>().prop_map(Edit::Replace),
        any::<usize>().prop_map(Edit::Insert),
        any::<usize>().prop_map(Edit::Delete),
    ];
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// With lines that are all different there is one answer, and the model knows it.
    #[test]
    fn lines_are_dated_as_they_were_made(life in edits()) {
        let git = Git::new();
        let mut lines: Vec<(String, usize)> = (0..8).map(|n| (format!("start {n}"), 0)).collect();
        let mut commits = vec![git.save("a.md", text(&lines))];
        for (round, edits) in life.iter().enumerate() {
            for (n, edit) in edits.iter().enumerate() {
                let line = (format!("round {round} edit {n}"), commits.len());
                let count = lines.len();
                match edit {
                    Edit::Replace(at) if count > 0 => lines[at % count] = line,
                    Edit::Delete(at) if count > 1 => drop(lines.remove(at % count)),
                    Edit::Insert(at) => lines.insert(at % (count + 1), line),
                    _ => {}
                }
            }
            commits.push(git.save("a.md", text(&lines)));
        }
        let expected: Vec<_> = lines.iter().map(|(_, at)| Some(commits[*at])).collect();
        prop_assert_eq!(ids(&git.dates("a.md")), expected);
        let blame = git.run(&["blame", "--first-parent", "--root", "-s", "-l", "a.md"]);
        let blamed: Vec<_> = blame.lines().map(|line| line[..40].to_owned()).collect();
        let dated: Vec<_> = ids(&git.dates("a.md")).iter().map(|id| id.unwrap().to_string()).collect();
        prop_assert_eq!(dated, blamed);
    }
}

fn text(lines: &[(String, usize)]) -> String {
    lines.iter().map(|(line, _)| format!("{line}\n")).collect()
}
