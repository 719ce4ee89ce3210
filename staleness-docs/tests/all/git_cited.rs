//! Many citations of one file.

use proptest::prelude::*;
use staleness_core::knowledge::{Citation, Lines};
use staleness_docs::git::{
    Anchor, CitationQuery, Cite, LazyRepo, Limits, Oid, Program, Repo, Unread,
};

use crate::git_repo::{Git, cite, go};

fn lines(first: u32, last: u32) -> Citation {
    Citation { lines: Some(Lines { first, last }), ..Citation::of_path("a.rs") }
}

fn symbol(name: &str) -> Citation {
    Citation { symbol: Some(name.to_owned()), ..Citation::of_path("a.rs") }
}

fn open(git: &Git, compared_bytes: u64) -> Repo {
    let limits = Limits { compared_bytes, ..Limits::default() };
    Repo::open(&Program::of_environment().unwrap(), &git.root, limits).unwrap()
}

fn all(repo: &mut Repo, citations: &[(&Citation, Oid)]) -> Vec<Cite> {
    let queries: Vec<CitationQuery<'_>> = citations
        .iter()
        .map(|(citation, id)| CitationQuery { citation, verified: Anchor::Commit(*id) })
        .collect();
    repo.cited(&queries, &mut go).unwrap()
}

/// A file of many lines, its first versions, and what is cited of it.
fn large() -> (Git, Vec<Oid>, usize) {
    let git = Git::new();
    let text = |first: &str| {
        let items: String = (0..300).map(|at| format!("fn number_{at}() {{ {at} }}\n")).collect();
        format!("{first}\n{items}")
    };
    let size = text("// One.").len();
    let commits = ["// One.", "// Two.", "// Six."].map(|first| git.save("a.rs", text(first)));
    (git, commits.to_vec(), size)
}

#[test]
fn however_many_lines_of_a_file_are_cited_it_is_compared_once() {
    let (git, commits, size) = large();
    // Every line of it, in both of its earlier versions.
    let cited: Vec<Citation> = (2..300).map(|at| lines(at, at)).collect();
    let both = [commits[0], commits[1]];
    let cited: Vec<(&Citation, Oid)> =
        both.iter().flat_map(|id| cited.iter().map(|citation| (citation, *id))).collect();
    // For each two of them room to be read and to be compared.
    let mut repo = open(&git, (2 * 2 * 2 * size + cited.len()) as u64);
    assert_eq!(all(&mut repo, &cited), vec![Cite::Holds; cited.len()]);
    assert_eq!((repo.is_cut(), repo.unread()), (false, Unread::default()));
}

#[test]
fn a_repository_is_opened_once_and_has_the_whole_room_each_time_it_is_asked() {
    let (git, commits, size) = large();
    let limits = Limits { compared_bytes: 4 * size as u64 + 1, ..Limits::default() };
    let mut repo = LazyRepo::new(Program::of_environment(), &git.root, limits);
    for commit in &commits[..2] {
        repo.renew();
        let answers = all(repo.get().unwrap(), &[(&lines(3, 4), *commit)]);
        assert_eq!((answers, repo.get().unwrap().is_cut()), (vec![Cite::Holds], false));
        git.save("b.rs", "");
        assert_eq!(repo.get().unwrap().head().id, commits[2]);
    }
}

#[test]
fn what_finds_no_room_to_be_compared_is_left_open_and_told() {
    let (git, commits, size) = large();
    let (first, gone) = (lines(1, 1), symbol("number_7"));
    git.save("a.rs", "fn other() {}\n");
    let cited = [(&first, commits[1]), (&gone, commits[1]), (&first, commits[2])];
    let told = all(&mut git.open(), &cited);
    assert!(told.iter().all(|it| matches!(it, Cite::Changed { .. } | Cite::Missing { .. })));
    for room in [0, 1, size, 2 * size] {
        let mut repo = open(&git, room as u64);
        let answers = all(&mut repo, &cited);
        assert!(repo.is_cut(), "{room}");
        assert!(answers.contains(&Cite::Unknown), "{room}: {answers:?}");
        for (answer, told) in answers.iter().zip(&told) {
            assert!(answer == told || *answer == Cite::Unknown || is_open(answer), "{answer:?}");
        }
    }
}

#[test]
fn a_version_that_stands_for_many_commits_is_compared_once() {
    let (git, commits, size) = large();
    let text = std::fs::read_to_string(git.root.join("a.rs")).unwrap() + "fn more() {}\n";
    git.save("a.rs", &text);
    for at in 0..24 {
        git.save("b.txt", format!("{at}\n"));
    }
    let last = git.save("a.rs", text.replacen("// Six.", "// Now.", 1));
    let first = lines(1, 1);
    let mut repo = open(&git, 9 * size as u64);
    let answers = all(&mut repo, &[(&first, commits[2])]);
    let [Cite::Changed { commit: Some(commit), .. }] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!((commit.id, repo.is_cut()), (last, false));
}

#[test]
fn a_citation_of_very_many_lines_takes_no_room_from_others() {
    let git = Git::new();
    let text: String = (1..=30_000).map(|at| format!("line {at}\n")).collect();
    let then = git.save("a.rs", &text);
    git.save("a.rs", text.replacen("line 10\n", "other\n", 1).replace("line 30000\n", "other\n"));
    let (many, last) = (lines(1, 20_000), lines(30_000, 30_000));
    let mut repo = open(&git, 16 * text.len() as u64);
    let answers = all(&mut repo, &[(&many, then), (&last, then)]);
    let is_changed = |it: &Cite| matches!(it, Cite::Changed { commit: Some(_), .. });
    assert!(answers.iter().all(is_changed) && !repo.is_cut(), "{answers:?}");
}

/// Returns true if it is not told who changed it.
fn is_open(answer: &Cite) -> bool {
    matches!(answer, Cite::Changed { commit: None, .. } | Cite::Missing { commit: None, .. })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Each line of each version is one of a few.
    #[test]
    fn citations_that_are_asked_together_are_answered_as_each_alone(
        versions in prop::collection::vec(prop::collection::vec(0..6_usize, 0..7), 2..7),
    ) {
        const TEXTS: [&str; 6] = [
            "fn first() { 1 }", "fn first() { 11 }", "fn second() {", "    first()", "}", "",
        ];
        let git = Git::new();
        let commits: Vec<Oid> = versions
            .iter()
            .map(|version| {
                let text: String = version.iter().map(|at| format!("{}\n", TEXTS[*at])).collect();
                git.save("a.rs", text)
            })
            .collect();
        let cited = [lines(1, 1), lines(2, 3), lines(4, 6), symbol("first"), symbol("second")];
        let asked: Vec<(&Citation, Oid)> =
            commits.iter().flat_map(|id| cited.iter().map(|it| (it, *id))).collect();
        let alone: Vec<Cite> =
            asked.iter().map(|(citation, id)| cite(&mut git.open(), citation, *id)).collect();
        prop_assert_eq!(all(&mut git.open(), &asked), alone);
    }
}
