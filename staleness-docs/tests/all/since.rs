//! Only what is new since a revision.

use staleness_docs::project_version;

use crate::project::{Project, found, only_new};

/// `old_one` is removed by the second commit, `old_two` by the third.
fn twice(document: &str) -> (Project, [String; 3]) {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_one() {}\nfn old_two() {}\n");
    project.write("doc.md", document);
    let first = project.commit();
    project.write("src/a.rs", "fn old_two() {}\n");
    let second = project.commit();
    project.write("src/a.rs", "// Nothing.\n");
    let third = project.commit();
    (project, [first, second, third])
}

fn since(project: &Project, revision: &str, path: &str) -> Vec<String> {
    found(&only_new(project.check_with(|options| options.since = Some(revision))), path)
}

#[test]
fn what_went_missing_since_is_new() {
    let (project, [first, second, third]) = twice("Call `old_one()`.\n\nCall `old_two()`.\n");
    assert_eq!(since(&project, &first, "doc.md").len(), 2);
    assert_eq!(since(&project, &second, "doc.md"), ["3:7 drift old_two"]);
    assert_eq!(since(&project, "HEAD~1", "doc.md"), ["3:7 drift old_two"]);
    assert!(since(&project, &third, "doc.md").is_empty());
}

#[test]
fn what_is_not_new_is_found_all_the_same() {
    let (project, [.., third]) = twice("Call `old_one()`.\n\nCall `old_two()`.\n");
    let report = project.check_with(|options| options.since = Some(&third));
    assert_eq!(report.documents, project.check().documents);
    assert!(only_new(report).documents.iter().all(|document| document.found.is_empty()));
}

#[test]
fn a_document_that_was_renamed_is_not_new_as_a_whole() {
    let body = "Call `old_one()` now.\n\nCall `old_two()` now.\n\n".repeat(3);
    let (mut project, [_, second, third]) = twice(&body);
    project.git(&["mv", "doc.md", "guide.md"]);
    project.commit();
    assert!(since(&project, &third, "guide.md").is_empty());
    assert_eq!(since(&project, &second, "guide.md").len(), 3);
}

#[test]
fn words_of_a_time_are_new_in_edited_blocks_alone() {
    let (mut project, [_, _, third]) = twice("A release is planned.\n\nB is planned.\n");
    project.write("doc.md", "A release is planned.\n\nC is planned soon.\n");
    project.commit();
    let report = only_new(project.check_with(|options| options.since = Some(&third)));
    let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
    let lines: Vec<u32> = document.found.iter().map(|block| block.line).collect();
    assert_eq!(lines, [3]);
}

#[test]
fn what_expired_since_is_new() {
    let (project, [first, ..]) = twice("---\nexpires: 2026-01-01T12:00:00Z\n---\n\nx\n");
    assert_eq!(since(&project, &first, "doc.md"), ["2:1 expired"]);
    assert!(since(&project, "HEAD", "doc.md").is_empty());
}

#[test]
fn a_revision_that_is_not_there_and_no_git_are_said() {
    let (project, _) = twice("Call `old_one()`.\n");
    let report = project.check_with(|options| options.since = Some("nowhere"));
    assert!(report.notes.iter().any(|note| note.text.contains("cannot be determined")));
    assert_eq!(report.new_since, None);
    let report = project.check_in(false, |options| options.since = Some("HEAD"));
    assert!(report.notes.iter().any(|note| note.text.contains("everything counts as new")));
    assert_eq!(report.new_since, None);
}

#[test]
fn what_is_new_is_what_the_revision_does_not_have_whatever_the_clocks_said() {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_one() {}\n");
    project.write("doc.md", "Call `old_one()`.\n\nA release is planned.\n");
    project.commit();
    project.git(&["checkout", "--quiet", "-b", "side"]);
    project.write("src/a.rs", "// Nothing.\n");
    project.commit();
    project.git(&["checkout", "--quiet", "-"]);
    project.write("doc.md", "Call `old_one()`.\n\nB is planned.\n");
    let later = project.commit();
    project.git(&["checkout", "--quiet", "side"]);
    let report = only_new(project.check_with(|options| options.since = Some(&later)));
    assert_eq!(found(&report, "doc.md"), ["1:7 drift old_one"]);
    let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
    assert_eq!(document.found.len(), 1);
}

#[test]
fn without_a_declared_version_a_project_is_at_that_of_its_latest_tag() {
    let mut project = Project::new();
    project.write("doc.md", "---\nversion_context: 1.0.0\n---\n\nx\n");
    project.commit();
    for tag in ["v1.2.0", "v2.1.0", "other"] {
        project.git(&["tag", tag]);
    }
    let version = |git| project_version(&project.place, &mut project.repo(git));
    let report = project.check();
    assert_eq!(report.version.as_deref(), Some("2.1.0"));
    assert_eq!(version(true), report.version);
    assert_eq!(version(false), None);
    assert_eq!(found(&report, "doc.md").len(), 1);
    project.write("VERSION", "1.0.0\n");
    assert_eq!(project.check().version.as_deref(), Some("1.0.0"));
    assert_eq!(version(true).as_deref(), Some("1.0.0"));
}
