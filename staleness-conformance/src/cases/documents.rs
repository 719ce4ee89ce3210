//! Checked documents: what is put comes back, and each filter finds exactly its rows.

use staleness_core::ids::DocumentKey;
use staleness_core::knowledge::{Block, Citation, Cited, Document, Fact, Lines, SignalKind};
use staleness_core::store::{DocumentFilter, Selection};
use staleness_core::time::Timestamp;

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::context::{Context, act, everything, see};
use crate::model::each;
use crate::rows::{AWKWARD, at, document, document_key, flagged, project_id};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("documents::extremes_round_trip", extremes_round_trip),
    Case::new("documents::any_finding_round_trips", any_finding),
    Case::new("documents::a_thousand_findings_round_trip", many_findings),
    Case::new("documents::key_finds_one_of_many_like_it", by_key),
    Case::new("documents::project_finds_only_its_own", by_project),
    Case::new("documents::loaded_and_flagged_find_only_those_with_findings", marked),
    Case::new("documents::filters_follow_every_change", moving),
    Case::new("documents::delete_removes_one", delete),
];

fn found(context: &Context, filter: DocumentFilter) -> Vec<String> {
    let seen = see(context.store(), Selection::new().peek(filter));
    seen.documents.into_keys().map(|key| key.path).collect()
}

fn put(context: &Context, rows: impl IntoIterator<Item = Document>) {
    act(context.store(), rows.into_iter().fold(Write::new(), Write::document));
}

#[track_caller]
fn assert_stored(context: &Context, row: &Document) {
    let seen = see(context.store(), Selection::new().peek(DocumentFilter::Key(row.key.clone())));
    assert_eq!(seen.documents.get(&row.key), Some(row));
}

fn extremes_round_trip(context: &mut Context) {
    let citation = Citation {
        lines: Some(Lines { first: 1, last: u32::MAX }),
        symbol: Some("f".into()),
        digest: Some("00".into()),
        ..Citation::of_path("a\n'\"\\\u{202e}\u{1f680}")
    };
    let fact = Fact::SourceMissing {
        citation,
        gone: Cited::Lines,
        renamed_to: Some("b".into()),
        commit: Some("c".repeat(64)),
    };
    let block = Block {
        line: u32::MAX,
        last_line: 0,
        title: "\u{1f680}".repeat(80),
        digest: u64::MAX,
        anchored_at: Some(Timestamp::MIN),
        anchor: Some(String::new()),
        evidence: vec![fact.into(), Fact::FutureDate { at: Timestamp::MAX }.into()],
    };
    let full = Document {
        loaded: true,
        checked_at: Timestamp::MAX,
        head: Some("d".repeat(64)),
        digest: u128::MAX,
        blocks: u32::MAX,
        found: vec![block.clone(), Block { evidence: Vec::new(), ..block }],
        ..document(document_key("p", "d/a b%20'\".md"))
    };
    let blank =
        Document { checked_at: Timestamp::MIN, blocks: 0, ..document(document_key("p", "")) };
    put(context, [full.clone(), blank.clone()]);
    assert_stored(context, &full);
    assert_stored(context, &blank);
    // The other way round: every field is replaced.
    let full = Document { key: blank.key.clone(), ..full };
    put(context, [full.clone()]);
    assert_stored(context, &full);
    put(context, [blank.clone()]);
    assert_stored(context, &blank);
}

fn any_finding(context: &mut Context) {
    let mut kinds = Vec::new();
    each(&arbitrary::document(Reach::Wide), |row| {
        let facts = row.found.iter().flat_map(|block| &block.evidence);
        kinds.extend(facts.map(|evidence| evidence.fact.kind()));
        put(context, [row.clone()]);
        assert_stored(context, &row);
    });
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.len() > SignalKind::ALL.len() / 2, "only {kinds:?} were tried");
}

fn many_findings(context: &mut Context) {
    let row = flagged(document(document_key("p", "a.md")), 5_000);
    put(context, [row.clone()]);
    assert_stored(context, &row);
}

fn by_key(context: &mut Context) {
    let keys: Vec<DocumentKey> = AWKWARD
        .iter()
        .flat_map(|text| ["p", "P"].map(|project| document_key(project, *text)))
        .collect();
    put(context, keys.iter().cloned().map(document));
    for key in keys {
        assert_eq!(found(context, DocumentFilter::Key(key.clone())), [key.path]);
    }
    assert_eq!(found(context, DocumentFilter::Key(document_key("p", "a_B"))).len(), 0);
}

fn by_project(context: &mut Context) {
    for project in ["p_", "pX", "p"] {
        put(context, ["b", "a"].map(|path| document(document_key(project, path))));
    }
    let of = |text: &str| found(context, DocumentFilter::Project(project_id(text)));
    assert_eq!(of("p_"), ["a", "b"]);
    assert_eq!(of("p"), ["a", "b"]);
    assert_eq!(of("p%"), [""; 0]);
    assert_eq!(found(context, DocumentFilter::All).len(), 6);
}

fn loaded(row: Document) -> Document {
    Document { loaded: true, ..row }
}

fn marked(context: &mut Context) {
    for project in ["p", "q"] {
        let row = |path: &str| document(document_key(project, path));
        put(
            context,
            [
                loaded(flagged(row("both"), 1)),
                loaded(flagged(row("both too"), 2)),
                flagged(row("flagged"), 1),
                loaded(row("loaded")),
                row("neither"),
            ],
        );
    }
    let p = || project_id("p");
    assert_eq!(found(context, DocumentFilter::Loaded(p())), ["both", "both too"]);
    assert_eq!(found(context, DocumentFilter::Flagged(p())), ["both", "both too", "flagged"]);
    assert_eq!(found(context, DocumentFilter::Loaded(project_id("r"))).len(), 0);
    assert_eq!(found(context, DocumentFilter::Flagged(project_id("r"))).len(), 0);
}

fn moving(context: &mut Context) {
    let row = document(document_key("p", "a.md"));
    let states = [
        (row.clone(), false, false),
        (flagged(row.clone(), 1), false, true),
        (loaded(flagged(row.clone(), 1)), true, true),
        (loaded(row.clone()), false, false),
        (loaded(flagged(row.clone(), 3)), true, true),
        (flagged(row.clone(), 3), false, true),
        (Document { checked_at: at(99), ..flagged(row.clone(), 3) }, false, true),
        (row, false, false),
    ];
    for (row, is_loaded, is_flagged) in states {
        put(context, [row.clone()]);
        let finds = |filter: DocumentFilter| !found(context, filter).is_empty();
        assert_eq!(finds(DocumentFilter::Loaded(project_id("p"))), is_loaded, "{row:?}");
        assert_eq!(finds(DocumentFilter::Flagged(project_id("p"))), is_flagged, "{row:?}");
        assert_stored(context, &row);
    }
}

fn delete(context: &mut Context) {
    let keys = [document_key("p", "a"), document_key("p", "b"), document_key("q", "a")];
    put(context, keys.iter().cloned().map(|key| loaded(flagged(document(key), 1))));
    let write = Write::new().no_document(keys[0].clone()).no_document(document_key("p", "none"));
    act(context.store(), write);
    let seen = everything(context.store()).documents;
    assert_eq!(seen.into_keys().collect::<Vec<_>>(), keys[1..]);
    assert_eq!(found(context, DocumentFilter::Loaded(project_id("p"))), ["b"]);
}
