//! The auto memory of Claude Code: a file per memory with `name`, `description` and `type`, and an index in
//! `MEMORY.md`. In older versions that file holds the memory itself.

use std::collections::BTreeSet;
use std::path::Path;

use super::ReadError;
use super::files::{Note, files_in, links_in, notes};
use super::line::{Line, Mapped, Parts, Sink};

/// The name of the index, without its ending.
const INDEX: &str = "MEMORY";

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let inner = path.join("memory");
    let folder = if inner.is_dir() { &inner } else { path };
    let paths = files_in(folder, ".md", sink)?;
    notes(folder, &paths, "memory", sink, &mut |note| {
        if note.name == INDEX && is_index(&note.body) {
            return Mapped::Left("the index MEMORY.md".into());
        }
        Mapped::Line(line(note))
    })
}

/// Returns true if a text has only headings and links to other files.
fn is_index(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| line.starts_with('#') || line.starts_with("- [") && line.contains(".md)"))
}

fn line(note: &mut Note) -> Line {
    // Newer versions keep the type among nested fields.
    let nested = note.row.text("metadata").unwrap_or_default();
    let nested = nested.lines().find_map(|line| line.trim().strip_prefix("type:"));
    let kind = note.row.text("type").or_else(|| nested.map(|kind| kind.trim().to_owned()));
    let kind = match kind.as_deref() {
        Some("user" | "feedback") => "preference",
        Some("reference") => "reference",
        _ => "knowledge",
    };
    let said = |text: &String| !note.body.contains(text.as_str());
    let (name, description) = (note.row.text("name"), note.row.text("description"));
    let body = Parts::default()
        .add(name.filter(|name| said(name) && *name != note.name))
        .add(description.filter(said))
        .add(Some(note.body.clone()));
    let related: BTreeSet<&str> = links_in(&note.body).collect();
    let created = note.row.time("created").unwrap_or(note.created);
    Line::knowledge(kind, note.name.clone())
        .with("body", body.text())
        .with("related", related.into_iter().collect::<Vec<_>>())
        .at("added", Some(created))
        .at("updated", Some(note.row.time("modified").unwrap_or(note.modified).max(created)))
}
