//! The list of changes and the trees of commits tell the same.

use std::fs;

use proptest::prelude::*;
use staleness_core::knowledge::{Citation, Cited, Lines, WordKind};
use staleness_docs::git::{Anchor, CitationQuery, Cite, Oid, Trace, Word, WordQuery};

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

/// A history of these edits, and its commits.
fn history(edits: &[Edit]) -> (Git, Vec<Oid>) {
    let git = Git::new();
    git.write("doc.md", "one\n");
    let mut commits = vec![git.commit()];
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
    }
    (git, commits)
}

/// The commits that removed a file, oldest first.
fn removals(edits: &[Edit], commits: &[Oid], path: &str) -> Vec<Oid> {
    let mut was_there = false;
    let after = edits.iter().zip(&commits[1..]).filter_map(|(edit, commit)| {
        let last = edit.iter().rev().find(|(file, _)| FILES[*file] == path);
        let is_there = last.map_or(was_there, |(_, names)| names.is_some());
        let removed = was_there && !is_there;
        was_there = is_there;
        removed.then_some(*commit)
    });
    after.collect()
}

/// The commits that touched the place where a submodule may be.
fn touching(edits: &[Edit], commits: &[Oid]) -> Vec<Oid> {
    let touches = |edit: &Edit| edit.iter().any(|(file, _)| FILES[*file].starts_with(SUBMODULE));
    let pairs = edits.iter().zip(&commits[1..]);
    pairs.filter(|(edit, _)| touches(edit)).map(|(_, commit)| *commit).collect()
}

/// Checks what the list of changes and the trees say of one citation. A file that came back may have
/// been removed more than once: the list names the last removal, halving some removal. What a submodule
/// takes the place of is removed by it too, and comes back with it: there, any change may be named.
fn agree(
    changes: &Cite,
    trees: &Cite,
    path: &str,
    edits: &[Edit],
    commits: &[Oid],
) -> Result<(), TestCaseError> {
    let removal = |cite: &Cite| match cite {
        Cite::Missing { gone: Cited::Path, commit, .. } => commit.map(|commit| commit.id),
        _ => None,
    };
    match (removal(changes), removal(trees)) {
        (Some(one), Some(other)) if path.starts_with(SUBMODULE) => {
            let touching = touching(edits, commits);
            prop_assert!(touching.contains(&one) && touching.contains(&other), "{path}");
        }
        (Some(last), Some(some)) => {
            let removals = removals(edits, commits, path);
            prop_assert_eq!(Some(&last), removals.last());
            prop_assert!(removals.contains(&some));
            if last == some {
                prop_assert_eq!(changes, trees);
            }
        }
        _ => prop_assert_eq!(changes, trees, "{}", path),
    }
    Ok(())
}

/// Asks of every commit what became of all that there may be, with and without the list of changes.
fn compare(edits: &[Edit]) -> Result<(), TestCaseError> {
    let edits: Vec<Edit> = edits.iter().map(whole).collect();
    let (git, commits) = history(&edits);
    let words = words();
    let queries: Vec<WordQuery<'_>> = commits
        .iter()
        .flat_map(|commit| {
            words.iter().map(|word| WordQuery { word, anchor: Anchor::Commit(*commit) })
        })
        .collect();
    let paths: Vec<&str> = FILES.into_iter().chain(["tools/inner/d.rs"]).collect();
    let citations: Vec<Citation> = paths
        .iter()
        .map(|path| Citation {
            path: (*path).to_owned(),
            lines: path.ends_with(".rs").then_some(Lines { first: 1, last: 1 }),
            symbol: None,
            digest: None,
        })
        .collect();
    let cites: Vec<CitationQuery<'_>> = commits
        .iter()
        .flat_map(|commit| {
            let verified = Anchor::Commit(*commit);
            citations.iter().map(move |citation| CitationQuery { citation, verified })
        })
        .collect();
    let mut by_trees = git.open();
    let mut by_changes = git.open();
    // The beginning of a document is looked for: all changes go by.
    dates(&mut by_changes, &git.root, "doc.md");
    let ask = |repo: &mut staleness_docs::git::Repo| {
        let traces = repo.trace(&queries, &mut go).unwrap();
        (traces, repo.cited(&cites, &mut go).unwrap())
    };
    let (expected, cited) = ask(&mut by_trees);
    let answers = ask(&mut by_changes);
    prop_assert!(expected.iter().any(|it| *it != Trace::Here));
    // Only the list of changes tells when a submodule came that may hide a name.
    let is_told = |trace: &Trace| *trace != Trace::Unknown || touching(&edits, &commits).is_empty();
    for (changes, trees) in answers.0.iter().zip(&expected).filter(|(_, trees)| is_told(trees)) {
        prop_assert_eq!(changes, trees);
    }
    for (at, (changes, trees)) in answers.1.iter().zip(&cited).enumerate() {
        agree(changes, trees, &citations[at % citations.len()].path, &edits, &commits)?;
    }
    Ok(())
}

#[test]
fn the_last_removal_is_named_where_the_list_of_changes_goes_by() {
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
