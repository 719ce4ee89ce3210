//! Documents that are read from elsewhere: a site, a file that includes them, the users of a program.

use staleness_docs::Report;

use crate::project::{Project, found};

/// A project with a commit of these files, and one without the first of them.
fn without_first(files: &[(&str, &str)]) -> Project {
    let mut project = Project::of(files);
    project.remove(files[0].0);
    project.commit();
    project
}

#[test]
fn a_path_from_a_root_counts_from_every_folder_above_the_document() {
    let literal = ".. literalinclude:: /examples/one.py\n";
    for (document, text) in
        [("docs/usage/a.rst", literal), ("docs/usage/a.md", "See [it](/examples/one.py).\n")]
    {
        let code = "def one():\n    pass\n";
        let files =
            [("examples/one.py", "a = 1\n"), ("docs/examples/one.py", code), (document, text)];
        let mut project = without_first(&files);
        assert_eq!(found(&project.check(), document), [""; 0], "the site has it");
        project.remove("docs/examples/one.py");
        project.commit();
        let told = found(&project.check(), document);
        let told = told[0].split_once(' ').unwrap().1;
        assert_eq!(told, "missing Path docs/examples/one.py", "{document}");
    }
}

#[test]
fn folders_far_above_a_document_are_no_roots_of_sites() {
    let folder: String = (0..40).map(|at| format!("f{at}/")).collect();
    let document = format!("{folder}a.md");
    let text = "See [it](/x/one.py).\n";
    for (near, is_found) in [(30, true), (5, false)] {
        let site = folder.split_inclusive('/').take(near).collect::<String>() + "x/one.py";
        let files = [("x/one.py", "a = 1\n"), (&*site, "b = 1\n"), (&*document, text)];
        assert_eq!(found(&without_first(&files).check(), &document).is_empty(), is_found, "{near}");
    }
}

#[test]
fn what_others_include_is_not_read_from_where_it_lies() {
    let part = "# Part\n\n## Operators\n\nSee [it](../guide/other.md).\n";
    let page = "# Page\n\n## Operators\n\nMany.\n";
    let other = "# Other\n\nSee [x](../page.md#operators).\n";
    let mut project = Project::of(&[
        ("site/page.md", page),
        ("site/guide/other.md", other),
        ("lib/part.md", part),
    ]);
    assert_eq!(found(&project.check(), "lib/part.md").len(), 1, "by itself it leads nowhere");
    project.commit_files(&[("site/page.md", "# Page\n\n<!-- include: lib/part.md -->\n")]);
    for document in ["lib/part.md", "site/guide/other.md"] {
        assert_eq!(found(&project.check(), document), [""; 0], "{document}");
    }
}

#[test]
fn a_command_of_the_projects_own_program_is_an_example() {
    let tasks = "version: '3'\ntasks:\n  deploy:\n    cmds: [run]\n";
    let cases = [
        ("Taskfile.yml", tasks, "cmd/task/main.go", "package main\n", "task deploy"),
        (
            "package.json",
            r#"{"scripts": {"shop": "node a.js"}}"#,
            "packages/cli/package.json",
            r#"{"name": "@shop/cli", "bin": {"shop": "./bin.js"}}"#,
            "yarn shop",
        ),
    ];
    for (manifest, text, own, program, command) in cases {
        for is_own in [false, true] {
            let document = format!("Run `{command}`.\n");
            let other = if is_own { own } else { "other.txt" };
            let mut project =
                Project::of(&[(manifest, text), (other, program), ("a.md", &document)]);
            let none = if manifest == "package.json" { "{}" } else { "version: '3'\ntasks: {}\n" };
            project.commit_files(&[(manifest, none)]);
            assert_eq!(found(&project.check(), "a.md").is_empty(), is_own, "{command} {is_own}");
        }
    }
}

#[test]
fn a_usual_name_in_one_folder_is_only_that_path() {
    let files = [("tests/app/__init__.py", "a = 1\n"), ("a.md", "First `app/__init__.py`.\n")];
    assert_eq!(found(&without_first(&files).check(), "a.md"), [""; 0]);
    let files = [("app/__init__.py", "a = 1\n"), ("a.md", "First `app/__init__.py`.\n")];
    assert_eq!(found(&without_first(&files).check(), "a.md"), ["1:8 missing Path app/__init__.py"]);
}

#[test]
fn documents_of_an_earlier_version_are_history() {
    let text = "Set it in `src/shop_config.rs`.\n";
    for (folder, beside, is_history) in [
        ("docs/1.x", "docs/2.x", true),
        ("docs/1.x", "docs/latest", true),
        ("docs/version-1.2", "docs/version-1.10", true),
        ("docs/1.x", "docs/more", false),
        ("docs/v1", "docs/v2", true),
        ("docs/v1", "docs/v2/more", false),
    ] {
        let (document, other) = (format!("{folder}/a.md"), format!("{beside}/a.md"));
        let files =
            [("src/shop_config.rs", "fn a() {}\n"), (&*document, text), (&*other, "Text.\n")];
        let project = without_first(&files);
        let alone = [project.place.folder.join(&document)];
        let history = [document.clone()];
        let history = &history[usize::from(!is_history)..];
        for report in [project.check(), project.check_with(|options| options.paths = &alone)] {
            assert_eq!(found(&report, &document).is_empty(), is_history, "{folder} {beside}");
            assert_eq!(report.history, history, "{folder} {beside}");
        }
    }
}

#[test]
fn data_of_tests_says_nothing() {
    let data = ["tests/book/SUMMARY.md", "a/testdata/CHANGES_1.md", "a/fixtures/README.md"];
    let others = ["tests/book/README.md", "docs/SUMMARY.md", "docs/tests/a.md"];
    let text = "See [it](chapter_1.md) and `old_name()`.\n";
    let files: Vec<_> = data.into_iter().chain(others).map(|path| (path, text)).collect();
    let mut project = Project::of(&[&files[..], &[("src/a.rs", "fn old_name() {}\n")]].concat());
    project.commit_files(&[("src/a.rs", "\n")]);
    let report = project.check();
    for document in data {
        assert_eq!(found(&report, document), [""; 0], "{document}");
    }
    for document in others {
        assert_eq!(found(&report, document).len(), 2, "{document}");
    }
}

#[test]
fn a_document_alone_is_told_of_as_among_all() {
    let mut project = Project::of(&[
        ("CLAUDE.md", "@docs/team.md\n\n@docs/1.x/a.md\n"),
        ("docs/team.md", "@extra.md\n"),
        ("docs/extra.md", "x\n"),
        ("docs/1.x/a.md", "Call `old_name()`.\n"),
        ("docs/2.x/a.md", "Call `old_name()`.\n"),
        ("docs/guide.md", "<!-- include: parts/a.md -->\n\n--8<-- \"docs/parts/c.md\"\n"),
        ("docs/parts/a.md", "See [it](img/never.png).\n"),
        ("docs/parts/b.md", "See [it](img/never.png).\n"),
        ("docs/parts/c.md", "See [it](img/never.png).\n"),
        ("docs/new.md", "---\nid: new\nsupersedes: [docs/old.md, port]\n---\n\nx\n"),
        ("docs/old.md", "x\n"),
        ("docs/ports.md", "---\ntype: knowledge\nsupersedes: port\n---\n\nx\n"),
        ("docs/port.md", "---\ntype: knowledge\nid: port\n---\n\nx\n"),
        ("src/a.rs", "fn old_name() {}\n"),
    ]);
    project.remove("docs/extra.md");
    project.commit_files(&[("src/a.rs", "\n")]);
    let whole = project.check().documents;
    for known in [&[][..], &whole] {
        for document in &whole {
            let asked = [project.place.folder.join(&document.key.path)];
            let alone = project.check_with(|options| {
                (options.paths, options.known) = (&asked, known);
            });
            assert_eq!(alone.documents, std::slice::from_ref(document));
        }
    }
    let report = Report { documents: whole, ..Report::default() };
    for (path, expected) in [
        ("docs/team.md", &["1:2 missing Path docs/extra.md"][..]),
        ("docs/1.x/a.md", &["1:7 drift old_name"]),
        ("docs/parts/a.md", &[]),
        ("docs/parts/c.md", &[]),
        ("docs/parts/b.md", &["1:5 broken docs/parts/img/never.png"]),
        ("docs/old.md", &["1:1 superseded"]),
        ("docs/port.md", &["1:1 superseded", "1:1 superseded"]),
    ] {
        assert_eq!(found(&report, path), expected, "{path}");
    }
}
