//! sage: Markdown files with front matter below `.sage`: items of knowledge, and checkpoints of research. Based on
//! the source of release 4.2.3 (`knowledge.py`, `checkpoint.py`). Its index repeats the fields of the files, and
//! adds patterns and links, which are not imported.

use std::path::Path;

use super::ReadError;
use super::files::{Note, files_in, notes};
use super::line::{Line, Mapped, Parts, Sink};

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let inner = path.join(".sage");
    let folder = if inner.is_dir() { &inner } else { path };
    let paths = files_in(folder, ".md", sink)?;
    notes(folder, &paths, "item", sink, &mut |note| match note.row.text("id") {
        Some(id) => Mapped::Line(line(note, id)),
        None => Mapped::Left("files without an id".into()),
    })
}

fn line(note: &mut Note, id: String) -> Line {
    let row = &mut note.row;
    let kind = row.text("type");
    let is_checkpoint = kind.as_deref() == Some("checkpoint");
    let known = |kind: &&str| matches!(*kind, "preference" | "todo" | "reference");
    let kind = kind.as_deref().filter(known).unwrap_or("knowledge");
    let mut keywords = row.list("keywords");
    keywords.extend(is_checkpoint.then(|| "checkpoint".to_owned()));
    let mut related = row.list("related_knowledge");
    related.extend(row.text("continues_from"));
    related.extend(row.text("parent_checkpoint"));
    let mut files = row.list("files_changed");
    files.extend(row.list("files_explored"));
    let files: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    let body = Parts::default()
        .add(Some(note.body.clone()))
        .named("Source", row.text("source"))
        .named("Goal", row.text("action_goal"))
        .named("Files", Some(files.join(", ")).filter(|files| !files.is_empty()));
    row.drop(&["trigger", "message_count", "token_estimate"]);
    let status = row.text("status");
    let is_over = matches!(status.as_deref(), Some("archived" | "deprecated"));
    let is_done = kind == "todo" && (is_over || status.as_deref() == Some("done"));
    let has_expired = is_over && !matches!(kind, "preference" | "todo");
    if kind == "todo" || has_expired {
        row.drop(&["status"]);
    }
    let key = if note.row.fields.contains_key("added") { "added" } else { "ts" };
    let (added, modified) = note.dates(key);
    Line::knowledge(kind, id)
        .with("body", body.text())
        .with("keywords", keywords)
        .with("related", related)
        .at("added", Some(added))
        .at("updated", Some(modified))
        .at("done", is_done.then_some(modified))
        .at("expires", has_expired.then_some(modified))
}
