//! Documents and sentences that name what they know is gone.

use crate::drift::after;
use crate::others::without;
use crate::project::{Project, found};

#[test]
fn a_sentence_that_says_that_something_is_gone_is_right() {
    let code = [("a.rs", "fn old_name() {}\nfn other_one() {}\n")];
    let gone = |text: &str| after(text, &code, &[("a.rs", "x\n")]);
    for text in [
        "Call `b`. `old_name` was removed\nin 2.0.\n",
        "`old_name` is deprecated.\n",
        "The call `old_name` has been\nrenamed; use b.\n",
    ] {
        assert!(gone(text).is_empty(), "{text}");
    }
    assert_eq!(gone("`old_name` was removed. Call `other_one`.\n"), ["1:31 drift other_one"]);
    assert_eq!(gone("Rows are removed by `old_name`.\n"), ["1:22 drift old_name"]);
    let path = |text: &str| found(&without(text, &["src/tool.rs"]).check(), "doc.md").len();
    assert_eq!(path("There is no `src/tool.rs` any more.\n"), 0);
    assert_eq!(path("Move `b` from `src/tool.rs` to `src/c.rs`.\n"), 0);
    assert_eq!(path("See `src/tool.rs`.\n"), 1);
    // A link is meant to work all the same.
    assert_eq!(path("It was removed: [x](src/tool.rs).\n"), 1);
}

#[test]
fn a_file_that_the_reader_makes_or_has_is_none_of_the_project() {
    let gone = |text: &str| found(&without(text, &["shoplint.yml"]).check(), "doc.md");
    assert!(gone("Create the following `shoplint.yml` file.\n").is_empty());
    assert!(gone("Add it to your own `shoplint.yml`.\n").is_empty());
    assert!(gone("#### `shoplint.yml`\n\n    a: b\n").is_empty());
    assert_eq!(gone("Read `shoplint.yml`.\n"), ["1:7 missing Path shoplint.yml"]);
}

/// Code that defines this many names, and a document that calls all of them and some that stay, each behind a mark.
fn listed(lost: usize, kept: usize, mark: &str) -> Project {
    let name = |of: &str, at: usize| format!("{of}_name_{at}");
    let code = |of: &str, most: usize| -> String {
        (0..most).map(|at| format!("fn {}() {{}}\n", name(of, at))).collect()
    };
    let rows = |of: &str, most: usize| -> String {
        (0..most).map(|at| format!("{mark}`{}()`\n", name(of, at))).collect()
    };
    let text = format!("{}{}[x](gone.md)\n", rows("lost", lost), rows("kept", kept));
    let mut project = Project::of(&[
        ("src/a.rs", &code("lost", lost)),
        ("src/b.rs", &code("kept", kept)),
        ("doc.md", &text),
        ("gone.md", "x\n"),
    ]);
    project.write("src/a.rs", "x\n");
    project.remove("gone.md");
    project.commit();
    project
}

#[test]
fn of_a_document_that_lost_many_of_its_names_the_first_stands_for_all() {
    let project = listed(9, 18, "- ");
    let report = project.check();
    let link = "28:1 missing Path gone.md";
    assert_eq!(found(&report, "doc.md"), ["1:4 drift lost_name_0", link]);
    let note = "9 of its 27 names are gone";
    let notes = |report: &staleness_docs::Report| {
        report.notes.iter().filter(|it| it.text.starts_with(note)).count()
    };
    assert_eq!(notes(&report), 1);
    // The note is told again as long as it holds.
    let known = report.documents.clone();
    let warm = project.check_with(|options| options.known = &known);
    assert_eq!((notes(&warm), found(&warm, "doc.md")), (1, found(&report, "doc.md")));
    for (lost, kept, mark) in [(7, 0, "- "), (9, 19, "- "), (9, 19, "")] {
        let found = found(&listed(lost, kept, mark).check(), "doc.md");
        assert_eq!(found.len(), lost + 1, "{lost} {kept} {mark:?}");
    }
}
