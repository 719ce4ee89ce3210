//! The auto memory of Claude Code: one file per memory with `name`, `description` and `type`, and an index in
//! `MEMORY.md`. Based on release 2.1.332. In older releases `type` is not nested, or the index contains the memory.

use std::collections::BTreeMap;
use std::path::Path;

use staleness_docs::disk::shown;
use staleness_docs::{FrontValue, front_matter};

use super::ReadError;
use super::files::{Note, files_in, note, notes, related};
use super::line::{Line, Mapped, Parts, Sink};

/// The name of the index, without its ending.
const INDEX: &str = "MEMORY";

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let inner = path.join("memory");
    let folder = if inner.is_dir() { &inner } else { path };
    let paths = files_in(folder, ".md", sink)?;
    // `~/.claude/projects` has a folder with memories per project.
    if let Some((inner, _)) = paths[0].split_once("/memory/")
        && paths.iter().all(|path| path.contains("/memory/"))
    {
        let inner = folder.join(inner).join("memory");
        let what = format!("contains folders with memories; name one, such as {}", shown(&inner));
        return Err(ReadError::refused(folder, what));
    }
    // A link contains the `name` or the file name of a memory.
    let mut ids = BTreeMap::new();
    let read = paths.iter().filter_map(|path| note(folder, path, "memory").ok());
    for mut note in read.filter(|note| !is_index(note)) {
        let names = note.row.text("name").into_iter().chain([note.name.clone()]);
        ids.extend(names.map(|name| (name, note.name.clone())));
    }
    notes(folder, &paths, "memory", sink, &mut |note| match is_index(note) {
        true => Mapped::Left("the index MEMORY.md".into()),
        false => Mapped::Line(line(note, &ids)),
    })
}

/// Returns true for an index file that contains only headings and links to other files.
fn is_index(note: &Note) -> bool {
    let mut lines = note.body.lines().map(str::trim).filter(|line| !line.is_empty());
    note.name == INDEX
        && lines
            .all(|line| line.starts_with('#') || line.starts_with("- [") && line.contains(".md)"))
}

/// Takes the type from the nested fields, in which newer versions store it.
fn nested_type(note: &mut Note) -> Option<String> {
    let fields = note.row.text("metadata")?;
    let mut kind = None;
    for line in fields.lines().map(str::trim).filter(|line| !line.starts_with("node_type:")) {
        match front_matter(&format!("---\n{line}\n---\n")).0.pop() {
            Some((key, FrontValue::Text(text))) if key == "type" => kind = Some(text),
            Some((key, _)) => note.row.lose(format!("metadata.{key}")),
            None => {}
        }
    }
    kind
}

fn line(note: &mut Note, ids: &BTreeMap<String, String>) -> Line {
    let nested = nested_type(note);
    let kind = note.row.text("type").or(nested);
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
    let (created, modified) = note.dates("created");
    Line::knowledge(kind, note.name.clone())
        .with("body", body.text())
        .with("related", related(&note.body, ids, &note.name))
        .at("added", Some(created))
        .at("updated", Some(modified))
}
