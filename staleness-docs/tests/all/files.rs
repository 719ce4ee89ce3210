//! Choice of the files that are checked, and reports on those that are not.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use staleness_docs::{Cancelled, CheckOptions};

use crate::project::{Project, found, now, paths};

fn reason(report: &staleness_docs::Report, path: &str) -> String {
    let skipped = report.skipped.iter().find(|skipped| skipped.path.ends_with(path));
    skipped.unwrap_or_else(|| panic!("{path}: {:?}", report.skipped)).reason.clone()
}

#[test]
fn tracked_markdown_and_instruction_files_are_checked() {
    let project = Project::of(&[("docs/a.md", "x\n"), ("src/a.rs", "")]);
    project.write("untracked.md", "x\n");
    project.write("CLAUDE.local.md", "See @docs/more.txt and @notes/own.md\n");
    project.write("notes/own.md", "see @../../outside.md and @own.md\n");
    project.write(".cursor/rules/a.mdc", "---\nglobs: *.ts\n---\nx\n");
    let folder = project.folder().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    project.user(".claude/CLAUDE.md", "x\n");
    project.user(&format!(".claude/projects/{folder}/memory/MEMORY.md"), "x\n");
    let report = project.check();
    let memory = format!("~/.claude/projects/{folder}/memory/MEMORY.md");
    let expected = [
        ".cursor/rules/a.mdc",
        "CLAUDE.local.md",
        "README.md",
        "docs/a.md",
        "notes/own.md",
        "~/.claude/CLAUDE.md",
        &memory,
    ];
    assert_eq!(paths(&report), expected);
    let loaded: Vec<_> = report.documents.iter().filter(|it| it.loaded).collect();
    assert_eq!(loaded.len(), 5);
    assert!(
        report.notes.iter().any(|note| note.text.contains("not followed")),
        "{:?}",
        report.notes
    );
}

#[test]
fn a_session_starts_with_the_files_that_its_client_loads_whatever_it_works_on() {
    let project = Project::bare();
    let folder = project.folder().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    for (path, text) in [
        ("AGENTS.md", "x\n"),
        ("GEMINI.md", "See @more.md\n"),
        ("more.md", "x\n"),
        (".claude/rules/some.md", "---\npaths: src/**\n---\nx\n"),
        (".claude/rules/all.md", "---\ntitle: x\n---\npaths: here\n"),
        (
            ".cursor/rules/some.mdc",
            "---\nglobs: *.ts\nalwaysApply: false\n---\nalwaysApply: true\n",
        ),
        (".cursor/rules/all.mdc", "\u{feff}---\r\nalwaysApply: true # so\r\n---\r\nx\r\n"),
    ] {
        project.write(path, text);
    }
    for name in ["MEMORY.md", "topic.md"] {
        project.user(&format!(".claude/projects/{folder}/memory/{name}"), "x\n");
    }
    let mut options = CheckOptions::new(now());
    options.home = Some(&project.home);
    let files = |client| -> Vec<String> {
        let files = staleness_docs::session_files(client, &project.place, &options);
        files.into_iter().map(|(key, _)| key).collect()
    };
    let memory = format!("~/.claude/projects/{folder}/memory/MEMORY.md");
    let rule = ".claude/rules/all.md";
    assert_eq!(files("claude-code"), [rule, "AGENTS.md", &memory]);
    assert_eq!(files("codex"), ["AGENTS.md"]);
    assert_eq!(files("cursor"), [".cursor/rules/all.mdc", "AGENTS.md"]);
    project.write("CLAUDE.md", "Alone.\n");
    assert_eq!(files("claude-code"), [rule, "CLAUDE.md", &memory], "the shared file gives way");
    project.write("CLAUDE.md", "@AGENTS.md\n");
    assert_eq!(files("claude-code"), [rule, "AGENTS.md", "CLAUDE.md", &memory]);
}

#[test]
fn without_git_a_folder_is_walked_and_only_broken_links_are_found() {
    let project = Project::bare();
    project.write(".gitignore", "ignored/\n");
    project.write("ignored/a.md", "x\n");
    project.write("node_modules/x/a.md", "x\n");
    project.write("short.rs", "1\n2\n");
    project.write(
        "a.md",
        "[a](gone.md) [b](README.md) [c](short.rs#L9) [d](/site/page) `gone_fn()`\n",
    );
    let report = project.check();
    assert_eq!(paths(&report), ["README.md", "a.md"]);
    assert_eq!(
        found(&report, "a.md"),
        ["1:1 missing Path gone.md", "1:29 missing Lines short.rs:9"]
    );
    assert!(report.head.is_none());
    assert!(report.notes.iter().any(|note| note.text.contains("without git history")));
}

#[test]
fn paths_may_be_named_and_those_outside_are_refused() {
    let project = Project::bare();
    project.write("docs/a.md", "x\n");
    project.write("b.md", "x\n");
    let named = ["docs", "../../elsewhere.md", "gone.md"].map(PathBuf::from);
    let report = project.check_with(|options| options.paths = &named);
    assert_eq!(paths(&report), ["docs/a.md"]);
    assert_eq!(reason(&report, "elsewhere.md"), "is outside the project");
    assert_eq!(reason(&report, "gone.md"), "does not exist");
}

#[test]
fn a_named_path_that_the_policy_leaves_out_is_told() {
    let mut project = Project::new();
    project.write("vendor/deep/v.md", "x\n");
    project.write("a.md", "x\n");
    project.commit();
    let named = ["vendor/deep/v.md", "vendor", "vendor/deep", "a.md"].map(PathBuf::from);
    let report = project.check_with(|options| {
        options.paths = &named;
        options.policy.ignore = vec!["vendor/".into()];
    });
    assert_eq!(paths(&report), ["a.md"]);
    let skipped: Vec<&str> = report.skipped.iter().map(|each| &*each.path).collect();
    assert_eq!(skipped, ["vendor", "vendor/deep", "vendor/deep/v.md"]);
    for each in &report.skipped {
        assert_eq!(each.reason, "is excluded by documents.ignore");
    }
    let all = [PathBuf::from(".")];
    let report = project.check_with(|options| {
        options.paths = &all;
        options.policy.ignore = vec!["vendor/".into()];
    });
    assert_eq!((paths(&report), report.skipped.len()), (vec!["README.md", "a.md"], 0));
}

#[test]
fn front_matter_between_braces_is_told_and_not_read() {
    let project = Project::bare();
    for (path, text, told) in [
        ("one.md", "---\n{type: knowledge, id: e}\n---\n\nx\n", Some(2)),
        ("many.md", "\u{feff}---\r\n# why\r\n{\r\n  id: e\r\n}\r\n---\r\nx\r\n", Some(3)),
        ("template.md", "---\n{{ title }}\n---\n\nx\n", None),
        ("rule.md", "---\n{a}\nand more\n---\n", None),
        ("open.md", "---\n{id: e}\n", None),
    ] {
        project.write(path, text);
        let report = project.check();
        let notes = report.notes.iter().filter(|note| note.path.as_deref() == Some(path));
        let lines: Vec<_> = notes.map(|note| note.line.unwrap()).collect();
        assert_eq!(lines, Vec::from_iter(told), "{path}");
    }
}

#[test]
fn bad_files_are_skipped_with_a_reason() {
    let project = Project::bare();
    project.write("binary.md", b"a\0b");
    project.write("latin.md", b"ok\ncaf\xe9\n");
    project.write("bomb.md", format!("---\n{}---\n", "a: &a [*a, *a]\n".repeat(9_000)));
    let huge = fs::File::create(project.place.folder.join("huge.md")).unwrap();
    huge.set_len(1 << 30).unwrap();
    let report = project.check();
    assert_eq!(reason(&report, "binary.md"), "is binary");
    assert_eq!(reason(&report, "latin.md"), "is not UTF-8 in line 2");
    assert_eq!(reason(&report, "bomb.md"), "has front matter of more than 64 KiB");
    assert!(reason(&report, "huge.md").contains("is larger than"));
    assert_eq!(paths(&report), ["README.md"]);
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_project_circles_and_pipes_are_not_read() {
    use std::os::unix::fs::symlink;
    let project = Project::bare();
    let secret = project.user("secret.md", "[x](gone.md)\n");
    let folder = &project.place.folder;
    symlink(&secret, folder.join("CLAUDE.md")).unwrap();
    symlink("AGENTS.md", folder.join("AGENTS.md")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(folder.join("GEMINI.md")).status();
    assert!(status.unwrap().success());
    let named = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"].map(PathBuf::from);
    let report = project.check_with(|options| options.paths = &named);
    assert!(report.documents.is_empty());
    assert_eq!(reason(&report, "CLAUDE.md"), "is a link that points outside its folder");
    assert_eq!(reason(&report, "GEMINI.md"), "is not a file");
    assert!(!reason(&report, "AGENTS.md").is_empty());
    // It is told without being named, too: a client would wait for it.
    assert_eq!(reason(&project.check(), "GEMINI.md"), "is not a file");
}

#[test]
fn a_path_that_leaves_the_project_is_reported_and_not_followed() {
    let project = Project::bare();
    project.user("x.md", "x");
    project.write("a.md", "[a](../../home/x.md) [b](../../issues)\n");
    let report = project.check();
    let notes: Vec<_> =
        report.notes.iter().filter(|note| note.text.contains("outside the project")).collect();
    assert_eq!(notes.len(), 1, "{:?}", report.notes);
    assert!(found(&report, "a.md").is_empty());
}

#[test]
fn many_paths_that_leave_the_project_are_told_of_quickly_and_cut_short() {
    let mut project = Project::new();
    let text = |count| (0..count).map(|at| format!("[a](../../x{at}.md)\n\n")).collect::<String>();
    project.write("a.md", text(20_000));
    project.write("b.md", text(20));
    project.commit();
    let report = project.check();
    let of = |path: &str| {
        let notes = report.notes.iter().filter(|note| note.path.as_deref() == Some(path));
        notes.map(|note| (note.line.unwrap(), &*note.text)).collect::<Vec<_>>()
    };
    let (a, b) = (of("a.md"), of("b.md"));
    assert_eq!((a.len(), b.len()), (21, 20));
    assert_eq!(a[..20], b[..]);
    assert_eq!(b[19], (39, "a path points outside the project and was not followed"));
    assert_eq!(a[20], (41, "19980 more lines have paths outside the project"));
}

#[test]
fn only_some_words_of_a_time_are_told_of_one_block() {
    let project = Project::bare();
    project.write("a.md", "It is planned. ".repeat(5_000));
    let report = project.check();
    let document = report.documents.iter().find(|it| it.key.path == "a.md").unwrap();
    assert_eq!(document.found.len(), 1);
    assert_eq!(document.found[0].evidence.len(), 16);
}

#[test]
fn a_check_can_be_ended() {
    let project = Project::bare();
    let options = CheckOptions::new(now());
    let place = &project.place;
    let ended = staleness_docs::check(place, &mut project.repo(false), &options, &mut |_| {
        ControlFlow::Break(())
    });
    assert_eq!(ended, Err(Cancelled));
}

#[test]
fn citations_are_made_of_what_is_there() {
    let project = Project::bare();
    project.write("src/a.rs", "fn a() {}\nfn b() {}\n");
    let place = &project.place;
    assert_eq!(staleness_docs::cite(place, "src/a.rs:2").unwrap().to_string(), "src/a.rs:2");
    assert_eq!(staleness_docs::cite(place, "src").unwrap().path, "src");
    for (text, why) in [
        ("src/a.rs:3", "has 2 lines"),
        ("src/b.rs", "does not exist in the project"),
        ("../x", "points outside the project"),
        ("src/a.rs:2-1", "has an invalid line range; lines count from 1"),
        ("src/a.rs#zz", "does not contain that symbol"),
    ] {
        assert_eq!(staleness_docs::cite(place, text).unwrap_err(), why, "{text}");
    }
}

mod random {
    use proptest::prelude::*;

    use crate::project::{Project, now};

    proptest! {
        #[test]
        fn no_text_makes_a_check_panic_and_places_lie_within_it(
            text in "([#*_`\\[\\]()<>|!\\\\&@-]|[a-z]{1,6}|[A-Z][a-z]{2}[A-Z]o|x\\.md| |\n|\r\n|é|---\n|<!-- staleness: ignore -->){0,60}",
        ) {
            let project = Project::bare();
            project.write("a.md", &text);
            let report = project.check_in(false, |_| {});
            let lines: Vec<&str> = text.split('\n').collect();
            for block in report.documents.iter().flat_map(|document| &document.found) {
                prop_assert!(block.line >= 1 && block.line <= block.last_line);
                prop_assert!(block.last_line as usize <= lines.len());
                for evidence in &block.evidence {
                    let line = lines[evidence.line.unwrap() as usize - 1];
                    prop_assert!(evidence.column.unwrap() as usize <= line.chars().count() + 1);
                }
            }
            prop_assert!(report.documents.iter().all(|document| document.checked_at == now()));
        }
    }
}

#[cfg(unix)]
#[test]
fn links_and_imports_that_are_not_followed_are_told_with_their_paths() {
    let mut project = Project::new();
    project.write("AGENTS.md", "See @a.md and @../outside.md.\n");
    project.write("a.md", "See @b.md.\n");
    project.write("b.md", "See @a.md.\n");
    std::os::unix::fs::symlink("a.md", project.place.folder.join("link.md")).unwrap();
    project.commit();
    let report = project.check();
    let skipped = report.skipped.iter().find(|skipped| skipped.path == "link.md").unwrap();
    assert!(skipped.reason.starts_with("is a link"), "{skipped:?}");
    let told = |path: &str, text: &str| {
        let of = |note: &&staleness_docs::Note| note.path.as_deref() == Some(path);
        assert!(report.notes.iter().filter(of).any(|note| note.text.contains(text)), "{report:?}");
    };
    told("AGENTS.md", "../outside.md");
    told("b.md", "imports a.md");
}

#[cfg(unix)]
#[test]
fn what_leads_out_of_a_folder_is_known_without_a_look_outside() {
    use std::os::unix::fs::symlink;
    let project = Project::bare();
    project.write("in/a.md", "x\n");
    let folder = project.place.folder.clone();
    let whole = folder.join("in");
    for (name, to) in [("up", ".."), ("far", "/no/such"), ("loop", "loop"), ("near", "in/../in")] {
        symlink(to, folder.join(name)).unwrap();
    }
    symlink(&whole, folder.join("own")).unwrap();
    for (path, is_out) in [
        ("in/a.md", false),
        ("no/such", false),
        ("in/../in/a.md", false),
        ("near/no", false),
        ("own/no", false),
        (whole.to_str().unwrap(), false),
        ("../no", true),
        ("in/../../no", true),
        ("/no/such", true),
        ("up", true),
        ("up/no", true),
        ("far/no", true),
        ("loop", true),
    ] {
        let path = std::path::Path::new(path);
        assert_eq!(staleness_docs::disk::leads_out(&folder, path), is_out, "{path:?}");
    }
}
