//! Checked documents through the registry: only news is written, and nothing over what is newer.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::Spy;
use staleness_core::ids::{Caller, DocumentKey, OpId, ProjectId};
use staleness_core::knowledge::{
    Block, Citation, Cited, Context, Document, Fact, ItemKind, SignalSet,
};
use staleness_core::registry::DocumentsReport;
use staleness_core::scan::{ProjectRef, Scan};
use staleness_core::{Policy, Registry, Timestamp, Wait};

fn registry() -> Registry {
    Registry::new(Arc::new(Spy::default()), Policy::default())
}

fn at(hour: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).plus_millis(hour * 3_600_000)
}

fn project() -> ProjectId {
    ProjectId::of_root("/work/shop")
}

fn document(path: &str, hour: i64, findings: u32) -> Document {
    let block = |line: u32| Block {
        line,
        last_line: line,
        title: "t".into(),
        digest: 1,
        anchored_at: None,
        anchor: None,
        evidence: vec![Fact::TemporalMarker { word: "now".into() }.into()],
    };
    Document {
        key: DocumentKey { project: project(), path: path.into() },
        loaded: path.starts_with("A"),
        checked_at: at(hour),
        head: Some("c0ffee".into()),
        digest: 7,
        gaps: Vec::new(),
        blocks: 3,
        found: (0..findings).map(block).collect(),
    }
}

fn put(registry: &Registry, rows: &[Document], hour: i64) -> DocumentsReport {
    registry.documents().put(&project(), rows.to_vec(), None, at(hour)).wait().unwrap()
}

#[test]
fn only_news_is_written_and_nothing_over_what_is_newer() {
    let registry = registry();
    let rows = [document("AGENTS.md", 10, 1), document("a.md", 10, 0)];
    assert_eq!(put(&registry, &rows, 10).written, 2);
    assert_eq!(put(&registry, &rows, 10).written, 0);
    // The same an hour later is no news; a day later its age would be wrong.
    let later = |hour| [document("AGENTS.md", hour, 1), document("a.md", hour, 0)];
    assert_eq!(put(&registry, &later(11), 11), DocumentsReport { kept: 2, ..Default::default() });
    assert_eq!(put(&registry, &later(34), 34).written, 2);
    // A check that began earlier and ends later says nothing.
    assert_eq!(put(&registry, &[document("a.md", 33, 5)], 33).written, 0);
    assert_eq!(put(&registry, &[document("a.md", 35, 5)], 35).written, 1);
    assert_eq!(registry.documents().list(&project()).wait().unwrap()[1].found.len(), 5);
    assert_eq!(registry.admin().revision().wait().unwrap().0, 0, "a cache is not told");
}

#[test]
fn documents_are_listed_by_path_in_their_project_alone() {
    let registry = registry();
    put(&registry, &["AGENTS.md", "A.md", "b.md"].map(|path| document(path, 1, 1)), 1);
    let listed = registry.documents().list(&project()).wait().unwrap();
    let paths: Vec<&str> = listed.iter().map(|row| row.key.path.as_str()).collect();
    assert_eq!(paths, ["A.md", "AGENTS.md", "b.md"]);
    let other = ProjectId::of_root("/work/other");
    assert!(registry.documents().list(&other).wait().unwrap().is_empty());
}

#[test]
fn rows_of_documents_that_are_gone_go_but_for_newer_ones() {
    let registry = registry();
    put(&registry, &[document("a.md", 1, 0), document("b.md", 1, 1), document("new.md", 9, 1)], 9);
    let paths: BTreeSet<String> = ["a.md".to_owned()].into();
    let rows = vec![document("a.md", 2, 3)];
    let report = registry.documents().put(&project(), rows, Some(paths), at(2)).wait().unwrap();
    assert_eq!((report.written, report.removed), (1, 1));
    let left = registry.documents().list(&project()).wait().unwrap();
    let left: Vec<&str> = left.iter().map(|row| row.key.path.as_str()).collect();
    assert_eq!(left, ["a.md", "new.md"]);
}

/// Returns a number of blocks of a document that is too large for all to be kept.
fn too_many() -> u32 {
    u32::try_from(Document::MAX_FINDINGS_BYTES / 80).unwrap()
}

#[test]
fn of_too_many_findings_the_worst_are_kept_and_the_document_is_looked_at_again() {
    let registry = registry();
    put(&registry, &[document("a.md", 1, 1)], 1);
    let mut large = document("a.md", 2, too_many());
    let gone = |path: &str| Fact::SourceMissing {
        citation: Citation::of_path(path),
        gone: Cited::Path,
        renamed_to: None,
        commit: None,
    };
    // Among so many weak signs, and not at their beginning.
    for line in [7_000, 9_000] {
        large.found[line].evidence.push(gone("src/gone.rs").into());
    }
    let whole = large.clone();
    let report = put(&registry, &[large, document("b.md", 2, 1)], 2);
    assert_eq!((report.written, report.removed), (2, 0));
    assert_eq!(report.too_large, ["a.md"]);
    let kept = registry.documents().list(&project()).wait().unwrap().remove(0);
    assert!(kept.is_partial() && kept.head.is_none() && kept.blocks == whole.blocks);
    assert!(serde_json::to_string(&kept.found).unwrap().len() <= Document::MAX_FINDINGS_BYTES);
    assert!(kept.found.len() > 1_000, "{}", kept.found.len());
    assert!(kept.found.is_sorted_by_key(|block| block.line));
    let worst = kept.found.iter().filter(|block| block.evidence.len() > 1);
    assert_eq!(worst.map(|block| block.line).collect::<Vec<_>>(), [7_000, 9_000]);
    let context = Context::new(at(2), &Policy::default().knowledge, Caller::default());
    let verdict = |document: &Document| document.judge(ItemKind::Document, &context);
    assert_eq!(verdict(&kept), verdict(&whole));
}

#[test]
fn of_one_block_with_too_much_against_it_some_of_each_sort_is_kept() {
    let registry = registry();
    let mut large = document("a.md", 1, 1);
    let block = &mut large.found[0];
    block.evidence = vec![block.evidence[0].clone(); Document::MAX_FINDINGS_BYTES / 20];
    block.evidence.push(Fact::Expired { at: at(0) }.into());
    assert_eq!(put(&registry, &[large.clone()], 1).too_large, ["a.md"]);
    let kept = registry.documents().list(&project()).wait().unwrap().remove(0);
    assert!(serde_json::to_string(&kept.found).unwrap().len() <= Document::MAX_FINDINGS_BYTES);
    let sorts = |document: &Document| SignalSet::of(&document.found[0].evidence);
    assert_eq!(sorts(&kept), sorts(&large));
}

#[test]
fn a_large_project_is_written_in_batches() {
    let registry = registry();
    let rows: Vec<Document> = (0..450).map(|n| document(&format!("{n}.md"), 1, 1)).collect();
    assert_eq!(put(&registry, &rows, 1).written, 450);
    assert_eq!(registry.documents().list(&project()).wait().unwrap().len(), 450);
}

#[test]
fn a_forgotten_project_leaves_no_documents() {
    let registry = registry();
    let scan = Scan {
        project: ProjectRef::of_root("/work/shop"),
        read_under: registry.tools().readings(&project()).wait().unwrap(),
        sources: Vec::new(),
        indexes: Vec::new(),
        at: at(0),
        session: None,
        client: None,
    };
    registry.tools().apply_scan(scan).wait().unwrap();
    put(&registry, &[document("a.md", 1, 1)], 1);
    registry.admin().forget_project(project(), OpId::new("f").unwrap(), at(2)).wait().unwrap();
    assert!(registry.documents().list(&project()).wait().unwrap().is_empty());
}
