//! Evidence about items of the store.

use std::ops::ControlFlow;

use staleness_core::ids::{ItemId, ItemKey, Scope};
use staleness_core::knowledge::{Cited, Evidence, Fact, Item, ItemKind};

use crate::project::Project;

fn item(project: &Project, body: &str, added: &str, cites: &[&str]) -> Item {
    let scope = Scope::Project(project.place.id());
    let key = ItemKey { scope, id: ItemId::new("a").unwrap() };
    let mut item = Item::new(key, ItemKind::Knowledge, body, added.parse().unwrap());
    let place = &project.place;
    item.citations = cites.iter().map(|text| staleness_docs::cite(place, text).unwrap()).collect();
    item
}

fn evidence(project: &Project, git: bool, item: &Item) -> Vec<Evidence> {
    let mut repo = project.repo(git);
    let items = std::slice::from_ref(item);
    let report = staleness_docs::item_evidence(&project.place, &mut repo, items, &mut |_| {
        ControlFlow::Continue(())
    });
    report.unwrap().found.into_iter().flat_map(|(_, evidence)| evidence).collect()
}

fn changing() -> (Project, Item, [String; 2]) {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_name() {}\nfn kept() { 1 }\n");
    let first = project.commit();
    let body = "Call `old_name()`; `kept()` and `other_thing()` are there.";
    let item = item(&project, body, "2026-01-01T12:00:00Z", &["src/a.rs:2"]);
    project.write("src/a.rs", "fn new_name() {}\nfn kept() { 2 }\n");
    let second = project.commit();
    (project, item, [first, second])
}

#[test]
fn an_item_is_checked_from_the_moment_that_it_was_added() {
    let (project, item, [_, second]) = changing();
    let found = evidence(&project, true, &item);
    let [drift, changed] = &found[..] else { panic!("{found:?}") };
    assert_eq!((drift.line, drift.column), (Some(1), Some(7)));
    match (&drift.fact, &changed.fact) {
        (
            Fact::ReferenceDrift { word, commit, .. },
            Fact::SourceChanged { commit: by, days_after, .. },
        ) => {
            assert_eq!(word, "old_name");
            assert_eq!((commit, by), (&Some(second.clone()), &Some(second)));
            assert_eq!(*days_after, Some(0));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_item_that_was_verified_later_or_written_later_has_no_evidence() {
    let (project, mut item, _) = changing();
    item.verified_at = Some("2026-01-03T00:00:00Z".parse().unwrap());
    assert!(evidence(&project, true, &item).is_empty());
    item.verified_at = None;
    item.added_at = "2026-01-03T00:00:00Z".parse().unwrap();
    assert!(evidence(&project, true, &item).is_empty());
}

#[test]
fn the_commit_of_a_verification_says_more_than_its_time() {
    let (project, mut item, [first, second]) = changing();
    // The clock of who verified was wrong.
    item.verified_at = Some("2026-01-09T00:00:00Z".parse().unwrap());
    item.verified_commit = Some(first);
    assert_eq!(evidence(&project, true, &item).len(), 2);
    item.verified_at = Some("2025-01-01T00:00:00Z".parse().unwrap());
    item.verified_commit = Some(second);
    assert!(evidence(&project, true, &item).is_empty());
    // What is no commit of the repository tells nothing; nor is it given to git.
    for id in ["--output=x", "", "0123456789012345678901234567890123456789"] {
        item.verified_commit = Some(id.to_owned());
        evidence(&project, true, &item);
    }
}

#[test]
fn without_git_a_digest_tells_that_lines_changed() {
    let (project, item, _) = changing();
    match &evidence(&project, false, &item)[..] {
        [Evidence { fact: Fact::SourceChanged { commit: None, days_after: None, .. }, .. }] => {}
        other => panic!("{other:?}"),
    }
    project.write("src/a.rs", "\n\nfn kept() { 1 }\n");
    assert_eq!(evidence(&project, false, &item).len(), 1, "the lines are those of the citation");
    project.write("src/a.rs", "x\nfn kept() { 1 }  \r\n");
    assert!(evidence(&project, false, &item).is_empty());
    project.remove("src/a.rs");
    match &evidence(&project, false, &item)[..] {
        [Evidence { fact: Fact::SourceMissing { gone: Cited::Path, .. }, .. }] => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_citation_of_a_whole_file_has_no_digest_and_tells_of_its_absence_alone() {
    let (project, _, _) = changing();
    let item = item(&project, "x", "2026-01-01T12:00:00Z", &["src/a.rs"]);
    assert!(evidence(&project, false, &item).is_empty());
    assert!(evidence(&project, true, &item).is_empty());
    project.remove("src/a.rs");
    assert_eq!(evidence(&project, false, &item).len(), 1);
    // What holds in every project cites a file of one: which is not known.
    let key = ItemKey { scope: Scope::Global, ..item.key.clone() };
    assert!(evidence(&project, false, &Item { key, ..item }).is_empty());
}

#[test]
fn what_git_never_had_is_looked_up_on_disk() {
    let mut project = Project::new();
    project.write("a.rs", "x\n");
    project.commit();
    project.write("notes.txt", "one\ntwo\n");
    let cites = ["notes.txt", "notes.txt:2"];
    let item = item(&project, "x", "2026-01-01T12:00:00Z", &cites);
    assert!(evidence(&project, true, &item).is_empty());
    project.write("notes.txt", "one\n");
    let gone = |found: &[Evidence]| -> Vec<Cited> {
        let of = |each: &Evidence| match &each.fact {
            Fact::SourceMissing { gone, .. } => *gone,
            other => panic!("{other:?}"),
        };
        found.iter().map(of).collect()
    };
    assert_eq!(gone(&evidence(&project, true, &item)), [Cited::Lines]);
    project.remove("notes.txt");
    assert_eq!(gone(&evidence(&project, true, &item)), [Cited::Path, Cited::Path]);
    // A file that is tracked and deleted on disk: somebody is still working.
    let item = self::item(&project, "x", "2026-01-01T12:00:00Z", &["a.rs"]);
    project.remove("a.rs");
    let unknown = Item { verified_commit: Some("0".repeat(40)), ..item };
    assert!(evidence(&project, true, &unknown).is_empty());
}

#[test]
fn an_evergreen_item_and_one_of_a_file_are_not_asked_about() {
    let (project, mut item, _) = changing();
    item.citations.clear();
    item.evergreen = true;
    assert!(evidence(&project, true, &item).is_empty());
    item.evergreen = false;
    item.path = Some("doc.md".into());
    assert!(evidence(&project, true, &item).is_empty());
}

#[test]
fn an_id_names_one_item() {
    let project = Project::bare();
    let text = "---\nid: same\ntype: knowledge\n---\n\nx\n";
    for path in ["notes/b.md", "notes/a.md", "notes/c.md"] {
        project.write(path, text);
    }
    let report = project.check();
    let ids: Vec<_> = report.items.iter().map(|item| item.key.id.as_str()).collect();
    assert_eq!(ids, ["same", "notes/b.md", "notes/c.md"]);
    let notes: Vec<_> = report.notes.iter().filter(|it| it.text.contains("notes/a.md")).collect();
    let of: Vec<_> = notes.iter().filter_map(|note| note.path.as_deref()).collect();
    assert_eq!(of, ["notes/b.md", "notes/c.md"]);
}

#[test]
fn a_type_among_fields_of_another_program_makes_no_item() {
    for (fields, is_item) in [
        ("type: knowledge", true),
        ("type: knowledge\nid: a\ntitle: A", true),
        ("kind: knowledge\nname: a\nversion: 1\nagent: b", true),
        ("type: knowledge\nname: a\nversion: 1\nagent: b", false),
        ("title: A\nid: a\nlayout: page\ntype: reference", false),
    ] {
        let project = Project::bare();
        project.write("a.md", format!("---\n{fields}\n---\n\nx\n"));
        assert_eq!(project.check().items.len(), usize::from(is_item), "{fields}");
    }
}

#[test]
fn what_the_policy_calls_an_item_stays_one_when_it_is_taken_over() {
    let mut project = Project::new();
    project.write("notes/a.md", "See [it](../src/a.rs).\n");
    project.write("src/a.rs", "x\n");
    project.commit();
    project.remove("src/a.rs");
    project.commit();
    let mut known = Vec::new();
    for reused in [0, 2] {
        let report = project.check_with(|options| {
            options.policy.kinds.insert("notes/".into(), ItemKind::Knowledge);
            options.known = &known;
        });
        assert_eq!(report.counts.reused, reused);
        let paths: Vec<_> = report.items.iter().filter_map(|item| item.path.as_deref()).collect();
        assert_eq!(paths, ["notes/a.md"]);
        known = report.documents;
    }
}

/// Creates a project with an uncommitted edit of `PORT`, and an item that was verified after the edit.
fn uncommitted() -> (Project, Item) {
    let mut project = Project::new();
    project.write("src/a.rs", "fn a() {}\nconst PORT: u16 = 5432;\nfn c() {}\n");
    let first = project.commit();
    project.write("src/a.rs", "fn a() {}\nconst PORT: u16 = 5433;\nfn c() {}\n");
    let mut item = item(&project, "x", "2026-01-01T06:00:00Z", &["src/a.rs:2"]);
    item.verified_at = Some("2026-01-01T12:00:00Z".parse().unwrap());
    item.verified_commit = Some(first);
    (project, item)
}

#[test]
fn what_was_seen_before_it_was_committed_is_no_change() {
    let (mut project, item) = uncommitted();
    let added = Item { verified_at: None, verified_commit: None, ..item.clone() };
    assert!(evidence(&project, true, &item).is_empty(), "it is not committed yet");
    project.commit();
    assert!(evidence(&project, true, &item).is_empty());
    assert!(evidence(&project, true, &added).is_empty());
    project.write("src/a.rs", "use b;\nfn a() {}\nconst PORT: u16 = 5433;\nfn c() {}\n");
    project.commit();
    assert!(evidence(&project, true, &item).is_empty(), "it moved");
    project.write("src/a.rs", "use b;\nfn a() {}\nconst PORT: u16 = 5434;\nfn c() {}\n");
    let changed = project.commit();
    let last = project.commit();
    for item in [&item, &added] {
        match &evidence(&project, true, item)[..] {
            [Evidence { fact: Fact::SourceChanged { commit, days_after, .. }, .. }] => {
                assert_ne!(commit, &Some(last.clone()));
                assert_eq!(
                    commit,
                    &Some(changed.clone()),
                    "not the one that brought what was seen"
                );
                assert_eq!(*days_after, Some(2));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_was_seen_and_committed_with_other_lines_is_no_change() {
    let (mut project, item) = uncommitted();
    project.write("src/a.rs", "use b;\nuse c;\nfn a() {}\nconst PORT: u16 = 5433;\n");
    project.commit();
    assert!(evidence(&project, true, &item).is_empty());
    // What says too little to be known again is known by its number alone.
    let mut project = Project::new();
    project.write("src/a.rs", "a\nb\nc\n");
    project.commit();
    project.write("src/a.rs", "a\nd\nc\n");
    let item = self::item(&project, "x", "2026-01-01T12:00:00Z", &["src/a.rs:2"]);
    project.write("src/a.rs", "a\nx\nd\nc\n");
    project.commit();
    assert_eq!(evidence(&project, true, &item).len(), 1);
}

#[test]
fn what_was_changed_and_taken_back_is_no_change() {
    let (mut project, item) = uncommitted();
    project.write("src/a.rs", "fn a() {}\nconst PORT: u16 = 1;\nfn c() {}\n");
    project.commit();
    project.write("src/a.rs", "fn a() {}\nconst PORT: u16 = 5433;\nfn c() {}\n");
    project.commit();
    assert!(evidence(&project, true, &item).is_empty());
}

#[test]
fn a_file_that_was_cited_before_it_was_committed_is_followed_from_then_on() {
    let mut project = Project::new();
    project.write("other.rs", "x\n");
    project.commit();
    project.write("src/a.rs", "const PORT: u16 = 5432;\n");
    let item = item(&project, "x", "2026-01-01T12:00:00Z", &["src/a.rs:1"]);
    project.commit();
    assert!(evidence(&project, true, &item).is_empty());
    project.write("src/a.rs", "const PORT: u16 = 5433;\n");
    let changed = project.commit();
    match &evidence(&project, true, &item)[..] {
        [Evidence { fact: Fact::SourceChanged { commit, .. }, .. }] => {
            assert_eq!(commit, &Some(changed));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn days_to_a_change_are_counted_from_the_verification() {
    let mut project = Project::new();
    project.write("src/a.rs", "const PORT: u16 = 5432;\n");
    let first = project.commit();
    let mut item = item(&project, "x", "2026-01-01T06:00:00Z", &["src/a.rs:1"]);
    for _ in 0..9 {
        project.commit();
    }
    project.write("src/a.rs", "const PORT: u16 = 5433;\n");
    project.commit();
    item.verified_commit = Some(first);
    item.verified_at = Some("2026-01-09T00:00:00Z".parse().unwrap());
    match &evidence(&project, true, &item)[..] {
        [Evidence { fact: Fact::SourceChanged { days_after, .. }, .. }] => {
            assert_eq!(*days_after, Some(2));
        }
        other => panic!("{other:?}"),
    }
}
