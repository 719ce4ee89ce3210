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
    assert_eq!(path("Use `b` instead of `src/tool.rs`.\n"), 0);
    assert_eq!(path("- src/tool.rs (new)\n"), 0);
    assert_eq!(path("Use `src/tool.rs` instead of `b`.\n"), 1);
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

#[test]
fn a_file_above_the_folder_of_its_document_is_missed() {
    let text = "See `../README.md` and `../src/gone.py`.\n";
    let files = ["README.md", "src/gone.py"];
    let mut project = Project::of(&[("sub/doc.md", text), (files[0], "x\n"), (files[1], "x\n")]);
    project.remove(files[0]);
    project.remove(files[1]);
    project.commit();
    assert_eq!(found(&project.check(), "sub/doc.md").len(), 2);
}
