use proptest::prelude::*;
use staleness_core::knowledge::Citation;

use super::*;

/// Returns evidence that a cited path was renamed.
fn missing(line: u32, column: u32, path: &str, new: &str) -> Evidence {
    let citation = Citation::of_path(path);
    let renamed_to = Some(new.to_owned());
    let fact = Fact::SourceMissing { citation, gone: Cited::Path, renamed_to, commit: None };
    Evidence { line: Some(line), column: Some(column), ..Evidence::from(fact) }
}

/// Returns evidence that a word was renamed.
fn drift(line: u32, column: u32, sort: WordKind, word: &str, new: &str) -> Evidence {
    let renamed_to = Some(new.to_owned());
    let fact = Fact::ReferenceDrift {
        word: word.to_owned(),
        sort,
        renamed_to,
        commit: None,
        at: None,
        alone: false,
    };
    Evidence { line: Some(line), column: Some(column), ..Evidence::from(fact) }
}

/// Returns evidence that a heading has a new anchor.
fn part(line: u32, column: u32, old: &str, new: &str) -> Evidence {
    let citation = Citation { symbol: Some(old.to_owned()), ..Citation::of_path("b.md") };
    let renamed_to = Some(new.to_owned());
    let fact = Fact::SourceMissing { citation, gone: Cited::Symbol, renamed_to, commit: None };
    Evidence { line: Some(line), column: Some(column), ..Evidence::from(fact) }
}

fn fixed(path: &str, text: &str, evidence: &[Evidence]) -> Result<String, Vec<Mend>> {
    let mends = mend(path, text, &evidence.iter().collect::<Vec<_>>());
    let edits =
        |mend: &Mend| if let Mend::Edits(edits) = mend { Some(edits.clone()) } else { None };
    let all: Option<Vec<Vec<Edit>>> = mends.iter().map(edits).collect();
    all.map(|all| mended(text, all.iter().flatten())).ok_or(mends)
}

#[test]
fn a_path_stays_as_it_was_written() {
    let (old, new) = ("src/router.rs", "src/net/routing.rs");
    for (path, text, column, from, to) in [
        ("README.md", "See [r](src/router.rs).", 5, old, new),
        ("README.md", "See [r](./src/router.rs).", 5, old, new),
        ("README.md", "See [r](/src/router.rs#L3-L9).", 5, old, new),
        ("docs/a.md", "See [r](../src/router.rs?raw=1).", 5, old, new),
        ("docs/a.md", "See [r](<../src/router.rs> \"t\").", 5, old, new),
        ("src/a.md", "See [r](router.rs).", 5, "router.rs", "net/routing.rs"),
        ("src/net/a.md", "See [r](../router.rs).", 5, "../router.rs", "routing.rs"),
        ("README.md", "See [r] and [R].\n\n[r]: src/router.rs 'title'\n", 5, old, new),
        ("README.md", "<a href=\"src/router.rs\">r</a>", 10, old, new),
        ("README.md", "[![x](src/router.rs)](b.md)", 2, old, new),
        ("README.md", "In `src/router.rs:12-40`.", 5, old, new),
        ("README.md", "In `src/router.rs#L4`, `src/router.rs#L4`.", 5, old, new),
        ("docs/a.md", "In `src/router.rs`.", 5, old, new),
        ("src/a.md", "In `router.rs`.", 5, "router.rs", "net/routing.rs"),
        ("docs/a.md", "In `../src/router.rs`.", 5, old, new),
        ("src/a.md", "In `/src/router.rs`.", 5, old, new),
        ("docs/a.md", "Run `./src/router.rs`.", 6, old, new),
        ("\u{feff}a.md", "\u{feff}é [r](src/router.rs)\r\nx", 4, old, new),
    ] {
        let evidence = [missing(1, column, old, new)];
        assert_eq!(fixed(path, text, &evidence), Ok(text.replace(from, to)), "{text}");
    }
}

#[test]
fn a_name_in_percent_form_stays_in_it() {
    for (text, old, new, expected) in [
        ("[a](a%20b.md#c)", "a b.md", "c d.md", "[a](c%20d.md#c)"),
        ("[a](caf%C3%A9.md)", "café.md", "thé.md", "[a](th%C3%A9.md)"),
        ("[a](café.md)", "café.md", "thé.md", "[a](thé.md)"),
        ("[a](a.md)", "a.md", "b (1).md", "[a](b%20%281%29.md)"),
    ] {
        let evidence = [missing(1, 1, old, new)];
        assert_eq!(fixed("x.md", text, &evidence).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn words_of_every_sort_are_written() {
    let flag = |word, new| drift(1, 6, WordKind::Flag, word, new);
    for (text, evidence, expected) in [
        (
            "Run `shop --fast=1`, `--fast`",
            drift(1, 11, WordKind::Flag, "--fast", "--quick"),
            "Run `shop --quick=1`, `--quick`",
        ),
        ("Run `--fast`", flag("--fast", "--quick"), "Run `--quick`"),
        (
            "See src/a.rs now.",
            drift(1, 5, WordKind::Path, "src/a.rs", "src/b.rs"),
            "See src/b.rs now.",
        ),
        ("See `a.rs` now.", drift(1, 6, WordKind::Path, "a.rs", "src/b.rs"), "See `src/b.rs` now."),
        (
            "See `lib/core/`, `lib/core/`.",
            drift(1, 6, WordKind::Path, "lib/core/", "lib/c"),
            "See `lib/c/`, `lib/c/`.",
        ),
        ("See [x](b.md#old-part).", part(1, 5, "old-part", "new-part"), "See [x](b.md#new-part)."),
        (
            "```sh\nnpm run old\n```\n",
            drift(2, 1, WordKind::Command, "npm run old", "npm run new"),
            "```sh\nnpm run new\n```\n",
        ),
    ] {
        assert_eq!(fixed("x.md", text, &[evidence]).as_deref(), Ok(expected), "{text}");
    }
    let text = "---\ncite: [src/a.rs:3-5, b.rs]\n---\nText.\n";
    let cite = Citation { lines: None, ..Citation::of_path("src/a.rs") };
    let mut evidence = missing(1, 1, "src/a.rs", "src/c.rs");
    if let Fact::SourceMissing { citation, .. } = &mut evidence.fact {
        *citation = cite;
    }
    let expected = text.replace("src/a.rs", "src/c.rs");
    assert_eq!(fixed("docs/x.md", text, &[evidence]), Ok(expected));
}

#[test]
fn what_is_not_certain_is_left() {
    let to_b = |column| missing(1, column, "a.rs", "b.rs");
    for (text, evidence, why) in [
        ("## In `a.rs`", to_b(8), IN_HEADING),
        ("> In `a.rs`.", to_b(7), QUOTED),
        ("In ~~`a.rs`~~.", to_b(7), QUOTED),
        ("In `a.rs`, now `b.rs`.", to_b(5), BESIDE),
        ("In `c.rs`.", to_b(5), UNWRITABLE),
        ("In `a.rsa.rs`.", drift(1, 5, WordKind::Path, "a.rs", "b.rs"), UNWRITABLE),
        ("See @c.md", missing(1, 6, "a.md", "b.md"), UNWRITABLE),
        ("In a.", to_b(5), NOT_FOUND),
        ("In `a.rs`.", to_b(99), NOT_FOUND),
        ("[x](a&#46;rs)", to_b(1), ESCAPED),
        ("[x](a.rs) is now [y](b.rs)", to_b(1), BESIDE),
        ("[x](c.rs)", to_b(1), UNWRITABLE),
        ("Run `make -j 8 lint`", drift(1, 6, WordKind::Command, "make lint", "make all"), ESCAPED),
        ("---\ncite: [lib/a.rs,\n  a.rs]\n---\nText.\n", to_b(1), NOT_FOUND),
        ("In `a.rs`.", missing(1, 5, "a.rs", "b c.rs"), UNWRITABLE),
        ("In `a.rs`.", missing(1, 5, "a.rs", "b`.rs"), UNWRITABLE),
        ("See src/a.rs", drift(1, 5, WordKind::Path, "src/a.rs", "src/__b__.rs"), UNWRITABLE),
        ("[x](a.rs)", missing(1, 1, "a.rs", "c:/b.rs"), UNWRITABLE),
        ("[x](a.rs)", missing(1, 1, "a.rs", "{b}.rs"), UNWRITABLE),
        ("| `a.rs` |\n|--|\n", missing(1, 4, "a.rs", "b|c.rs"), UNWRITABLE),
    ] {
        let left = fixed("x.md", text, &[evidence]).unwrap_err();
        assert_eq!(left, [Mend::Left(why)], "{text}");
    }
    assert_eq!(
        fixed("x.md", "> [!NOTE]\n> In `a.rs`.\n", &[missing(2, 7, "a.rs", "b.rs")]).as_deref(),
        Ok("> [!NOTE]\n> In `b.rs`.\n")
    );
    let two = [to_b(5), missing(1, 5, "a.rs", "c.rs")];
    let left = fixed("x.md", "In `a.rs`.", &two).unwrap_err();
    assert_eq!(left, vec![Mend::Left("has two different new names"); 2]);
    let unnamed = Fact::TemporalMarker { word: "now".into() };
    assert_eq!(mend("x.md", "now", &[&Evidence::from(unnamed)]), [Mend::NoName]);
}

proptest! {
    #[test]
    fn only_the_place_of_the_name_changes(
        text in "(?s)([a-z é`>\\[\\]()~*_|#.&\r\n-]|a\\.rs|\\(a\\.rs\\)|`a\\.rs`){0,40}",
        line in 1_u32..6,
        column in 1_u32..20,
        new in "[a-z_é ./*`-]{1,8}",
    ) {
        let all = [missing(line, column, "a.rs", &new), drift(line, column, WordKind::Path, "a.rs", &new)];
        for evidence in &all {
            if let Mend::Edits(edits) = &mend("x.md", &text, &[evidence])[0] {
                for edit in edits {
                    prop_assert_eq!(&text[edit.start..edit.end], "a.rs");
                    prop_assert_eq!(edit.end_column - edit.column, 4);
                }
                let rest = text.len() - 4 * edits.len();
                let new: usize = edits.iter().map(|edit| edit.new.len()).sum();
                prop_assert_eq!(mended(&text, edits).len(), rest + new);
            }
        }
    }
}
