//! When what a document says was last known to hold.

use staleness_core::ids::{ItemId, ItemKey, Scope};
use staleness_core::knowledge::{Fact, Gap, Item, ItemKind};
use staleness_core::time::Timestamp;

use crate::project::{Project, facts, found, touch};

/// A project whose `old_name` went away on 2026-01-03, at midnight.
fn drifted(document: &str) -> Project {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_name() {}\n");
    project.write("doc.md", document);
    project.commit();
    project.commit();
    project.write("src/a.rs", "fn new_name() {}\n");
    project.commit();
    project
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn what_was_verified_later_is_clear_of_earlier_evidence() {
    for day in ["2026-01-04", "2026-02-01T00:00:00Z", "2026-01-03T00:00:01Z"] {
        for text in [
            format!("---\nverified: {day}\n---\n\nCall `old_name()`.\n"),
            format!("+++\nverified = \"{day}\"\n+++\n\nCall `old_name()`.\n"),
            format!("<!-- staleness: verified {day} -->\n\nCall `old_name()`.\n"),
            format!("# A\n\n<!-- staleness: verified {day} -->\n\n- a\n- Call `old_name()`.\n"),
            format!("Call `old_name()`. <!-- staleness: verified {day} -->\n"),
        ] {
            assert!(found(&drifted(&text).check(), "doc.md").is_empty(), "{text}");
        }
    }
}

#[test]
fn what_was_verified_earlier_or_elsewhere_is_not_clear() {
    for text in [
        "---\nverified: 2026-01-02\n---\n\nCall `old_name()`.\n",
        "---\nverified: soon\n---\n\nCall `old_name()`.\n",
        "# A\n\n<!-- staleness: verified 2026-02-01 -->\n\nOther.\n\nCall `old_name()`.\n",
    ] {
        let found = found(&drifted(text).check(), "doc.md");
        assert!(found.len() == 1 && found[0].ends_with("drift old_name"), "{text}: {found:?}");
    }
}

#[test]
fn a_day_without_a_time_is_the_whole_day() {
    // What was verified on the day of a change was verified after it, for all that is known.
    let text = "---\nverified: 2026-01-03\n---\n\nCall `old_name()`.\n";
    assert!(found(&drifted(text).check(), "doc.md").is_empty());
    // The days are counted from that day all the same.
    let mut project = drifted("---\nverified: 2026-01-03\n---\n\nSee `src/a.rs:1`.\n");
    project.write("src/a.rs", "fn newest() {}\n");
    project.commit();
    match &facts(&project.check(), "doc.md")[..] {
        [Fact::SourceChanged { days_after, .. }] => assert_eq!(*days_after, Some(1)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_date_in_the_future_is_reported_and_clears_nothing() {
    let text = "---\nverified: 2027-01-01\n---\n\nCall `old_name()`.\n";
    let project = drifted(text);
    let first = project.check();
    assert_eq!(found(&first, "doc.md"), ["2:1 future_date", "5:7 drift old_name"]);
    // When the day has come, what was found before does not stay.
    let later = project.check_with(|options| {
        options.known = &first.documents;
        options.now = at("2027-01-02T00:00:00Z");
    });
    assert!(found(&later, "doc.md").is_empty());
    let text = "Call `old_name()`. <!-- staleness: verified 2027-01-01 -->\n";
    let report = drifted(text).check();
    assert_eq!(found(&report, "doc.md"), ["1:7 drift old_name"]);
    assert!(report.notes.iter().any(|note| note.text.contains("future")), "{:?}", report.notes);
}

#[test]
fn a_block_says_when_it_was_last_known_to_hold() {
    let report = drifted("Call `old_name()`.\n").check();
    let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
    assert_eq!(document.found[0].anchored_at, Some(at("2026-01-01T00:00:00Z")));
    assert!(document.found[0].anchor.is_some());
    let report = drifted("---\nverified: 2026-01-02\n---\n\nCall `old_name()`.\n").check();
    let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
    assert_eq!(document.found[0].anchored_at, Some(at("2026-01-02T00:00:00Z")));
}

#[test]
fn a_block_with_nothing_but_words_of_a_time_says_when_it_was_edited() {
    let mut project = Project::new();
    project.write("doc.md", "Currently x.\n");
    project.commit();
    project.write("doc.md", "Currently x.\n\nCurrently `y()`.\n");
    project.commit();
    let dates = |project: &Project| -> Vec<_> {
        let report = project.check();
        let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
        document.found.iter().map(|block| block.anchored_at).collect()
    };
    let days = [Some(at("2026-01-01T00:00:00Z")), Some(at("2026-01-02T00:00:00Z"))];
    assert_eq!(dates(&project), days);
    project.write("doc.md", "Currently x.\n\nCurrently `z()`.\n");
    assert_eq!(dates(&project), [days[0], None], "somebody is working on it");
}

#[test]
fn a_file_that_is_not_committed_is_as_old_as_the_file() {
    let project = drifted("x\n");
    let path = project.write("CLAUDE.local.md", "Call `old_name()`.\n");
    touch(&path, "2026-01-02T12:00:00Z");
    assert_eq!(found(&project.check(), "CLAUDE.local.md"), ["1:7 drift old_name"]);
    touch(&path, "2026-01-09T00:00:00Z");
    assert!(found(&project.check(), "CLAUDE.local.md").is_empty());
}

#[test]
fn a_document_that_was_renamed_keeps_its_dates() {
    let mut project = drifted("Call `old_name()`.\n");
    project.git(&["mv", "doc.md", "guide.md"]);
    project.commit();
    assert_eq!(found(&project.check(), "guide.md"), ["1:7 drift old_name"]);
}

#[test]
fn a_shallow_clone_says_so_and_concludes_nothing_from_what_it_lacks() {
    let project = drifted("Call `old_name()` of `src/a.rs:1`.\n");
    let url = format!("file://{}", project.place.folder.display());
    let clone = Project::bare();
    let folder = clone.place.folder.clone();
    clone.remove("README.md");
    clone.git(&["clone", "--quiet", "--depth", "1", &url, folder.to_str().unwrap()]);
    let report = clone.check();
    let told: Vec<_> = report.blind.iter().map(|it| (it.kind, &*it.path)).collect();
    assert_eq!(told, [(Gap::Shallow, ".git")]);
    assert!(report.documents.iter().any(|document| document.key.path == "doc.md"));
    assert!(found(&report, "doc.md").is_empty());
}

#[test]
fn without_git_a_check_says_so_and_dates_hold() {
    let project = drifted("---\nexpires: 2026-09-30\n---\n\nCall `old_name()`.\n");
    let report = project.check_in(false, |_| {});
    assert!(
        report.notes.iter().any(|note| note.text.contains("without git history")),
        "{:?}",
        report.notes
    );
    assert_eq!(found(&report, "doc.md"), ["2:1 expired"]);
    let nothing = |items: &[Item]| {
        let mut go_on = |_| std::ops::ControlFlow::Continue(());
        let repo = &mut project.repo(false);
        staleness_docs::item_evidence(&project.place, repo, items, &mut go_on).unwrap().notes
    };
    assert!(nothing(&[]).is_empty(), "there is nothing to ask");
    let key = ItemKey { scope: Scope::Global, id: ItemId::new("a").unwrap() };
    let item = Item::new(key, ItemKind::Knowledge, "Call `old_name()`.", Timestamp::default());
    assert!(nothing(&[item]).iter().any(|note| note.text.contains("without git history")));
}
