//! Tests of finding words in texts.

use super::*;

fn finds(text: &str) -> Vec<&'static str> {
    let mut lexicon = Lexicon::default();
    let names = [
        lexicon.flag(b"--dry-run"),
        lexicon.quoted(b"dry-run"),
        lexicon.identifier(b"dry_run"),
        lexicon.identifier(b"run"),
        lexicon.identifier(b"dry-run"),
        lexicon.flag(b"-go-flag"),
    ];
    let words = ["--dry-run", "\"dry-run", "dry_run", "run", "dry-run", "-go-flag"];
    let mut found = Vec::new();
    lexicon.scan(text.as_bytes(), Naming::Code, &mut found);
    found.sort_unstable();
    found.dedup();
    found.iter().map(|at| words[names.iter().position(|name| name == at).unwrap()]).collect()
}

#[test]
fn a_word_is_found_as_a_whole_only() {
    assert_eq!(finds("let dry_run = 1;"), ["dry_run"]);
    assert_eq!(finds("dry_runs adry_run dry_run2 rerun"), [""; 0]);
    assert_eq!(finds("use --dry-run."), ["--dry-run", "run", "dry-run"]);
    assert_eq!(finds("--dry-run-x"), ["run"]);
    assert_eq!(finds("x--dry-run"), ["run"]);
    assert_eq!(finds("[--dry-run=yes]"), ["--dry-run", "run", "dry-run"]);
    assert_eq!(finds("long = \"dry-run\""), ["\"dry-run", "run", "dry-run"]);
    assert_eq!(finds("a 'dry-run|n!'"), ["\"dry-run", "run", "dry-run"]);
    assert_eq!(finds("(-go-flag)"), ["-go-flag"]);
    assert_eq!(finds("---- -- - _ \u{e9}run\u{e9}"), ["run"]);
    assert_eq!(finds(""), [""; 0]);
}

#[test]
fn two_parts_count_in_one_file_only() {
    let mut lexicon = Lexicon::default();
    let both = lexicon.both(b"LIBX", b"LIB_DIR");
    let finds = |text: &str| {
        let mut found = Vec::new();
        lexicon.scan(text.as_bytes(), Naming::Code, &mut found);
        found.contains(&both)
    };
    assert!(finds("join(\"LIBX\", \"LIB_DIR\")"));
    assert!(!finds("a(\"LIBX\")") && !finds("a(\"LIB_DIR\")") && !finds("LIBX LIB_DIR"));
}

#[test]
fn what_others_name_was_not_of_the_project_and_is_in_it() {
    for (mut lexicon, count) in [(Lexicon::default(), 2), (Lexicon::of_past(), 0)] {
        lexicon.flag(b"--dry-run");
        lexicon.quoted(b"dry-run");
        let mut found = Vec::new();
        lexicon.scan(b"\"--dry-run\" \"dry-run\"", Naming::Foreign, &mut found);
        assert_eq!(found.len(), count);
        lexicon.scan(b"\"--dry-run\" \"dry-run\"", Naming::Code, &mut found);
        assert_eq!(found.len(), count + 2);
    }
}

#[test]
fn what_is_only_spoken_of_was_not_of_the_project() {
    let finds = |text: &str, mut lexicon: Lexicon| {
        lexicon.flag(b"--dry-run");
        lexicon.quoted(b"dry-run");
        lexicon.quoted(b"layout");
        let mut found = Vec::new();
        lexicon.scan(text.as_bytes(), Naming::Code, &mut found);
        !found.is_empty()
    };
    for text in [
        "// takes --dry-run",
        " * as --dry-run does",
        "  # see --dry-run",
        "x { a: var(--dry-run) }",
        "\"layout/header\"",
        "'layout.js'",
    ] {
        assert!(!finds(text, Lexicon::of_past()), "{text}");
        assert!(finds(text, Lexicon::default()), "{text}");
    }
    for text in [
        "    --dry-run  Changes nothing",
        "args.has(\"--dry-run\")",
        "#define FLAG \"--dry-run\"",
        "option('dry-run')",
        "\"layout|l=s\"",
        "\"layout\"",
    ] {
        assert!(finds(text, Lexicon::of_past()), "{text}");
    }
}

#[test]
fn a_path_in_a_comment_is_not_the_programs() {
    let finds = |text: &str, naming| {
        let mut lexicon = Lexicon::default();
        lexicon.filed(b"docs/setup.md");
        lexicon.filed(b"shop.yml");
        let mut found = Vec::new();
        lexicon.scan(text.as_bytes(), naming, &mut found);
        !found.is_empty()
    };
    for text in ["open('docs/setup.md')", "# open('shop.yml')"] {
        assert!(finds(text, Naming::Code), "{text}");
    }
    for text in ["# see 'docs/setup.md'", "  // see \"docs/setup.md\""] {
        assert!(!finds(text, Naming::Code), "{text}");
    }
    assert!(!finds("open('docs/setup.md')", Naming::Data));
}

#[test]
fn a_word_in_a_role_is_found_in_its_places_only() {
    let mut lexicon = Lexicon::of_past();
    let made = lexicon.placed(b"run_all", Role::Made);
    let part = lexicon.placed(b"_LIB_DIR", Role::Part);
    let item = lexicon.placed(b"old_name", Role::Item);
    let finds = |text: &str, naming| {
        let mut found = Vec::new();
        lexicon.scan(text.as_bytes(), naming, &mut found);
        found
    };
    assert_eq!(finds("fn run_all() { run_all(); }\nfn run_all() {}", Naming::Code), [made]);
    assert_eq!(finds("fn run_all() {}", Naming::Foreign), [0; 0]);
    assert_eq!(finds("run_all();", Naming::Code), [0; 0]);
    assert_eq!(finds("old_name = 3", Naming::Code), [item]);
    assert_eq!(finds("old_name = 3", Naming::Data), [0; 0]);
    assert_eq!(finds("format!(\"{}_LIB_DIR\", name)", Naming::Code), [part]);
    let mut named = Vec::new();
    lexicon.named(b"run_all.rs", &mut named);
    assert_eq!(named, [made]);
}

#[test]
fn what_is_looked_for_twice_has_one_number() {
    let mut lexicon = Lexicon::of_past();
    let bare = |name: &str| WantedPath {
        parts: vec![name.as_bytes().into()],
        anchored: false,
        folder: false,
    };
    assert_eq!(lexicon.filed(b"a.yml"), lexicon.filed(b"a.yml"));
    assert_ne!(lexicon.filed(b"a.yml"), lexicon.filed(b"a.json"));
    let path = lexicon.path(bare("a.rs"));
    let twice = lexicon.shared(&bare("a.rs")).unwrap();
    assert_eq!((lexicon.shared(&bare("a.rs")), lexicon.path(bare("a.rs"))), (Some(twice), path));
    let anchored = WantedPath { anchored: true, ..bare("a.rs") };
    assert_eq!(lexicon.shared(&anchored), None);
}
