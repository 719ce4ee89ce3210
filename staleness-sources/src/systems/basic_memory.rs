//! basic-memory: a folder of Markdown files with front matter, tags and `[[links]]`. Based on the source of
//! release 0.24 (`markdown/entity_parser.py`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::ReadError;
use super::files::{Note, files_in, note, notes, related};
use super::line::{Line, Mapped, Parts, Sink};

pub(super) fn read(folder: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let paths = files_in(folder, ".md", sink)?;
    // Links contain a title, a permalink or a path, which may be relative to a parent folder.
    let mut ids = BTreeMap::new();
    for mut note in paths.iter().filter_map(|path| note(folder, path, "note").ok()) {
        let id = id_of(&mut note);
        let file = note.name.rsplit('/').next().unwrap_or_default().to_owned();
        let names = note.row.text("title").into_iter().chain([file, note.name, id.clone()]);
        ids.extend(names.map(|name| (name, id.clone())));
    }
    notes(folder, &paths, "note", sink, &mut |note| Mapped::Line(line(note, &ids)))
}

fn id_of(note: &mut Note) -> String {
    note.row.text("permalink").unwrap_or_else(|| note.name.clone())
}

fn line(note: &mut Note, ids: &BTreeMap<String, String>) -> Line {
    let id = id_of(note);
    let kind = note.row.text("type").unwrap_or_default();
    let title = note.row.text("title").filter(|title| !note.body.contains(title.as_str()));
    let related = related(&note.body, ids, &id);
    let mut keywords: BTreeSet<String> = note.row.list("tags").into_iter().collect();
    keywords.extend((!matches!(kind.as_str(), "" | "note")).then(|| kind.clone()));
    let (created, modified) = note.dates("created");
    let kind = match kind.as_str() {
        kind @ ("preference" | "reference") => kind,
        _ => "knowledge",
    };
    let body = Parts::default().add(title).add(Some(note.body.clone()));
    Line::knowledge(kind, id)
        .with("body", body.text())
        .with("keywords", keywords.into_iter().collect::<Vec<_>>())
        .with("related", related)
        .at("added", Some(created))
        .at("updated", Some(modified))
}
