//! Documents with more findings than anybody reads.

use staleness_core::knowledge::{Document, Fact, SignalSet};
use staleness_docs::Report;

use crate::project::{Project, facts};

fn document<'r>(report: &'r Report, path: &str) -> &'r Document {
    report.documents.iter().find(|document| document.key.path == path).unwrap()
}

fn left_out(report: &Report) -> Vec<(Option<&str>, &str)> {
    let notes = report.notes.iter().filter(|note| note.text.contains("left out"));
    notes.map(|note| (note.path.as_deref(), &*note.text)).collect()
}

#[test]
fn many_weak_signs_are_counted_and_hide_no_strong_one() {
    let mut project = Project::new();
    project.write("src/gone.rs", "x\n");
    let weak = |count: usize| "- now\n".repeat(count);
    project.write("CLAUDE.md", format!("{}\nSee `src/gone.rs`.\n", weak(5_000)));
    project.write("few.md", weak(900));
    project.commit();
    project.remove("src/gone.rs");
    project.commit();
    let report = project.check();
    let large = document(&report, "CLAUDE.md");
    assert_eq!((large.blocks, large.found.len()), (5_001, 1_001));
    let last = &large.found[1_000];
    assert_eq!((last.line, last.evidence.len()), (5_002, 1));
    assert!(matches!(last.evidence[0].fact, Fact::SourceMissing { .. }));
    let text = "4000 more findings of the same kind were left out";
    assert_eq!(left_out(&report), [(Some("CLAUDE.md"), text)]);
    let [unlisted] = &report.unlisted[..] else { panic!("{:?}", report.unlisted) };
    assert_eq!((&*unlisted.path, unlisted.blocks), ("CLAUDE.md", 4_000));
    assert_eq!(unlisted.sorts, SignalSet::of(&large.found[0].evidence));
    // It is looked at again: what is known of it is not all.
    assert!(large.is_partial());
    let few = document(&report, "few.md");
    assert_eq!((few.found.len(), few.is_partial()), (900, false));
    let again = project.check_with(|options| options.known = &report.documents);
    assert_eq!(document(&again, "CLAUDE.md"), large);
    assert_eq!(left_out(&again).len(), 1);
}

#[test]
fn what_a_directive_leaves_aside_takes_no_room() {
    let mut project = Project::new();
    let aside = "<!-- staleness: ignore-file temporal_marker -->\n\n";
    project.write("a.md", format!("{aside}{}", "- now\n".repeat(1_500)));
    project.commit();
    let report = project.check();
    assert!(document(&report, "a.md").found.is_empty() && report.unlisted.is_empty());
    assert!(left_out(&report).is_empty());
}

#[test]
fn of_one_block_some_evidence_of_each_sort_is_told() {
    let project = Project::bare();
    let links: String = (0..700).map(|at| format!("[a](gone/{at}.md) ")).collect();
    project.write("a.md", format!("{links} now\n"));
    project.write("notes/item.md", format!("---\ntype: knowledge\n---\n\n{links}\n\n{links}\n"));
    let report = project.check();
    let facts = facts(&report, "a.md");
    let missing = facts.iter().filter(|fact| matches!(fact, Fact::SourceMissing { .. }));
    assert_eq!(missing.count(), 500);
    let block = &document(&report, "a.md").found[0];
    assert!(matches!(block.evidence.last().unwrap().fact, Fact::TemporalMarker { .. }));
    let item = &document(&report, "notes/item.md").found;
    assert_eq!((item.len(), item[0].evidence.len()), (1, 500));
    let left: Vec<_> = left_out(&report).into_iter().map(|(_, text)| text).collect();
    let text = |count| format!("{count} more findings of the same kind were left out");
    assert_eq!(left, [text(200), text(900)]);
    assert!(report.unlisted.is_empty());
}

#[test]
#[ignore = "takes long: `.ci/run` runs it"]
fn documents_that_name_ever_so_much_leave_room_for_others_and_are_told() {
    let mut project = Project::new();
    project.write("src/gone.rs", "x\n");
    let flags: String = (0..80_003).map(|at| format!("--flag-{at} ")).collect();
    project.write("a.md", flags);
    project.write("b.md", "See `src/gone.rs`.\n");
    project.commit();
    project.remove("src/gone.rs");
    project.commit();
    let report = project.check();
    let [skipped] = &report.skipped[..] else { panic!("{:?}", report.skipped) };
    assert_eq!(skipped.path, "a.md");
    assert_eq!(skipped.reason, "mentions too many names: 4 were not checked");
    assert_eq!(facts(&report, "b.md").len(), 1, "the others are checked");
    let again = project.check_with(|options| options.known = &report.documents);
    assert_eq!(again.skipped[0].path, "a.md", "it is told each time");
}
