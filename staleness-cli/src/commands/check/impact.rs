//! `check --impact`: the documents that a diff affects.

use serde_json::{Value, json};
use staleness_core::text::counted;
use staleness_docs::{Impact, Touched, TouchedName};

use crate::output::{Cell, Output, Paint};

/// Maximum number of rows to show.
const ROWS: usize = 50;

/// Formats the numbers of documents and changed files, and a row for each name of a changed symbol or file.
pub(super) fn table<'a>(impact: &'a Impact, out: &Output) -> String {
    let row = |(document, name): (&Touched, &TouchedName)| -> Vec<Cell> {
        let mut why = name.file.clone();
        if document.edited {
            why.push_str(", also edited");
        }
        let place = format!("{}:{}", document.path, name.line);
        vec![(place, None), (name.name.clone(), Some(Paint::bold)), (why, Some(Paint::dim))]
    };
    let of = |document: &'a Touched| document.names.iter().map(move |name| (document, name));
    let all: Vec<(&Touched, &TouchedName)> = impact.touched.iter().flat_map(of).collect();
    let mut text = format!(
        "{} touched by {}\n",
        counted(impact.touched.len(), "document", "documents"),
        counted(impact.files, "changed file", "changed files"),
    );
    text.push_str(&out.table(all.iter().copied().take(ROWS).map(row)));
    text.push_str(&out.more(all.len().saturating_sub(ROWS), "--json lists all"));
    text.push('\n');
    text
}

/// Returns the diff and the affected documents, for `--json`.
pub(super) fn told(impact: &Impact) -> Value {
    let name = |it: &TouchedName| json!({ "line": it.line, "name": it.name, "file": it.file });
    let touched = |it: &Touched| {
        let names: Vec<Value> = it.names.iter().map(name).collect();
        json!({ "path": it.path, "edited": it.edited, "names": names })
    };
    json!({
        "from": impact.from,
        "to": impact.to,
        "files": impact.files,
        "touched": impact.touched.iter().map(touched).collect::<Vec<_>>(),
    })
}
