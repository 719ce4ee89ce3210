//! A commit that no branch has tells the same as one of the list with the same files.

use std::fs;

use proptest::prelude::*;
use staleness_core::knowledge::{Citation, Lines, WordKind};
use staleness_docs::git::{Anchor, CitationQuery, Oid, Trace, Word, WordQuery};

use crate::git_repo::{Git, dates, go, word};

/// Files of a history, and a submodule that may stand where a folder is.
const FILES: [&str; 7] =
    ["src/a.rs", "src/b.rs", "src/deep/c.rs", "tools/a.rs", "notes.md", "x", SUBMODULE];
const SUBMODULE: &str = "tools";
const NAMES: [&str; 4] = ["alpha_one", "beta_two", "gamma_three", "delta_four"];

fn words() -> Vec<Word> {
    let names = NAMES.map(|name| word(WordKind::Identifier, name));
    let paths = [
        "src/a.rs",
        "a.rs",
        "src/deep/",
        "deep/c.rs",
        "./tools/a.rs",
        "tools/",
        "tools/inner/d.rs",
        "x",
        "x/",
    ];
    let flags = ["--alpha-one", "--never-there"].map(|flag| word(WordKind::Flag, flag));
    let paths = paths.map(|path| word(WordKind::Path, path));
    names.into_iter().chain(paths).chain(flags).collect()
}

/// One commit: which files hold which names; none for one that goes.
type Edit = Vec<(usize, Option<Vec<usize>>)>;

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let names = prop::option::weighted(0.7, prop::collection::vec(0..NAMES.len(), 0..3));
    let edit = prop::collection::vec((0..FILES.len(), names), 1..4);
    prop::collection::vec(edit, 3..9)
}

fn text(names: &[usize]) -> String {
    names.iter().map(|name| format!("fn {}() {{}}\n// alpha-one\n", NAMES[*name])).collect()
}

/// Adds the removals that an edit needs first: a submodule and files of its name cannot be side by side.
fn whole(edit: &Edit) -> Edit {
    let in_the_way = |path: &str| match path {
        "tools/a.rs" => Some(SUBMODULE),
        SUBMODULE => Some("tools/a.rs"),
        _ => None,
    };
    let mut whole = Edit::new();
    for (file, names) in edit {
        let other = in_the_way(FILES[*file]).filter(|_| names.is_some());
        let other = other.and_then(|path| FILES.iter().position(|file| *file == path));
        whole.extend(other.map(|other| (other, None)));
        whole.push((*file, names.clone()));
    }
    whole
}

/// A history of these edits, its commits, and for each another one with the same files and time.
fn history(edits: &[Edit]) -> (Git, Vec<Oid>, Vec<Oid>) {
    let git = Git::new();
    git.write("doc.md", "one\n");
    let twin = || {
        let id = git.run(&["commit-tree", "HEAD^{tree}", "-m", "twin"]);
        Oid::from_hex(id.as_bytes()).unwrap()
    };
    let (mut commits, mut twins) = (vec![git.commit()], vec![twin()]);
    for edit in edits {
        for (file, names) in edit {
            let path = git.root.join(FILES[*file]);
            match names {
                Some(names) if FILES[*file] == SUBMODULE => {
                    // One that nobody fetched is an empty folder.
                    fs::create_dir_all(&path).unwrap();
                    let version = commits[names.len() % commits.len()];
                    let entry = format!("160000,{version},{SUBMODULE}");
                    git.run(&["update-index", "--add", "--replace", "--cacheinfo", &entry]);
                }
                None if FILES[*file] == SUBMODULE => {
                    git.run(&["update-index", "--force-remove", SUBMODULE]);
                }
                Some(names) => git.write(FILES[*file], text(names)),
                None if path.is_file() => git.remove(FILES[*file]),
                None => {}
            }
        }
        commits.push(git.commit());
        twins.push(twin());
    }
    (git, commits, twins)
}

/// Asks of every commit, and of its twin, what became of all that there may be.
fn compare(edits: &[Edit]) -> Result<(), TestCaseError> {
    let edits: Vec<Edit> = edits.iter().map(whole).collect();
    let (git, commits, twins) = history(&edits);
    let words = words();
    let paths = FILES.into_iter().chain(["tools/inner/d.rs"]);
    let citations: Vec<Citation> = paths
        .map(|path| Citation {
            path: path.to_owned(),
            lines: path.ends_with(".rs").then_some(Lines { first: 1, last: 1 }),
            symbol: None,
            digest: None,
        })
        .collect();
    let ask = |commits: &[Oid]| {
        let anchors = || commits.iter().map(|commit| Anchor::Commit(*commit));
        let queries: Vec<WordQuery<'_>> = anchors()
            .flat_map(|anchor| words.iter().map(move |word| WordQuery { word, anchor }))
            .collect();
        let of =
            |verified| citations.iter().map(move |citation| CitationQuery { citation, verified });
        let cites: Vec<CitationQuery<'_>> = anchors().flat_map(of).collect();
        let mut repo = git.open();
        // The document is dated, so all changes are listed.
        dates(&mut repo, &git.root, "doc.md");
        (repo.trace(&queries, &mut go).unwrap(), repo.cited(&cites, &mut go).unwrap())
    };
    let (listed, aside) = (ask(&commits), ask(&twins));
    prop_assert!(listed.0.iter().any(|it| *it != Trace::Here));
    prop_assert_eq!(listed, aside);
    Ok(())
}

#[test]
fn what_was_removed_twice_has_one_answer() {
    let there = vec![(2, Some(vec![]))];
    let gone = vec![(2, None)];
    compare(&[there.clone(), vec![], gone.clone(), there, gone]).unwrap();
}

#[test]
fn a_submodule_comes_and_goes_where_a_folder_is() {
    let folder = vec![(3, Some(vec![0]))];
    let submodule = |version: usize| vec![(6, Some(vec![0; version]))];
    let gone = vec![(6, None), (3, None)];
    let edits = [&folder, &submodule(1), &submodule(2), &folder, &gone, &submodule(0), &gone];
    compare(&edits.map(Clone::clone)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn words_and_citations_have_the_same_answers(edits in edits()) {
        compare(&edits)?;
    }
}
