//! beads: one JSON object per line, as in `bd export` and `.beads/issues.jsonl`. Based on its source up to release
//! 1.0.5 (`internal/types/types.go`, `cmd/bd/export.go`).

use std::fs;
use std::path::{Path, PathBuf};

use staleness_core::time::Timestamp;

use super::ReadError;
use super::files::{UNDATED, json_lines, modified, no_link};
use super::line::{Line, Mapped, Parts, Sink};
use super::row::Row;

/// The files with issues in a `.beads` folder: the current name, and an older one.
const FILES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];
/// Required fields of an issue.
const NEEDED: [&str; 3] = ["id", "title", "created_at"];
/// Types of records with which programs coordinate themselves.
const INTERNAL: [&str; 6] = ["event", "gate", "agent", "role", "rig", "slot"];

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let file = file_of(path)?;
    let written = modified(&file);
    json_lines(&file, "issue", sink, &mut |line, mut row, sink| {
        let mapped = if row.text("_type").as_deref() == Some("memory") {
            memory(&mut row, written)
        } else {
            let missing: Vec<&str> =
                NEEDED.into_iter().filter(|key| !row.fields.contains_key(*key)).collect();
            if !missing.is_empty() {
                let missing = missing.join(", ");
                let what = format!("line {line}: not an issue of beads; missing: {missing}");
                return Err(ReadError::refused(&file, what));
            }
            issue(&mut row)
        };
        sink.put(&row, mapped)
    })
}

/// Converts a memory of `bd remember`. beads stores no time for a memory, so the file's time is used.
fn memory(row: &mut Row, written: Timestamp) -> Mapped {
    let (Some(id), Some(body)) = (row.text("key"), row.text("value")) else {
        return Mapped::Left("memories without a key or value".into());
    };
    row.lose(UNDATED);
    Mapped::Line(Line::knowledge("knowledge", id).with("body", body).at("added", Some(written)))
}

/// Returns the file of issues for a path: the file itself, or one in the folder or in its `.beads`.
fn file_of(path: &Path) -> Result<PathBuf, ReadError> {
    if !fs::metadata(path).is_ok_and(|meta| meta.is_dir()) {
        return Ok(path.to_path_buf());
    }
    for folder in [path.join(".beads"), path.to_path_buf()] {
        let mut files = FILES.iter().map(|name| folder.join(name));
        if let Some(file) = files.find(|file| file.is_file()) {
            return no_link(&folder).map(|()| file);
        }
    }
    let what = "contains no issues.jsonl; write one with `bd export -o .beads/issues.jsonl`";
    Err(ReadError::refused(path, what))
}

fn issue(row: &mut Row) -> Mapped {
    let kind = row.text("issue_type").unwrap_or_else(|| "task".into());
    if INTERNAL.contains(&kind.as_str()) {
        return Mapped::Left(format!("{kind} records"));
    }
    if row.flag("is_template") {
        return Mapped::Left("templates".into());
    }
    let id = row.text("id").unwrap_or_default();
    let Some(created) = row.time("created_at") else {
        return Mapped::Left("issues without a readable created_at".into());
    };
    let updated = row.time("updated_at");
    // Deferred work waits until a date. A date before the last change has passed.
    let deferred = row.time("defer_until");
    let until = deferred.filter(|until| Some(*until) > updated);
    let status = row.text("status").unwrap_or_else(|| "open".into());
    let status = match status.as_str() {
        "open" if until.is_some() => "blocked",
        "open" => "todo",
        "in_progress" | "hooked" => "in_progress",
        "blocked" | "deferred" => "blocked",
        "closed" => "done",
        "tombstone" => return Mapped::Left("deleted issues".into()),
        other => {
            row.lose(format!("status={other}"));
            "todo"
        }
    };
    let mut steps = Vec::new();
    for mut comment in row.rows("comments", "comment") {
        comment.drop(&["id", "issue_id"]);
        let Some(at) = comment.time("created_at") else {
            row.lose("comments without a time");
            continue;
        };
        let author = comment.text("author").map_or_else(String::new, |who| format!("{who}: "));
        steps.push((format!("{author}{}", comment.text("text").unwrap_or_default()), at));
        row.lose_rest(&comment);
    }
    let reason = row.text("close_reason").map_or_else(String::new, |why| format!(": {why}"));
    let closed = row.time("closed_at").or(updated.filter(|_| !reason.is_empty()));
    steps.extend(closed.map(|at| (format!("closed{reason}"), at)));
    let (mut refs, mut after) = (Vec::new(), Vec::new());
    for mut link in row.rows("dependencies", "dependency") {
        link.drop(&["issue_id"]);
        let (other, of) = (link.text("depends_on_id"), link.text("type"));
        match of.as_deref() {
            Some("blocks") => after.extend(other),
            None | Some("related" | "relates-to") => refs.extend(other),
            Some(of) => {
                row.lose(format!("dependencies.type={of}"));
                refs.extend(other);
            }
        }
        row.lose_rest(&link);
    }
    refs.extend(row.text("parent").filter(|parent| !refs.contains(parent)));
    refs.extend(row.text("external_ref"));
    let labels = row.list("labels").join(", ");
    let mut facts = vec![kind.clone()];
    facts.extend(row.number("priority").map(|number| format!("priority {number}")));
    facts.extend((!labels.is_empty()).then(|| format!("labels: {labels}")));
    facts.extend(row.time("due_at").map(|at| format!("due {}", at.date())));
    facts.extend(deferred.map(|at| format!("deferred until {}", at.date())));
    let text = Parts::default()
        .add(row.text("title"))
        .add(row.text("description"))
        .named("Design", row.text("design"))
        .named("Acceptance criteria", row.text("acceptance_criteria"))
        .named("Notes", row.text("notes"))
        .add(Some(format!("({})", facts.join("; "))));
    let last = steps.iter().map(|step| step.1).max();
    let author = row.text("created_by").or_else(|| row.text("owner"));
    row.drop(&["content_hash", "dependency_count", "dependent_count", "comment_count"]);
    if matches!(kind.as_str(), "decision" | "message") && !matches!(status, "todo" | "done") {
        row.lose(format!("status={status}"));
    }
    let (line, status) = match kind.as_str() {
        "decision" => (Line::work("decision", id), None),
        "message" => (Line::work("note", id).with("from", row.text("sender")), None),
        _ => (Line::work("plan", id), Some(status)),
    };
    Mapped::Line(
        line.with("status", status)
            .with("text", text.text())
            .with("author", author)
            .with("to", row.text("assignee"))
            .at("created", Some(created))
            .at("updated", updated.max(last))
            .at("expires", until)
            .with("refs", refs)
            .with("after", after)
            .steps(steps),
    )
}
