//! Links to pages of a site, which leave out their ending, and paths that lead on from where something was.

use crate::project::{Project, found};

#[test]
fn a_page_of_a_site_is_known_without_its_ending() {
    let guide = |heading: &str| format!("# Guide\n\n## {heading}\n\nText.\n");
    let (old, new) = (guide("Old name"), guide("Other"));
    let of = |link: &str, more: &[(&str, &str)]| {
        let doc = format!("See [x]({link}).\n");
        let mut project = Project::of(&[
            ("docs/api/doc.md", &doc),
            ("docs/guide/b.md", &old),
            ("docs/guide/index.md", &old),
            ("docs/guide/c.md", "c\n"),
            ("docs/.vitepress/config.ts", "x\n"),
        ]);
        project.remove("docs/guide/c.md");
        let second = [("docs/guide/b.md", &*new), ("docs/guide/index.md", &*new)];
        project.commit_files(&[&second[..], more].concat());
        found(&project.check(), "docs/api/doc.md")
    };
    for page in ["/guide/b", "/guide/b.html", "/guide/b.md", "../guide/b", "../guide/b.html"] {
        let expected = "1:5 missing Heading docs/guide/b.md#old-name -> other";
        assert_eq!(of(&format!("{page}#old-name"), &[]), [expected], "{page}");
        assert_eq!(
            of(&format!("{page}#never"), &[]),
            ["1:5 broken docs/guide/b.md#never"],
            "{page}"
        );
        assert!(of(&format!("{page}#other"), &[]).is_empty(), "{page}");
        assert!(of(page, &[]).is_empty(), "{page}");
    }
    for page in ["/guide/", "../guide/"] {
        let expected = "1:5 missing Heading docs/guide/index.md#old-name -> other";
        assert_eq!(of(&format!("{page}#old-name"), &[]), [expected], "{page}");
    }
    for page in ["/guide/c", "../guide/c", "../guide/c.html#x"] {
        assert_eq!(of(page, &[]), ["1:5 missing Path docs/guide/c.md"], "{page}");
        // Another source of the same page.
        assert!(of(page, &[("docs/guide/c.vue", "x\n")]).is_empty(), "{page}");
        // A translation is none.
        assert_eq!(of(page, &[("docs/guide/c.zh.md", "x\n")]).len(), 1, "{page}");
    }
    for link in ["/guide/never", "../guide/never", "./never.html#x", "/other/b#old-name"] {
        assert!(of(link, &[]).is_empty(), "{link}");
    }
    // What makes headings.
    for text in [
        "<Reference/>\n",
        "<Fold title=\"Old name\">\n",
        "::: shop.cart\n",
        ":::{include} a\n:::\n",
    ] {
        assert!(of("/guide/b#old-name", &[("docs/guide/b.md", text)]).is_empty(), "{text}");
    }
    let note = "::: tip\nText.\n:::\n";
    assert_eq!(of("/guide/b#old-name", &[("docs/guide/b.md", note)]).len(), 1);
}

#[test]
fn a_link_out_of_a_folder_of_examples_is_no_example() {
    let files = [("docs/examples/README.md", "[x](./research/plan.md) [y](examples/a.md)\n")];
    let broken = "1:1 broken docs/examples/research/plan.md";
    assert_eq!(found(&Project::of(&files).check(), files[0].0), [broken]);
}

#[test]
fn a_page_that_may_be_of_two_sites_is_not_asked_for_a_heading() {
    let link = "[x](/guide/b#never)\n";
    let files = [
        ("docs/de/doc.md", link),
        ("docs/doc.md", link),
        ("docs/guide/b.md", "x\n"),
        ("docs/de/guide/b.md", "x\n"),
        ("mkdocs.yml", "x\n"),
    ];
    let project = Project::of(&files);
    assert!(found(&project.check(), files[0].0).is_empty());
    assert_eq!(found(&project.check(), files[1].0), ["1:1 broken docs/guide/b.md#never"]);
}

#[test]
fn only_a_page_of_a_site_leads_out_of_it() {
    let link = "[x](../other/page.md)\n";
    let files =
        [("plugins/a/doc.md", link), ("site/docs/doc.md", link), ("site/mkdocs.yml", "x\n")];
    let project = Project::of(&files);
    assert_eq!(found(&project.check(), files[0].0), ["1:1 broken plugins/other/page.md"]);
    assert!(found(&project.check(), files[1].0).is_empty());
}

#[test]
fn the_only_file_of_a_name_is_near_one_that_went() {
    let text = "See [x](a/till.py), `/a/till.py` and `/a/tests/`, but not `/b/tests/` or `/a/`.\n";
    let till = ("a/till.py", "x\n");
    let mut project = Project::of(&[("doc.md", text), till, ("a/tests/one.py", "y\n")]);
    project.git(&["rm", "-r", "-q", "a"]);
    project.commit_files(&[("b/deep/till.py", "quite different\n")]);
    assert_eq!(
        found(&project.check(), "doc.md"),
        [
            "1:5 missing Path a/till.py ~ b/deep/till.py",
            "1:22 missing Path a/till.py ~ b/deep/till.py",
            "1:39 missing Path a/tests",
        ]
    );
}

#[test]
fn a_heading_that_lives_on_in_a_page_beside_is_near() {
    let mut project = Project::of(&[
        ("docs/guide.md", "# Routing\n\nx\n"),
        ("doc.md", "[x](docs/guide.md#routing)\n"),
    ]);
    project.commit_files(&[("docs/guide.md", "y\n"), ("docs/guide/more.md", "# Routing\n\nz\n")]);
    let near = "1:1 missing Heading docs/guide.md#routing ~ docs/guide/more.md#routing";
    assert_eq!(found(&project.check(), "doc.md"), [near]);
    project.commit_files(&[("docs/other.md", "# Routing\n")]);
    assert_eq!(found(&project.check(), "doc.md"), ["1:1 missing Heading docs/guide.md#routing"]);
}
