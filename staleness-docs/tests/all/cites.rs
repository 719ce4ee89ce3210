//! Citations: what became of the lines, files and symbols that documents name.

use staleness_core::knowledge::{Cited, Fact};

use crate::project::{Project, facts, found, only_new};

const BEFORE: &str = "fn first() { 1 }\nfn second() { 2 }\nfn third() { 3 }\n";

/// A project with a document, in which `src/a.rs` became something else two days later.
fn cited(document: &str, after: &str) -> (Project, String) {
    let mut project = Project::new();
    project.write("src/a.rs", BEFORE);
    project.write("doc.md", document);
    project.commit();
    project.commit();
    project.write("src/a.rs", after);
    let last = project.commit();
    (project, last)
}

#[test]
fn cited_lines_that_changed_name_the_commit_and_the_days_since_the_block_was_edited() {
    let after = BEFORE.replace("{ 2 }", "{ 20 }");
    for text in ["See `src/a.rs:2`.", "See src/a.rs:2-3 there.", "See [b](src/a.rs#L1-L2)."] {
        let (project, last) = cited(text, &after);
        match &facts(&project.check(), "doc.md")[..] {
            [Fact::SourceChanged { citation, commit, days_after }] => {
                assert_eq!(citation.path, "src/a.rs", "{text}");
                assert_eq!((commit.as_deref(), *days_after), (Some(&*last), Some(2)), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_citation_in_front_matter_is_one_of_the_whole_document() {
    let text =
        "---\ncite: [\"src/a.rs:2\", \"src/a.rs#third\", src/a.rs]\n---\n\nSecond doubles.\n";
    let after = BEFORE.replace("{ 2 }", "{ 20 }");
    assert_eq!(found(&cited(text, &after).0.check(), "doc.md"), ["1:1 changed src/a.rs:2"]);
}

#[test]
fn lines_that_moved_or_changed_at_their_ends_or_elsewhere_are_not_changed() {
    let moved = format!("// One.\n\n// Two.\n{BEFORE}");
    let swapped = "fn third() { 3 }\nfn first() { 1 }\nfn second() { 2 }\n";
    let ends = BEFORE.replace('\n', "  \r\n");
    let others = BEFORE.replace("{ 1 }", "{ 10 }").replace("{ 3 }", "{ 30 }");
    for after in [&*moved, swapped, &*ends, &*others] {
        let (project, _) = cited("See `src/a.rs:2`.\n", after);
        assert!(found(&project.check(), "doc.md").is_empty(), "{after}");
    }
}

/// `docs/a.md` with a link, moved to `guide/a.md` by the second commit.
fn moved(link: &str) -> Project {
    let mut project = Project::new();
    project.write("docs/other.md", "x\n");
    project.write("docs/i.png", b"\0x");
    project.write("docs/a.md", format!("# A\n\nSee {link}.\n"));
    project.commit();
    std::fs::create_dir(project.place.folder.join("guide")).unwrap();
    project.git(&["mv", "docs/a.md", "guide/a.md"]);
    project.commit();
    project
}

#[test]
fn a_relative_link_of_a_document_that_was_moved_is_missing() {
    for (link, what) in [
        ("[o](other.md)", "other.md -> docs/other.md"),
        ("[o](./other.md#L1)", "other.md:1 -> docs/other.md"),
        ("![i](i.png)", "i.png -> docs/i.png"),
    ] {
        let mut project = moved(link);
        let told = [format!("3:5 missing Path guide/{what}")];
        let report = project.check_with(|options| options.since = Some("HEAD~1"));
        assert_eq!(found(&report, "guide/a.md"), told);
        assert_eq!(found(&only_new(report), "guide/a.md"), told);
        // Where it was moved once more, and what it leads to went too.
        project.git(&["mv", "guide", "deep"]);
        project.commit();
        project.git(&["rm", "--quiet", "-r", "docs"]);
        project.commit();
        let report = project.check();
        let found = found(&report, "deep/a.md");
        assert!(matches!(&found[..], [one] if one.contains("missing Path deep/")), "{found:?}");
    }
}

#[test]
fn a_link_that_leads_on_or_led_nowhere_before_its_document_was_moved_is_not_missing() {
    for link in ["[o](../docs/other.md)", "[o](/docs/other.md)", "[o](other)"] {
        assert_eq!(found(&moved(link).check(), "guide/a.md"), [""; 0], "{link}");
    }
    let never = found(&moved("[o](never.md)").check(), "guide/a.md");
    assert_eq!(never, ["3:5 broken guide/never.md"]);
    let mut project = moved("[o](other.md)");
    // With what it leads to.
    project.git(&["mv", "docs/other.md", "guide/other.md"]);
    project.commit();
    assert_eq!(found(&project.check(), "guide/a.md"), [""; 0]);
    // From where it is now it never led anywhere.
    let mut project = moved("[o](other.md)");
    project.write("guide/a.md", "# A\n\nSee that [o](other.md).\n");
    project.commit();
    let broken = ["3:10 broken guide/other.md ~ docs/other.md"];
    assert_eq!(found(&project.check(), "guide/a.md"), broken);
}

#[test]
fn a_whole_file_is_not_changed_by_its_edits() {
    let (project, _) = cited("See `src/a.rs`, [a](src/a.rs) and src/a.rs.\n", "// All new.\n");
    assert!(found(&project.check(), "doc.md").is_empty());
}

#[test]
fn a_block_that_was_edited_later_speaks_of_what_is_there_then() {
    let (mut project, _) = cited("See `src/a.rs:2`.\n", &BEFORE.replace("{ 2 }", "{ 20 }"));
    project.write("doc.md", "Now see `src/a.rs:2`.\n");
    project.commit();
    assert!(found(&project.check(), "doc.md").is_empty());
}

#[test]
fn a_file_that_was_renamed_is_named_where_it_is_now() {
    let mut project = Project::new();
    let code: String = (0..20).map(|n| format!("fn number_{n}() {{ {n} }}\n")).collect();
    project.write("src/old.rs", &code);
    project.write(
        "docs/doc.md",
        "See [a](../src/old.rs).\n\nSee `src/old.rs:3`.\n\nSee src/old.rs.\n\nSee `old.rs`.\n",
    );
    project.commit();
    project.git(&["mv", "src/old.rs", "src/middle.rs"]);
    project.commit();
    project.git(&["mv", "src/middle.rs", "src/new.rs"]);
    project.commit();
    let found = found(&project.check(), "docs/doc.md");
    let expected = [
        "1:5 missing Path src/old.rs -> src/new.rs",
        "3:6 missing Path src/old.rs:3 -> src/new.rs",
        "5:5 drift src/old.rs -> src/new.rs",
        "7:6 drift old.rs -> src/new.rs",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_came_and_went_was_removed_by_the_last_commit_that_did() {
    let (mut project, _) = cited("See [a](src/a.rs).\n", BEFORE);
    let mut last = String::new();
    for turn in 0..3 {
        project.git(&["rm", "-q", "src/a.rs"]);
        last = project.commit();
        if turn < 2 {
            project.write("src/a.rs", BEFORE);
            project.commit();
        }
    }
    project.write("other.rs", "fn other() {}\n");
    project.commit();
    match &facts(&project.check(), "doc.md")[..] {
        [Fact::SourceMissing { gone: Cited::Path, commit, .. }] => {
            assert_eq!(commit.as_deref(), Some(&*last));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_symbol_that_was_removed_or_changed_is_told_apart() {
    let text = "---\ncite: \"src/a.rs#second\"\n---\n\nIt doubles.\n";
    let (project, last) = cited(text, "fn first() { 1 }\nfn third() { 3 }\n");
    match &facts(&project.check(), "doc.md")[..] {
        [Fact::SourceMissing { citation, gone: Cited::Symbol, commit, .. }] => {
            assert_eq!(citation.symbol.as_deref(), Some("second"));
            assert_eq!(commit.as_deref(), Some(&*last));
        }
        other => panic!("{other:?}"),
    }
    let (project, _) = cited(text, &BEFORE.replace("{ 2 }", "{ 20 }"));
    assert_eq!(found(&project.check(), "doc.md"), ["1:1 changed src/a.rs#second"]);
    let (project, _) = cited(text, &BEFORE.replace("{ 3 }", "{ 30 }"));
    assert!(found(&project.check(), "doc.md").is_empty());
}

#[test]
fn lines_behind_the_end_of_a_file_are_missing_if_they_were_there() {
    let (project, last) = cited("See `src/a.rs:2-3` and `src/a.rs:90`.\n", "fn first() { 1 }\n");
    let report = project.check();
    assert_eq!(found(&report, "doc.md"), ["1:6 missing Lines src/a.rs:2-3"]);
    let Some(Fact::SourceMissing { commit, .. }) = facts(&report, "doc.md").pop() else { panic!() };
    assert_eq!(commit.as_deref(), Some(&*last));
}

#[test]
fn a_link_that_never_led_anywhere_is_broken_and_a_path_is_an_example() {
    let text = "See [a](src/never.rs), `src/never.rs:4`, [b](/site/page) and `docs/none.md`.\n";
    assert_eq!(found(&cited(text, "x\n").0.check(), "doc.md"), ["1:5 broken src/never.rs"]);
}

#[test]
fn a_link_of_html_counts_where_it_is_one_simple_attribute() {
    let text = "<p align=\"center\">\n<img src=\"src/a.rs\"> <a href='src/a.rs#L2'>x</a>\n\
                <a href=\"https://x.org/src/a.rs\"><img src=src/a.rs></a></p>\n\nA <a href=\"src/a.rs\">b</a>.\n";
    let mut project = Project::new();
    project.write("src/a.rs", BEFORE);
    project.write("doc.md", text);
    project.commit();
    project.remove("src/a.rs");
    project.commit();
    let expected = [
        "2:11 missing Path src/a.rs",
        "2:31 missing Path src/a.rs:2",
        "5:12 missing Path src/a.rs",
    ];
    assert_eq!(found(&project.check(), "doc.md"), expected);
}

#[test]
fn nothing_in_a_file_becomes_a_command_line_argument() {
    let mut project = Project::new();
    let names = ["--output=pwned", "--upload-pack=touch pwned", "-c", "$(touch pwned)"];
    for name in names {
        project.write(&format!("{name}.rs"), "fn gone_name() {}\n");
        project.write(&format!("{name}.md"), "See [a](<--output=pwned.rs>).\n");
    }
    project.write(
        "doc.md",
        "---\ncite: \"--output=pwned.rs:1\"\n---\n\n[a](<--output=pwned.rs#L1>) `--output=pwned.rs` `gone_name()` `--exec-path`\n",
    );
    project.commit();
    for name in names {
        project.remove(&format!("{name}.rs"));
    }
    project.commit();
    let report = project.check_with(|options| options.since = Some("--output=pwned"));
    assert!(report.notes.iter().any(|note| note.text.contains("revision")), "{:?}", report.notes);
    let report = project.check();
    assert_eq!(report.documents.len(), names.len() + 2);
    assert!(found(&report, "doc.md").iter().any(|it| it.ends_with("drift gone_name")));
    let entries = std::fs::read_dir(&project.place.folder).unwrap();
    assert!(entries.flatten().all(|entry| entry.file_name() != "pwned"));
}

#[test]
fn lines_that_a_formatter_changed_still_hold() {
    let text = "See `src/a.rs:2-3`.\n";
    let (project, _) = cited(text, "fn first() { 1 }\nfn second()   {2}\n  fn third() { 3 }\n");
    assert!(found(&project.check(), "doc.md").is_empty());
    let (project, _) = cited(text, "fn first() { 1 }\nfn second() { 20 }\nfn third() { 3 }\n");
    assert_eq!(found(&project.check(), "doc.md").len(), 1);
}

#[test]
fn a_page_that_got_another_ending_is_where_it_was() {
    let mut project = Project::new();
    let page = (0..30).map(|n| format!("Line {n} of the page.\n")).collect::<String>();
    project.write("docs/now/types.md", &page);
    project.write("docs/old/types.md", &page);
    project.write("doc.md", "See [x](docs/now/types.md).\n");
    project.commit();
    for folder in ["now", "old"] {
        project.remove(&format!("docs/{folder}/types.md"));
    }
    // Git pairs equal contents as it likes.
    project.write("docs/a/types.mdx", &page);
    project.write("docs/now/types.mdx", format!("import X\n{page}"));
    project.commit();
    let told = ["1:5 missing Path docs/now/types.md -> docs/now/types.mdx"];
    assert_eq!(found(&project.check(), "doc.md"), told);
}

#[test]
fn a_new_name_is_told_when_only_one_can_be_meant() {
    let lines =
        |from: usize, to: usize| (from..to).map(|n| format!("line {n}\n")).collect::<String>();
    let whole = lines(0, 50);
    let told = |second: &[(&str, &str)], text: &str| {
        let mut project = Project::of(&[("doc.md", "See [x](src/a.rs).\n"), ("src/a.rs", text)]);
        project.remove("src/a.rs");
        project.commit_files(second);
        found(&project.check(), "doc.md").join(" ")
    };
    let nowhere = "1:5 missing Path src/a.rs";
    for (second, new) in [
        (&[("b/a.rs", &*whole)][..], " -> b/a.rs"),
        (&[("b/x.rs", &whole)], " -> b/x.rs"),
        // Two copies, of which one kept the name.
        (&[("b/a.rs", &whole), ("b/x.rs", &whole)], " -> b/a.rs"),
        (&[("b/a.rs", &whole), ("c/a.rs", &whole)], ""),
        (&[("b/y.rs", &whole), ("b/z.rs", &whole)], ""),
        // A stub where it was.
        (&[("src/a.html", "gone\n"), ("b/a.rs", &whole)], " -> b/a.rs"),
        // In two halves.
        (&[("src/one.rs", &lines(0, 25)), ("src/two.rs", &lines(25, 50))], ""),
    ] {
        assert_eq!(told(second, &whole), format!("{nowhere}{new}"), "{second:?}");
    }
    for blank in ["", "\n"] {
        assert_eq!(told(&[("out/.keep", blank)], blank), nowhere, "{blank:?}");
    }
}

#[test]
fn a_folder_went_where_at_least_half_of_its_files_did() {
    let told = |moved: usize| {
        let names = ["one", "two", "three", "four"].map(|name| format!("lib/core/{name}.rs"));
        let mut project = Project::of(&[("doc.md", "See [x](lib/core/).\n")]);
        for name in &names {
            project.write(name, format!("fn {}() {{}}\n", name.replace(['/', '.'], "_")));
        }
        project.commit();
        project.write("new/keep.rs", "fn keep() {}\n");
        for (at, name) in names.iter().enumerate() {
            let text = std::fs::read(std::path::Path::new(project.folder()).join(name)).unwrap();
            project.remove(name);
            if at < moved {
                project.write(&name.replace("lib/core", "new"), text);
            }
        }
        std::fs::remove_dir_all(std::path::Path::new(project.folder()).join("lib")).unwrap();
        project.commit();
        found(&project.check(), "doc.md").join(" ")
    };
    assert_eq!(told(1), "1:5 missing Path lib/core");
    assert_eq!(told(2), "1:5 missing Path lib/core -> new");
    assert_eq!(told(4), "1:5 missing Path lib/core -> new");
}
