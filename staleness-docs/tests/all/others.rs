//! Names in documents of things that are the reader's, another project's, or made by a build.

use crate::drift::after;
use crate::project::{Project, found};

#[test]
fn what_a_copy_of_another_project_defined_is_no_drift() {
    let text = "Fails with `invalid_arg` or NetThing, unless `read_all()`.\n";
    let code = "typedef int invalid_arg;\nstruct NetThing { int a; };\nint read_all(int a);\n";
    for path in ["vendor/net/net.h", "src/third_party/net.h", "deps/net/net.h"] {
        assert!(after(text, &[(path, code)], &[(path, "x\n")]).is_empty(), "{path}");
    }
    let own = [("src/net.h", code)];
    assert_eq!(after(text, &own, &[("src/net.h", "x\n")]).len(), 3);
    // It is there all the same while a copy has it.
    let moved = [("src/net.h", "x\n"), ("vendor/net.h", code)];
    assert!(after(text, &own, &moved).is_empty());
}

#[test]
fn a_flag_that_only_settings_of_other_programs_spelled_is_theirs() {
    let text = "Pass `--frozen-file`.\n";
    let set = [(".github/ci.yml", "run: npm ci --frozen-file\n"), ("tox.ini", "a --frozen-file\n")];
    let unset = [(".github/ci.yml", "run: npm ci\n"), ("tox.ini", "a\n")];
    assert!(after(text, &set, &unset).is_empty());
    let own = [("a.js", "option('--frozen-file')\n")];
    assert_eq!(after(text, &own, &[("a.js", "x\n")]), ["1:7 drift --frozen-file"]);
    // It is there while somebody spells it.
    let spelled = [("a.js", "x\n"), set[0]];
    assert!(after(text, &own, &spelled).is_empty());
}

#[test]
fn a_copy_of_a_readme_reads_no_variable() {
    let text = "Set `A_CACHE_DIR`.\n";
    let said = "Set `A_CACHE_DIR`, or 'A_CACHE_DIR'.\n";
    for path in ["PKG-INFO", "src/a.egg-info/PKG-INFO", "man/a.1", "locale/de.po"] {
        assert!(after(text, &[(path, said)], &[(path, "x\n")]).is_empty(), "{path}");
    }
    let comment = [("a.py", "\"\"\"Heeds `A_CACHE_DIR`.\"\"\"\n")];
    assert!(after(text, &comment, &[("a.py", "x\n")]).is_empty());
    let read = [("a.py", "environ['A_CACHE_DIR']\n")];
    assert_eq!(after(text, &read, &[("a.py", "x\n")]), ["1:6 drift A_CACHE_DIR"]);
}

#[test]
fn the_other_half_of_a_switch_is_there_while_what_it_is_made_of_is() {
    let text = "Pass `--no-parallel`.\n";
    let spelled = [("a.py", "option('--parallel/--no-parallel')\n")];
    let made = [("a.py", "f'--{name}/--no-{name}'\n"), ("names.py", "name='parallel'\n")];
    assert!(after(text, &spelled, &made).is_empty());
    assert_eq!(after(text, &spelled, &[("a.py", "x\n")]), ["1:7 drift --no-parallel"]);
}

#[test]
fn a_file_of_data_makes_no_name_and_a_lone_folder_is_one_of_the_root() {
    let text = "Take `contract_a`.\n";
    assert!(found(&without(text, &["tests/contract_a.json"]).check(), "doc.md").is_empty());
    assert_eq!(found(&without(text, &["tests/contract_a.py"]).check(), "doc.md").len(), 1);
    let gone = |files: &[&str]| found(&without("In `manifests/`.\n", files).check(), "doc.md");
    assert!(gone(&["manifests/a.json"]).len() == 1);
    assert!(gone(&["tests/manifests/a.json"]).is_empty());
}

#[test]
fn a_file_name_that_only_data_of_tests_bore_is_the_readers() {
    let gone = |path: &str| found(&without("Edit `compose_a.yml`.\n", &[path]).check(), "doc.md");
    for path in ["e2e/testdata/compose_a.yml", "fixtures/x/compose_a.yml", "vendor/compose_a.yml"] {
        assert!(gone(path).is_empty(), "{path}");
    }
    for path in ["e2e/compose_a.yml", "compose_a.yml"] {
        assert_eq!(gone(path).len(), 1, "{path}");
    }
    let text = "Edit `testdata/compose_a.yml`.\n";
    let whole = without(text, &["testdata/compose_a.yml"]);
    assert_eq!(found(&whole.check(), "doc.md").len(), 1);
}

#[test]
fn a_variable_of_the_documents_own_code_is_its_own() {
    let gone = |doc: &str, code: &str| {
        let mut project = Project::of(&[("a.py", "def simple_page():\n    pass\n"), (doc, code)]);
        project.commit_files(&[("a.py", "x\n")]);
        found(&project.check(), doc).len()
    };
    let name = "Call ``simple_page``.\n\n";
    for made in
        ["simple_page = Page('x',\n  1)", "let simple_page = shop::page()", "simple_page := p(1)"]
    {
        assert_eq!(gone("doc.rst", &format!("{name}Make it::\n\n    {made}\n")), 0, "{made}");
        assert_eq!(gone("doc.md", &format!("{name}```\n{made}\n```\n")), 0, "{made}");
    }
    for other in [
        "simple_page = 3",
        "simple_page == p(1)",
        "x = simple_page(1)",
        "simple_page(a = b(1))",
        "simple_page = [p(1)]",
    ] {
        assert_eq!(gone("doc.rst", &format!("{name}Make it::\n\n    {other}\n")), 1, "{other}");
    }
}

#[test]
fn a_variable_of_tests_is_no_head_of_a_name_of_the_project() {
    let code = "database = 1\ndef execute_all(a):\n    pass\n";
    for (path, count) in [("a.py", 1), ("tests/a.py", 0)] {
        let told = after("Call `database.execute_all`.\n", &[(path, code)], &[(path, "x\n")]);
        assert_eq!(told.len(), count, "{path}: {told:?}");
    }
}

#[test]
fn a_name_that_got_a_number_in_front_is_there() {
    let text = "The `primitive_types` and `big_intro` in `quiz/primitive_types/` and `quiz/big_intro.md`.\n";
    let mut project = Project::of(&[
        ("doc.md", text),
        ("quiz/primitive_types/a.rs", "fn a() {}\n"),
        ("quiz/big_intro.md", "Text.\n"),
    ]);
    project.git(&["mv", "quiz/primitive_types", "quiz/04_primitive_types"]);
    project.git(&["mv", "quiz/big_intro.md", "quiz/01-big_intro.md"]);
    project.commit();
    let renamed = [
        "1:43 missing Path quiz/primitive_types -> quiz/04_primitive_types",
        "1:71 missing Path quiz/big_intro.md -> quiz/01-big_intro.md",
    ];
    assert_eq!(found(&project.check(), "doc.md"), renamed);
    // That of a migration is no name for what it did.
    let files = [("a.py", "def add_orders(a):\n    pass\n"), ("sql/0001_add_orders.sql", "x\n")];
    assert_eq!(after("Call `add_orders()`.\n", &files, &[("a.py", "x\n")]).len(), 1);
}

#[test]
fn what_the_documents_own_code_defines_or_reads_is_its_own() {
    let code = [("a.py", "def old_name(self):\n    pass\nx = os.getenv('SHOP_KEY')\n")];
    let gone = |text: &str| after(text, &code, &[("a.py", "x\n")]).len();
    let text = "Call `old_name` with `SHOP_KEY`.\n\n```python\n";
    let body = "def old_name(self):\n    a = 1\n    return a\n";
    for (read, count) in [
        ("os.environ[\"SHOP_KEY\"]", 0),
        ("1\nSHOP_KEY=1 shop $SHOP_KEY", 0),
        ("\"${SHOP_KEY}\"", 1),
    ] {
        assert_eq!(gone(&format!("{text}{body}x = {read}\n```\n")), count, "{read}");
    }
    assert_eq!(gone(&format!("{text}def old_name(self): ...\nSHOP_KEY=1\n```\n")), 2);
}

#[test]
fn a_declaration_of_another_packages_item_defines_none() {
    let text = "Call `isAged`.\n";
    let gone = |code: &str| after(text, &[("a.d.ts", code)], &[("a.d.ts", "x\n")]).len();
    assert_eq!(gone("declare global {\n  const isAged: typeof import('sets')['isAged']\n}\n"), 0);
    assert_eq!(gone("export const isAged = () => {\n"), 1);
    // The root of a name with dots may be a variable.
    let text = "Set `abilities.pageName`.\n";
    let gone = |code: &str| after(text, &[("a.ts", code)], &[("a.ts", "x\n")]).len();
    assert_eq!(gone("  abilities: {\n    pageName: 1,\n"), 0);
    assert_eq!(gone("export const abilities = 1\nclass A {\n  pageName = 2\n}\n"), 1);
}

#[test]
fn a_path_that_code_quotes_is_made_when_it_runs() {
    let text = "They are in `data/all/` and `.shop/all/`, see `docs/all.txt`.\n";
    let files = ["data/all/a.txt", ".shop/all/a.txt", "docs/all.txt"];
    let told = |path: &str, code: &str| {
        let mut project = without(text, &files);
        project.commit_files(&[(path, code)]);
        found(&project.check(), "doc.md").len()
    };
    let code = "mkdir('./data/all/', '.shop/all')\nopen(\"docs/all.txt\")\n";
    assert_eq!(told("src/a.py", code), 0);
    assert_eq!(told("tests/a.py", code), 3);
    assert_eq!(told("src/a.py", "print('in data/all or docs/all.txt')\n"), 3);
}

/// A project that these files are gone from, and that has a document which names them.
pub(crate) fn without(document: &str, files: &[&str]) -> Project {
    let mut project = Project::new();
    project.write("doc.md", document);
    for path in files {
        project.write(path, "x\n");
    }
    project.commit();
    for path in files {
        project.remove(path);
        // Git keeps no folders.
        if let Some((folder, _)) = path.split_once('/') {
            std::fs::remove_dir_all(project.place.folder.join(folder)).unwrap();
        }
    }
    project.write("a.rs", "fn main() {}\n");
    project.commit();
    project
}

#[test]
fn a_bare_hidden_file_is_the_readers_own_and_a_link_to_it_the_projects() {
    let files = [".shoplint.json", "jquery-3.3.1.js"];
    let text = "Named `.shoplint.json`; see `jquery-3.3.1.js`.\n";
    let gone = |text| found(&without(text, &files).check(), "doc.md");
    assert!(gone(text).is_empty());
    let text = "See [a](.shoplint.json) and [b](jquery-3.3.1.js).\n";
    let expected = ["1:5 missing Path .shoplint.json", "1:29 missing Path jquery-3.3.1.js"];
    assert_eq!(gone(text), expected);
    let text = "---\ncite: .shoplint.json\n---\n\nx\n";
    assert_eq!(gone(text), ["1:1 missing Path .shoplint.json"]);
}

#[test]
fn what_git_is_told_to_leave_out_is_made_by_a_build() {
    let text = "See [a](installer), `dist/app.js` and [b](dist/app.js).\n";
    let mut project = without(text, &["installer/a.html", "dist/app.js"]);
    let all = found(&project.check(), "doc.md");
    assert_eq!(all.len(), 3, "{all:?}");
    project.write(".gitignore", "/installer\n/dist/\n");
    project.commit();
    let first = project.check();
    assert!(found(&first, "doc.md").is_empty());
    // No commit tells when the patterns are edited.
    project.write(".gitignore", "\n");
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!(found(&again, "doc.md"), all);
}

#[test]
fn what_an_illustration_passes_on_is_no_drift() {
    let code = "struct SourceTree;\nfn name_pattern() {}\nfn list_all() {}\n";
    let gone = [("a.rs", "x\n")];
    let text = "`#[some_rule = SourceTree]`, `a: SourceTree`, `find([name_pattern], b)`.\n";
    assert!(after(text, &[("a.rs", code)], &gone).is_empty());
    let text = "`let a = list_all(b);` of `struct SourceTree`.\n";
    let drift = ["1:10 drift list_all", "1:35 drift SourceTree"];
    assert_eq!(after(text, &[("a.rs", code)], &gone), drift);
}

#[test]
fn the_end_of_a_path_below_examples_and_templates_is_the_readers_own() {
    let text = "Edit `config/dev.exs` and `Dockerfile`.\n";
    let gone = |file: &str| found(&without(text, &[file, "docker/Dockerfile"]).check(), "doc.md");
    for folder in [
        "installer/templates/app",
        "examples/shop",
        "docs_src/first",
        "lib/site_template",
        "playground/a",
        "saas-starter/a",
        "references/shop",
    ] {
        assert!(gone(&format!("{folder}/config/dev.exs")).is_empty(), "{folder}");
    }
    assert_eq!(gone("shop/config/dev.exs"), ["1:7 drift config/dev.exs"]);
    let page = without("See `guide/old.md`.\n", &["docs/guide/old.md"]);
    assert_eq!(found(&page.check(), "doc.md"), ["1:6 drift guide/old.md"]);
    let whole = without("Edit `examples/shop/a.exs`.\n", &["examples/shop/a.exs"]);
    assert_eq!(found(&whole.check(), "doc.md"), ["1:7 missing Path examples/shop/a.exs"]);
}

#[test]
fn of_a_template_only_what_lies_beside_it_is_the_projects() {
    let text =
        "Call `old_name()` in `src/old.rs`, `npm run lint`, see [a](/src/old.rs), [b](b.md).\n";
    let gone = ["src/old.rs", "package.json"];
    for (path, expected) in [
        ("templates/app/doc.md", &["1:74 missing Path templates/app/b.md"][..]),
        ("create/template-app/doc.md", &["1:74 missing Path create/template-app/b.md"]),
        ("new/base_template/doc.md", &["1:74 missing Path new/base_template/b.md"]),
        ("{{cookiecutter.name}}/doc.md", &["1:74 missing Path {{cookiecutter.name}}/b.md"]),
    ] {
        let mut project = Project::new();
        let beside = path.replace("doc.md", "b.md");
        project.write("src/old.rs", "fn old_name() {}\n");
        project.write("package.json", r#"{"scripts": {"lint": "x"}}"#);
        project.write(&beside, "x\n");
        project.write(path, text);
        project.write("templates/doc.md", text);
        project.commit();
        gone.iter().for_each(|path| project.remove(path));
        project.remove(&beside);
        project.commit();
        let report = project.check();
        assert_eq!(found(&report, path), expected, "{path}");
        // A document beside templates describes them.
        assert!(found(&report, "templates/doc.md").len() > 3);
    }
}

#[test]
fn a_file_that_comes_and_goes_is_not_told() {
    let mut project = Project::new();
    project.write("doc.md", "Edit `.state/pre.json`; see [it](.state/pre.json).\n");
    for lives in 1..5 {
        project.write(".state/pre.json", "{}\n");
        project.commit();
        project.remove(".state/pre.json");
        project.commit();
        let told = found(&project.check(), "doc.md").len();
        assert_eq!(told, if lives < 4 { 2 } else { 0 }, "{lives}");
    }
}

#[test]
fn below_the_module_of_another_project_names_are_its_own() {
    let text = "See :class:`NetThing`.\n\n.. module:: net.http\n\n.. class:: NetThing\n\n\
                .. function:: open_all\n\n.. module:: shop.queue\n\n.. class:: ShopThing\n";
    let code = "class NetThing:\n    pass\ndef open_all():\n    pass\nclass ShopThing:\n    pass\n";
    let gone = |files: &[(&str, &str)]| {
        let mut project = Project::of(files);
        project.write("shop/a.py", "x\n");
        project.commit();
        found(&project.check(), "doc.rst")
    };
    let files = [("doc.rst", text), ("shop/a.py", code), ("net/b.py", "x\n")];
    assert_eq!(gone(&files[..2]), ["11:12 drift ShopThing"]);
    // A folder of this name makes it one of the project.
    assert_eq!(gone(&files).len(), 4);
}

#[test]
fn in_a_project_of_documents_flags_and_items_are_those_of_others() {
    let text = "Pass `--frozen-file`, call `read_all()`, edit `routes.yml`, see `src/tool.rs`.\n";
    let gone = |pages: usize, sources: usize| {
        let mut project = Project::new();
        (1..sources).for_each(|at| drop(project.write(&format!("src/{at}.py"), "x\n")));
        (1..pages).for_each(|at| drop(project.write(&format!("guide/{at}.md"), "x\n")));
        project.write("doc.md", text);
        project.write("a.py", "add_argument('--frozen-file')\ndef read_all():\n    pass\n");
        project.write("conf/routes.yml", "x: y\n");
        project.write("src/tool.rs", "x\n");
        project.commit();
        project.write("a.py", "x\n");
        project.remove("conf/routes.yml");
        project.remove("src/tool.rs");
        project.commit();
        found(&project.check(), "doc.md")
    };
    assert_eq!(gone(30, 1), ["1:66 missing Path src/tool.rs"]);
    assert_eq!(gone(10, 1).len(), 4);
    // Many translations make no project of documents.
    assert_eq!(gone(250, 22).len(), 4);
}
