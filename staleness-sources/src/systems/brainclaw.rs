//! brainclaw: one JSON file per record, in folders by kind. Based on its source up to July 2026 (`core/schema.ts`,
//! `core/io.ts`), whose kinds and states match the work items here.

use std::path::Path;

use serde_json::{Map, Value};
use staleness_docs::disk::read_bytes;

use super::ReadError;
use super::files::{MAX_FILE, files_in};
use super::line::{Line, Mapped, Parts, Sink};
use super::row::Row;

/// The folders of records, with their kinds.
const FOLDERS: [(&str, &str); 11] = [
    ("plans", "plan"),
    ("constraints", "constraint"),
    ("decisions", "decision"),
    ("traps", "trap"),
    ("traps-hosts", "trap"),
    ("traps-private", "trap"),
    ("handoffs", "handoff"),
    ("inbox", "candidate"),
    ("runtime", "note"),
    ("runtime-hosts", "note"),
    ("runtime-private", "note"),
];
/// The folder of instructions, which become preferences.
const INSTRUCTIONS: &str = "instructions";
/// Required fields. A record that lacks one has another version.
const NEEDED: [&str; 3] = ["id", "text", "created_at"];
/// The last known version of records. Records of version 1 may lack the version.
const VERSION: u64 = 2;
/// Fields without meaning outside brainclaw.
const INTERNAL: [&str; 7] =
    ["schema_version", "author_id", "agent_id", "project_id", "host_id", "session_id", "scope"];

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let inner = path.join(".brainclaw");
    let folder = if inner.is_dir() { &inner } else { path };
    for name in files_in(folder, ".json", sink)? {
        let mut parents = name.rsplit('/').skip(1);
        let known = parents.find_map(|part| {
            let of = FOLDERS.iter().find(|(folder, _)| *folder == part).map(|(_, kind)| *kind);
            of.or_else(|| (part == INSTRUCTIONS).then_some(INSTRUCTIONS))
        });
        let Some(kind) = known else {
            let place = name.rsplit_once('/').map_or("", |(place, _)| place);
            sink.leave(&format!("files in {place}/"), 1);
            continue;
        };
        let file = folder.join(&name);
        let mut row = match record(&file, kind) {
            Ok(row) => row,
            Err(what) => return Err(ReadError::refused(&file, what)),
        };
        // Messages to agents, and events, are stored beside candidates and notes.
        let is_other = match kind {
            "candidate" => !row.fields.contains_key("status") || !row.fields.contains_key("tags"),
            "note" => row.fields.contains_key("event_type"),
            _ => false,
        };
        if is_other {
            sink.put(&row, Mapped::Left("messages and events".into()))?;
            continue;
        }
        let missing: Vec<&str> =
            NEEDED.into_iter().filter(|key| !row.fields.contains_key(*key)).collect();
        if !missing.is_empty() {
            let what = format!("not a {kind} of brainclaw; missing: {}", missing.join(", "));
            return Err(ReadError::refused(&file, what));
        }
        let mapped =
            if kind == INSTRUCTIONS { instruction(&mut row) } else { work(&mut row, kind) };
        sink.put(&row, mapped)?;
    }
    Ok(())
}

fn record(file: &Path, what: &'static str) -> Result<Row, &'static str> {
    let read = read_bytes(file, MAX_FILE).map_err(|_| "cannot be read")?;
    let (bytes, _) = read.ok_or("larger than 1 MiB")?;
    let fields: Map<String, Value> =
        serde_json::from_slice(&bytes).map_err(|_| "not a JSON object; is the file incomplete?")?;
    let version = fields.get("schema_version").map_or(Some(VERSION), Value::as_u64);
    if version.is_none_or(|version| version > VERSION) {
        return Err("unknown schema_version; only 1 and 2 are supported");
    }
    let mut row = Row { what, fields };
    row.drop(&INTERNAL);
    Ok(row)
}

fn instruction(row: &mut Row) -> Mapped {
    if !row.flag("active") {
        return Mapped::Left("instructions that are not active".into());
    }
    Mapped::Line(
        Line::knowledge("preference", row.text("id").unwrap_or_default())
            .with("body", row.text("text"))
            .with("keywords", row.list("tags"))
            .at("added", row.time("created_at"))
            .at("updated", row.time("updated_at")),
    )
}

fn work(row: &mut Row, kind: &'static str) -> Mapped {
    let has_status = !matches!(kind, "decision" | "note");
    let status = has_status.then(|| row.text("status")).flatten();
    let status = status.map(|status| match status.as_str() {
        "expired" => "resolved".to_owned(),
        _ => status,
    });
    let (mut done, mut open) = (Vec::new(), Vec::new());
    for mut step in row.rows("steps", "step") {
        step.drop(&["id"]);
        let Some(text) = step.text("text") else { continue };
        match step.text("status").as_deref() {
            Some("done") => match step.time("updated_at") {
                Some(at) => done.push((text, at)),
                None => open.push(format!("[x] {text}")),
            },
            Some("todo") | None => open.push(format!("[ ] {text}")),
            Some(other) => {
                open.push(format!("[ ] {text}"));
                row.lose(format!("steps.status={other}"));
            }
        }
        row.lose_rest(&step);
    }
    let tags = row.list("tags").join(", ");
    let facts: Vec<String> = ["type", "priority", "severity", "category", "outcome"]
        .iter()
        .filter_map(|key| Some(format!("{key} {}", row.text(key)?)))
        .chain(Some(tags).filter(|tags| !tags.is_empty()))
        .collect();
    let files: Vec<String> =
        row.list("related_paths").iter().map(|file| format!("`{file}`")).collect();
    let text = Parts::default()
        .add(row.text("text"))
        .list(&open)
        .named("Resolution", row.text("resolution_reason"))
        .named("Files", Some(files.join(", ")).filter(|files| !files.is_empty()))
        .add((!facts.is_empty()).then(|| format!("({})", facts.join("; "))));
    let refs: Vec<String> = row.text("plan_id").into_iter().collect();
    let updated = ["updated_at", "resolved_at", "completed_at"];
    let updated = updated.iter().filter_map(|key| row.time(key)).max();
    let author = row.text("author").or_else(|| row.text("agent"));
    let is_note = kind == "note";
    Mapped::Line(
        Line::work(kind, row.text("id").unwrap_or_default())
            .with("status", status)
            .with("text", text.text())
            .with("author", author)
            .with("from", row.text("from"))
            .with("to", row.text("to").or_else(|| row.text("assignee")))
            .with("note_type", is_note.then(|| row.text("note_type")).flatten())
            .at("created", row.time("created_at"))
            .at("updated", updated)
            .at("expires", row.time("expires_at"))
            .with("refs", refs)
            .with("after", row.list("depends_on"))
            .steps(done),
    )
}
