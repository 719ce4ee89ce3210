//! Commands that documents call, and the targets that the project no longer defines.

use staleness_core::knowledge::{Fact, WordKind};

use crate::drift::after;
use crate::project::{Project, facts, found};

const SCRIPTS: &str =
    r#"{"name": "shop", "scripts": {"lint": "eslint .", "build": "tsc", "test": "jest"}}"#;

/// A fenced block of a shell.
fn fence(lines: &str) -> String {
    format!("```sh\n{lines}\n```\n")
}

#[test]
fn a_target_that_went_is_told_and_one_that_never_was_is_not() {
    let cargo = "[package]\nname = \"shop\"\n[features]\ntls = []\n";
    for (path, first, second, gone, never) in [
        (
            "package.json",
            SCRIPTS,
            "{\"scripts\": {\"build\": \"tsc\"}}",
            "npm run lint",
            "npm run never",
        ),
        ("package.json", SCRIPTS, "{\"scripts\": {}}", "npm test", "npm start"),
        ("package.json", SCRIPTS, "{\"scripts\": {}}", "yarn lint", "yarn jest"),
        // A dependency of the name is no script.
        (
            "package.json",
            SCRIPTS,
            "{\"devDependencies\": {\"lint\": \"1\"}}",
            "npm run lint",
            "yarn lint",
        ),
        ("Makefile", "lint:\n\trun\n", "test:\n\tgo\n", "make lint", "make test"),
        ("justfile", "lint:\n  run\n", "test:\n  go\n", "just lint", "just never"),
        (
            "Taskfile.yml",
            "tasks:\n  lint:\n    cmd: x\n",
            "tasks:\n  test:\n    cmd: y\n",
            "task lint",
            "task never",
        ),
        (".cargo/config.toml", "[alias]\nxt = \"run\"\n", "[alias]\n", "cargo xt", "cargo never"),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"shop\"\n",
            "cargo test --features tls",
            "cargo test -F never",
        ),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"till\"\n",
            "cargo run --bin shop",
            "cargo run --bin never",
        ),
        (
            "Cargo.toml",
            cargo,
            "[package]\nname = \"till\"\n",
            "cargo test -p shop",
            "cargo test -p never",
        ),
        ("composer.json", SCRIPTS, "{}", "composer lint", "composer never"),
        ("deno.json", "{\"tasks\": {\"lint\": \"x\"}}", "{}", "deno task lint", "deno task never"),
        ("pyproject.toml", "[tool.poe.tasks]\nlint = \"x\"\n", "\n", "poe lint", "poe never"),
        (
            "pyproject.toml",
            "[project.scripts]\nlint = \"x:y\"\n",
            "\n",
            "poetry run lint",
            "poetry run never",
        ),
        (
            ".pre-commit-config.yaml",
            "- id: lint\n",
            "- id: test\n",
            "pre-commit run lint",
            "pre-commit run never",
        ),
        ("src/bin/till.rs", "fn main() {}\n", "", "cargo run --bin till", "cargo run --bin never"),
        ("shop/__main__.py", "run()\n", "", "python -m shop", "python -m never"),
        ("crates/till/Cargo.toml", cargo, "", "cargo test -p till", "cargo test -p never"),
    ] {
        let mut project = Project::new();
        project.write(
            "doc.md",
            format!("Run `{gone}` or `{never}`.\n\n{}", fence(&format!("{never}\n{gone} # x"))),
        );
        project.write(path, first);
        project.commit();
        if second.is_empty() {
            project.remove(path);
        } else {
            project.write(path, second);
        }
        project.commit();
        let told = found(&project.check(), "doc.md");
        assert_eq!(told, [format!("1:6 drift {gone}"), format!("5:1 drift {gone}")], "{gone}");
    }
}

#[test]
fn one_target_that_took_over_the_text_is_the_new_name() {
    let renamed = SCRIPTS.replace("\"lint", "\"check");
    let two = renamed.replace("{\"check\": ", "{\"style\": \"eslint .\", \"check\": ");
    let text = "Run `npm run lint -- --fix`.\n";
    for (second, expected) in [
        (&*renamed, "1:6 drift npm run lint -> npm run check"),
        (&two, "1:6 drift npm run lint"),
        (&renamed.replace("eslint", "oxlint"), "1:6 drift npm run lint"),
        (
            &SCRIPTS.replace("lint\": \"e", "lints\": \"ox"),
            "1:6 drift npm run lint ~ npm run lints",
        ),
    ] {
        assert_eq!(
            after(text, &[("package.json", SCRIPTS)], &[("package.json", second)]),
            [expected]
        );
    }
    let mut project = Project::new();
    project.write("doc.md", "Run `cargo run --bin till`.\n");
    project.write("src/bin/till.rs", "fn main() { println!(\"till\"); }\n");
    project.commit();
    project.git(&["mv", "src/bin/till.rs", "src/bin/desk.rs"]);
    let by = project.commit();
    let [Fact::ReferenceDrift { sort, renamed_to, commit, at, .. }] =
        &facts(&project.check(), "doc.md")[..]
    else {
        panic!("one fact")
    };
    assert_eq!((sort, renamed_to.as_deref()), (&WordKind::Command, Some("cargo run --bin desk")));
    assert_eq!((commit.as_deref(), at.is_some()), (Some(&*by), true));
}

#[test]
fn a_target_may_be_where_the_document_is_above_it_or_where_the_command_goes() {
    let none = r#"{"name": "@x/none", "scripts": {}}"#;
    let gone = |text: &str, path: &str, at: &str, now: &str| {
        let mut project = Project::new();
        project.write(path, fence(text));
        project.write("package.json", SCRIPTS.replace("lint", "other"));
        project.write(at, SCRIPTS);
        project.commit();
        project.write(at, now);
        project.commit();
        found(&project.check(), path)
    };
    for (text, path, at) in [
        ("cd web && npm run lint", "doc.md", "web/package.json"),
        ("cd web\nnpm run lint", "doc.md", "web/package.json"),
        ("npm --prefix web run lint", "doc.md", "web/package.json"),
        ("npm run lint", "web/doc.md", "web/package.json"),
        ("npm run lint", "web/docs/doc.md", "web/package.json"),
        ("npm run lint", "docs/doc.md", "package.json"),
        ("npm run lint -w @x/none", "doc.md", "web/package.json"),
        ("git clone https://host/shop\ncd shop\nnpm run lint", "doc.md", "package.json"),
    ] {
        assert_eq!(gone(text, path, at, none).len(), 1, "{text} in {path}");
        assert!(gone(text, path, at, SCRIPTS).is_empty(), "{text} in {path}");
    }
    for (text, path, at) in [
        // Some other package still has it, or never had it.
        ("npm run other", "doc.md", "web/package.json"),
        ("cd elsewhere && npm run lint", "doc.md", "web/package.json"),
        ("cd \"$DIR\" && npm run lint", "doc.md", "package.json"),
        ("npm run lint", "doc.md", "web/package.json"),
    ] {
        assert!(gone(text, path, at, none).is_empty(), "{text} in {path}");
    }
    // A folder below has a justfile of its own, but for its own documents.
    let just = |path: &str| {
        let mut project = Project::of(&[
            (path, "Run `just lint`.\n"),
            ("justfile", "lint:\n  a\n"),
            ("web/justfile", "lint:\n  b\n"),
        ]);
        project.commit_files(&[("justfile", "test:\n  c\n")]);
        found(&project.check(), path)
    };
    assert_eq!(just("doc.md"), ["1:6 drift just lint"]);
    assert!(just("web/doc.md").is_empty());
    let first = [("docs/Makefile", "html:\n\trun\n"), ("Makefile", "all:\n")];
    let second = [("docs/Makefile", "pdf:\n\tgo\n")];
    assert_eq!(after("`make -C docs html`\n", &first, &second), ["1:2 drift make -C docs html"]);
    assert!(after("`make -C docs pdf`\n", &first, &second).is_empty());
}

#[test]
fn what_a_makefile_includes_is_read_and_what_cannot_be_told_is_not_gone() {
    let first = ("Makefile", "lint:\n\trun\ntest:\n\tgo\n");
    let silent = |makefile: &str, more: &[(&str, &str)]| {
        let second: Vec<_> =
            [("Makefile", makefile)].into_iter().chain(more.iter().copied()).collect();
        after("Run `make lint`.\n", &[first], &second).is_empty()
    };
    assert!(!silent("test:\n\tgo\n", &[]));
    assert!(silent(
        "include mk/a.mk\n",
        &[("mk/a.mk", "include mk/b.mk\n"), ("mk/b.mk", "lint:\n")]
    ));
    assert!(!silent("include a.mk\n", &[("a.mk", "test:\n\tgo\n")]));
    for (makefile, more) in [
        ("include $(wildcard mk/*.mk)\n", &[][..]),
        ("include nowhere.mk\n", &[]),
        ("lin%:\n\trun\n", &[]),
        ("$(NAMES):\n\trun\n", &[]),
        ("$(foreach x,lint,$(eval $(x):))\n", &[]),
    ] {
        assert!(silent(makefile, more), "{makefile}");
    }
    // A circle of includes ends, and so does a chain that is too long.
    assert!(!silent("include a.mk\n", &[("a.mk", "include Makefile a.mk\ntest:\n")]));
    let chain: Vec<_> =
        (0..40).map(|at| (format!("{at}.mk"), format!("include {}.mk\n", at + 1))).collect();
    let chain: Vec<_> = chain.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert!(silent("include 0.mk\n", &chain));
}

#[test]
fn a_command_is_silent_where_it_speaks_of_the_past_or_was_left_aside() {
    let first = [("package.json", SCRIPTS)];
    let second = [("package.json", "{}")];
    for text in [
        "`npm run lint` was removed.\n",
        "Use this instead of `npm run lint`.\n",
        "<!-- staleness: ignore reference_drift -->\n```sh\nnpm run lint\n```\n",
        "```json\n\"npm run lint\"\n```\n",
        "```\nnpm run lint\nis what you type\n```\n",
        "    npm run lint\n",
        "Run npm run lint.\n",
        "```console\n$ ls\nnpm run lint\n```\n",
        "`npm run <lint>` and `npm run lint:...`\n",
        "`npx lint` and `npm install lint`\n",
    ] {
        assert!(after(text, &first, &second).is_empty(), "{text}");
    }
    for text in [
        "```\nnpm run lint\n```\n",
        "- x\n\n  ```console\n  $ npm run lint\n  ok\n  ```\n",
        "> ```bash\n> npm run lint\n",
    ] {
        assert_eq!(after(text, &first, &second).len(), 1, "{text}");
    }
    let mut project = Project::new();
    project.write("CHANGELOG.md", "Run `npm run lint`.\n");
    project.write("package.json", SCRIPTS);
    project.commit();
    project.write("package.json", "{}");
    project.write("late.md", "Run `npm run lint`.\n");
    project.commit();
    assert!(found(&project.check(), "CHANGELOG.md").is_empty());
    // When it was written makes no difference, but that somebody said later that it holds.
    assert_eq!(found(&project.check(), "late.md"), ["1:6 drift npm run lint"]);
    project.write("late.md", "---\nverified: 2026-02-01\n---\nRun `npm run lint`.\n");
    project.commit();
    assert!(found(&project.check(), "late.md").is_empty());
    project.write("late.md", "Now run `npm run lint`.\n");
    assert!(found(&project.check(), "late.md").is_empty(), "somebody is still working on it");
}

#[test]
fn flags_and_scripts_of_the_project_are_looked_up_in_commands() {
    let first = [("src/cli.py", "parser.add_argument(\"--fast\")\n"), ("scripts/build.sh", "x\n")];
    let lines = "python -m src.cli --fast\nmypy --fast\nscripts/build.sh --now\ncd a && scripts/build.sh\nbash scripts/build.sh";
    let mut project = Project::new();
    project.write("doc.md", fence(lines));
    first.iter().for_each(|(path, text)| drop(project.write(path, text)));
    project.commit();
    project.write("src/cli.py", "x\n");
    project.remove("scripts/build.sh");
    project.commit();
    let told = found(&project.check(), "doc.md");
    assert_eq!(told, ["2:19 drift --fast", "4:1 missing Path scripts/build.sh"]);
}

#[test]
fn files_that_a_runner_takes_are_looked_up() {
    let first = [("shop/tests/a.py", "x\n"), ("shop/internal/b.go", "x\n")];
    for line in [
        "pytest -v shop/tests/a.py::test_sum",
        "uv run --script shop/tests/a.py",
        "uv run shop/tests/a.py",
        "uv run pytest shop/tests/a.py",
        "npx jest shop/tests/a.py",
        "npm test -- shop/tests/a.py",
        "go test ./shop/internal/...",
    ] {
        let mut project = Project::of(&[first[0], first[1], ("doc.md", &fence(line))]);
        project.git(&["rm", "-r", "-q", "shop"]);
        project.commit();
        assert_eq!(found(&project.check(), "doc.md").len(), 1, "{line}");
    }
}

#[test]
fn manifests_and_blocks_that_are_too_large_are_bounded() {
    let huge = format!("{{\"scripts\": {{\"lint\": \"x\"}}, \"x\": \"{}\"}}", "x".repeat(50 << 20));
    let text = "Run `npm run lint` or `npm run build`.\n";
    let (small, huge) = ([("package.json", SCRIPTS)], [("package.json", &*huge)]);
    assert!(after(text, &small, &huge).is_empty(), "it cannot be told");
    // The version that was too large is in the way of what was before.
    assert!(after(text, &huge, &[("package.json", "{}")]).is_empty());
    let endless = format!("```sh\nnpm run lint\n{}npm run build\n", "echo x\n".repeat(400_000));
    let told = after(&endless, &small, &[("package.json", "{}")]);
    assert_eq!(told, ["2:1 drift npm run lint"]);
}

/// The manifests of four programs of one name.
const PROGRAMS: [(&str, &str); 4] = [
    ("Cargo.toml", "[package]\nname = \"shop\"\n"),
    ("pyproject.toml", "[project.scripts]\nshop = \"shop.cli:main\"\n"),
    ("package.json", r#"{"name": "@x/shop", "bin": "cli.js"}"#),
    ("cmd/shop/main.go", "package main\n"),
];

#[test]
fn a_subcommand_that_went_is_told_and_one_that_never_was_is_not() {
    let text = "Run `shop sync-all --fast`, `shop never` or `till sync-all`.\n";
    for (at, path, before, own, behind) in [
        (
            0,
            "src/main.rs",
            "#[derive(Subcommand)]\nenum Do {\n    List,\n",
            "    SyncAll(A),\n",
            "}\n",
        ),
        (
            0,
            "src/cli.rs",
            "x.subcommand(\n    Command::new(\"list\"))\n",
            "y.subcommand(Command::new(\"sync-all\"))\n",
            "",
        ),
        (1, "shop/cli.py", "a.add_parser('list')\n", "a.add_parser(\n    \"sync-all\")\n", ""),
        (
            1,
            "shop/cli.py",
            "@app.command()\ndef list():\n    pass\n",
            "@app.command()\ndef sync_all():\n    pass\n",
            "",
        ),
        (2, "src/cli.js", "x\n  .command('list')\n", "  .command('sync-all <a>')\n", ""),
        (3, "cmd/root.go", "\tUse:   \"list\",\n", "\tUse:   \"sync-all [a]\",\n", ""),
    ] {
        let [first, second] = [own, ""].map(|own| format!("{before}{own}{behind}"));
        let found = after(text, &[PROGRAMS[at], (path, &first)], &[(path, &second)]);
        assert_eq!(found, ["1:6 drift shop sync-all"], "{path}: {first}");
        // What no manifest of the project defines is another's program.
        assert!(after(text, &[(path, &first)], &[(path, &second)]).is_empty(), "{path}");
    }
    let mut project = Project::of(&[
        ("doc.md", text),
        PROGRAMS[3],
        ("cmd/root.go", "Use: \"list\",\n"),
        ("cmd/sync-all.go", "Use: \"sync-all\",\n"),
    ]);
    project.remove("cmd/sync-all.go");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md"), ["1:6 drift shop sync-all"]);
}

#[test]
fn a_subcommand_that_code_may_still_know_is_not_told_and_a_new_name_is_near() {
    let source = |name: &str| format!("a.add_parser('list')\na.add_parser('{name}')\n");
    let first = source("sync-all");
    let told = |text: &str, second: &[(&str, &str)]| {
        after(text, &[PROGRAMS[1], ("shop/cli.py", &first)], second)
    };
    let (near, other) = (source("sync-alls"), source("mend"));
    let text = "Run `shop sync-all`.\n";
    let expected = ["1:6 drift shop sync-all ~ shop sync-alls"];
    assert_eq!(told(text, &[("shop/cli.py", &near)]), expected);
    for code in ["x = {'sync-all': 1}\n", "def sync_all():\n", "class SyncAll(Command):\n"] {
        assert!(told(text, &[("shop/cli.py", &other), ("shop/b.py", code)]).is_empty(), "{code}");
    }
    for text in ["Instead of `shop sync-all`, type `shop list`.\n", "Run `git sync-all`.\n"] {
        assert!(told(text, &[("shop/cli.py", &other)]).is_empty(), "{text}");
    }
}

#[test]
fn a_makefile_that_a_build_makes_may_have_every_target() {
    let mut project = Project::of(&[("Makefile", "all:\n\tx\n"), ("doc.md", "Run `make all`.\n")]);
    project.remove("Makefile");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md").len(), 1);
    project.write("configure.ac", "x\n");
    project.commit();
    assert!(found(&project.check(), "doc.md").is_empty());
    // A makefile that is there says itself what it has.
    project.write("Makefile", "some:\n\tx\n");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md").len(), 1);
}

#[test]
fn a_command_that_the_projects_own_program_runs_is_an_example() {
    let cargo = "[package]\nname = \"watcher\"\n";
    let files = [("Cargo.toml", cargo), ("src/main.rs", "x\n"), ("Makefile", "lint:\n\trun\n")];
    let gone = |text: &str| after(text, &files, &[("Makefile", "x:\n")]);
    for line in ["watcher -w src make lint", "watcher 'make lint'"] {
        assert!(gone(&format!("Call `make lint` on each change:\n\n    $ {line}\n")).is_empty());
    }
    for line in ["other make lint", "watcher make lint-all", "make lint", "watcher x && make lint"]
    {
        let text = format!("Call `make lint` on each change:\n\n    $ {line}\n");
        assert_eq!(gone(&text)[0], "1:7 drift make lint", "{line}");
    }
}

#[test]
fn a_folder_without_a_package_runs_scripts_of_the_one_above() {
    let text = fence("cd sdk/core && bun run lint");
    let gone = |root: &str| {
        after(
            &text,
            &[("package.json", root), ("sdk/core/package.json", SCRIPTS)],
            &[("sdk/core/package.json", r#"{"scripts": {"test": "x"}}"#), ("package.json", root)],
        )
    };
    let without = |files: &[(&str, &str)]| {
        let mut project = Project::of(files);
        project.remove("sdk/core/package.json");
        project.commit();
        found(&project.check(), "doc.md")
    };
    assert_eq!(gone(SCRIPTS).len(), 1, "its own decides, whatever it holds");
    let files = [("doc.md", &*text), ("package.json", SCRIPTS), ("sdk/core/package.json", SCRIPTS)];
    assert!(without(&files).is_empty());
    assert_eq!(without(&[files[0], files[2]]).len(), 1);
}
