//! Documents that a diff touches, and files that were renamed on both sides of a merge.

use std::ops::ControlFlow;

use staleness_core::knowledge::Fact;
use staleness_docs::{CheckOptions, Progress, Report, check};

use crate::project::{Project, facts, now};

const CODE: &str =
    "pub fn route() {\n    a()\n}\n\npub fn other() {\n    b()\n}\n\npub fn more() {\n    c()\n}\n";

/// Checks what the last commit touches; `each` hears how far it is.
fn impact(project: &Project, each: &mut dyn FnMut(Progress)) -> Report {
    let mut options = CheckOptions::new(now());
    options.home = Some(&project.home);
    (options.since, options.impact) = (Some("HEAD~1"), true);
    let mut tell = |progress| {
        each(progress);
        ControlFlow::Continue(())
    };
    check(&project.place, &mut project.repo(true), &options, &mut tell).unwrap()
}

fn skipped(report: &Report) -> Vec<String> {
    report.skipped.iter().map(|it| format!("{} {}", it.path, it.reason)).collect()
}

#[test]
fn a_document_that_vanishes_meanwhile_is_told_and_stops_nothing() {
    let last = ("z.md", "In `src/a.rs`, and much more of it.\n");
    let mut project = Project::of(&[("src/a.rs", CODE), ("a.md", "In `src/a.rs`.\n"), last]);
    project.commit_files(&[("src/a.rs", "fn b() {}\n")]);
    let gone = project.place.folder.join("a.md");
    let report = impact(&project, &mut |progress| {
        if let Progress::Reading { done: 2, of: 3 } = progress {
            std::fs::remove_file(&gone).unwrap();
        }
    });
    let touched: Vec<_> =
        report.impact.as_ref().unwrap().touched.iter().map(|it| &*it.path).collect();
    assert_eq!(touched, ["z.md"]);
    assert_eq!(skipped(&report), ["a.md does not exist"]);
}

#[test]
fn names_that_find_no_room_are_counted() {
    let all: Vec<String> = (0..130).map(|at| format!("src/m_{at}.rs")).collect();
    let text: String = all.iter().map(|path| format!("In `{path}`.\n\n")).collect();
    let files = |code| all.iter().map(|path| (&**path, code)).collect::<Vec<_>>();
    let mut project = Project::of(&[files("fn a() {}\n"), vec![("a.md", &text)]].concat());
    project.commit_files(&files("fn b() {}\n"));
    let report = impact(&project, &mut |_| ());
    assert_eq!(report.impact.as_ref().unwrap().touched[0].names.len(), 100);
    assert_eq!(skipped(&report), ["a.md mentions too many changed names: 30 were left out"]);
}

/// The documents that a diff touches, with the names of each.
fn touched(report: &Report) -> Vec<String> {
    let touched = &report.impact.as_ref().unwrap().touched;
    let names = touched.iter().flat_map(|of| of.names.iter().map(|name| (&of.path, &name.name)));
    names.map(|(path, name)| format!("{path} {name}")).collect()
}

#[test]
fn a_file_that_only_one_commit_shows_is_not_compared_with_nothing() {
    let mut project = Project::of(&[
        ("src/a.rs", CODE),
        ("src/b.rs", "pub fn beside() {\n    a()\n}\n"),
        ("a.md", "Call `route()` and `beside()`.\n"),
    ]);
    let large = [CODE, &"// more\n".repeat(1 << 20)].concat();
    let other = "pub fn beside() {\n    b()\n}\n";
    project.commit_files(&[("src/a.rs", &large), ("src/b.rs", other)]);
    let report = impact(&project, &mut |_| ());
    assert_eq!(touched(&report), ["a.md beside"]);
    let told = skipped(&report);
    assert!(told.iter().any(|it| it.ends_with("1 versions were not compared")), "{told:?}");
}

#[test]
fn a_path_from_the_root_of_a_site_is_touched_where_the_site_has_it() {
    let document = ("docs/usage/a.md", "See [it](/examples/one.py).\n");
    let mut project = Project::of(&[("docs/examples/one.py", "a = 1\n"), document]);
    project.commit_files(&[("docs/examples/one.py", "a = 2\n")]);
    assert_eq!(touched(&impact(&project, &mut |_| ())), ["docs/usage/a.md /examples/one.py"]);
}

#[test]
fn a_path_is_touched_where_the_document_leads() {
    let document = ("docs/a.md", "In `src/x.rs` and `src/y.rs`.\n");
    let files = [("docs/src/x.rs", CODE), ("src/x.rs", CODE), ("src/y.rs", CODE), document];
    let mut project = Project::of(&files);
    project.commit_files(&[("src/x.rs", "fn b() {}\n"), ("src/y.rs", "fn b() {}\n")]);
    assert_eq!(touched(&impact(&project, &mut |_| ())), ["docs/a.md src/y.rs"]);
}

impl Project {
    /// Commits what is on disk as a merge of these branches, and checks out `main`.
    fn merge(&mut self, main: &str, other: &str) {
        self.git(&["add", "--all"]);
        let tree = self.git(&["write-tree"]);
        let id = self.git(&["commit-tree", &tree, "-p", main, "-p", other, "-m", "merge"]);
        self.git(&["checkout", "--quiet", "-B", "main", &id]);
        self.commit();
    }

    /// Renames a file and commits that; returns the commit.
    fn rename(&mut self, old: &str, new: &str) -> String {
        self.git(&["mv", old, new]);
        self.commit()
    }
}

/// The present path that is told for a lost one.
fn now_at(project: &Project, document: &str) -> Option<String> {
    match &facts(&project.check(), document)[..] {
        [Fact::SourceMissing { renamed_to, .. } | Fact::ReferenceDrift { renamed_to, .. }] => {
            renamed_to.clone()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_both_sides_of_a_merge_renamed_is_found_where_the_merge_put_it() {
    for kept in ["src/b.rs", "src/c.rs", "src/d.rs"] {
        let mut project = Project::new();
        let base = project.commit_files(&[("src/a.rs", CODE), ("a.md", "In `src/a.rs`.\n")]);
        let main = project.rename("src/a.rs", "src/b.rs");
        project.git(&["checkout", "--quiet", &base]);
        let other = project.rename("src/a.rs", "src/c.rs");
        project.git(&["checkout", "--quiet", &main]);
        if kept != "src/b.rs" {
            project.git(&["mv", "src/b.rs", kept]);
        }
        project.merge(&main, &other);
        assert_eq!(now_at(&project, "a.md").as_deref(), Some(kept));
    }
}

#[test]
fn two_files_that_a_merge_made_one_are_both_found_there() {
    let mut project = Project::new();
    let base = project.commit_files(&[
        ("src/a.rs", CODE),
        ("src/b.rs", &CODE.replace("route", "rout_b").replace("other", "other_b")),
        ("a.md", "In `src/a.rs`.\n"),
        ("b.md", "In `src/b.rs`.\n"),
    ]);
    let main = project.rename("src/a.rs", "src/c.rs");
    project.git(&["checkout", "--quiet", &base]);
    let other = project.rename("src/b.rs", "src/c.rs");
    project.git(&["checkout", "--quiet", &main]);
    project.remove("src/b.rs");
    project.merge(&main, &other);
    for document in ["a.md", "b.md"] {
        assert_eq!(now_at(&project, document).as_deref(), Some("src/c.rs"), "{document}");
    }
}

#[test]
fn a_document_that_both_sides_renamed_keeps_the_dates_of_its_paragraphs() {
    let guide = "# Guide\n\nThe routes are in `src/x.rs`, as ever.\n\nOther text of it.\n";
    let mut project = Project::of(&[("src/x.rs", CODE), ("docs/a.md", guide)]);
    project.remove("src/x.rs");
    let gone = project.commit();
    let main = project.rename("docs/a.md", "docs/b.md");
    project.git(&["checkout", "--quiet", &gone]);
    let other = project.rename("docs/a.md", "docs/c.md");
    project.git(&["checkout", "--quiet", &main]);
    for both in [false, true] {
        if both {
            project
                .write("docs/b.md", std::fs::read(project.place.folder.join("docs/c.md")).unwrap());
        } else {
            project.git(&["mv", "docs/b.md", "docs/c.md"]);
        }
        project.merge(&main, &other);
        let found = facts(&project.check(), "docs/c.md");
        assert!(
            matches!(&found[..], [Fact::SourceMissing { commit, .. }] if commit.as_deref() == Some(&*gone)),
            "{both}: {found:?}"
        );
    }
}
