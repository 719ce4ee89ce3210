//! Traces of words and citations: whether the project has or had them, and the commit that removed them.

use staleness_core::knowledge::{Citation, Cited, Lines, WordKind};
use staleness_docs::git::{Cite, Trace, cited_digest};

use crate::git_repo::{Git, cite, go, trace, word};

fn gone(trace: &Trace) -> (Option<String>, Option<String>) {
    let Trace::Gone { by, renamed_to } = trace else { panic!("{trace:?}") };
    (by.map(|commit| commit.id.to_string()), renamed_to.clone())
}

#[test]
fn a_word_is_here_gone_or_never_was() {
    let git = Git::new();
    git.write("README.md", "`old_name` `new_name` `docs_only` `--dry-run`\n");
    git.write("src/a.rs", "fn old_name() { arg(\"dry-run\") }\n");
    let first = git.commit();
    git.save("src/b.rs", "fn more() {}\n");
    let third = git.save("src/a.rs", "fn new_name() {}\n");
    git.save("src/b.rs", "fn less() {}\n");
    let mut repo = git.open();
    let words = ["old_name", "new_name", "docs_only"].map(|text| word(WordKind::Identifier, text));
    let missing = repo.missing(&words, &mut go).unwrap();
    assert_eq!(missing, [true, false, true]);
    assert_eq!(gone(&trace(&mut repo, &words[0], first)), (Some(third.to_string()), None));
    assert_eq!(trace(&mut repo, &words[0], third), Trace::Never);
    assert_eq!(trace(&mut repo, &words[1], first), Trace::Here);
    assert_eq!(trace(&mut repo, &words[2], first), Trace::Never);
    let flag = word(WordKind::Flag, "--dry-run");
    assert_eq!(gone(&trace(&mut repo, &flag, first)).0, Some(third.to_string()));
    let absurd = word(WordKind::Identifier, "a b");
    assert_eq!(trace(&mut repo, &absurd, first), Trace::Unknown);
}

#[test]
fn a_renamed_path_is_followed_to_where_it_is_now() {
    let git = Git::new();
    let text: String = (0..20).map(|n| format!("fn f{n}() {{}}\n")).collect();
    git.write("core/src/router.rs", &text);
    git.write("core/src/other.rs", text.replace('f', "g"));
    let first = git.commit();
    git.run(&["mv", "core/src", "core/lib"]);
    let second = git.commit();
    git.run(&["mv", "core/lib/router.rs", "core/lib/routes.rs"]);
    git.commit();
    let mut repo = git.open();
    let now = Some("core/lib/routes.rs".to_owned());
    for path in ["core/src/router.rs", "./core/src/router.rs", "src/router.rs"] {
        let path = word(WordKind::Path, path);
        assert_eq!(gone(&trace(&mut repo, &path, first)), (Some(second.to_string()), now.clone()));
    }
    let folder = word(WordKind::Path, "core/src/");
    assert_eq!(gone(&trace(&mut repo, &folder, first)).1, Some("core/lib".to_owned()));
    assert_eq!(trace(&mut repo, &word(WordKind::Path, "lib/other.rs"), first), Trace::Here);
    assert_eq!(trace(&mut repo, &word(WordKind::Path, "/src/router.rs"), first), Trace::Never);
}

#[test]
fn a_folder_of_documents_hides_no_equal_folder_of_code() {
    let git = Git::new();
    git.write("docs/x/a.txt", "fn hidden() {}\n");
    git.write("src/x/a.txt", "fn hidden() {}\n");
    git.write("src/keep.rs", "x\n");
    let first = git.commit();
    git.remove("src/x/a.txt");
    git.commit();
    let mut repo = git.open();
    let hidden = word(WordKind::Identifier, "hidden");
    let query = staleness_docs::git::WordQuery {
        word: &hidden,
        anchor: staleness_docs::git::Anchor::Commit(first),
    };
    let traces = repo.trace(&[query], &mut go).unwrap();
    assert!(matches!(traces[..], [Trace::Gone { by: Some(_), .. }]), "{traces:?}");
}

fn lines(path: &str, first: u32, last: u32) -> Citation {
    Citation { lines: Some(Lines { first, last }), ..Citation::of_path(path) }
}

#[test]
fn cited_lines_may_move_and_may_not_change() {
    let git = Git::new();
    let first = git.save("a.rs", "fn one() {}\nfn two() {}\nfn three() {}\nfn four() {}\n");
    git.save("a.rs", "// more\n\nfn one() {}\nfn two() {}\nfn three() {}\nfn four() {}\n");
    let third =
        git.save("a.rs", "// more\n\nfn one() {}\nfn two() {}\nfn drei() {}\nfn four() {}\n");
    git.save("a.rs", "// most\nfn one() {}\nfn two() {}\nfn drei() {}\nfn four() {}\n");
    let mut repo = git.open();
    assert_eq!(cite(&mut repo, &lines("a.rs", 1, 2), first), Cite::Holds);
    assert_eq!(cite(&mut repo, &Citation::of_path("a.rs"), first), Cite::Holds);
    let Cite::Changed { commit, days_after } = cite(&mut repo, &lines("a.rs", 2, 3), first) else {
        panic!()
    };
    assert_eq!((commit.unwrap().id, days_after), (third, Some(2)));
    let beyond = cite(&mut repo, &lines("a.rs", 90, 91), first);
    assert_eq!(beyond, Cite::NeverThere(Cited::Lines));
    assert_eq!(cite(&mut repo, &Citation::of_path("b.rs"), first), Cite::NeverThere(Cited::Path));
}

#[test]
fn of_lines_that_stand_twice_the_cited_ones_may_not_change() {
    let git = Git::new();
    let twice = "fn one() {}\ncommon();\nfn two() {}\nfn three() {}\ncommon();\nfn four() {}\n";
    let first = git.save("a.rs", twice);
    let moved = "fn four() {}\ncommon();\nfn one() {}\ncommon();\nfn two() {}\nfn three() {}\n";
    git.save("a.rs", moved);
    assert_eq!(cite(&mut git.open(), &lines("a.rs", 5, 5), first), Cite::Holds);
    git.save("a.rs", twice.replace("three() {}\ncommon();", "three() {}\nuncommon();"));
    let mut repo = git.open();
    assert_eq!(cite(&mut repo, &lines("a.rs", 2, 2), first), Cite::Holds);
    assert!(matches!(cite(&mut repo, &lines("a.rs", 5, 5), first), Cite::Changed { .. }));
}

#[test]
fn a_cited_symbol_is_its_item() {
    let git = Git::new();
    let first = git.save("a.rs", "fn one() {\n    1\n}\nfn two() {\n    2\n}\n");
    let second = git.save("a.rs", "fn one() {\n    1\n}\nfn two() {\n    3\n}\n");
    let third = git.save("a.rs", "fn two() {\n    3\n}\n");
    git.remove("a.rs");
    git.write("b.rs", "fn two() {\n    3\n}\n");
    let mut repo = git.open();
    let symbol =
        |name: &str| Citation { symbol: Some(name.to_owned()), ..Citation::of_path("a.rs") };
    let Cite::Changed { commit, .. } = cite(&mut repo, &symbol("two"), first) else { panic!() };
    assert_eq!(commit.unwrap().id, second);
    let Cite::Missing { gone, commit, .. } = cite(&mut repo, &symbol("one"), first) else {
        panic!()
    };
    assert_eq!((gone, commit.unwrap().id), (Cited::Symbol, third));
    assert_eq!(cite(&mut repo, &symbol("none"), first), Cite::NeverThere(Cited::Symbol));
    let fourth = git.commit();
    let missing = cite(&mut git.open(), &symbol("two"), first);
    let Cite::Missing { gone: Cited::Path, renamed_to, commit } = missing else { panic!() };
    assert_eq!((renamed_to.as_deref(), commit.unwrap().id), (Some("b.rs"), fourth));
}

#[test]
fn a_digest_is_of_what_is_cited() {
    let text = b"one\ntwo\nthree\n";
    let digest = cited_digest(text, &lines("a", 2, 2)).unwrap();
    assert_eq!(cited_digest(b"zero\r\ntwo \r\n", &lines("a", 2, 2)), Some(digest));
    assert_eq!(cited_digest(text, &lines("a", 2, 9)), None);
    assert_eq!(cited_digest(text, &Citation::of_path("a")), None);
}

#[test]
fn what_changed_since_a_revision_is_told_by_lines() {
    let git = Git::new();
    git.write("b.md", "one\n");
    git.save("a.md", "one\ntwo\nthree\n");
    git.run(&["tag", "v1.2.0"]);
    git.write("c.rs", "x\n");
    git.save("a.md", "one\n2\nthree\nfour\n");
    let mut repo = git.open();
    let since = repo.since("v1.2.0").unwrap();
    assert_eq!(since.changed.len(), 1);
    assert_eq!(since.changed[0].lines, [Lines { first: 2, last: 2 }, Lines { first: 4, last: 4 }]);
    for bad in ["", "nothing", "--all", "-x", "HEAD\n", "a..b", "--output=/tmp/x"] {
        assert!(repo.since(bad).is_err(), "{bad}");
    }
    assert_eq!(repo.latest_version_tag().unwrap().as_deref(), Some("1.2.0"));
}
