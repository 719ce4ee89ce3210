//! Links to headings, and links that never led anywhere.

use crate::project::{Project, facts, found};
use staleness_core::knowledge::{Cited, Fact};

/// Returns the findings in `doc.md` after a commit of each list of files; an empty text removes a file.
fn after(commits: &[&[(&str, &str)]]) -> Vec<String> {
    let mut project = Project::new();
    for files in commits {
        for (path, text) in *files {
            if text.is_empty() {
                project.remove(path);
                let folder = project.place.folder.join(path);
                let _ = std::fs::remove_dir(folder.parent().unwrap());
            } else {
                project.write(path, text);
            }
        }
        project.commit();
    }
    found(&project.check(), "doc.md")
}

#[test]
fn a_heading_that_went_is_told_with_its_new_or_the_nearest_name() {
    let guide = |heading: &str, text: &str| format!("# Guide\n\n## {heading}\n\n{text}\n");
    let link = [("doc.md", "See [x](guide.md#old-name).\n")];
    for (versions, expected) in [
        (
            vec![guide("Old name", "One."), guide("New name", "One.")],
            "missing Heading guide.md#old-name -> new-name",
        ),
        (
            vec![guide("Old name", "One."), guide("Old names", "Two.")],
            "missing Heading guide.md#old-name ~ #old-names",
        ),
        (
            vec![guide("Old name", "One."), guide("Rest", "Two.")],
            "missing Heading guide.md#old-name",
        ),
        (
            vec![
                guide("Old name", "One."),
                guide("New name", "One."),
                guide("Last, Name!", "One."),
            ],
            "missing Heading guide.md#old-name -> last-name",
        ),
    ] {
        let versions: Vec<_> = versions.iter().map(|text| [("guide.md", &**text)]).collect();
        let mut commits: Vec<&[(&str, &str)]> = versions.iter().map(|files| &files[..]).collect();
        commits.insert(1, &link);
        assert_eq!(after(&commits), [format!("1:5 {expected}")]);
        // The date of the paragraph makes no difference.
        commits.remove(1);
        commits.push(&link);
        assert_eq!(after(&commits), [format!("1:5 {expected}")]);
    }
}

#[test]
fn headings_of_the_same_document_count_as_well() {
    let text = |heading: &str| {
        format!(
            "# A\n\nSee [x](#old-name), [y](#a), [z](#never).\n\n## {heading}\n\nText.\n\n\
             <a href=\"#badge\"><img src=\"https://x.org\"></a> <a href=\"#old-name\">x</a>\n"
        )
    };
    let (old, new) = (text("Old name"), text("Other"));
    let found = after(&[&[("doc.md", &old)], &[("doc.md", &new)]]);
    let told = ["3:5 missing Heading doc.md#old-name -> other", "3:30 broken doc.md#never"];
    assert_eq!(found[..2], told);
    // Decoration links to what never was.
    assert_eq!(found[2..], ["9:57 missing Heading doc.md#old-name -> other"]);
}

#[test]
fn what_is_no_missing_heading_is_not_told() {
    for link in [
        "guide.md#l10-is-no-heading-but-c",
        "guide.md#L10",
        "guide.md#a--b-c",
        "guide.md#A-B-C",
        "guide.md#user-content-named",
        "guide.md#%C3%BCber",
        "guide.md#of-a-list",
        "guide.md#",
        "guide.md#/route",
        // As some sites name the part "Über" of the section "A & B C".
        "guide.md#A-B-C-Über",
        // As sites other than GitHub write "C's D.E" and "Über".
        "guide.md#c-s-d-e",
        "guide.md#uber",
        "/guide.md#never",
        "code.py#never",
        "https://example.org/guide.md#never",
    ] {
        let guide = "# L10 is no heading, but C\n# A & B C\n<a name=named>x</a>\n# Über\n# C's D.E\n\n`a`{: #of-a-list .wide}\n\n\n\n\n\n\n\n";
        let doc = format!("See [x]({link}).\n");
        let files = [("guide.md", guide), ("doc.md", &doc), ("code.py", "x\n")];
        assert!(after(&[&files]).is_empty(), "{link}");
    }
}

#[test]
fn a_link_that_never_led_anywhere_is_broken_and_no_drift() {
    for (link, expected) in [
        ("docs/guide.md", "broken docs/guide.md ~ guide.md"),
        ("guids.md", "broken guids.md ~ guide.md"),
        ("docs/nothing.md", "broken docs/nothing.md"),
        ("img/logo.png", "broken img/logo.png"),
        ("CONTRIBUTING", "broken CONTRIBUTING"),
        ("src/Makefile", "broken src/Makefile"),
        ("guide.md#nowhere", "broken guide.md#nowhere"),
        ("guide.md#usag", "broken guide.md#usag ~ #usage"),
    ] {
        let doc = format!("See [x]({link}).\n");
        let found = after(&[&[("guide.md", "# Usage\n\nText.\n"), ("doc.md", &doc)]]);
        assert_eq!(found, [format!("1:5 {expected}")], "{link}");
    }
    let html = "<img src=\"img/logo.png\">\n";
    assert_eq!(after(&[&[("doc.md", html)]]), ["1:11 broken img/logo.png"]);
}

#[test]
fn what_others_make_or_fill_in_is_not_broken() {
    let guide =
        [("guide.md", "# Usage\n\n{{ more }}\n"), ("src/a.rs", "x\n"), (".gitignore", "dist/\n")];
    for (path, text) in [
        ("doc.md", "[x](dist/a.md)"),
        ("doc.md", "[x](/docs/a.md)"),
        ("doc.md", "[x](api/index.html)"),
        ("doc.md", "[x](link)"),
        ("doc.md", "[x](src/none/)"),
        ("doc.md", "[x](guides/start)"),
        ("doc.md", "![x](~/img/a.png)"),
        ("doc.mdx", "<Video src=\"img/a.mp4\" />"),
        ("doc.md", "[x](path/to/a.md)"),
        ("doc.md", "[x](example.com/a/b)"),
        ("doc.md", "[x](guide/)"),
        ("doc.md", "[x](guide.md#included)"),
        ("docs/a/doc.md", "[x](../../issues)"),
        // A page of a site that is built from several projects.
        ("docs/a/doc.md", "[x](../other/page)"),
        // Pages that are not translated come from the original.
        ("i18n/zh-hant/doc.md", "[x](none.md)"),
        ("doc.md", "`[x](none.md)`"),
        ("doc.md", "```\n[x](none.md)\n```"),
        ("doc.md", "[x]({{ url }}/none.md)"),
        ("doc.md", "<!-- staleness: ignore broken_link -->\n[x](none.md)"),
        ("vendor/doc.md", "[x](none.md)"),
        (".github/ISSUE_TEMPLATE/doc.md", "[x](none.md)"),
        ("CHANGELOG.md", "[x](none.md) [y](guide.md#none)"),
    ] {
        let mut project = Project::new();
        guide.iter().for_each(|(path, text)| drop(project.write(path, text)));
        project.write(path, text);
        project.commit();
        assert!(found(&project.check(), path).is_empty(), "{path} {text}");
    }
}

#[test]
fn a_translation_is_filled_up_from_the_original() {
    let text = "[x](../news.md) ![y](/img/a.png) [z](../none.md)\n";
    for (of, to) in [("docs/en/docs/a", "docs/de/docs/a"), ("docs/a", "docs/pt-br/a")] {
        let (doc, page) = (format!("{of}/doc.md"), format!("{to}/doc.md"));
        let root = of.trim_end_matches("/a");
        let (news, image) = (format!("{root}/news.md"), format!("{root}/img/a.png"));
        let files = [&doc, &page].map(|path| (&**path, text));
        let project = Project::of(&[&files[..], &[(&*news, "x\n"), (&*image, "x\n")]].concat());
        for path in [&doc, &page] {
            let none = path.replace("a/doc.md", "none.md");
            assert_eq!(found(&project.check(), path), [format!("1:34 broken {none}")], "{path}");
        }
    }
    // Sites name a page without its ending.
    let page = "[x](a/none) [y](a/page)\n";
    let files = [("docs/de/doc.md", page), ("docs/en/doc.md", "x\n"), ("docs/en/a/page.md", "x\n")];
    assert!(found(&Project::of(&files).check(), "docs/de/doc.md").is_empty());
    // A page without an original is one of a translation if others are.
    let pages: Vec<String> =
        (0..3).flat_map(|at| [format!("a/{at}.md"), format!("a/ko/{at}.md")]).collect();
    let link = [("a/ko/doc.md", "[x](ref/b.md)\n"), ("a/ref/b.md", "x\n")];
    let of = |pages: &[String]| {
        let pages = pages.iter().map(|path| (&**path, "x\n"));
        found(&Project::of(&pages.chain(link).collect::<Vec<_>>()).check(), "a/ko/doc.md")
    };
    assert!(of(&pages).is_empty());
    assert_eq!(of(&pages[2..]).len(), 1);
    // A heading that a translation renamed is there while the original has it.
    let files = [("docs/de/doc.md", "[x](#none) [y](#usage)\n"), ("docs/doc.md", "# Usage\n")];
    let translated = Project::of(&files);
    assert_eq!(found(&translated.check(), "docs/de/doc.md"), ["1:1 broken docs/de/doc.md#none"]);
    // Nothing stands for a page that has no original.
    let alone = Project::of(&[("docs/de/doc.md", "[x](news.md)\n"), ("docs/en/news.md", "x\n")]);
    let broken = "1:1 broken docs/de/news.md ~ docs/en/news.md";
    assert_eq!(found(&alone.check(), "docs/de/doc.md"), [broken]);
}

#[test]
fn exdoc_publishes_all_pages_side_by_side() {
    let text = "[x](two.md) ![y](assets/a.png) [z](none.md) ![v](assets/b.png) ![w](img/b.png)\n";
    let files = [
        ("guides/a/one.md", text),
        (".github/one.md", text),
        ("guides/b/two.md", "x\n"),
        ("guides/assets/a.png", "x\n"),
        ("guides/pictures/b.png", "x\n"),
    ];
    let broken = |project: &Project, path: &str| found(&project.check(), path).len();
    let mut project = Project::of(&files);
    assert_eq!(broken(&project, files[0].0), 5);
    project.write("mix.exs", "x\n");
    project.commit();
    assert_eq!(
        found(&project.check(), files[0].0),
        [
            "1:32 broken guides/a/none.md ~ guides/a/one.md",
            "1:64 broken guides/a/img/b.png ~ guides/pictures/b.png"
        ]
    );
    assert_eq!(broken(&project, files[1].0), 5);
}

#[test]
fn a_site_takes_files_from_a_folder_beside_its_source() {
    let text = "![x](images/a/x.png) ![y](x.png) [z](files/shop/README.md)\n";
    let files = [("assets/images/a/x.png", "x\n"), ("shop/README.md", "x\n")];
    let broken = |folder: &str, more: &[(&str, &str)]| {
        let doc = format!("{folder}doc.md");
        let images = format!("{}{}", folder.split_once('/').map_or("", |_| "g/"), files[0].0);
        let files = [&[(&*doc, text), (&*images, "x\n"), files[1]][..], more].concat();
        let found = found(&Project::of(&files).check(), &doc).into_iter();
        found.map(|it| it.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let gem = [("shop/shop.gemspec", "x\n")];
    assert_eq!(broken("g/source/", &[]), "1:22 1:34");
    assert_eq!(broken("g/source/", &gem), "1:22");
    assert_eq!(broken("g/guide/", &gem), "1:1 1:22");
    assert_eq!(broken("", &gem), "1:1 1:22");
}

#[test]
fn a_page_is_served_as_a_folder_and_mdx_only_by_sites() {
    let files = [("docs/basics.md", "x\n"), ("docs/doc.md", "[x](../basics/) [y](../none.md)\n")];
    let project = Project::of(
        &[&files[..], &[("none.txt", "x\n"), ("docs/a.mdx", "[x](guides/b)\n")]].concat(),
    );
    assert!(found(&project.check(), "docs/a.mdx").is_empty());
    assert_eq!(found(&project.check(), "docs/doc.md"), ["1:17 broken none.md ~ none.txt"]);
    // The page of `root.tsx`, and an image from where the page is served.
    let text = "[x](root.tsx) ![y](../../img/a.png) ![z](../img/a.png)\n";
    let files =
        [("docs/api/doc.md", text), ("docs/api/root.tsx.md", "x\n"), ("docs/img/a.png", "x\n")];
    assert!(found(&Project::of(&files).check(), "docs/api/doc.md").is_empty());
    let files = [("docs/api/doc.md", text), ("docs/api/root.md", "x\n"), ("img/b.png", "x\n")];
    assert_eq!(found(&Project::of(&files).check(), "docs/api/doc.md").len(), 3);
}

#[test]
fn a_heading_that_a_site_names_otherwise_is_there_whatever_was_before() {
    let link = [("doc.md", "See [x](guide.md#a-b).\n"), ("guide.md", "<a name=\"a-b\">x</a>\n")];
    assert!(after(&[&link, &[("guide.md", "# a.b\n")]]).is_empty());
    assert_eq!(after(&[&link, &[("guide.md", "# c\n")]]), ["1:5 missing Heading guide.md#a-b"]);
}

#[test]
fn a_site_serves_its_static_files_from_its_root() {
    let (doc, old, gone) =
        (("doc.md", "![x](/images/x.png)\n"), ("images/x.png", "x\n"), ("images/x.png", ""));
    let moved = |to| after(&[&[doc, old], &[gone, (to, "x\n")]]);
    assert!(moved("site/static/images/x.png").is_empty());
    assert!(moved("public/images/x.png").is_empty());
    assert_eq!(moved("a/images/x.png"), ["1:1 missing Path images/x.png -> a/images/x.png"]);
}

#[test]
fn a_site_gives_a_page_an_address_that_is_not_its_path() {
    let link = ("doc.md", "[x](/help/)\n");
    let (old, new) = (("help/index.md", "x\n"), ("pages/help.md", "x\n"));
    let gone = ("help/index.md", "");
    let moved = |more: &[(&str, &str)]| after(&[&[&[link, old][..], more].concat(), &[gone, new]]);
    assert_eq!(moved(&[]), ["1:1 missing Path help/index.md -> pages/help.md"]);
    assert!(moved(&[("_config.yml", "x: y\n")]).is_empty());
}

#[test]
fn a_link_to_a_file_that_went_is_told_whenever_its_paragraph_was_edited() {
    let first =
        [("doc.md", "See [x](a.md), [y](b/c.md), [z](b/).\n"), ("a.md", "a\n"), ("b/c.md", "c\n")];
    let second = [("a.md", ""), ("b/c.md", ""), ("d/c.md", "c\n")];
    let third = [("doc.md", "Do see [x](a.md), [y](b/c.md), [z](b/).\n")];
    let found = after(&[&first, &second, &third]);
    let expected =
        ["1:8 missing Path a.md", "1:19 missing Path b/c.md -> d/c.md", "1:32 missing Path b -> d"];
    assert_eq!(found, expected);
    // What was renamed before a document named it may be something else.
    let earlier = [&first[2..], &[("b/c.md", ""), ("d/c.md", "c\n")]];
    let found = after(&[earlier[0], earlier[1], &[("doc.md", "See [y](b/c.md).\n")]]);
    assert_eq!(found, ["1:5 missing Path b/c.md ~ d/c.md"]);
    // Somebody said later that it holds.
    let says = "<!-- staleness: verified 2026-02-01 -->\nSee [x](a.md).\n";
    assert!(after(&[&first, &second, &[("doc.md", says)]]).is_empty());
    // It came back.
    assert!(after(&[&first, &second, &third, &[first[1], first[2]]]).is_empty());
    // A copy of another project speaks of what that has.
    let mut copy = Project::new();
    for (path, text) in [("vendor/a.md", "a\n"), ("b.md", "b\n"), ("vendor/doc.md", "[x](a.md)\n")]
    {
        copy.write(path, text);
        copy.commit();
        if path == "b.md" {
            copy.remove("vendor/a.md");
        }
    }
    assert!(crate::project::found(&copy.check(), "vendor/doc.md").is_empty());
}

#[test]
fn addresses_of_the_project_itself_are_paths() {
    let url = |path: &str| format!("[x](https://github.com/{path})\n\n");
    let text = [
        "me/shop/blob/main/gone.md",
        "Owner/Shop/tree/HEAD/docs",
        "me/shop/blob/main/guide.md#usage",
        "me/shop/blob/main/guide.md#other",
        "me/shop/blob/v1/gone.md",
        "me/shop/blob/main/never.md",
        "them/shop/blob/main/gone.md",
        "me/shop/issues/7",
    ];
    let prose = "\nSee https://github.com/me/shop/blob/main/gone.md. (https://github.com/me/shop/blob/main/never.md)\n";
    let mut project = Project::new();
    project.write("doc.md", text.map(url).concat() + prose);
    project.write("guide.md", "# Usage\n\nText.\n");
    project.write("gone.md", "x\n");
    project.write("docs/a.md", "y\n");
    project.write("package.json", "{\"repository\": \"owner/shop\"}\n");
    project.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    project.git(&["remote", "add", "origin", "https://secret@github.com/me/shop.git"]);
    project.commit();
    project.write("guide.md", "# Other\n\nText.\n");
    project.remove("gone.md");
    project.git(&["rm", "-r", "-q", "docs"]);
    project.commit();
    let expected = [
        "1:1 missing Path gone.md",
        "3:1 missing Path docs",
        "5:1 missing Heading guide.md#usage -> other",
        "18:5 missing Path gone.md",
    ];
    let report = project.check();
    assert_eq!(found(&report, "doc.md"), expected);
    assert!(!format!("{report:?}").contains("secret"));
}

#[test]
fn what_is_not_committed_and_what_is_cut_off_is_no_evidence() {
    let files = [("guide.md", "# Usage\n"), ("doc.md", "See [x](guide.md#usage).\n")];
    let mut project = Project::of(&files);
    project.write("guide.md", "# Other\n");
    assert!(found(&project.check(), "doc.md").is_empty());
    project.commit();
    assert_eq!(found(&project.check(), "doc.md"), ["1:5 missing Heading guide.md#usage"]);
    let Some(Fact::SourceMissing { gone: Cited::Heading, commit, .. }) =
        facts(&project.check(), "doc.md").pop()
    else {
        panic!()
    };
    assert_eq!(commit, Some(project.git(&["rev-parse", "HEAD"])));
    // A finding is kept until the heading is back.
    let known = project.check().documents;
    let again = |project: &Project| project.check_with(|options| options.known = &known);
    assert_eq!(again(&project).counts.reused, 3);
    project.write("guide.md", "# Other\n\n# Usage\n");
    assert!(found(&again(&project), "doc.md").is_empty());
    assert!(found(&project.check_in(false, |_| {}), "doc.md").is_empty());

    let mut project = Project::new();
    (0..3).for_each(|_| drop(project.commit()));
    project.write("doc.md", "See [x](none.md), [y](#none).\n");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md").len(), 2);
    let head = project.git(&["rev-parse", "HEAD"]);
    project.write(".git/shallow", format!("{head}\n"));
    assert!(found(&project.check(), "doc.md").is_empty());
}

#[test]
fn a_hostile_document_is_bounded() {
    let mut project = Project::new();
    let links: String = (0..10_000).map(|at| format!("- [x](guide.md#a{at})\n")).collect();
    project.write("doc.md", links);
    let headings: String = (0..9_000).map(|at| format!("# a{at}\n")).collect();
    let long = format!("# {}\n", "x ".repeat(500_000));
    project.write("guide.md", format!("{long}{headings}"));
    project.commit();
    project.write("guide.md", long);
    project.commit();
    let long_names: String = (0..2_000).map(|at| format!("# {} {at}\n", "b".repeat(400))).collect();
    project.write("guide.md", long_names);
    project.commit();
    let all = facts(&project.check(), "doc.md");
    let missing = all.iter().filter(|fact| matches!(fact, Fact::SourceMissing { .. })).count();
    assert_eq!((missing, all.len()), (9_000, 10_000));
}

#[test]
fn a_page_lives_at_the_addresses_that_it_gives_itself() {
    let link = "[x](/old/page/) [y](/none/leaf/)\n";
    let of = |page: &str| {
        let page = format!("---\n{page}\n---\n\nx\n");
        let files = [("doc.md", link), ("old/page.md", "x\n"), ("none/leaf.md", "y\n")];
        let moved = [("old/page.md", ""), ("none/leaf.md", ""), ("new/page.md", &*page)];
        after(&[&files, &moved])
    };
    let none = "1:17 missing Path none/leaf.md";
    for page in [
        "aliases:\n  - /old/page/",
        "redirect_from: [/old/page]",
        "permalink: /old/page",
        "slug: ../old/page",
    ] {
        assert_eq!(of(page), [none], "{page}");
    }
    assert_eq!(of("title: /old/page"), ["1:1 missing Path old/page.md ~ new/page.md", none]);
    let listed: &[(&str, &str)] = &[("docs/.vuepress/redirects", "/old/page.html /new/\n")];
    let text = "[x](/old/page.html) [y](/none/page.html)\n";
    let gone = [("old/page.html", "x\n"), ("none/page.html", "x\n"), ("doc.md", text)];
    let mut project = Project::of(&[&gone, listed].concat());
    project.remove("old/page.html");
    project.remove("none/page.html");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md"), ["1:21 missing Path none/page.html"]);
    // Its links start there, but those to files do not.
    let link = "[x](use/it) [y](none.md)\n";
    let own = [("doc.md", &*format!("---\npermalink: /a.html\n---\n\n{link}"))];
    assert_eq!(after(&[&own]), ["5:13 broken none.md"]);
}

#[test]
fn a_link_that_leaves_a_site_leads_to_another() {
    let text = "[x](../../other/page.md) [y](../none.md)\n";
    let broken = |files: &[(&str, &str)]| {
        let project = Project::of(&[&[("book/src/a/doc.md", text)], files].concat());
        found(&project.check(), "book/src/a/doc.md")
    };
    let site = [("book/book.toml", "x\n"), ("book/src/b.md", "x\n")];
    let none = "1:26 broken book/src/none.md";
    assert_eq!(broken(&site), [none]);
    assert_eq!(broken(&site[1..]), ["1:1 broken book/other/page.md", none]);
    // A link that does not say where it starts may start at the folder of all pages, of which one may be the front.
    let links = "[x](api/page.md) [y](./api/page.md) [z](../b/index.md) [w](img/a.png)\n";
    let files = [
        ("docs/a/doc.md", links),
        ("docs/api/page.md", "x\n"),
        ("docs/b/README.md", "x\n"),
        ("img/a.png", "x\n"),
    ];
    let broken = |conf: &str| {
        let project = Project::of(&[&files[..], &[(conf, "x\n")]].concat());
        found(&project.check(), "docs/a/doc.md").len()
    };
    assert_eq!((broken("mkdocs.yml"), broken("other.yml")), (2, 4));
    // Sphinx knows nothing above its own folder.
    let of = |conf: &str| {
        let files = [("docs/deploy.rst", "x\n"), ("docs/a.rst", "x\n"), (conf, "x\n")];
        let mut project = Project::of(&[("deploy.rst", "x\n")]);
        project.remove("deploy.rst");
        project.commit_files(&[("docs/b.rst", "See :doc:`it <../deploy>`.\n")]);
        project.commit_files(&files);
        found(&project.check(), "docs/b.rst")
    };
    assert!(of("docs/conf.py").is_empty());
    assert_eq!(of("docs/other.py").len(), 1);
}

#[test]
fn a_link_from_the_root_of_a_site_counts_from_its_settings() {
    let files = [("doc.md", "[x](/blog/a)\n"), ("blog/a.md", "x\n")];
    let moved = [("blog/a.md", ""), ("website/blog/a.md", "y\n")];
    assert_eq!(after(&[&files, &moved]), ["1:1 missing Path blog/a.md ~ website/blog/a.md"]);
    let site = [moved[0], moved[1], ("website/docusaurus.config.ts", "x\n")];
    assert!(after(&[&files, &site]).is_empty());
}

#[test]
fn packages_get_a_copy_of_the_licence_of_the_root_and_capitals_may_stand_for_an_address() {
    let text = "[MIT](LICENSE) [x](URL) [y](Router) [z](CONTRIBUTING)\n";
    let broken = |files: &[(&str, &str)]| {
        let project = Project::of(&[&[("packages/a/doc.md", text)], files].concat());
        found(&project.check(), "packages/a/doc.md")
    };
    let contributing = "1:37 broken packages/a/CONTRIBUTING";
    assert_eq!(broken(&[("LICENSE", "x\n")]), [contributing]);
    assert_eq!(broken(&[]), ["1:1 broken packages/a/LICENSE", contributing]);
}
