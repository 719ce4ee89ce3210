//! Texts that are no files: what they name that went, and what never was.

use std::ops::ControlFlow;

use staleness_core::knowledge::Fact;
use staleness_docs::git::{LazyRepo, Limits, Program};
use staleness_docs::project::ProjectPlace;
use staleness_docs::{Fate, MissingName, TextReport, check_text};

use crate::git_repo::Git;

fn check(git: &Git, text: &str) -> TextReport {
    let place = ProjectPlace::of_folder(&git.root);
    let mut repo = LazyRepo::new(Program::of_environment(), &git.root, Limits::default());
    check_text(&place, &mut repo, text, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn told(report: &TextReport) -> Vec<String> {
    let one = |it: &MissingName| {
        let fate = match &it.fate {
            Fate::Went(
                Fact::SourceMissing { renamed_to, .. } | Fact::ReferenceDrift { renamed_to, .. },
            ) => {
                format!(
                    "went{}",
                    renamed_to.as_ref().map_or(String::new(), |to| format!(" to {to}"))
                )
            }
            Fate::Went(other) => panic!("{other:?}"),
            Fate::Invented { nearest: Some(near) } => format!("invented, near {near}"),
            Fate::Invented { nearest: None } => "invented".to_owned(),
        };
        format!("{}:{} {} {fate}", it.line, it.column, it.name)
    };
    report.found.iter().map(one).collect()
}

fn history() -> Git {
    let git = Git::new();
    let router: String = (0..30).map(|n| format!("pub fn route_{n}() {{}}\n")).collect();
    git.save("src/router.rs", &router);
    git.save(
        "src/main.rs",
        "fn drain_queue() { opt(\"--fast-path\"); arg(\"--passed-on\"); other_crate::used_only(); }\n",
    );
    git.remove("src/router.rs");
    git.write("src/routing.rs", &router);
    git.save("src/main.rs", "fn drain_all() { arg(\"--slow-path\"); }\n");
    git.save("docs/a.md", "Nothing but `invented_in_prose()`.\n");
    git
}

#[test]
fn what_went_and_what_never_was_is_told_apart() {
    let git = history();
    git.write("src/new.rs", "pub fn just_written() {}\n");
    let text = "Moved `src/router.rs:3` and [it](src/router.rs#L3); see src/router.rs.\n\n\
                - `drain_queue()` and `--fast-path`, `drain_all()`, `src/main.rs`\n\
                - `drain_alls()`, `--slow-paths`, `src/rooting.rs`, [x](docs/b.md)\n\
                - `src/new.rs` has `just_written()`, `used_only()`, `--passed-on`, `made_up_entirely_here()`\n\
                - in prose lib/nothing.rs, nothing_at_all\n";
    assert_eq!(
        told(&check(&git, text)),
        [
            "1:8 src/router.rs went to src/routing.rs",
            "3:4 drain_queue went",
            "3:24 --fast-path went",
            "4:4 drain_alls invented, near drain_all",
            "4:20 --slow-paths invented, near --slow-path",
            "4:36 src/rooting.rs invented, near src/routing.rs",
            "4:53 docs/b.md invented, near docs/a.md",
            "5:69 made_up_entirely_here invented",
        ]
    );
}

#[test]
fn a_command_whose_target_went_is_told_and_one_just_written_is_not() {
    let git = Git::new();
    git.save("justfile", "test-unit:\n  a\nlint:\n  b\nbuild:\n  c\n");
    git.save("justfile", "test-all:\n  a\nfmt:\n  d\n");
    git.write("justfile", "test-all:\n  a\nfmt:\n  d\nbuild:\n  c\n");
    let text = "Run `just test-unit` now, then:\n\n```sh\njust lint\njust build\njust never\n```\n";
    let report = check(&git, text);
    assert_eq!(told(&report), ["1:6 just test-unit went to just test-all", "4:1 just lint went"]);
    assert_eq!(report.names, 4);
    // A new dependency has a program of the name.
    git.save("package.json", "{\"scripts\": {\"shop\": \"a\", \"cart\": \"b\"}}");
    git.save("package.json", "{\"scripts\": {}}");
    git.write("package.json", "{\"scripts\": {}, \"devDependencies\": {\"shop\": \"1\"}}");
    let report = check(&git, "Run `yarn shop` and `yarn cart`.\n");
    assert_eq!(told(&report), ["1:22 yarn cart went"]);
    let many: String = (0..103).map(|at| format!("`just never-{at}`\n")).collect();
    let notes = check(&git, &many).notes;
    assert!(notes.iter().any(|note| note.text == "3 more names were not checked"), "{notes:?}");
}

#[test]
fn nothing_is_said_to_be_invented_that_could_not_be_looked_for() {
    let git = history();
    let shallow = git.beside("shallow");
    let source = format!("file://{}", git.root.display());
    git.run(&["clone", "-q", "--depth", "1", &source, &shallow.root.to_string_lossy()]);
    let report = check(&shallow, "In `src/rooting.rs` and `src/router.rs`.\n");
    assert_eq!(told(&report), [""; 0]);
    assert!(report.notes.iter().any(|note| note.text.contains("shallow")), "{report:?}");
    let folder = tempfile::tempdir().unwrap();
    let place = ProjectPlace::of_folder(folder.path());
    let mut none = LazyRepo::default();
    let report =
        check_text(&place, &mut none, "`a/b.rs`", &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((told(&report).len(), report.notes.len()), (0, 1), "{report:?}");
    let broken = check(&git, "---\na: [\n---\nIn `src/rooting.rs`.\n");
    assert!(!broken.notes.is_empty() || !broken.found.is_empty(), "{broken:?}");
}
