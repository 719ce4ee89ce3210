//! The list of changes and the trees of commits tell the same.

use proptest::prelude::*;
use staleness_core::knowledge::{Citation, Cited, Lines, WordKind};
use staleness_sources::git::{Anchor, CitationQuery, Cite, Oid, Trace, Watch, Word, WordQuery};

use crate::git_repo::{Git, dates, go, is_document, word};

/// Files of a history; the last one is read first of all, so that the list of changes is.
const FILES: [&str; 6] = ["src/a.rs", "src/b.rs", "src/deep/c.rs", "tools/a.rs", "notes.md", "x"];
const NAMES: [&str; 4] = ["alpha_one", "beta_two", "gamma_three", "delta_four"];

fn words() -> Vec<Word> {
    let names = NAMES.map(|name| word(WordKind::Identifier, name));
    let paths = ["src/a.rs", "a.rs", "src/deep/", "deep/c.rs", "./tools/a.rs", "tools/", "x", "x/"];
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

/// A history of these edits, and its commits.
fn history(edits: &[Edit]) -> (Git, Vec<Oid>) {
    let git = Git::new();
    git.write("doc.md", "one\n");
    let mut commits = vec![git.commit()];
    for edit in edits {
        for (file, names) in edit {
            let path = git.root.join(FILES[*file]);
            match names {
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

/// Checks what the list of changes and the trees say of one citation. A file that came back may have
/// been removed more than once: the list names the last removal, halving some removal.
fn agree(changes: &Cite, trees: &Cite, removals: &[Oid]) -> Result<(), TestCaseError> {
    let removal = |cite: &Cite| match cite {
        Cite::Missing { gone: Cited::Path, commit, .. } => commit.map(|commit| commit.id),
        _ => None,
    };
    match (removal(changes), removal(trees)) {
        (Some(last), Some(some)) => {
            prop_assert_eq!(Some(&last), removals.last());
            prop_assert!(removals.contains(&some));
            if last == some {
                prop_assert_eq!(changes, trees);
            }
        }
        _ => prop_assert_eq!(changes, trees),
    }
    Ok(())
}

/// Asks of every commit what became of all that there may be, with and without the list of changes.
fn compare(edits: &[Edit]) -> Result<(), TestCaseError> {
    let (git, commits) = history(edits);
    let words = words();
    let queries: Vec<WordQuery<'_>> = commits
        .iter()
        .flat_map(|commit| {
            words.iter().map(|word| WordQuery { word, anchor: Anchor::Commit(*commit) })
        })
        .collect();
    let citations: Vec<Citation> = FILES
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
    let ask = |repo: &mut staleness_sources::git::Repo| {
        let traces = repo.trace(&queries, &is_document, &mut Watch::new(&mut go)).unwrap();
        (traces, repo.cited(&cites, &mut Watch::new(&mut go)).unwrap())
    };
    let (expected, cited) = ask(&mut by_trees);
    let answers = ask(&mut by_changes);
    prop_assert!(expected.iter().any(|it| *it != Trace::Here));
    prop_assert_eq!(&answers.0, &expected);
    for (at, (changes, trees)) in answers.1.iter().zip(&cited).enumerate() {
        let path = &citations[at % citations.len()].path;
        agree(changes, trees, &removals(edits, &commits, path))?;
    }
    Ok(())
}

#[test]
fn the_last_removal_is_named_where_the_list_of_changes_goes_by() {
    let there = vec![(2, Some(vec![]))];
    let gone = vec![(2, None)];
    compare(&[there.clone(), vec![], gone.clone(), there, gone]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn words_and_citations_have_the_same_answers(edits in edits()) {
        compare(&edits)?;
    }
}
