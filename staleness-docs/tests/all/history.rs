//! Files whose names say that they are history, and which of them are none.

use staleness_core::knowledge::{Document, ItemKind};

use crate::project::{Project, found, touch};

/// `old_name` and line 2 of `src/db.rs` are of the first commit alone.
fn changed(files: &[(&str, &str)]) -> Project {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_name() {}\n");
    project.write("src/db.rs", "\nconst PORT: u16 = 5432;\n");
    files.iter().for_each(|(path, text)| drop(project.write(path, text)));
    project.commit();
    project.write("src/a.rs", "\n");
    project.write("src/db.rs", "\nconst PORT: u16 = 5433;\n");
    project.commit();
    project
}

const CITING: &str = "---\ntype: knowledge\ncite: src/db.rs:2\n---\n\nCall `old_name()`.\n";

#[test]
fn trap_an_item_is_no_history_whatever_its_name() {
    let plain = "Call `old_name()`.\n";
    let own = ["notes/ports.md", "notes/CHANGELOG.md", "docs/decisions/ports.md"];
    let mut files = own.map(|path| (path, CITING)).to_vec();
    files.push(("history/by_policy.md", plain));
    let project = changed(&files);
    let check = |known: &[Document]| {
        project.check_with(|options| {
            options.known = known;
            options.policy.kinds = [("history/**".to_owned(), ItemKind::Reference)].into();
        })
    };
    let cold = check(&[]);
    for report in [&check(&cold.documents), &cold] {
        for path in own {
            let of = ["1:1 changed src/db.rs:2", "6:7 drift old_name"];
            assert_eq!(found(report, path), of, "{path}");
        }
        assert_eq!(found(report, "history/by_policy.md"), ["1:7 drift old_name"]);
        let cited = report.items.iter().filter(|item| !item.citations.is_empty());
        assert_eq!((report.items.len(), cited.count()), (4, 3));
        assert!(report.history.is_empty(), "{:?}", report.history);
    }
}

#[test]
fn an_item_that_the_policy_calls_history_keeps_what_it_cites() {
    let project = changed(&[("notes/ports.md", CITING)]);
    let report = project.check_with(|options| options.policy.history = vec!["notes/".into()]);
    assert_eq!(report.history, ["notes/ports.md"]);
    assert_eq!(report.items[0].citations.len(), 1);
    let found = found(&report, "notes/ports.md");
    assert!(matches!(&found[..], [one] if one.contains("changed src/db.rs:2")), "{found:?}");
}

#[test]
fn what_the_front_matter_of_a_history_cites_is_looked_up() {
    let text = "---\ncite: src/db.rs:2\n---\n\nWe removed `old_name()`.\n";
    let project = changed(&[("docs/adr/0001-ports.md", text)]);
    let report = project.check();
    assert_eq!(report.history, ["docs/adr/0001-ports.md"]);
    let found = found(&report, "docs/adr/0001-ports.md");
    assert!(matches!(&found[..], [one] if one.contains("changed src/db.rs:2")), "{found:?}");
}

#[test]
fn trap_what_a_client_loads_is_no_history_but_for_what_it_imports() {
    let text = "Call `old_name()`.\n";
    let project = changed(&[
        (".claude/rules/migrating.md", text),
        ("archive/CLAUDE.md", text),
        ("AGENTS.md", "See @CHANGELOG.md.\n"),
        ("CHANGELOG.md", text),
    ]);
    let folder = project.folder().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let memory = format!(".claude/projects/{folder}/memory/history.md");
    touch(&project.user(&memory, text), "2026-01-01T12:00:00Z");
    let report = project.check();
    for path in [".claude/rules/migrating.md", "archive/CLAUDE.md", &format!("~/{memory}")] {
        assert_eq!(found(&report, path), ["1:7 drift old_name"], "{path}");
    }
    assert_eq!(report.history, ["CHANGELOG.md"]);
    let policy = ["archive/".to_owned()];
    let report = project.check_with(|options| options.policy.history = policy.to_vec());
    assert_eq!(report.history, ["CHANGELOG.md", "archive/CLAUDE.md"]);
}

#[test]
fn of_plans_and_dated_notes_only_what_their_front_matter_cites_is_looked_up() {
    let text = "---\ncite: src/db.rs:2\n---\n\nCall `old_name()`.\n";
    let paths = ["docs/plans/a.md", "reports/2026-01-02-load.md", "PHASE_3.md", "queue-plan.md"];
    let files: Vec<_> = paths.into_iter().chain(["plain.md"]).map(|path| (path, text)).collect();
    let report = changed(&files).check();
    for path in paths {
        assert_eq!(found(&report, path), ["1:1 changed src/db.rs:2"], "{path}");
    }
    assert_eq!((found(&report, "plain.md").len(), report.counts.history), (2, 4));
}

#[test]
fn a_list_of_versions_is_known_by_its_headings() {
    let list = "# Releases\n\n## 1.2\n\nCall `old_name()`.\n";
    let guide = "# Releases\n\n## How to make one\n\nCall `old_name()`.\n";
    let files = [("a/releases.md", list), ("b/releases.md", guide), ("b/deprecations.md", guide)];
    let report = changed(&files).check();
    assert_eq!(report.history, ["a/releases.md", "b/deprecations.md"]);
    assert_eq!(found(&report, "b/releases.md"), ["5:7 drift old_name"]);
}

#[test]
fn a_section_about_an_upgrade_names_what_was() {
    let name = "Call `old_name()`.";
    let text = format!(
        "# Upgrading\n\n{name}\n\nUpgrading from Shop 1.2 to Shop 2.0\n---\n\n{name}\n\n\
         ### More\n\n{name}\n\n## Now\n\n{name}\n"
    );
    let report = changed(&[("doc.md", &text)]).check();
    assert_eq!(found(&report, "doc.md"), ["3:7 drift old_name", "16:7 drift old_name"]);
}

#[test]
fn a_folder_that_looks_like_one_of_records_is_told_until_the_policy_says_what_it_is() {
    let mut project = Project::new();
    for at in 1..=5 {
        project.write(&format!("docs/notes/{at:04}-x.md"), "x\n");
        project.write(&format!("docs/guide/{at:02}-x.md"), "x\n");
    }
    project.commit();
    let told = |history: &[&str]| {
        let report = project.check_with(|options| {
            options.policy.history = history.iter().map(|it| (*it).to_owned()).collect();
        });
        let about = |note: &&staleness_docs::Note| note.text.contains("documents.history");
        report.notes.iter().find(about).map(|note| note.path.clone().unwrap())
    };
    assert_eq!(told(&[]).as_deref(), Some("docs/notes"));
    assert_eq!((told(&["docs/notes/"]), told(&["!docs/notes/"])), (None, None));
}

#[test]
fn a_document_is_a_record_by_its_text_unless_the_policy_says_otherwise() {
    let name = "Call `old_name()`.\n";
    let proposal = format!("# A queue\n\n* Author: A\n* Status: **Accepted**\n\n{name}");
    let page = format!("# A page\n\n> **Warning**: This page is now outdated.\n\n{name}");
    let guide = format!("# A guide\n\nStatus: draft\n\n{name}");
    let project = changed(&[
        ("a/queue.md", &proposal),
        ("a/page.md", &page),
        ("a/guide.md", &guide),
        ("a/CLAUDE.md", &proposal),
    ]);
    let report = project.check();
    assert_eq!(report.history, ["a/page.md", "a/queue.md"]);
    for (path, line) in [("a/guide.md", 5), ("a/CLAUDE.md", 6)] {
        assert_eq!(found(&report, path), [format!("{line}:7 drift old_name")], "{path}");
    }
    let report = project.check_with(|options| options.policy.history = vec!["!a/queue.md".into()]);
    assert_eq!(report.history, ["a/page.md"]);
    assert_eq!(found(&report, "a/queue.md"), ["6:7 drift old_name"]);
}

#[test]
fn a_section_or_a_document_about_what_is_deprecated_names_what_was() {
    let name = "Call `old_name()`.";
    let text = format!("# Shop\n\n{name}\n\n## Deprecated calls\n\n{name}\n\n## Now\n\n{name}\n");
    let report = changed(&[("doc.md", &text), ("deprecated.md", &text)]).check();
    assert_eq!(found(&report, "doc.md"), ["3:7 drift old_name", "11:7 drift old_name"]);
    assert_eq!(report.history, ["deprecated.md"]);
}
