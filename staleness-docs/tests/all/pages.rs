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
        "---\ntitle: Old name\n---\nText.\n",
        "::: shop.cart\n",
        ":::{include} a\n:::\n",
    ] {
        assert!(of("/guide/b#old-name", &[("docs/guide/b.md", text)]).is_empty(), "{text}");
    }
    let card = "<Card\n  title=\"Other\"\n/>\n";
    assert_eq!(of("/guide/b#old-name", &[("docs/guide/b.md", card)]).len(), 1);
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
    for settings in ["site/mkdocs.yml", "site/.vitepress/config.ts"] {
        let (inside, beside) = ("site/a/doc.md", "sites/a/doc.md");
        let files = [("plugins/a/doc.md", link), (inside, link), (beside, link), (settings, "x\n")];
        let project = Project::of(&files);
        assert_eq!(found(&project.check(), files[0].0), ["1:1 broken plugins/other/page.md"]);
        assert_eq!(found(&project.check(), beside), ["1:1 broken sites/other/page.md"]);
        assert!(found(&project.check(), inside).is_empty(), "{settings}");
    }
}

#[test]
fn a_folder_and_a_file_come_before_a_page_of_their_name() {
    let text = "[x](docs/guide/#usage) [y](bin/tool#L2-L3)\n";
    let mut project = Project::of(&[
        ("doc.md", text),
        ("docs/guide.md", "x\n"),
        ("docs/guide/README.md", "# Usage\n"),
        ("bin/tool", "one\ntwo\nthree\n"),
        ("bin/tool.md", "1\n2\n3\n"),
    ]);
    assert!(found(&project.check(), "doc.md").is_empty());
    project.commit_files(&[("bin/tool", "one\n2\n3\n")]);
    assert_eq!(found(&project.check(), "doc.md"), ["1:24 changed bin/tool:2-3"]);
}

#[test]
fn a_link_from_the_root_or_with_codes_tells_the_new_name_too() {
    let link = "[x](/guide/b.md) [y](guide/a%20b.md)\n";
    let old = [("docs/guide/b.md", "b\n"), ("docs/guide/a b.md", "a\n")];
    let mut project = Project::of(&[("docs/doc.md", link), ("mkdocs.yml", "x\n"), old[0], old[1]]);
    old.iter().for_each(|(path, _)| project.remove(path));
    project.commit_files(&[("docs/guide/c.md", "b\n"), ("docs/guide/d.md", "a\n")]);
    project.commit_files(&[("docs/doc.md", &format!("See {link}"))]);
    let expected = [
        "1:5 missing Path docs/guide/b.md -> docs/guide/c.md",
        "1:22 missing Path docs/guide/a b.md -> docs/guide/d.md",
    ];
    assert_eq!(found(&project.check(), "docs/doc.md"), expected);
}

#[test]
fn a_path_from_the_root_is_not_the_end_of_another() {
    let text = "Edit `/etc/shop/shop.toml`, see `/srv/data/` and `shop/shop.toml`.\n";
    let files = [("pkg/etc/shop/shop.toml", "x\n"), ("pkg/srv/data/a.c", "y\n")];
    let mut project = Project::of(&[("doc.md", text), files[0], files[1]]);
    files.iter().for_each(|(path, _)| project.remove(path));
    project.commit();
    assert_eq!(found(&project.check(), "doc.md"), ["1:51 drift shop/shop.toml"]);
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

#[test]
fn a_page_taken_over_from_another_repository_links_to_files_there() {
    let of = |front: &str| {
        let page = format!("{front}\n[x](shots/one.png) [y](old.md)\n");
        let manifest = "[package]\nname = \"x\"\nrepository = \"https://github.com/own/x\"\n";
        let mut project =
            Project::of(&[("docs/a.md", &page), ("docs/old.md", "x\n"), ("Cargo.toml", manifest)]);
        project.git(&["remote", "add", "origin", "git@git.example.net:own/x.git"]);
        project.remove("docs/old.md");
        project.commit();
        found(&project.check(), "docs/a.md").len()
    };
    let toml = "+++\ntitle = \"x\"\n[extra]\nrepository = \"https://github.com/other/x\"\n+++\n";
    assert_eq!(of(toml), 0);
    assert_eq!(of(&format!("\n{toml}")), 0);
    let elsewhere = "---\nrepo: https://git.example.org/other/x\n---\n";
    assert_eq!(of(elsewhere), 0);
    for own in [
        "---\nrepo: https://git.example.net/own/x\n---\n",
        "---\nrepo: https://github.com/Own/x.git\n---\n",
        "---\nrepository: x\n---\n",
        "",
    ] {
        assert_eq!(of(own), 2, "{own}");
    }
}

#[test]
fn links_of_what_agents_read_may_count_from_the_root() {
    for (path, is_told) in [
        ("sub/AGENTS.md", false),
        (".roo/skills/evals/SKILL.md", false),
        (".github/guide/a.md", true),
        ("docs/a.md", true),
    ] {
        let files = [(path, "[x](src/a.rs) [y](src/no.rs) [z](./src/a.rs)\n"), ("src/a.rs", "x\n")];
        let found = found(&Project::of(&files).check(), path);
        assert_eq!(found.iter().any(|it| it.starts_with("1:1 ")), is_told, "{path}: {found:?}");
        assert_eq!(found.iter().filter(|it| !it.starts_with("1:1 ")).count(), 2, "{found:?}");
    }
    // What was beside it is what was meant.
    let files = [("sub/AGENTS.md", "[x](a.md)\n"), ("sub/a.md", "x\n"), ("a.md", "y\n")];
    let mut project = Project::of(&files);
    project.remove("sub/a.md");
    project.commit();
    assert_eq!(found(&project.check(), "sub/AGENTS.md"), ["1:1 missing Path sub/a.md ~ a.md"]);
}

#[test]
fn a_title_may_end_in_the_anchor_of_its_heading() {
    let page = "## Sharing (CORS)#cors\n\n## C#\n\n## A #b\n";
    let links = "[x](a.md#cors) [y](a.md#sharing-cors) [z](a.md#b) [no](a.md#no)\n";
    let project = Project::of(&[("docs/b.md", links), ("docs/a.md", page)]);
    let told = ["1:39 broken docs/a.md#b", "1:51 broken docs/a.md#no"];
    assert_eq!(found(&project.check(), "docs/b.md"), told);
}

#[test]
fn images_of_a_folder_that_is_missing_are_all_broken() {
    let all: Vec<String> = (0..5).map(|at| format!("docs/{at}.md")).collect();
    let mut project = Project::of(&[]);
    all.iter().for_each(|path| drop(project.write(path, "![x](img/a.png)\n")));
    project.commit();
    let report = project.check();
    for path in all {
        assert_eq!(found(&report, &path), ["1:1 broken docs/img/a.png"], "{path}");
    }
}

#[test]
fn a_link_of_html_is_broken_if_it_has_a_text() {
    let text =
        "<a href=\"#a\"><img alt=\"A\" src=\"https://x.org\"></a> <a href=\"#b\"><b>B</b></a>\n";
    assert_eq!(
        found(&Project::of(&[("doc.md", text)]).check(), "doc.md"),
        ["1:61 broken doc.md#b"]
    );
}

#[test]
fn an_address_without_an_ending_is_no_folder_and_leaves_out_folders_in_parentheses() {
    let of = |link: &str, moved: &[(&str, &str)]| {
        let doc = format!("See [x]({link}).\n");
        let old = [("docs/doc.md", &*doc), ("docs/cli.md", "x\n"), ("s3/a.go", "x\n")];
        let mut project = Project::of(&old);
        project.remove("docs/cli.md");
        project.remove("s3/a.go");
        std::fs::remove_dir(project.place.folder.join("s3")).unwrap();
        project.commit_files(moved);
        found(&project.check(), "docs/doc.md")
    };
    let moved: &[(&str, &str)] = &[("backend/s3/a.go", "x\n")];
    assert!(of("/s3", moved).is_empty() && of("/s3/#options", moved).is_empty());
    assert_eq!(of("../s3", moved), ["1:5 missing Path s3 -> backend/s3"]);
    assert_eq!(of("/docs/cli#create", moved), ["1:5 missing Path docs/cli.md"]);
    assert!(of("/docs/cli#create", &[("docs/(start)/cli.md", "y\n")]).is_empty());
}

/// Bug: a README is read where it lies, so that an address is a folder of the repository.
#[test]
fn a_readme_names_folders_from_the_root() {
    let files = [("README.md", "See [x](/examples/).\n"), ("examples/a.rs", "x\n")];
    let mut project = Project::of(&files);
    project.remove("examples/a.rs");
    std::fs::remove_dir(project.place.folder.join("examples")).unwrap();
    project.commit();
    assert_eq!(found(&project.check(), "README.md"), ["1:5 missing Path examples"]);
}

#[test]
fn a_link_in_a_file_of_a_skill_may_start_at_the_skill() {
    let of = |skill: &str| {
        let path = "a/skills/b/references/doc.md";
        let text = "See [x](references/c.md) and [y](references/none.md).\n";
        let files = [(path, text), ("a/skills/b/references/c.md", "x\n"), (skill, "x\n")];
        found(&Project::of(&files).check(), path)
    };
    let none = "1:30 broken a/skills/b/references/references/none.md";
    assert_eq!(of("a/skills/b/SKILL.md"), [none]);
    let both =
        ["1:5 broken a/skills/b/references/references/c.md ~ a/skills/b/references/c.md", none];
    assert_eq!(of("a/skills/SKILL.md"), both);
}

#[test]
fn a_link_that_lacks_one_step_up_is_broken_and_another_without_an_ending_is_not_told() {
    let of = |link: &str| {
        let doc = format!("See [x]({link}).\n");
        let files = [("a/b/c/doc.md", &*doc), ("a/other/x.rs", "x\n"), ("a/b/d/x.rs", "x\n")];
        found(&Project::of(&files).check(), "a/b/c/doc.md")
    };
    assert_eq!(of("../other/"), ["1:5 broken a/b/other"]);
    assert!(of("../none/").is_empty() && of("other/").is_empty() && of("../d/").is_empty());
}

#[test]
fn a_link_without_an_ending_may_count_from_the_address_of_its_page() {
    let of = |page: &str| {
        let files = [("docs/a/doc.md", "See [x](../../b/).\n"), ("b/x.rs", "x\n"), (page, "x\n")];
        let mut project = Project::of(&files);
        project.remove("b/x.rs");
        std::fs::remove_dir(project.place.folder.join("b")).unwrap();
        project.commit();
        found(&project.check(), "docs/a/doc.md")
    };
    assert!(of("docs/b/index.md").is_empty());
    assert_eq!(of("docs/c/index.md"), ["1:5 missing Path b"]);
}

#[test]
fn settings_of_a_site_redirect_addresses() {
    let of = |path: &str, text: &str| {
        let doc = ("doc.md", "[x](/old/page) [y](/none/leaf)\n");
        let old = [doc, ("old/page.md", "x\n"), ("none/leaf.md", "y\n")];
        let mut project = Project::of(&old);
        project.remove("old/page.md");
        project.remove("none/leaf.md");
        project.commit_files(&[(path, text)]);
        found(&project.check(), "doc.md")
    };
    let text = "{\"redirects\": [\n{\"source\": \"/old/page\",\"destination\": \"/b\"}]}\n";
    let none = "1:16 missing Path none/leaf.md";
    assert_eq!(of("docs/docs.json", text), [none]);
    assert_eq!(of("docs/other.json", text), ["1:1 missing Path old/page.md", none]);
}
