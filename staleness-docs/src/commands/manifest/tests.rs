//! Tests of the targets that manifests define.

use super::*;

/// Returns the targets of a kind in a manifest, with marks for uncertain parts.
fn names(kind: TargetKind, path: &str, text: &str) -> Vec<String> {
    let Some(targets) = read(kind, path, text) else { return vec!["unreadable".into()] };
    let of_kind = targets.all.keys().filter(|(of, _)| *of == kind);
    let mut names: Vec<String> = of_kind.map(|(_, name)| name.clone()).collect();
    names.extend(targets.patterns.iter().cloned());
    names.extend(targets.includes.iter().map(|path| format!("< {path}")));
    names.extend(targets.open.then(|| "…".to_owned()));
    names
}

#[test]
fn the_targets_of_a_manifest_are_its_own() {
    use TargetKind::*;
    let yaml = "version: '3'\nincludes:\n  docs: ./docs\nvars:\n  A: b\ntasks:\n  # a comment\n  default: echo\n  \
                lint:\n    aliases: [l, \"li\"]\n    cmds:\n      - run\n  'docs:build':\n    cmd: x\n  dev:*: x\n";
    let cargo = "[package]\nname = \"shop\"\n[[bin]]\nname = \"till\"\npath = \"a.rs\"\n[features]\ntls = []\n\
                 [dependencies]\nlog = { version = \"1\", optional = true }\nserde = \"1\"\n\
                 [[example]]\nname = \"tiny\"\n";
    let python = "[project.scripts]\na = \"x:y\"\n[tool.poetry.scripts]\nb = \"x\"\n[tool.pdm.scripts]\nc = {cmd = \"x\"}\n\
                  [tool.poe.tasks]\nd = \"x\"\n[tool.hatch.envs.dev.scripts]\ne = [\"x\"]\n[tool.other]\nf = 1\n";
    for (kind, path, text, expected) in [
        (
            Script,
            "package.json",
            "\u{feff}{\"name\": \"x\", \"scripts\": {\"a\": \"b\"}, \"dependencies\": {\"c\": \"1\"}}",
            &["a"][..],
        ),
        (
            Tool,
            "package.json",
            "{\"scripts\": {\"a\": \"b\"}, \"devDependencies\": {\"@x/c\": \"1\"}}",
            &["c"],
        ),
        (Script, "package.json", "{\"scripts\": {", &["unreadable"]),
        (Script, "package.json", "", &["unreadable"]),
        (Script, "package.json", "{\"scripts\": {\"a\": \"b\",}}", &["unreadable"]),
        (Deno, "deno.json", "// nothing", &["unreadable"]),
        (Deno, "deno.json", "{tasks: {a: 'x'}}", &["unreadable"]),
        (Script, "package.json", "{\"scripts\": [1], \"name\": 7}", &[]),
        (Script, "package.json", "[]", &[]),
        (
            Deno,
            "deno.jsonc",
            "{ // a, b\n \"tasks\": { /* x */ \"a\": \"http://b\", \"c\": {\"command\": \"d\"},\n },}",
            &["a", "c"],
        ),
        (Composer, "composer.json", "{\"scripts\": {\"a\": [\"b\", \"@c\"]}}", &["a"]),
        (
            Alias,
            ".cargo/config.toml",
            "[alias]\nxtask = \"run -p xtask --\"\nb = [\"build\"]\n[build]\njobs = 1\n",
            &["b", "xtask"],
        ),
        (Binary, "Cargo.toml", cargo, &["shop", "till"]),
        (Example, "Cargo.toml", cargo, &["tiny"]),
        (Feature, "Cargo.toml", cargo, &["default", "log", "tls"]),
        (Package, "Cargo.toml", cargo, &["shop"]),
        (Python, "pyproject.toml", python, &["a", "b", "c", "d", "e"]),
        (Python, "pyproject.toml", "[tool.poe]\ninclude = \"x.toml\"\n", &["…"]),
        (
            Task,
            "Taskfile.yml",
            yaml,
            &["default", "docs:build", "l", "li", "lint", "docs:%", "dev:%"],
        ),
        (Task, "Taskfile.yml", "tasks: {a: b}\n", &["…"]),
        (
            Task,
            "Taskfile.yml",
            "includes:\n  a:\n    taskfile: x\n    flatten: true\ntasks:\n  b: c\n",
            &["b", "a:%", "…"],
        ),
        (
            Hook,
            ".pre-commit-config.yaml",
            "repos:\n- repo: x\n  hooks:\n  - id: ruff # x\n    alias: lint\n  - {id: 'black', args: [a]}\n",
            &["black", "lint", "ruff"],
        ),
        (
            Just,
            "justfile",
            "set shell := ['sh']\nimport 'a.just'\nmod web\nalias t := test\nx := 'y: z'\n# doc: no\n[private]\n\
                            test a='b:c' *d: lint\n    echo x:\n@lint:\n  x\n",
            &["lint", "t", "test", "web", "< a.just"],
        ),
    ] {
        assert_eq!(names(kind, path, text), expected, "{text}");
    }
}

#[test]
fn a_makefile_tells_its_targets_or_that_it_may_have_more() {
    for (text, expected) in [
        (
            ".PHONY: a b\na b: c ; run\n\techo x: y\nVAR = d: e\nVAR2 := f\nz:: q\nifeq ($(X),y)\nw:\nelse\nendif\n",
            &["a", "b", "w", "z"][..],
        ),
        ("A = x y\nB := $(A) z\n$(B): q\n\trun\n", &["x", "y", "z"]),
        ("test-%: q\n%.o: %.c\n$(DIR)/out: q\n", &["test-%", "%.o", "%/out"]),
        ("$(TARGETS): q\n", &["…"]),
        ("X =\nifeq ($(Y),z)\nX = .exe\nendif\na$(X):\nW = b\n$(W):\n", &["b", "a%"]),
        ("$(eval $(call make_rules,a))\n", &["…"]),
        ("$(info hello: you)\na:\n", &["a"]),
        ("define body\nno: x\nendef\na:\n", &["a"]),
        ("include mk/*.mk\n", &["…"]),
        ("D = mk\ninclude $(D)/a.mk b.mk\n-include $(DEPS) .env x.d\n", &["< mk/a.mk", "< b.mk"]),
        ("-include $(LOCAL)\n", &["…"]),
        ("a: b \\\n  c\nexport X = y\nexport\noverride Z = 1\nd: # e: f\n", &["a", "d"]),
        ("out/%.x a &: b\n", &["a", "out/%.x"]),
        ("A = $(A) $(A)\n$(A): x\n", &["…"]),
        (".RECIPEPREFIX = >\na:\n> x\n", &["a", "…"]),
    ] {
        assert_eq!(names(TargetKind::Make, "Makefile", text), expected, "{text}");
    }
}

#[test]
fn what_a_target_runs_is_known_again() {
    let digest = |kind, path, text: &str, name: &str| {
        read(kind, path, text).unwrap().all[&(kind, name.to_owned())]
    };
    for (kind, path, one, other) in [
        (TargetKind::Make, "Makefile", "a: c\n\trun  it\n", "b:  c\n\trun it\n"),
        (TargetKind::Just, "justfile", "a x: c\n    run it\n", "b x: c\n  run it\n"),
        (
            TargetKind::Task,
            "Taskfile.yml",
            "tasks:\n  a:\n    cmd: run it\n",
            "tasks:\n    b:\n        cmd: run it\n",
        ),
        (
            TargetKind::Script,
            "package.json",
            "{\"scripts\": {\"a\": \"run it\"}}",
            "{\"scripts\":{\"b\":\"run it\"}}",
        ),
    ] {
        assert_eq!(digest(kind, path, one, "a"), digest(kind, path, other, "b"));
        let another = one.replace("run", "ran");
        assert_ne!(digest(kind, path, one, "a"), digest(kind, path, &another, "a"));
    }
    assert_eq!(digest(TargetKind::Make, "Makefile", "a:\n", "a"), 0);
}

#[test]
fn a_pattern_leaves_open_only_what_fits_it() {
    let targets = read(TargetKind::Make, "Makefile", "test-%: x\n$(O)/b: x\na:\n").unwrap();
    for (name, held) in [("a", Some(true)), ("test-b", None), ("o/b", None), ("test", Some(false))]
    {
        assert_eq!(targets.holds(TargetKind::Make, name), held, "{name}");
    }
}

#[test]
fn a_manifest_that_is_too_large_or_made_to_hang_is_bounded() {
    let scripts = format!("{{\"scripts\": {{\"a\": \"{}\"}}}}", "x".repeat(MAX_BYTES));
    assert_eq!(names(TargetKind::Script, "package.json", &scripts), ["unreadable"]);
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(names(TargetKind::Script, "package.json", &nested), ["unreadable"]);
    let laughs = |values: &str| {
        let mut text = format!("E ={values}\n");
        for (one, other) in [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")] {
            text += &format!("{one} = {}\n", format!("$({other})").repeat(700));
        }
        text + &"$(A): x\n".repeat(100_000)
    };
    for text in [
        laughs(""),
        laughs("x "),
        format!("A = {}\n{}", "x ".repeat(2_000), "$(A): x\n".repeat(20_000)),
        "a \\\n".repeat(500_000),
        "export ".repeat(500_000),
        format!("{}: x\n{}", "a ".repeat(2_000), "\tx\n".repeat(100_000)),
        (0..20_000).map(|at| format!("t{at}:\n")).collect(),
        "$(".repeat(1_000_000),
    ] {
        let targets = read(TargetKind::Make, "Makefile", &text).unwrap();
        assert!(targets.all.len() < MAX_TARGETS || targets.open);
    }
}

#[test]
fn the_subcommands_of_a_source_file_are_those_that_libraries_read() {
    use TargetKind::Subcommand;
    let rust = "Command::new(\"git\").arg(\"x\");\n#[derive(Debug, Subcommand)]\n#[command(about = \"x\")]\n\
                enum Do {\n    /// Adds { x.\n    Add { all: bool },\n    #[command(name = \"try\")]\n    #[arg(short)]\n    \
                Attempt(Args),\n    #[command(flatten)]\n    More(More),\n    Remove(\n        Args,\n    ),\n    \
                DryRun,\n}\nenum Other {\n    No,\n}\n";
    let python = "a.add_parser(\n    'one', help='x')\n@cli.command(\"two\")\ndef other():\n@app.command()\n@wraps\n\
                  async def thr_ee(a):\n@app.command(name='four')\ndef b():\n@x.command()\ndef five_cmd():\nd.command(NAME)\n";
    for (path, text, expected) in [
        ("src/main.rs", rust, &["add", "dry-run", "remove", "try"][..]),
        ("a/cli.py", python, &["four", "one", "thr-ee", "two"]),
        ("cmd/a.go", "Use:   \"one [x]\",\nName: \"two\",\n", &["one"]),
        ("a/cli.ts", "x.command(`one <y>`).command(name)\nUse: \"z\"\n", &["one"]),
        (
            "src/cli.rs",
            "#[derive(Subcommand)]\n#[clap(rename_all = \"x\")]\nenum A {\n    B,\n}\n",
            &[],
        ),
    ] {
        assert!(defines(Subcommand, path), "{path}");
        assert_eq!(names(Subcommand, path, text), expected, "{path}");
    }
    for path in ["src/lib.rs", "cli/a.md", "commands.rb", "src/clinic.py"] {
        assert!(!defines(Subcommand, path), "{path}");
    }
    for text in
        ["#[derive(Subcommand)] enum A {", ".command(", "add_parser('é", "@a.command()\ndef "]
    {
        assert_eq!(names(Subcommand, "a/cli.rs", text), [""; 0], "{text}");
    }
}
