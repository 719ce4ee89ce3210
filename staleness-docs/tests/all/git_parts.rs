//! Parts of files through their history, with a reader of lines `name=what it says`.

use staleness_docs::git::{Limits, Part, PartFate, PartQuery, Program, Repo, Unread};

use crate::git_repo::{Git, go};

fn read(text: &[u8]) -> Vec<Part> {
    let text = String::from_utf8_lossy(text);
    let part = |line: &str| {
        let (name, says) = line.split_once('=')?;
        let digest = says.parse().ok();
        Some(Part { name: name.to_owned(), digest })
    };
    text.lines().filter_map(part).collect()
}

fn ask(repo: &mut Repo, path: &str, names: &[&str]) -> Vec<PartFate> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let query = PartQuery { path, names: &names, read: &read };
    repo.parts(&[query], &mut go).unwrap().remove(0)
}

/// Returns the fates in short: `gone COMMIT -> NEW NAME`.
fn told(git: &Git, path: &str, names: &[&str]) -> Vec<String> {
    let short = |fate| match fate {
        PartFate::Gone { commit, renamed_to } => {
            let to = renamed_to.map_or_else(String::new, |to| format!(" -> {to}"));
            format!("gone {}{to}", commit.id)
        }
        fate => format!("{fate:?}"),
    };
    ask(&mut git.open(), path, names).into_iter().map(short).collect()
}

#[test]
fn a_part_holds_is_gone_or_never_was() {
    let git = Git::new();
    git.save("a", "kept=1\nold=2\nback=3\n");
    let second = git.save("a", "kept=1\n");
    git.save("a", "kept=1\nback=3\n");
    git.save("a", "kept=5\nback=3\n");
    let gone = format!("gone {second}");
    let names = ["kept", "old", "back", "never", "old"];
    assert_eq!(told(&git, "a", &names), ["Holds", &gone, "Holds", "NeverThere", &gone]);
    assert_eq!(told(&git, "none", &["old"]), ["NeverThere"]);
}

#[test]
fn what_one_new_part_says_alone_is_its_new_name() {
    for (versions, expected) in [
        (&["old=1", "new=1"][..], " -> new"),
        (&["old=1", "new=1", "newer=1"], " -> newer"),
        (&["old=1", "new=2"], ""),
        (&["old=1", "new=1\nother=1"], ""),
        (&["old=1\ntwin=1", "new=1"], ""),
        (&["old=1\nkept=1", "kept=1"], ""),
        (&["old=no digest", "new=no digest"], ""),
        (&["old=1", "new=1", "more=2"], ""),
    ] {
        let git = Git::new();
        let commits: Vec<_> = versions.iter().map(|text| git.save("a", text)).collect();
        assert_eq!(told(&git, "a", &["old"]), [format!("gone {}{expected}", commits[1])]);
    }
}

#[test]
fn a_file_is_followed_past_its_renames_and_its_end() {
    let git = Git::new();
    let text: String = (0..50).map(|at| format!("part{at}={at}\n")).collect();
    git.save("dir/a", format!("{text}old=99\n"));
    let second = git.save("dir/a", &text);
    git.run(&["mv", "dir/a", "b"]);
    git.commit();
    git.save("dir/a", "other=1\n");
    git.save("b", format!("{text}more=7\n"));
    let gone = format!("gone {second}");
    assert_eq!(told(&git, "b", &["old", "more", "other"]), [&gone, "Holds", "NeverThere"]);
    git.remove("b");
    let last = git.commit();
    assert_eq!(told(&git, "b", &["more", "old"]), [format!("gone {last}"), gone]);
}

#[test]
fn what_is_not_read_is_unknown() {
    let git = Git::new();
    git.save("a", "old=1\n");
    git.save("a", "kept=1\n");
    let limits = |compared_bytes, document_bytes| Limits {
        compared_bytes,
        document_bytes,
        ..Limits::default()
    };
    for (limits, is_cut) in [(limits(1, 1 << 20), true), (limits(1 << 20, 1), false)] {
        let mut repo = Repo::open(&Program::of_environment().unwrap(), &git.root, limits).unwrap();
        assert_eq!(ask(&mut repo, "a", &["kept", "old"]), [PartFate::Holds, PartFate::Unknown]);
        assert_eq!((repo.is_cut(), repo.unread()), (is_cut, Unread::default()));
    }
    let clone = git.beside("clone");
    git.run(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &format!("file://{}", git.root.display()),
        "../clone",
    ]);
    assert_eq!(told(&clone, "a", &["kept", "old"]), ["Holds", "Unknown"]);
}
