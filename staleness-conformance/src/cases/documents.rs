//! Checked documents: filters return exactly the documents with findings.

use staleness_core::knowledge::Document;
use staleness_core::store::DocumentFilter;

use crate::case::Case;
use crate::context::{Context, act, found};
use crate::rows::{at, document, document_key, flagged, project_id};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("documents::loaded_and_flagged_find_only_those_with_findings", marked),
    Case::new("documents::filters_follow_every_change", moving),
];

fn put(context: &Context, rows: impl IntoIterator<Item = Document>) {
    act(context.store(), Write::new().puts(rows));
}

fn paths(context: &Context, filter: DocumentFilter) -> Vec<String> {
    found(context, filter).into_iter().map(|row| row.key.path).collect()
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
    assert_eq!(paths(context, DocumentFilter::Loaded(p())), ["both", "both too"]);
    assert_eq!(paths(context, DocumentFilter::Flagged(p())), ["both", "both too", "flagged"]);
    assert_eq!(paths(context, DocumentFilter::Loaded(project_id("r"))).len(), 0);
    assert_eq!(paths(context, DocumentFilter::Flagged(project_id("r"))).len(), 0);
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
        assert_eq!(found(context, DocumentFilter::Key(row.key.clone())), [row]);
    }
}
